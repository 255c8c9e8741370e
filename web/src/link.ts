// Links: text and view in the fragment, which no server sees. `#v1.CHECKSUM.DATA`: the data are JSON, deflated, in
// base64url; the checksum is the CRC-32 of what was deflated. Links of every version are read for ever.

export interface Shared {
  text: string;
  name: string;
  kind: string;
  strict: boolean;
  /** The step that is looked at; 0 for none. */
  step: number;
}

/** How large what a link holds may be, and what is opened. */
export const MOST_BYTES = 2_000_000;

function crc32(bytes: Uint8Array) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}

async function through(bytes: Uint8Array, transform: CompressionStream | DecompressionStream, most = Infinity) {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(transform);
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    // It is refused while it is unpacked, not afterwards.
    if (length > most) {
      await reader.cancel();
      throw new Error("the link holds more than a program");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

export async function encoded(shared: Shared) {
  if (typeof CompressionStream !== "function") throw new Error("this browser cannot make links; save the text as a file");
  const plain = new TextEncoder().encode(JSON.stringify([shared.text, shared.name, shared.kind, shared.strict, shared.step]));
  const packed = await through(plain, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return `v1.${crc32(packed)}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

export async function decoded(fragment: string): Promise<Shared> {
  const [version, checksum, data] = fragment.split(".");
  if (version !== "v1" || !data) throw new Error("the link is not one of this page, or of a later version");
  if (typeof DecompressionStream !== "function") throw new Error("this browser cannot read links");
  let packed: Uint8Array;
  try {
    packed = Uint8Array.from(atob(data.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error("the link is damaged: it has letters that no link has");
  }
  if (crc32(packed) !== checksum) throw new Error("the link is damaged: a part of it is missing or changed");
  const read = parsed(await through(packed, new DecompressionStream("deflate-raw"), MOST_BYTES));
  if (!Array.isArray(read)) throw new Error("the link holds no program");
  const [text, name, kind, strict, step] = read as unknown[];
  if (typeof text !== "string" || typeof name !== "string" || typeof kind !== "string") throw new Error("the link holds no program");
  return { text, name, kind, strict: strict === true, step: typeof step === "number" && Number.isInteger(step) ? step : 0 };
}
