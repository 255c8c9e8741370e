// The page in Chromium. Usage: node test/chromium.mjs [PART]; pictures go to the folder in SERVAL_PICTURES.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

import { chromium } from "playwright-core";

import { serve } from "./server.mjs";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const axe = createRequire(import.meta.url).resolve("axe-core");
const part = process.argv[2] ?? "";
const pictures = process.env.SERVAL_PICTURES;
const profile = mkdtempSync(join(tmpdir(), "serval-page-"));
const ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.SERVAL_CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ARGS,
  viewport: { width: 1280, height: 900 },
});
// A machine that does many other things takes its time.
context.setDefaultTimeout(240_000);
const server = await serve(dist);
const plainServer = await serve(dist, { plain: true, prefix: "/some/path/" });

/** What the console said, and what was asked for outside of the page. */
let noise = [];
async function page(path = "", { url = server.url, before } = {}) {
  const one = await context.newPage();
  if (before) await one.addInitScript(...before);
  one.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
  one.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  one.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) noise.push(`request: ${request.url()}`);
  });
  await one.goto(url + path);
  return one;
}
const status = (one, pattern) => one.waitForFunction((source) => new RegExp(source).test(document.getElementById("status").textContent), pattern.source);
/** No test finds the draft of another one, which may have ended while it was being checked. */
async function forget(url) {
  const one = await context.newPage();
  await one.goto(`${url}icon.svg`);
  await one.evaluate(() => localStorage.clear());
  await one.close();
}
const idle = (one) => one.waitForFunction(() => document.getElementById("stop").disabled);
const textOf = (one) => one.evaluate(() => [...document.getElementById("editor").shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));
async function write(one, text) {
  await one.locator("#editor .cm-content").click();
  await one.keyboard.press("Control+a");
  await one.keyboard.press("Delete");
  await one.keyboard.insertText(text);
}
const example = (name) => readFileSync(join(examples, name), "utf8");
const crc32 = (bytes) => {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
};
const link = (value) => {
  const packed = deflateRawSync(typeof value === "string" ? value : JSON.stringify(value));
  return `#v1.${crc32(packed)}.${packed.toString("base64url")}`;
};

