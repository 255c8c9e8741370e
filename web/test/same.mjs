// A sample of 40 files in Chromium: the same bytes as the binary, and certificates that the checker accepts.
// Usage: node test/same.mjs SERVAL SERVAL-VERIFY FOLDER…

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Binary, bare } from "../../packages/npm/test/binary.mjs";
import { filesIn } from "../../packages/npm/test/host.mjs";
import { fresh } from "./browser.mjs";
import { serve } from "./server.mjs";

const SAMPLE = 40;
const [serval, checker, ...folders] = process.argv.slice(2);
const all = folders.flatMap((folder) => filesIn(folder, ["ser", "tso", "net"]));
// Each so-manieth, so that all kinds are among them.
const sample = Array.from({ length: Math.min(SAMPLE, all.length) }, (_, number) => all[Math.floor((number * all.length) / SAMPLE)]);
const server = await serve(fileURLToPath(new URL("../../packages/npm/", import.meta.url)));
const { context, end } = await fresh();
const one = await context.newPage();
await one.goto(`${server.url}package.json`);
const place = mkdtempSync(join(tmpdir(), "serval-browser-"));
const binary = new Binary(serval, place);
let accepted = 0;
for (const path of sample) {
  const text = readFileSync(path, "utf8");
  const request = { text, name: path, kind: path.split(".").at(-1) };
  const checked = await one.evaluate(async ([from, request]) => {
    const { load } = await import(from);
    globalThis.serval ??= await load();
    return globalThis.serval.check(request);
  }, [`${server.url}src/index.js`, request]);
  const own = binary.says(path);
  const certificates = checked.certificates.filter((certificate) => certificate !== null);
  assert.deepEqual([checked.reports.map(bare), checked.status], [own.reports.map(bare), own.status], path);
  assert.deepEqual(certificates.toSorted(), own.certificates.toSorted(), path);
  if (request.kind !== "ser") continue;
  for (const certificate of certificates) {
    const file = join(place, `${basename(path)}.json`);
    writeFileSync(file, certificate);
    const verified = spawnSync(checker, [path, file], { encoding: "utf8" });
    assert.equal(verified.status, 0, `${path}: ${verified.stdout}${verified.stderr}`);
    accepted += 1;
  }
}
await end();
await server.close();
rmSync(place, { recursive: true, force: true });
assert.ok(accepted > SAMPLE / 3, `${accepted}`);
console.log(`same bytes in Chromium: ${sample.length} files; ${accepted} certificates accepted by ${basename(checker)}`);
