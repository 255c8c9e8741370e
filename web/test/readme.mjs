// The picture of the README and of the book: a counterexample on the page, with the letters that people see.
// Usage: node test/readme.mjs FILE

import { begin, settled } from "./browser.mjs";

const [file] = process.argv.slice(2);
if (!file) throw new Error("a file has to be named");
const begun = await begin();
const one = await begun.page("#example=lost-update.ser");
await one.setViewportSize({ width: 1280, height: 1000 });
await settled(one);
// How long it took is said of a module for tests.
await one.evaluate(() => {
  const status = document.getElementById("status");
  status.textContent = status.textContent.replace(/ · \d+ ms/, "");
  document.activeElement?.blur();
});
await one.screenshot({ path: file, animations: "disabled", caret: "hide", scale: "css" });
await one.close();
await begun.end();
