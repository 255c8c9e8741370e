// The page in Firefox, by WebDriver BiDi: the way from a verdict to a proof, a mistake, stop, and a link; with --all
// all examples, too.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import puppeteer from "puppeteer-core";

import { wrong } from "./all.mjs";
import { link, LONG, STAGES } from "./browser.mjs";
import { serve } from "./server.mjs";

const server = await serve(fileURLToPath(new URL("../dist/", import.meta.url)));
const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: process.env.SERVAL_FIREFOX ?? "/usr/bin/firefox-esr",
  headless: true,
  timeout: LONG,
  protocolTimeout: LONG,
});
const noise = [];
let failed = 0;
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.setDefaultTimeout(LONG);
  const until = (holds, ...given) => page.waitForFunction(holds, { polling: 50 }, ...given);
  const status = (pattern) => until((source) => new RegExp(source).test(document.getElementById("status").textContent), pattern.source);
  const write = async (text) => {
    await page.evaluate(() => document.getElementById("editor").shadowRoot.querySelector(".cm-content").focus());
    await page.keyboard.down("Control");
    await page.keyboard.press("a");
    await page.keyboard.up("Control");
    await page.keyboard.press("Delete");
    await page.keyboard.type(text);
  };
  await page.goto(`${server.url}?seconds=100000#example=lost-update.ser`);
  await status(/^not serializable · lost update.*proved/);
  await page.evaluate(() => document.getElementById("slider").focus());
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.$eval("#step", (step) => step.textContent), /^2 of/);
  await page.evaluate(() => document.querySelector("#fixes summary").click());
  await page.evaluate(() => document.querySelector("#fixes button").click());
  await status(/^serializable/);
  await page.evaluate(() => document.getElementById("again").click());
  await until(() => /: valid: /.test(document.getElementById("checked").textContent));
  await write("request flip { X := }");
  await status(/^error/);
  await page.evaluate(() => document.getElementById("share").click());
  await until(() => document.getElementById("shared").open);
  const href = await page.$eval("#link", (link) => link.value);
  assert.match(href, /#v1\.[0-9a-f]{8}\./);
  await page.evaluate(() => document.getElementById("shared").close());
  await page.evaluate((hash) => (location.hash = hash), link([STAGES.searching[0], "many.ser", "ser", false, 0]));
  await status(/^checking … searching/);
  await page.evaluate(() => document.getElementById("stop").click());
  await until(() => document.getElementById("stop").disabled);
  await page.evaluate((hash) => (location.hash = hash), href.slice(href.indexOf("#")));
  await status(/^error/);
  assert.deepEqual(noise, []);
  console.log("passed  Firefox: verdict, slider, fix, check again, mistake, link, stop");
  if (process.argv.includes("--all")) {
    const { count, found } = await wrong(page, until);
    assert.deepEqual(found, []);
    console.log(`passed  Firefox: ${count} examples`);
  }
} catch (error) {
  failed = 1;
  console.log(`FAILED  Firefox\n${error?.stack ?? error}`);
} finally {
  await browser.close();
  await server.close();
}
process.exit(failed);
