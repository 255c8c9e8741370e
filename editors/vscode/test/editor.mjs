// The packed extension in Visual Studio Code, whose screen is a page. Usage: node editor.mjs PACKAGE.vsix WITH-PROGRAM.vsix
//
// SERVAL is the program, SERVAL_EDITOR the folder in whose node_modules code-server and playwright-core are,
// SERVAL_PICTURES a folder for pictures. What is expected and does not come is an error after a while.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const [extension, withProgram] = process.argv.slice(2, 4).map((path) => resolve(path));
const serval = resolve(process.env.SERVAL);
const place = resolve(process.env.SERVAL_EDITOR);
const require = createRequire(join(place, "package.json"));
const { chromium } = require("playwright-core");
const entry = join(dirname(require.resolve("code-server/package.json")), "out/node/entry.js");
const pictures = process.env.SERVAL_PICTURES;
// How long something may take to come, on the slowest machine; and after what time it is asked for again.
const PATIENCE = Number(process.env.PATIENCE ?? "300") * 1000;
const AGAIN = 10_000;

const LOST = "request save {\n  seen := EDITS;\n  yield;\n  EDITS := (seen + 1)%4;\n  seen + 1\n}\n";
const work = mkdtempSync(join(tmpdir(), "serval-vscode-"));
const folder = join(work, "folder");
mkdirSync(folder);
writeFileSync(join(folder, "save.ser"), LOST);
writeFileSync(join(folder, "two.ser"), `${LOST}\nrequest other {\n  LOOKED := 1;\n  1\n}\n`);

