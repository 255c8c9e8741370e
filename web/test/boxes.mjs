// A font whose letters are boxes, so that pictures of the page are the same whatever fonts a machine has.

const WIDTH = 512, EM = 1024;

class Bytes {
  parts = [];
  u8(...all) { for (const value of all) this.parts.push(value & 255); return this; }
  u16(...all) { for (const value of all) this.u8(value >> 8, value); return this; }
  u32(...all) { for (const value of all) this.u16(value >>> 16, value); return this; }
  text(words) { return this.u8(...Buffer.from(words, "latin1")); }
  get buffer() { return Buffer.from(this.parts); }
}

/** A glyph that is one rectangle. */
function rectangle(left, bottom, right, top) {
  const glyph = new Bytes().u16(1, left, bottom, right, top, 3, 0).u8(1, 1, 1, 1);
  let [x, y] = [0, 0];
  const corners = [[left, bottom], [left, top], [right, top], [right, bottom]];
  const steps = corners.map(([to, up]) => {
    const step = [to - x, up - y];
    [x, y] = [to, up];
    return step;
  });
  for (const [step] of steps) glyph.u16(step);
  for (const [, step] of steps) glyph.u16(step);
  return glyph.buffer;
}

/** Letters of several heights, chosen by their code, so that lines with other words look different. */
const HEIGHTS = [350, 420, 500, 580, 660];
const glyphOf = (code) => (code === 0x20 || code === 0xa0 ? 1 : 2 + (code % HEIGHTS.length));
const RANGES = [[0x20, 0x24f], [0x370, 0x3ff], [0x2000, 0x27bf]];

/** The font, as a file in the form TrueType. */
export function boxes() {
  const glyphs = [rectangle(40, 0, 470, 660), Buffer.alloc(0), ...HEIGHTS.map((top) => rectangle(60, 0, 452, top))];
  const glyf = [], loca = new Bytes();
  let at = 0;
  for (const glyph of glyphs) {
    loca.u32(at);
    const padded = Buffer.concat([glyph, Buffer.alloc((4 - (glyph.length % 4)) % 4)]);
    glyf.push(padded);
    at += padded.length;
  }
  loca.u32(at);
  // Segments of codes: the glyph of each is in the list behind them.
  const segments = [...RANGES, [0xffff, 0xffff]];
  const list = RANGES.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, step) => glyphOf(from + step)));
  const cmap = new Bytes().u16(0, 1, 3, 1).u32(12);
  const count = segments.length;
  cmap.u16(4, 16 + 8 * count + 2 * list.length, 0, count * 2, 8, 2, count * 2 - 8);
  for (const [, to] of segments) cmap.u16(to);
  cmap.u16(0);
  for (const [from] of segments) cmap.u16(from);
  for (const [from] of segments) cmap.u16(from === 0xffff ? 1 : 0);
  let before = 0;
  segments.forEach(([from, to], number) => {
    cmap.u16(from === 0xffff ? 0 : 2 * (count - number) + 2 * before);
    before += to - from + 1;
  });
  cmap.u16(...list);
  const names = [[1, "Boxes"], [2, "Regular"], [3, "Boxes"], [4, "Boxes"], [6, "Boxes"]];
  const name = new Bytes().u16(0, names.length, 6 + 12 * names.length);
  let offset = 0;
  for (const [id, words] of names) {
    name.u16(3, 1, 0x409, id, words.length * 2, offset);
    offset += words.length * 2;
  }
  for (const [, words] of names) for (const letter of words) name.u16(letter.charCodeAt(0));
  const os2 = new Bytes().u16(4, WIDTH, 400, 5, 0, 512, 512, 0, 0, 512, 512, 0, 0, 50, 300, 0).u8(...Array(10).fill(0));
  os2.u32(1, 0, 0, 0).text("NONE").u16(0x40, 0x20, 0xffff, 800, -224, 0, 800, 224).u32(1, 0).u16(500, 660, 0, 32, 1);
  const tables = {
    "OS/2": os2.buffer,
    cmap: cmap.buffer,
    glyf: Buffer.concat(glyf),
    head: new Bytes().u16(1, 0, 1, 0).u32(0, 0x5f0f3cf5).u16(3, EM).u32(0, 0, 0, 0).u16(40, 0, 470, 660, 0, 8, 2, 1, 0).buffer,
    hhea: new Bytes().u16(1, 0, 800, -224, 0, WIDTH, 40, 42, 470, 1, 0, 0, 0, 0, 0, 0, 0, glyphs.length).buffer,
    hmtx: new Bytes().u16(...glyphs.flatMap(() => [WIDTH, 40])).buffer,
    loca: loca.buffer,
    maxp: new Bytes().u16(1, 0, glyphs.length, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0).buffer,
    name: name.buffer,
    post: new Bytes().u16(3, 0).u32(0, 0, 1, 0, 0, 0, 0).buffer,
  };
  const rows = Object.entries(tables);
  const sum = (bytes) => {
    let total = 0;
    for (let place = 0; place < bytes.length; place += 4) {
      let word = 0;
      for (let step = 0; step < 4; step++) word = word * 256 + (bytes[place + step] ?? 0);
      total = (total + word) % 2 ** 32;
    }
    return total;
  };
  const head = new Bytes().u32(0x00010000).u16(rows.length, 128, 3, rows.length * 16 - 128);
  let place = 12 + 16 * rows.length;
  const bodies = [];
  for (const [tag, body] of rows) {
    head.text(tag).u32(sum(body), place, body.length);
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
    bodies.push(padded);
    place += padded.length;
  }
  return Buffer.concat([head.buffer, ...bodies]);
}
