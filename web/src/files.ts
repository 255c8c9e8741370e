// Files that are opened or dropped: texts, and certificates.

/** The text of a file, which has to be UTF-8. */
export function textOf(bytes: ArrayBuffer, name: string) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not UTF-8. Save it as UTF-8, and open it again.`);
  }
}

/** Whether a text is a certificate, and not a program or a system. */
export function certificateIn(text: string) {
  try {
    const read = JSON.parse(text) as { format?: unknown } | null;
    return typeof read?.format === "string" && read.format.includes("certificate");
  } catch {
    return false;
  }
}