const servers = [];
/** One editor with settings of its own, in which that package is installed. */
async function editor(name, settings, package_) {
  const home = join(work, name);
  for (const place of ["User", "Machine"]) {
    mkdirSync(join(home, place), { recursive: true });
    writeFileSync(join(home, place, "settings.json"), JSON.stringify({
      "workbench.startupEditor": "none",
      "workbench.colorTheme": "Default Light Modern",
      "workbench.enableExperiments": false,
      "workbench.tips.enabled": false,
      "telemetry.telemetryLevel": "off",
      "extensions.autoUpdate": false,
      "extensions.ignoreRecommendations": true,
      "update.mode": "none",
      "git.enabled": false,
      "files.autoSave": "off",
      "editor.minimap.enabled": false,
      "chat.commandCenter.enabled": false,
      "security.workspace.trust.startupPrompt": "never",
      "security.workspace.trust.banner": "never",
      "window.autoDetectColorScheme": false,
      ...settings,
    }));
  }
  const common = [entry, "--user-data-dir", home, "--extensions-dir", join(home, "extensions"), "--config", join(home, "none.yaml")];
  // Neither the file of the user that has settings of code-server nor a program in PATH is part of the test.
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, PATH: "/usr/bin:/bin" };
  const installed = spawnSync(process.execPath, [...common, "--install-extension", package_, "--force"], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.equal(installed.status, 0, installed.stdout + installed.stderr);
  const start = async () => {
    const server = spawn(process.execPath, [...common, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"], { env, stdio: ["ignore", "pipe", "pipe"] });
    servers.push(server);
    let said = "";
    const url = await new Promise((found, failed) => {
      const hear = (data) => {
        said += data;
        const at = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (at) found(at[0]);
      };
      server.stdout.on("data", hear);
      server.stderr.on("data", hear);
      server.on("exit", () => failed(new Error(said)));
    });
    return { url, home, end: () => server.kill() };
  };
  // It gives up by itself where it has not started after ten seconds, which a busy machine may need.
  for (const end = Date.now() + PATIENCE; ; ) {
    try {
      return await start();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

const browser = await chromium.launch({ executablePath: process.env.SERVAL_CHROMIUM ?? "/usr/bin/chromium", headless: true, timeout: PATIENCE, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"] });
let front;
const noise = [];
/**
 * What was said about us: on the console, on which no other extension says anything, either, and in the log of the
 * client, which has what the server wrote to standard error and requests that failed.
 */
const ours = () => {
  const logs = readdirSync(work, { recursive: true }).filter((name) => /logs\/.*serval[^/]*\.log$/.test(name)).map((name) => readFileSync(join(work, name), "utf8"));
  return noise.filter((words) => /serval|\[Extension Host\]/i.test(words.replaceAll(work, "").replaceAll(place, ""))).concat(logs.filter((log) => log !== ""));
};
/** A page of that editor, with the folder open. */
async function open(one) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 620 } });
  context.setDefaultTimeout(PATIENCE);
  const page = (front = await context.newPage());
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) noise.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  await page.goto(`${one.url}/?folder=${encodeURIComponent(folder)}`);
  await page.locator(".statusbar").waitFor();
  return page;
}
/**
 * Does something until what is to follow is there: a page that is busy drops keys and moves of the mouse. What is done
 * may be done twice. `follows` gets the time that it may wait.
 */
async function until(page, act, follows) {
  for (const end = Date.now() + PATIENCE; ; ) {
    try {
      await act();
      return await follows(AGAIN);
    } catch (error) {
      if (Date.now() > end || page.isClosed()) throw error;
    }
  }
}
/** Opens the list of that key, and takes the row that has these words, or what is written where there are none. */
async function choose(page, key, written, row) {
  const input = page.locator(".quick-input-widget input").first();
  const over = page.locator(".quick-input-widget").first();
  await until(page, async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press(key);
    await input.fill(written, { timeout: AGAIN });
    if (row) await page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first().waitFor({ timeout: AGAIN });
  }, async () => assert.equal(await input.inputValue(), written));
  await page.keyboard.press("Enter");
  return over;
}
async function file(page, name) {
  await choose(page, "Control+p", name, name);
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  await page.locator(".editor-instance .view-line").first().waitFor();
}
const status = (page, words) => page.locator(".statusbar-item", { hasText: words }).first().waitFor();
const word = (page, text) => page.locator(".view-line span span", { hasText: new RegExp(`^\\s*${text}\\s*$`) }).first();
const colour = (page, text) => word(page, text).evaluate((element) => getComputedStyle(element).color);
/** The text as it is in the editor; its spaces are drawn as spaces that do not break. */
const lines = (page) => page.evaluate(() => [...document.querySelectorAll(".editor-instance .view-line")]
  .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
  .map((line) => line.textContent.replaceAll("\u00a0", " ")).join("\n"));
async function line(page, number) {
  const list = await choose(page, "Control+g", `:${number}`);
  await list.waitFor({ state: "hidden" });
}
/** Waits until that line, and no other, is lit. */
const lit = (page, number, timeout = PATIENCE) => page.waitForFunction((number) => {
  const lines = [...document.querySelectorAll(".editor-instance .margin-view-overlays .line-numbers")];
  const top = (element) => Math.round(element.getBoundingClientRect().top);
  const there = lines.filter((line) => line.textContent.trim() === String(number)).map(top);
  const marked = [...document.querySelectorAll(".editor-instance .view-overlays .cdr[class*='ced-']")].filter((one) => getComputedStyle(one).backgroundColor !== "rgba(0, 0, 0, 0)");
  return marked.length > 0 && marked.every((one) => there.some((line) => Math.abs(line - top(one)) < 3));
}, number, { timeout });
/** Waits for a line of the test explorer with that name and that result. */
const result = (page, name, icon) => page.locator(".test-explorer .monaco-list-row", { hasText: name }).and(page.locator(`:has(.codicon-testing-${icon}-icon)`)).first().waitFor();
const command = (page, title) => choose(page, "F1", `>${title}`, title);
async function picture(page, name) {
  if (!pictures) return;
  await page.mouse.move(500, 600);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(pictures, `vscode-${name}.png`) });
}
let done = [];
const passed = (what) => { done.push(what); if (process.env.VERBOSE) console.log(what); };

