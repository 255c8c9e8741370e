// The page as `serval playground` serves it. Usage: SERVAL=PROGRAM node test/served.mjs

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const serval = process.env.SERVAL ?? "serval";
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const program = spawn(serval, ["playground", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const [line] = await once(createInterface({ input: program.stdout }), "line");
  const url = /^the playground is at (http:\/\/127\.0\.0\.1:\d+\/) until Ctrl-C$/.exec(line)[1];
  const files = readdirSync(dist, { recursive: true }).filter((name) => statSync(join(dist, name)).isFile());
  assert.ok(files.length > 5);
  for (const name of files) {
    const answer = await fetch(url + name);
    assert.equal(answer.status, 200, name);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(dist, name))), name);
  }
  assert.equal((await fetch(`${url}Cargo.toml`)).status, 404);

  const taken = spawnSync(serval, ["playground", "--port", new URL(url).port], { encoding: "utf8" });
  assert.equal(taken.status, 2);
  assert.match(taken.stderr, /^error: port \d+ is in use: --port P takes another, --port 0 a free one\n$/);

  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync", "--disable-dev-shm-usage"];
  const browser = await chromium.launch({ executablePath: process.env.SERVAL_CHROMIUM ?? "/usr/bin/chromium", headless: true, args });
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction(() => /^not serializable/.test(document.getElementById("status").textContent), null, { timeout: 900_000 });
  assert.ok(await page.evaluate(() => crossOriginIsolated));
  await browser.close();
  console.log(`serval playground: ${files.length} files, and a verdict`);
} finally {
  program.kill("SIGINT");
}
