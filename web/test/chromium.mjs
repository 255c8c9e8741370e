// The page in Chromium. Usage: node test/chromium.mjs [PART]; with --all as PART, all examples.

import assert from "node:assert/strict";

import { wrong } from "./all.mjs";
import { begin, run, until } from "./browser.mjs";

const begun = await begin();
let passed = true;
const part = process.argv[2] ?? "";
if (part === "--all") {
  passed = await run({
    async "all examples"({ page }) {
      const one = await page();
      const { count, found } = await wrong(one, (holds) => until(one, holds));
      assert.deepEqual(found, []);
      assert.ok(count > 100, `${count}`);
      await one.close();
    },
  }, { begun });
} else for (const file of ["deciding", "attacks", "looks"]) {
  const { tests } = await import(`./${file}.mjs`);
  passed = (await run(tests, { begun, part })) && passed;
}
await begun.end();
process.exit(passed ? 0 : 1);
