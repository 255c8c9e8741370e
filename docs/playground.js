// Below each program of the book a link that opens it in the playground, where that is in the folder `playground` of
// the book. The link holds the program, as those of the page do (web/src/link.ts).

(async () => {
  const ENDINGS = { "language-ser": "ser", "language-tso": "tso" };
  const programs = [...document.querySelectorAll("pre > code")].filter((code) => Object.keys(ENDINGS).some((name) => code.classList.contains(name)));
  if (programs.length === 0 || typeof CompressionStream !== "function" || !/^https?:$/.test(location.protocol)) return;
  const root = typeof path_to_root === "string" ? path_to_root : "";
  const place = new URL(`${root}playground/`, location.href);
  const there = await fetch(new URL("index.html", place), { method: "HEAD" }).then((answer) => answer.ok, () => false);
  if (!there) return;

  const checksum = (bytes) => {
    let crc = ~0;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
    }
    return (~crc >>> 0).toString(16).padStart(8, "0");
  };
  for (const code of programs) {
    const kind = ENDINGS[Object.keys(ENDINGS).find((name) => code.classList.contains(name))];
    const plain = new TextEncoder().encode(JSON.stringify([code.textContent, `book.${kind}`, kind, false, 0]));
    const stream = new Blob([plain]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    const data = btoa(String.fromCharCode(...packed)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    const link = document.createElement("a");
    link.className = "open-in-playground";
    link.href = `${place}#v1.${checksum(packed)}.${data}`;
    link.textContent = "open in the playground";
    code.parentElement.after(link);
  }
})();
