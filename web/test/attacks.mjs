// What is bad, missing, altered, full, or killed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { FLIP, link, LONG_SEARCH, press, said, settled, status, textOf, until, write } from "./browser.mjs";
import { serve } from "./server.mjs";
import { dist } from "./browser.mjs";

const notice = (one, pattern) => until(one, (source) => !document.getElementById("notice").hidden && new RegExp(source).test(document.getElementById("notice").textContent), pattern.source);
const file = (name, bytes) => ({ name, mimeType: "text/plain", buffer: Buffer.from(bytes) });
/** A certificate, as the page saves it. */
async function certificateOf(one) {
  const [saved] = await Promise.all([one.waitForEvent("download"), one.locator("#save").click()]);
  return readFileSync(await saved.path(), "utf8");
}

export const tests = {
  async "links of old releases, and links that are none"({ page }) {
    const kept = JSON.parse(readFileSync(new URL("links.json", import.meta.url), "utf8"));
    for (const { fragment, text, name, kind, strict, says } of kept) {
      const one = await page(fragment);
      await settled(one);
      assert.ok((await said(one)).startsWith(says), fragment);
      assert.equal(await textOf(one), text);
      assert.equal(await one.locator("#name").textContent(), name);
      assert.equal(await one.locator("#kind").inputValue(), kind);
      assert.equal(await one.locator("#strict").isChecked(), strict);
      await one.close();
    }
    const good = link(["request a { 1 }", "a.ser", "ser", false, 0]);
    const bad = [
      [good.replace(/\.[0-9a-f]{8}\./, ".00000000."), /damaged/],
      [good.replace("#v1", "#v9"), /later version/],
      [`${good}!!`, /damaged/],
      [good.slice(0, -4), /damaged/],
      [link({ __proto__: 1 }), /no program/],
      [link('{"__proto__": {"text": "x"}}'), /no program/],
      [link(["__proto__", 1, 2]), /no program/],
      [link("not JSON"), /no program/],
      // It is refused while it is unpacked.
      [link("0".repeat(100_000_000)), /more than a program/],
    ];
    for (const [fragment, words] of bad) {
      const one = await page(fragment);
      await notice(one, words);
      // The page works all the same.
      await settled(one);
      assert.match(await said(one), / ms/);
      await one.close();
    }
  },
  async "a module that is cut short or altered"({ context }) {
    const change = [(bytes) => bytes.subarray(0, 100_000), (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1) ^ 1])])];
    for (const altered of change) {
      // A place where this browser was never, and that keeps no module.
      const other = await serve(dist, { plain: true });
      const one = await context.newPage();
      await one.route("**/*.wasm", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: altered(await answer.body()) });
      });
      await one.goto(other.url);
      await status(one, /^The module could not be started: .* cut short or altered .*The command line does the same: serval check FILE$/);
      await one.close();
      await other.close();
    }
  },
  async "no module, no worker, no compression"({ page }) {
    const missing = async (name, words, path = "") => {
      const one = await page(path, { before: [(name) => void delete globalThis[name], name] });
      if (words) await status(one, words);
      return one;
    };
    await (await missing("WebAssembly", /no WebAssembly or no workers; the command line does the same: serval check FILE$/)).close();
    await (await missing("Worker", /no WebAssembly or no workers; the command line does the same: serval check FILE$/)).close();
    const writes = await missing("CompressionStream", /^not serializable/);
    await settled(writes);
    await writes.locator("#share").click();
    await notice(writes, /cannot make links/);
    await writes.close();
    const reads = await missing("DecompressionStream", null, link([FLIP, "flip.ser", "ser", false, 0]));
    await notice(reads, /cannot read links/);
    await reads.close();
  },
  async "a worker that cannot be loaded"({ context, server }) {
    const one = await context.newPage();
    await one.route("**/worker-*.js", (route) => route.abort());
    // What is kept for times without a network is not asked either.
    await one.addInitScript(() => delete Navigator.prototype.serviceWorker);
    const other = await serve(dist, { plain: true });
    await one.goto(other.url);
    await status(one, /^The module could not be started/);
    await one.close();
    await other.close();
    assert.ok(server);
  },
  async "a worker that is killed in the middle"({ page }) {
    const keep = () => {
      globalThis.workers = [];
      globalThis.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          globalThis.workers.push(this);
        }
      };
    };
    const one = await page(link([LONG_SEARCH, "many.ser", "ser", false, 0]), { before: [keep] });
    await status(one, /^checking … searching/);
    await one.evaluate(() => globalThis.workers.forEach((worker) => worker.terminate()));
    await one.locator("#stop").click();
    await status(one, /^stopped: nothing is known$/);
    await write(one, FLIP);
    await status(one, /^serializable/);
    await one.close();
  },
  async "storage that is full or forbidden"({ page }) {
    for (const refused of ["setItem", "getItem"]) {
      const refuse = (name) => {
        Storage.prototype[name] = () => {
          throw new DOMException("no room", "QuotaExceededError");
        };
      };
      const one = await page("", { before: [refuse, refused] });
      await settled(one);
      await write(one, FLIP);
      await status(one, /^serializable/);
      await one.close();
    }
    const one = await page("", { before: [() => Object.defineProperty(globalThis, "localStorage", { get: () => { throw new DOMException("no", "SecurityError"); } })] });
    await settled(one);
    assert.match(await said(one), /^not serializable/);
    await one.close();
  },
  async "two tabs with one draft"({ page, plain }) {
    const one = await page("", { url: plain.url });
    await settled(one);
    // What is being checked in one tab is checked in the next one, too: nothing has crashed.
    await write(one, LONG_SEARCH);
    await status(one, /^checking … searching/);
    const two = await page("", { url: plain.url });
    await status(two, /^checking … searching/);
    await write(one, "request first { X := 1 - X; X }");
    await settled(one);
    await write(two, "request second { X := 1 - X; X }");
    await settled(two);
    assert.match(await textOf(one), /first/, "what one tab does changes nothing in the other");
    await one.reload();
    await settled(one);
    assert.match(await said(one), /^serializable/);
    assert.match(await textOf(one), /second/, "the last key wins");
    await one.close();
    await two.close();
  },
  async "markup and directions stay text"({ page }) {
    const text = "// <img src=x onerror=alert(1)> \u202e </script>\nrequest __proto__ { x := N; yield; N := (x + 1) % 3; N }\n";
    const one = await page(link([text, "<b>__proto__\u202e.ser", "ser", false, 0]));
    await status(one, /not serializable/);
    assert.equal(await one.evaluate(() => document.querySelectorAll("b, img").length + document.getElementById("report").shadowRoot.querySelectorAll("b, img").length), 0);
    await one.close();
  },
  async "files: a program, bytes, 5 MB, and certificates"({ page }) {
    const one = await page();
    await settled(one);
    const choose = (given) => one.locator("#file").setInputFiles(given);
    await choose(file("bytes.ser", [0x58, 0xff]));
    await notice(one, /^bytes\.ser is not UTF-8/);
    await choose(file("long.ser", "// a\n".repeat(1 << 20)));
    await notice(one, /^long\.ser has 5242880 bytes, and \d+ are possible here\. The command line takes it: serval check FILE$/);
    assert.match(await said(one), /^not serializable/);
    const other = await certificateOf(one);
    await choose(file("flip.ser", FLIP));
    await status(one, /^serializable/);
    assert.equal(await one.locator("#name").textContent(), "flip.ser");
    await settled(one);
    const tells = (pattern) => until(one, (source) => new RegExp(source).test(document.getElementById("checked").textContent), pattern.source);
    await choose(file("other.json", other));
    await tells(/^other\.json: invalid: /);
    await choose(file("own.json", await certificateOf(one)));
    await tells(/^own\.json: valid: /);
    await one.close();
  },
  async "stop, where the press comes before the work"({ page }) {
    // The button is pressed at the first moment in which it can be.
    const one = await page(link([LONG_SEARCH, "many.ser", "ser", false, 0]), { before: [press, "^checking"] });
    await until(one, () => globalThis.pressed && document.getElementById("stop").disabled);
    await settled(one);
    assert.match(await said(one), /stopped|undecided/);
    await one.close();
  },
};
