// How the page looks, and how it is used without seeing it or without a mouse.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { changes, dist, example, FLIP, fresh, settled, status, still, textOf, until, write } from "./browser.mjs";
import { serve } from "./server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

export const tests = {
  async "dark, narrow, print, and what a screen reader finds"({ page }) {
    const one = await page("#example=wallet.ser");
    await settled(one);
    const width = () => one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    for (const [name, size, dark] of [["light", 1280, false], ["dark", 1280, true], ["narrow", 360, false], ["narrow-dark", 360, true]]) {
      await one.setViewportSize({ width: size, height: 800 });
      await one.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await until(one, (theme) => document.documentElement.dataset.theme === theme, dark ? "dark" : "light");
      assert.equal(await width(), 0, `${name}: wider than the screen`);
      await one.evaluate(axe);
      const found = await one.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const serious = found.violations.filter((violation) => ["serious", "critical"].includes(violation.impact));
      assert.deepEqual(serious.map((violation) => [violation.id, violation.nodes[0].target, violation.nodes[0].failureSummary]), [], name);
    }
    await one.emulateMedia({ media: "print" });
    for (const hidden of [".bar", "#steps", "#play"]) assert.ok(!(await one.locator(hidden).isVisible()), hidden);
    for (const shown of ["#status", "#editor", "#report"]) assert.ok(await one.locator(shown).isVisible(), shown);
    // The whole text is there, and not only what has room on a screen.
    assert.equal(await one.evaluate(() => document.getElementById("editor").shadowRoot.querySelector(".cm-scroller").scrollHeight - document.getElementById("editor").clientHeight <= 2), true);
    await one.close();
  },
  async "light or dark as one chooses, also the next time"({ page }) {
    const one = await page();
    await settled(one);
    await one.locator("#theme").selectOption("dark");
    assert.equal(await one.evaluate(() => document.documentElement.dataset.theme), "dark");
    await one.reload();
    await settled(one);
    assert.equal(await one.evaluate(() => document.documentElement.dataset.theme), "dark");
    await one.close();
  },
  async "what is said to a screen reader is the verdict, and not each step of the work"({ page }) {
    const before = () => {
      globalThis.told = [];
      const look = () => {
        const status = document.getElementById("status");
        if (!status) return;
        // What is hidden from it is left out.
        const words = [...status.childNodes].filter((part) => part.ariaHidden !== "true").map((part) => part.textContent).join("").trim();
        if (globalThis.told.at(-1) !== words) globalThis.told.push(words);
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    };
    const one = await page("", { before: [before] });
    await settled(one);
    const region = one.locator("#status");
    assert.deepEqual([await region.getAttribute("role"), await region.getAttribute("aria-live")], ["status", "polite"]);
    const told = await one.evaluate(() => globalThis.told);
    assert.ok(told.every((words) => !/searching|preparing/.test(words)), JSON.stringify(told));
    assert.equal(told.filter((words) => words === "checking …").length, 1, JSON.stringify(told));
    assert.match(told.at(-1), /^not serializable · lost update.*proved$/);
    await one.close();
  },
  async "by keys alone"({ page }) {
    const one = await page("#example=lost-update.ser");
    await settled(one);
    const active = () => one.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at === document.body ? "" : at?.id || at?.className?.baseVal || at?.className || at?.textContent || "";
    });
    const seen = [];
    const tab = async (wanted, key = "Tab") => {
      for (let count = 0; count < 120; count++) {
        await one.keyboard.press(key);
        seen.push(await active());
        if (seen.at(-1).includes(wanted)) return;
      }
      assert.fail(`${wanted} is not reached: ${seen.join(", ")}`);
    };
    // All commands, then the editor, out of which a key leads.
    for (const wanted of ["gallery-open", "tour-open", "open", "check", "format", "share", "strict", "kind", "theme"]) await tab(wanted);
    await tab("cm-content");
    await one.keyboard.press("Control+m");
    await one.keyboard.press("Tab");
    // The next is a fix, which is opened and applied; the proof is checked again.
    assert.match(await active(), /^Fix 1/);
    await one.keyboard.press("Enter");
    await tab("Apply");
    await changes(one, () => one.keyboard.press("Enter"));
    await status(one, /^serializable/);
    await settled(one);
    await tab("again");
    await one.keyboard.press("Enter");
    await until(one, () => /: valid: /.test(document.getElementById("checked").textContent));
    // A dialog: it has the focus, and Escape closes it.
    await one.locator("#gallery-open").focus();
    await one.keyboard.press("Enter");
    assert.equal(await active(), "find");
    await one.keyboard.type("counter.ser");
    await tab("counter.ser");
    await changes(one, () => one.keyboard.press("Enter"));
    await settled(one);
    await one.locator("#share").focus();
    await one.keyboard.press("Enter");
    await until(one, () => document.getElementById("shared").open);
    await one.keyboard.press("Escape");
    assert.ok(!(await one.evaluate(() => document.getElementById("shared").open)));
    await one.close();
  },
  async "a key decides at once"({ page }) {
    const { context: within, end } = await fresh();
    const one = await page("", { within });
    await settled(one);
    await write(one, FLIP);
    await settled(one);
    await still(one);
    await one.locator("#editor .cm-content").focus();
    await changes(one, () => one.keyboard.press("Space"));
    // The clock stands still, so that nothing else begins the work.
    await one.keyboard.press("Control+Enter");
    await status(one, /^serializable/);
    assert.match(await textOf(one), /flip/);
    await end();
  },
  async "a program of the book opens in the playground"({ context }) {
    const folder = mkdtempSync(join(tmpdir(), "serval-book-"));
    copyFileSync(fileURLToPath(new URL("../../docs/playground.js", import.meta.url)), join(folder, "playground.js"));
    symlinkSync(dist, join(folder, "playground"));
    const text = example("lost-update.ser");
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    writeFileSync(join(folder, "index.html"), `<!doctype html><title>book</title><pre><code class="language-ser">${escaped}</code></pre><pre><code>no program</code></pre><script>const path_to_root = "";</script><script src="playground.js"></script>`);
    const book = await serve(`${folder}/`);
    const one = await context.newPage();
    await one.goto(book.url);
    const link = one.locator("a.open-in-playground");
    await link.waitFor();
    assert.equal(await link.count(), 1);
    await link.click();
    await status(one, /^not serializable/);
    assert.equal(`${(await textOf(one)).trimEnd()}\n`, text);
    await one.close();
    await book.close();
    rmSync(folder, { recursive: true });
  },
};