try {
  const trusting = await editor("trusting", { "security.workspace.trust.enabled": false, "serval.path": serval, "serval.timeout": 0 }, extension);
  const page = await open(trusting);
  await file(page, "save.ser");

  await status(page, "not serializable: lost-update");
  passed("status");
  const [keyword, number, name] = [await colour(page, "request"), await colour(page, "4"), await colour(page, "seen")];
  assert.notEqual(keyword, name);
  assert.notEqual(number, name);
  assert.notEqual(number, keyword);
  passed("colours");
  await page.locator(".view-overlays .cdr.squiggly-error, .view-overlays .cdr.squiggly-warning").first().waitFor();
  passed("squiggle");
  await page.locator(".codelens-decoration", { hasText: "not serializable" }).waitFor();
  passed("lens");
  await picture(page, "verdict");

  // The report stands beside the text, and its script runs in there: a step lights its line, a line finds its step.
  await command(page, "serval: Show the report beside the text");
  const report = page.frameLocator("iframe.webview").frameLocator("#active-frame");
  await report.getByText("not serializable").first().waitFor();
  await report.locator("svg.run .step").nth(3).and(report.locator(".chosen")).waitFor();
  await lit(page, 4);
  const steps = report.locator("svg.run .step");
  await until(page, async () => {
    await steps.nth(2).hover();
    await steps.first().hover();
  }, (timeout) => lit(page, 2, timeout));
  const reads = page.locator(".view-line", { hasText: /seen.:=.EDITS/ });
  await until(page, () => reads.click({ position: { x: 60, y: 9 } }), (timeout) => steps.nth(1).and(report.locator(".chosen")).waitFor({ timeout }));
  await until(page, () => report.locator("header").click(), (timeout) => page.locator(".tab.active", { hasText: "serval: save.ser" }).waitFor({ timeout }));
  await status(page, "not serializable: lost-update");
  passed("report");
  await picture(page, "report");

  // A text with an error is never called serializable; the status says nothing of before, and the report says that it
  // is about the text before the edit.
  await page.locator(".editor-instance .view-line").first().click();
  await line(page, 3);
  await page.keyboard.press("End");
  await page.keyboard.type(" )");
  await status(page, "error");
  assert.equal(await page.locator(".statusbar-item", { hasText: "serializable" }).count(), 0);
  await page.locator(".view-overlays .cdr.squiggly-error").first().waitFor();
  await report.locator("body.before").waitFor();
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await status(page, "not serializable: lost-update");
  await report.locator("body:not(.before) svg.run").waitFor();
  passed("edit");
  await page.locator(".tab", { hasText: "serval: save.ser" }).locator(".codicon-close").click();
  await page.locator(".tab.active[data-resource-name='save.ser']").waitFor();
  await page.locator(".editor-instance .view-line").first().click();

  // A fix that is proved, by the key that repairs.
  await line(page, 3);
  await page.keyboard.press("Home");
  const fix = page.locator(".action-widget .monaco-list-row", { hasText: "(proved)" }).first();
  await until(page, async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+.");
  }, (timeout) => fix.waitFor({ timeout }));
  await picture(page, "fix");
  await page.keyboard.press("Enter");
  await status(page, /^\s*serializable/);
  await page.locator(".codelens-decoration", { hasText: /^serializable/ }).waitFor();
  assert.notEqual(await lines(page), LOST.trimEnd());
  await page.keyboard.press("Control+s");
  const saved = join(folder, "save.ser");
  for (let waited = 0; readFileSync(saved, "utf8") === LOST; waited += 100) {
    assert.ok(waited < PATIENCE, "not saved");
    await page.waitForTimeout(100);
  }
  const checked = spawnSync(serval, ["check", "-q", "--no-cache", saved], { encoding: "utf8" });
  assert.equal(checked.status, 0, readFileSync(saved, "utf8") + checked.stdout + checked.stderr);
  passed("fix");

  // The requests in the test explorer: those of the run that is no serial order fail, and nothing is said of others.
  await file(page, "two.ser");
  await status(page, "not serializable: lost-update");
  await command(page, "Testing: Focus on Test Explorer View");
  await page.locator(".test-explorer .monaco-list-row", { hasText: "two.ser" }).first().waitFor();
  await command(page, "Test: Run All Tests");
  await result(page, "save.ser", "passed");
  await result(page, "two.ser", "failed");
  await page.locator(".test-explorer .monaco-list-row", { hasText: "two.ser" }).first().click();
  await page.keyboard.press("ArrowRight");
  await result(page, "save", "failed");
  await result(page, "other", "skipped");
  passed("tests");
  await picture(page, "tests");

  await command(page, "Welcome: Open Walkthrough...");
  await page.locator(".quick-input-widget input").first().fill("request handlers");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "request handlers" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Open an example" }).click();
  await page.locator(".tab.active", { hasText: "Untitled-1" }).waitFor();
  await status(page, "not serializable: lost-update");
  passed("walkthrough");
  await page.context().close();
  trusting.end();

  // In a folder that is not trusted no program starts but that of the package, which only one of the two has.
  const restricted = { "security.workspace.trust.enabled": true, "serval.path": serval, "serval.timeout": 0 };
  for (const [name, package_, said] of [["untrusted", extension, "serval: no program"], ["the program of the package", withProgram, "not serializable: lost-update"]]) {
    const careful = await editor(name.replaceAll(" ", "-"), restricted, package_);
    const other = await open(careful);
    await file(other, "two.ser");
    await status(other, "Restricted Mode");
    await status(other, said);
    passed(name);
    await other.context().close();
    careful.end();
  }

  assert.deepEqual(ours(), []);
  console.log(`vscode: ${done.join(", ")}`);
} catch (error) {
  console.error(`after: ${done.join(", ")}`);
  console.error(ours().join("\n"));
  await front?.screenshot({ path: join(tmpdir(), "serval-vscode.png") });
  console.error(`the screen: ${join(tmpdir(), "serval-vscode.png")}`);
  console.error(error);
  process.exitCode = 1;
} finally {
  await browser.close();
  servers.forEach((server) => server.kill());
  if (!process.env.KEEP) rmSync(work, { recursive: true, force: true });
  process.exit();
}
