// Chromium with the page in it, for tests. They wait for states of the page and for no time: a machine that does many
// other things takes its time.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

import { chromium } from "playwright-core";

import { serve } from "./server.mjs";

/** Milliseconds, longer than any machine takes; a test that has failed ends after it. */
export const LONG = Number(process.env.SERVAL_WAIT ?? 600_000);
export const dist = fileURLToPath(new URL("../dist/", import.meta.url));
export const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
export const example = (name) => readFileSync(join(examples, name), "utf8");
const ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

/** A browser that knows nothing yet. */
export async function fresh(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "serval-page-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.SERVAL_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [...ARGS, ...(options.args ?? [])],
    viewport: { width: 1280, height: 900 },
    timeout: LONG,
  });
  context.setDefaultTimeout(LONG);
  const end = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, end };
}

/** A browser, and the page on two servers: one with the headers under which memory is shared, one without. */
export async function begin() {
  const { context, end } = await fresh();
  const server = await serve(dist);
  const plain = await serve(dist, { plain: true, prefix: "/some/path/" });
  /** What the console said, and what was asked for outside of the page. */
  const noise = [];
  const heard = (one, url) => {
    one.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
    one.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    one.on("request", (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) noise.push(`request: ${request.url()}`);
    });
  };
  /** The page, whose work may take as long as it takes. */
  async function page(path = "", { url = server.url, before, within = context } = {}) {
    const one = await within.newPage();
    if (before) await one.addInitScript(...before);
    heard(one, url);
    await one.goto(`${url}?seconds=100000${path.startsWith("?") ? `&${path.slice(1)}` : path}`);
    return one;
  }
  /** No test finds the draft of another one, which may have ended while it was being checked. */
  async function forget() {
    noise.length = 0;
    for (const { url } of [server, plain]) {
      const one = await context.newPage();
      await one.goto(`${url}icon.svg`);
      await one.evaluate(() => localStorage.clear());
      await one.close();
    }
  }
  return { context, server, plain, noise, heard, page, forget, end: async () => {
    await end();
    await server.close();
    await plain.close();
  } };
}

/** Waits until something holds in the page. */
export const until = (one, holds, argument) => one.waitForFunction(holds, argument, { polling: 50 });
export const status = (one, pattern) =>
  until(one, (source) => new RegExp(source).test(document.getElementById("status").textContent), pattern.source);
/** Waits for all that is to come for the text as it is: the verdict, and fixes. */
export const settled = (one) => until(one, () => document.getElementById("result").getAttribute("aria-busy") === "false");
export const said = (one) => one.locator("#status").textContent();

/** From now on the clock stands still, unless a test moves it: that of all pages of a browser, so that it is another one. */
export async function still(one) {
  await one.clock.install();
  await one.clock.pauseAt(Date.now() + 3_600_000);
}

/** The lines that the editor shows. */
export const textOf = (one) =>
  one.evaluate(() => [...document.getElementById("editor").shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));

const round = (one) => one.evaluate(() => Number(document.getElementById("editor").dataset.round ?? 0));
/** Does something that changes the text, and waits until the page knows the change. */
export async function changes(one, act) {
  const before = await round(one);
  await act();
  await until(one, (before) => Number(document.getElementById("editor").dataset.round ?? 0) > before, before);
}
/** Writes a text in the place of the one that is there. */
export async function write(one, text) {
  await one.locator("#editor .cm-content").focus();
  await one.keyboard.press("Control+a");
  await changes(one, () => one.keyboard.press("Delete"));
  await changes(one, () => one.keyboard.insertText(text));
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}
/** A link as the page makes it. */
export function link(value) {
  const packed = deflateRawSync(typeof value === "string" ? value : JSON.stringify(value));
  return `#v1.${crc32(packed)}.${packed.toString("base64url")}`;
}

/** A program of so many requests. */
export const many = (count, body) => Array.from({ length: count }, (_, step) => `request a${step} { ${body(step)} }\n`).join("");
export const FLIP = "request flip { X := 1 - X; X }";
/** A program about which a search goes on for hours. */
export const LONG_SEARCH = many(14, (step) => `x := N; yield; M := (M + ${step + 1}) % 97; N := (x + M) % 89; N`);
/** A text for each stage of the work, and what is shown in it. */
export const STAGES = {
  reading: [many(9000, (step) => `x := N; yield; if (x == ${step}) { M := (M + x) % 7 } else { M := 0 }; N := (x + M) % 5; N`), /^checking/],
  preparing: [many(40, (step) => `A := (A + ${step}) % 997; yield; B := (B + A) % 991; yield; C := (A + B) % 983; C`), /^checking … preparing/],
  searching: [LONG_SEARCH, /^checking … searching/],
  fixing: [many(150, (step) => `x := N${step % 3}; yield; N${step % 3} := x + ${step}; x`), /looking for fixes/],
};
/** In the page: presses the button as soon as this is shown, however short that is. */
export const press = (pattern) => {
  const look = () => {
    if (globalThis.pressed || !new RegExp(pattern).test(document.getElementById("status")?.textContent ?? "")) return;
    const button = document.getElementById("stop");
    if (button.disabled) return;
    globalThis.pressed = performance.now();
    button.click();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
};

/** Runs tests one by one, those whose name has PART; whether all have passed. */
export async function run(tests, { begun, part = "" }) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(part)) continue;
    await begun.forget();
    const began = Date.now();
    try {
      await test(begun);
      if (begun.noise.length > 0) throw new Error(`the console is not silent: ${begun.noise.join("; ")}`);
      console.log(`passed  ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error?.stack ?? error}`);
      for (const one of begun.context.pages().slice(1)) {
        const words = (id) => one.locator(id).textContent({ timeout: 5000 }).catch(() => "?");
        console.log(`  status: ${await words("#status")}; notice: ${await words("#notice")}`);
      }
    }
    for (const one of begun.context.pages().slice(1)) await one.close();
    await begun.context.setOffline(false);
  }
  return failed === 0;
}