const tests = {
  async "an example is decided when the page opens"() {
    const one = await page();
    await status(one, /^not serializable · lost update.*proved/);
    assert.match(await one.locator("#report").evaluate((holder) => holder.shadowRoot.textContent), /What can happen/);
    if (pictures) await one.screenshot({ path: join(pictures, "first.png"), fullPage: true });
    await one.close();
  },
  async "an error, and its mending"() {
    const one = await page();
    await status(one, /proved/);
    await write(one, "request flip { X := }");
    await status(one, /^error/);
    assert.match(await one.locator("#problems").textContent(), /line 1: error E0/);
    await write(one, "request flip { X := 1 - X; X }");
    await status(one, /^serializable/);
    assert.equal(await one.locator("#problems li").count(), 0);
    await one.locator("#again").click();
    await one.waitForFunction(() => /valid/.test(document.getElementById("checked").textContent));
    if (pictures) await one.screenshot({ path: join(pictures, "proof.png"), fullPage: true });
    await one.close();
  },
  async "a fix is shown, applied and proved"() {
    const one = await page("#example=lost-update.ser");
    await status(one, /proved/);
    await one.locator("#fixes summary").first().click();
    assert.match(await one.locator("#fixes pre").first().textContent(), /^@@/);
    await one.locator("#fixes button").first().click();
    await status(one, /^serializable/);
    await one.close();
  },
  async "slider, keys, and lines"() {
    const one = await page("#example=lost-update.ser");
    await status(one, /proved/);
    const shown = () => one.locator("#step").textContent();
    await one.locator("#slider").focus();
    await one.keyboard.press("Home");
    assert.match(await shown(), /^1 of/);
    await one.keyboard.press("ArrowRight");
    assert.match(await shown(), /^2 of/);
    await one.locator("#before").click();
    assert.match(await shown(), /^1 of/);
    const lit = await one.evaluate(() => [...document.getElementById("editor").shadowRoot.querySelectorAll(".lit")].map((line) => line.textContent));
    assert.ok(lit.some((line) => line.includes("seen := EDITS")), JSON.stringify(lit));
    await one.locator("#editor .cm-line", { hasText: "EDITS := (seen" }).click();
    assert.match(await shown(), /^[3-9] of/);
    await one.close();
  },
  async "a link restores text and step"() {
    const one = await page("#example=lost-update.ser");
    await status(one, /proved/);
    await one.locator("#slider").focus();
    await one.keyboard.press("Home");
    await one.locator("#share").click();
    await one.waitForFunction(() => document.getElementById("shared").open);
    const href = await one.locator("#link").inputValue();
    assert.ok(!href.includes("?") && href.length < 2000, href);
    const text = await textOf(one);
    await one.close();
    const two = await page(href.slice(server.url.length));
    await status(two, /proved/);
    assert.equal(await textOf(two), text);
    assert.match(await two.locator("#step").textContent(), /^1 of/);
    await two.close();
  },
  async "links of old releases, and links that are none"() {
    const kept = JSON.parse(readFileSync(new URL("links.json", import.meta.url), "utf8"));
    for (const { fragment, begins } of kept) {
      const one = await page(fragment);
      await status(one, /serializable/);
      assert.ok((await textOf(one)).startsWith(begins));
      await one.close();
    }
    const good = link(["request a { 1 }", "a.ser", "ser", false, 0]);
    const bad = [
      [good.replace(/\.[0-9a-f]{8}\./, ".00000000."), /damaged/],
      [good.replace("#v1", "#v9"), /later version/],
      [`${good}!!`, /damaged/],
      [link({ __proto__: 1 }), /no program/],
      [link("0".repeat(100_000_000)), /more than a program/],
    ];
    for (const [fragment, said] of bad) {
      const one = await page(fragment);
      await one.waitForFunction(() => !document.getElementById("notice").hidden);
      assert.match(await one.locator("#notice").textContent(), said);
      await one.close();
    }
  },
  async "stop, while searching"() {
    for (const url of [server.url, plainServer.url]) {
      const one = await page("", { url });
      await status(one, /proved|·/);
      await write(one, Array.from({ length: 14 }, (_, step) => `request a${step} { x := N; yield; M := (M + ${step + 1}) % 97; N := (x + M) % 89; N }\n`).join(""));
      await one.waitForFunction(() => !document.getElementById("stop").disabled);
      await one.waitForTimeout(700);
      const began = Date.now();
      await one.locator("#stop").click();
      await one.waitForFunction(() => document.getElementById("stop").disabled);
      const took = Date.now() - began;
      assert.match(await one.locator("#status").textContent(), /stopped|undecided|serializable/);
      // A machine that does many other things takes its time; the full run measures.
      if (pictures) assert.ok(took < 3000, `${took} ms`);
      await write(one, "request flip { X := 1 - X; X }");
      await status(one, /^serializable/);
      await one.close();
    }
  },
  async "stop, while reading, preparing and fixing"() {
    const many = (count, body) => Array.from({ length: count }, (_, step) => `request a${step} { ${body(step)} }\n`).join("");
    const stages = {
      reading: [many(9000, (step) => `x := N; yield; if (x == ${step}) { M := (M + x) % 7 } else { M := 0 }; N := (x + M) % 5; N`), /^checking/],
      preparing: [many(40, (step) => `A := (A + ${step}) % 997; yield; B := (B + A) % 991; yield; C := (A + B) % 983; C`), /^checking … preparing/],
      fixing: [many(150, (step) => `x := N${step % 3}; yield; N${step % 3} := x + ${step}; x`), /looking for fixes/],
    };
    for (const [stage, [text, seen]] of Object.entries(stages)) {
      // The button is pressed as soon as the stage is shown, however short that is.
      const press = (pattern) => {
        const look = () => {
          if (globalThis.pressed || !new RegExp(pattern).test(document.getElementById("status")?.textContent ?? "")) return;
          globalThis.pressed = true;
          document.getElementById("stop").click();
        };
        new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
      };
      const one = await page(link([text, "many.ser", "ser", false, 0]), { before: [press, seen.source] });
      await one.waitForFunction(() => globalThis.pressed && document.getElementById("stop").disabled);
      assert.doesNotMatch(await one.locator("#status").textContent(), /^checking/, stage);
      await write(one, "request flip { X := 1 - X; X }");
      await status(one, /^serializable/);
      await one.close();
    }
  },
  async "a module that is cut short"() {
    // A place where this browser was never, and that keeps no module.
    const fresh = await serve(dist, { plain: true });
    const one = await context.newPage();
    await one.route("**/*.wasm", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: (await answer.body()).subarray(0, 100_000) });
    });
    await one.goto(fresh.url);
    await status(one, /^The module could not be started: .*The command line does the same: serval check FILE$/);
    await one.close();
    await fresh.close();
  },
  async "storage that is full or forbidden"() {
    for (const refused of ["setItem", "getItem"]) {
      const one = await context.newPage();
      one.on("pageerror", (error) => noise.push(`error: ${error.message}`));
      await one.addInitScript((name) => {
        Storage.prototype[name] = () => {
          throw new DOMException("no room", "QuotaExceededError");
        };
      }, refused);
      await one.goto(server.url);
      await status(one, /·/);
      await write(one, "request flip { X := 1 - X; X }");
      await status(one, /^serializable/);
      await one.close();
    }
  },
  async "two tabs with one draft"() {
    const one = await page("", { url: plainServer.url });
    // What is being checked in one tab is shown in the next one and not run, as after a crash.
    await status(one, /·/);
    await idle(one);
    const two = await page("", { url: plainServer.url });
    await status(two, /·/);
    await idle(two);
    await write(one, "request first { X := 1 - X; X }");
    await status(one, /^serializable/);
    await write(two, "request second { X := 1 - X; X }");
    await status(two, /^serializable/);
    await idle(one);
    await idle(two);
    assert.match(await textOf(one), /first/, "what one tab does changes nothing in the other");
    await one.reload();
    await status(one, /^serializable/);
    assert.match(await textOf(one), /second/, "the last key wins");
    await one.evaluate(() => localStorage.removeItem("serval.draft"));
    await one.close();
    await two.close();
  },
  async "nets and weak memory"() {
    const one = await page("#example=store-buffering.tso");
    await status(one, /^not robust/);
    await one.locator("#gallery-open").click();
    await one.locator("#find").fill("vending");
    await one.locator("#found button").first().click();
    await status(one, /questions hold/);
    await one.close();
  },
  async "a run by hand"() {
    const one = await page("#example=lost-update.ser");
    await status(one, /proved/);
    await one.locator("#play summary").click();
    const press = async (text) => {
      await one.locator("#play-body .moves button", { hasText: text }).first().click();
      await one.waitForTimeout(150);
    };
    await one.locator("#play-body .moves button").first().waitFor();
    for (const words of ["comes", "comes", "#1", "#2", "#1", "#2", "#1", "#2"]) {
      if (await one.locator("#play-body .moves button", { hasText: words }).count() > 0) await press(words);
    }
    assert.match(await one.locator("#serial").textContent(), /Not serial|Serial so far|answered/);
    await one.close();
  },
  async "the tour from start to end"() {
    const one = await page("#example=counter.ser");
    await status(one, /·/);
    await one.locator("#tour-open").click();
    const next = async () => {
      await one.waitForFunction(() => /Done/.test(document.getElementById("tour").textContent));
      await one.locator("#tour button", { hasText: "Next" }).click();
    };
    await next();
    const text = await textOf(one);
    await write(one, text.replace(/ *yield;.*\n/, ""));
    await next();
    await write(one, text.replace("Balance := seen - 1", "Balance -= 1"));
    await next();
    await write(one, text.replace("  seen :=", "  lock(M);\n  seen :=").replace("return 0", "unlock(M); return 0").replace("  1\n}", "  unlock(M);\n  1\n}"));
    await next();
    await one.locator("#again").click();
    await one.waitForFunction(() => /Done/.test(document.getElementById("tour").textContent));
    await one.locator("#tour button", { hasText: "Finish" }).click();
    await one.close();
  },
  async "dark, narrow, print, and what a screen reader finds"() {
    const one = await page("#example=wallet.ser");
    await status(one, /proved|fix/);
    const width = () => one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    for (const [name, size, dark] of [["light", 1280, false], ["dark", 1280, true], ["narrow", 360, false], ["narrow-dark", 360, true]]) {
      await one.setViewportSize({ width: size, height: 800 });
      await one.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      assert.equal(await width(), 0, `${name}: wider than the screen`);
      if (pictures) await one.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
      await one.evaluate(readFileSync(axe, "utf8"));
      const found = await one.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const serious = found.violations.filter((violation) => ["serious", "critical"].includes(violation.impact));
      assert.deepEqual(serious.map((violation) => [violation.id, violation.nodes[0].target, violation.nodes[0].failureSummary]), [], name);
    }
    await one.emulateMedia({ media: "print" });
    if (pictures) await one.screenshot({ path: join(pictures, "print.png"), fullPage: true });
    await one.close();
  },
  async "markup and directions stay text"() {
    const text = "// <img src=x onerror=alert(1)> \u202e </script>\nrequest __proto__ { x := N; yield; N := (x + 1) % 3; N }\n";
    const one = await page(link([text, "<b>__proto__\u202e.ser", "ser", false, 0]));
    await status(one, /not serializable/);
    assert.equal(await one.evaluate(() => document.querySelectorAll("b, img").length + document.getElementById("report").shadowRoot.querySelectorAll("b, img").length), 0);
    await one.close();
  },
  async "the page opens without a network, and asks for nothing once it is there"() {
    const one = await page();
    await status(one, /proved|·/);
    await one.evaluate(() => navigator.serviceWorker.ready);
    await one.waitForTimeout(500);
    const before = server.asked.length;
    await write(one, "request flip { X := 1 - X; X }");
    await status(one, /^serializable/);
    // Whether the worker for times without a network has changed is a question of the browser's own.
    assert.deepEqual(server.asked.slice(before).filter(path => path !== "/offline.js"), []);
    await context.setOffline(true);
    await one.reload();
    await status(one, /serializable/);
    await context.setOffline(false);
    await one.close();
  },
  async "within another page"() {
    const one = await page("?embed#example=lost-update.ser");
    await status(one, /proved|·/);
    assert.ok(!(await one.locator(".top").isVisible()));
    assert.match(await one.locator("#leave").getAttribute("href"), /^\.\/#v1\./);
    await one.close();
  },
  async "a draft that did not end is shown and not run"() {
    const one = await page("", { url: plainServer.url });
    await status(one, /·/);
    await one.evaluate(() => localStorage.setItem("serval.draft", JSON.stringify({ text: "request a { 1 }", name: "a.ser", kind: "ser", running: true })));
    await one.reload();
    await status(one, /This is your draft/);
    await one.waitForTimeout(600);
    assert.match(await one.locator("#status").textContent(), /This is your draft/);
    await one.locator("#check").click();
    await status(one, /^serializable/);
    await one.close();
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (!name.includes(part)) continue;
  for (const { url } of [server, plainServer]) await forget(url);
  noise = [];
  const began = Date.now();
  try {
    await test();
    // A module cut off by a stop is no message of ours.
    assert.deepEqual(noise, [], "the console is silent");
    console.log(`passed  ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error?.stack ?? error}`);
    for (const one of context.pages().slice(1)) {
      console.log(`  status: ${await one.locator("#status").textContent().catch(() => "?")}; notice: ${await one.locator("#notice").textContent().catch(() => "?")}`);
      await one.close();
    }
  }
}
await context.close();
await server.close();
await plainServer.close();
rmSync(profile, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);
