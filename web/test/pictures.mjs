// Eight pictures of the page in Chromium, compared with those in `pictures`. Their letters are boxes, so that they do
// not depend on the fonts of a machine, and what is compared is the colour of small squares, so that they do not
// depend on how edges are smoothed. Usage: node test/pictures.mjs [PART]; SERVAL_BLESS=1 puts the new ones in the
// place of the old.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { boxes } from "./boxes.mjs";
import { begin, FLIP, link, run, settled, status, until } from "./browser.mjs";

const kept = fileURLToPath(new URL("pictures/", import.meta.url));
const made = process.env.SERVAL_PICTURES;
const bless = process.env.SERVAL_BLESS === "1";
/** A square is another one where its colour differs by more, of 255; and so many of them may, in a thousand. */
const COLOUR = 20, OTHERS = 4;

/** Letters become boxes, also within shadows; times are those of no machine. */
async function boxed(one) {
  await one.evaluate(async (font) => {
    const face = new FontFace("Boxes", Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0)).buffer);
    document.fonts.add(await face.load());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { font-family: Boxes !important; font-synthesis: none !important; transition: none !important; caret-color: transparent !important; } .cm-cursorLayer { display: none !important; }");
    for (const root of [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)]) {
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    }
    const status = document.getElementById("status");
    status.textContent = status.textContent.replace(/\d+ ms/, "10 ms");
    const foot = document.getElementById("foot");
    foot.textContent = foot.textContent.replace(/^serval .*:/, "serval:");
    document.activeElement?.blur();
    await document.fonts.ready;
  }, boxes().toString("base64"));
  await one.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** How many squares of 8 by 8 in a thousand differ; the browser knows how to read pictures. */
function differing(blank, pictures) {
  return blank.evaluate(async ([pictures, colour]) => {
    const squares = async (picture) => {
      const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const drawing = canvas.getContext("2d", { willReadFrequently: true });
      drawing.drawImage(image, 0, 0);
      const { data } = drawing.getImageData(0, 0, image.width, image.height);
      const [wide, high] = [Math.ceil(image.width / 8), Math.ceil(image.height / 8)];
      const sums = new Float64Array(wide * high * 3);
      for (let y = 0; y < image.height; y++) {
        for (let x = 0; x < image.width; x++) {
          const square = (Math.floor(y / 8) * wide + Math.floor(x / 8)) * 3;
          for (let part = 0; part < 3; part++) sums[square + part] += data[(y * image.width + x) * 4 + part] / 64;
        }
      }
      return { wide, high, sums };
    };
    const [one, two] = [await squares(pictures[0]), await squares(pictures[1])];
    if (one.wide !== two.wide || one.high !== two.high) return 1000;
    let others = 0;
    for (let square = 0; square < one.sums.length; square += 3) {
      others += [0, 1, 2].some((part) => Math.abs(one.sums[square + part] - two.sums[square + part]) > colour) ? 1 : 0;
    }
    return (others * 3000) / one.sums.length;
  }, [pictures.map((picture) => picture.toString("base64")), COLOUR]);
}

async function compared(begun, one, name) {
  await boxed(one);
  const { width } = one.viewportSize();
  const picture = await one.screenshot({ clip: { x: 0, y: 0, width, height: 1000 }, fullPage: true, animations: "disabled", caret: "hide", scale: "css" });
  if (made) writeFileSync(join(made, `${name}.png`), picture);
  const path = join(kept, `${name}.png`);
  if (bless) {
    mkdirSync(kept, { recursive: true });
    writeFileSync(path, picture);
    return;
  }
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  const blank = await begun.context.newPage();
  const others = await differing(blank, [picture, readFileSync(path)]);
  await blank.close();
  if (others > OTHERS) throw new Error(`${name} looks different: ${others.toFixed(1)} of 1000 squares, and ${OTHERS} may`);
}

/** A picture of what a link shows. */
const shown = (name, path, { width = 1280, media = {}, before = async () => {} } = {}) => async (begun) => {
  const one = await begun.page(path);
  await one.setViewportSize({ width, height: 1000 });
  await one.emulateMedia(media);
  await settled(one);
  await before(one);
  await compared(begun, one, name);
  await one.close();
};

const tests = {
  "picture: a counterexample": shown("counterexample", "#example=lost-update.ser"),
  "picture: in the dark": shown("dark", "#example=lost-update.ser", { media: { colorScheme: "dark" } }),
  "picture: on a telephone": shown("narrow", "#example=lost-update.ser", { width: 360 }),
  "picture: printed": shown("print", "#example=lost-update.ser", { media: { media: "print" } }),
  "picture: a proof": shown("proof", link([FLIP, "flip.ser", "ser", false, 0]), {
    before: async (one) => {
      await one.locator("#report details.folded summary", { hasText: "Show the picture" }).first().click();
      await one.locator("#again").click();
      await until(one, () => /: valid: /.test(document.getElementById("checked").textContent));
    },
  }),
  "picture: mistakes": shown("mistakes", link(["request flip {\n  X := 1 - ;\n  Y\n}\n", "flip.ser", "ser", false, 0]), {
    before: async (one) => {
      await status(one, /^error/);
      await until(one, () => document.querySelectorAll("#problems li").length > 0);
    },
  }),
  "picture: a net": shown("net", "#example=vending-machine.net"),
  "picture: examples": shown("examples", "#example=lost-update.ser", {
    before: async (one) => {
      await one.locator("#gallery-open").click();
      await one.locator("#find").fill("write skew");
    },
  }),
};

const begun = await begin();
const passed = await run(tests, { begun, part: process.argv[2] });
await begun.end();
process.exit(passed ? 0 : 1);
