// Deciding, fixing, stopping, playing, and links.

import assert from "node:assert/strict";

import { changes, example, FLIP, fresh, link, press, said, settled, STAGES, status, still, textOf, until, write } from "./browser.mjs";

const checkedAgain = (one) => until(one, () => /: valid: /.test(document.getElementById("checked").textContent));

export const tests = {
  async "an example is decided when the page opens"({ page }) {
    const one = await page();
    await status(one, /^not serializable · lost update.*proved/);
    assert.match(await one.locator("#report").evaluate((holder) => holder.shadowRoot.textContent), /What can happen/);
    assert.match(await one.locator("#foot").textContent(), /^serval \d+\.\d+\.\d+ \([0-9a-f]{10}\): /);
    await one.close();
  },
  async "an error, and its mending"({ page }) {
    const one = await page();
    await settled(one);
    await write(one, "request flip { X := }");
    await status(one, /^error/);
    await until(one, () => /line 1: error E0/.test(document.getElementById("problems").textContent));
    await write(one, FLIP);
    await status(one, /^serializable/);
    await until(one, () => document.querySelectorAll("#problems li").length === 0);
    await one.locator("#again").click();
    await checkedAgain(one);
    await one.close();
  },
  async "the verdict is old as soon as a key is pressed"({ page }) {
    const { context: within, end } = await fresh();
    const one = await page("", { within });
    await settled(one);
    await still(one);
    await one.locator("#editor .cm-content").focus();
    await changes(one, () => one.keyboard.press("Space"));
    // The clock stands still.
    assert.match(await said(one), /^checking/);
    assert.equal(await one.locator("#result").getAttribute("class"), "old");
    assert.equal(await one.locator("#result").getAttribute("aria-busy"), "true");
    await end();
  },
  async "completion, what is known about a word, and layout"({ page }) {
    const one = await page();
    await settled(one);
    await write(one, "requ");
    await one.keyboard.press("Control+Space");
    await one.locator("#editor .cm-tooltip-autocomplete li", { hasText: "request" }).first().waitFor();
    await one.keyboard.press("Escape");
    await write(one, "request  a{yield;X:=1-X;X}");
    await settled(one);
    await one.locator("#editor .t-yield").first().hover();
    await one.locator("#editor .cm-tooltip-hover .told").waitFor();
    await one.locator("#editor .cm-content").focus();
    await changes(one, () => one.keyboard.press("Shift+Alt+F"));
    assert.match(await textOf(one), /^request a \{\n/);
    await one.close();
  },
  async "a fix is shown, applied and proved"({ page }) {
    const one = await page("#example=lost-update.ser");
    await status(one, /proved/);
    await one.locator("#fixes summary").first().click();
    assert.match(await one.locator("#fixes pre").first().textContent(), /^@@/);
    await changes(one, () => one.locator("#fixes button").first().click());
    await status(one, /^serializable/);
    await one.close();
  },
  async "slider, keys, and lines"({ page }) {
    const one = await page("#example=lost-update.ser");
    await settled(one);
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
    await until(one, () => /^[3-9] of/.test(document.getElementById("step").textContent));
    await one.close();
  },
  async "pictures become larger and smaller"({ page }) {
    const one = await page();
    await settled(one);
    await write(one, FLIP);
    await status(one, /^serializable/);
    const figure = one.locator("#report details.folded", { has: one.locator(".figure svg") }).first();
    await figure.locator("summary").click();
    const wide = () => figure.locator(".figure svg").evaluate((picture) => picture.getBoundingClientRect().width);
    const before = await wide();
    await figure.getByRole("button", { name: "Larger" }).click();
    assert.ok(Math.abs((await wide()) - before * 1.25) < 2);
    await figure.getByRole("button", { name: "As it was drawn" }).click();
    assert.ok(Math.abs((await wide()) - before) < 2);
    await one.close();
  },
  async "a link restores text and step"({ page, server }) {
    const one = await page("#example=lost-update.ser");
    await settled(one);
    await one.locator("#slider").focus();
    await one.keyboard.press("Home");
    await one.locator("#share").click();
    await until(one, () => document.getElementById("shared").open);
    const href = await one.locator("#link").inputValue();
    assert.ok(!href.includes("?") && href.length < 2000, href);
    const text = await textOf(one);
    await one.close();
    const two = await page(href.slice(server.url.length));
    await settled(two);
    assert.equal(await textOf(two), text);
    assert.match(await two.locator("#step").textContent(), /^1 of/);
    // Another link in the same tab.
    await changes(two, () => two.evaluate((hash) => (location.hash = hash), link([FLIP, "flip.ser", "ser", true, 0])));
    await settled(two);
    assert.equal(await textOf(two), FLIP);
    assert.ok(await two.locator("#strict").isChecked());
    await two.close();
  },
  async "a long link says so, and offers a file"({ page }) {
    const text = Array.from({ length: 400 }, (_, number) => `// ${(number * 7919 * 104729) % 1000003}\n`).join("") + FLIP;
    const one = await page(link([text, "long.ser", "ser", false, 0]));
    await status(one, /^serializable/);
    await one.locator("#share").click();
    await until(one, () => document.getElementById("shared").open);
    assert.match(await one.locator("#share-words").textContent(), /^The link has \d{4,} characters, .* A file is safer\.$/);
    const [saved] = await Promise.all([one.waitForEvent("download"), one.locator("#as-file").click()]);
    assert.equal(saved.suggestedFilename(), "long.ser");
    await one.close();
  },
  async "stop, at each of the four stages"({ page, server, plain }) {
    for (const [stage, [text, seen]] of Object.entries(STAGES)) {
      for (const { url } of stage === "searching" ? [server, plain] : [server]) {
        const one = await page(link([text, "many.ser", "ser", false, 0]), { url, before: [press, seen.source] });
        await until(one, () => globalThis.pressed && document.getElementById("stop").disabled);
        assert.doesNotMatch(await said(one), /^checking/, stage);
        await write(one, FLIP);
        await status(one, /^serializable/);
        await one.close();
      }
    }
  },
  async "nets and weak memory"({ page }) {
    const one = await page("#example=store-buffering.tso");
    await status(one, /^not robust/);
    await one.locator("#gallery-open").click();
    await one.locator("#find").fill("vending");
    await one.locator("#found button").first().click();
    await status(one, /questions hold/);
    await one.close();
  },
  async "examples are found by anomaly, by story, and not at all"({ page }) {
    const one = await page();
    await settled(one);
    await one.locator("#gallery-open").click();
    const found = () => one.locator("#found button").count();
    const all = await found();
    assert.ok(all > 100, `${all}`);
    for (const words of ["lost update", "write skew", "lock"]) {
      await one.locator("#find").fill(words);
      assert.ok((await found()) > 0 && (await found()) < all, words);
    }
    await one.locator("#find").fill("xyzzy");
    assert.equal(await found(), 0);
    assert.match(await one.locator("#found").textContent(), /Nothing is called like that/);
    await one.close();
  },
  async "a run by hand"({ page }) {
    const one = await page("#example=lost-update.ser");
    await settled(one);
    await one.locator("#play summary").click();
    const made = (count) => until(one, (count) => document.getElementById("play-body").dataset.choices === String(count), count);
    await made(0);
    let count = 0;
    // Two come, both read, both write: their answers are those of no order.
    for (const words of ["comes", "comes", "#1", "#2", "#1", "#2", "#1", "#2", "#1", "#2"]) {
      const move = one.locator("#play-body .moves button", { hasText: words }).first();
      if ((await move.count()) === 0) continue;
      await move.click();
      await made((count += 1));
    }
    assert.match(await one.locator("#serial").textContent(), /^Not serial/);
    await one.getByRole("button", { name: "Take back" }).click();
    await made(count - 1);
    assert.match(await one.locator("#serial").textContent(), /^Serial so far|^No request/);
    await one.close();
  },
  async "the tour from start to end"({ page }) {
    const one = await page("#example=counter.ser");
    await settled(one);
    await one.locator("#tour-open").click();
    const done = () => until(one, () => /Done/.test(document.getElementById("tour").textContent));
    const next = async () => {
      await done();
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
    await done();
    await one.locator("#tour button", { hasText: "Finish" }).click();
    assert.ok(!(await one.locator("#tour").isVisible()));
    await one.close();
  },
  async "the page opens without a network, and asks for nothing once it is there"({ context, page, server }) {
    const one = await page();
    await settled(one);
    // It takes the page over when all that it keeps is there.
    await until(one, () => navigator.serviceWorker.controller !== null);
    const before = server.asked.length;
    await write(one, FLIP);
    await status(one, /^serializable/);
    await settled(one);
    await one.locator("#again").click();
    await checkedAgain(one);
    // Whether the worker for times without a network has changed is a question of the browser's own.
    assert.deepEqual(server.asked.slice(before).filter((path) => path !== "/offline.js"), []);
    await context.setOffline(true);
    await one.reload();
    await status(one, /^serializable/);
    await context.setOffline(false);
    await one.close();
  },
  async "within another page"({ page }) {
    const one = await page("?embed#example=lost-update.ser");
    await status(one, /proved|·/);
    assert.ok(!(await one.locator(".top").isVisible()));
    await until(one, () => /^\.\/#v1\./.test(document.getElementById("leave").getAttribute("href") ?? ""));
    await one.close();
  },
  async "a draft that did not end is shown and not run"({ page, plain }) {
    const { context: within, end } = await fresh();
    const one = await page("", { url: plain.url, within });
    await settled(one);
    await one.evaluate(() => localStorage.setItem("serval.draft", JSON.stringify({ text: "request a { 1 }", name: "a.ser", kind: "ser", running: true })));
    await still(one);
    await one.reload();
    await status(one, /This is your draft/);
    // Nothing is waiting for its time.
    await one.clock.runFor(60_000);
    assert.match(await said(one), /This is your draft/);
    assert.equal(await textOf(one), "request a { 1 }");
    await one.locator("#check").click();
    await one.clock.runFor(60_000);
    await status(one, /^serializable/);
    await end();
  },
  async "what the example of the front page says is what its file says"({ page }) {
    const one = await page();
    await settled(one);
    assert.ok(example("lost-update.ser").startsWith((await textOf(one)).split("\n")[0]));
    await one.close();
  },
};
