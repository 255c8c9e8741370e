// What the page costs: the first verdict in a browser that was never there, how soon it stops at each stage and its
// worst frame meanwhile, and memory after a thousand checks. It measures and decides nothing; what it says stands in
// the book. Usage: node test/times.mjs

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import { begin, changes, dist, fresh, link, press, settled, STAGES, until, write } from "./browser.mjs";
import { serve } from "./server.mjs";

const middle = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];

function small(path) {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).length;
}

// --- what is loaded before the first verdict

const files = readdirSync(join(dist, "assets")).map((name) => join(dist, "assets", name));
const sizes = [join(dist, "index.html"), ...files].map((path) => [path.slice(dist.length), small(path)]);
console.log(`page, brotli: ${sizes.reduce((sum, [, size]) => sum + size, 0)} bytes: ${sizes.map(([name, size]) => `${name} ${size}`).join(", ")}`);

// --- the first verdict

const server = await serve(dist);
const firsts = [];
for (let turn = 0; turn < 5; turn++) {
  const { context, end } = await fresh();
  const one = await context.newPage();
  await one.addInitScript(() => {
    const look = () => {
      if (/^not serializable/.test(document.getElementById("status")?.textContent ?? "")) globalThis.first ??= performance.now();
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await one.goto(server.url);
  await until(one, () => globalThis.first !== undefined);
  firsts.push(await one.evaluate(() => globalThis.first));
  await end();
}
console.log(`first verdict, cold: median ${middle(firsts).toFixed(0)} ms, of ${firsts.map((first) => first.toFixed(0)).join(", ")}`);

// --- stop

const begun = await begin();
for (const [stage, [text, seen]] of Object.entries(STAGES)) {
  const took = [], frames = [];
  for (let turn = 0; turn < 5; turn++) {
    const watch = () => {
      let last = performance.now();
      globalThis.worst = 0;
      const frame = (now) => {
        if (globalThis.pressed) globalThis.worst = Math.max(globalThis.worst, now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      const look = () => {
        if (globalThis.pressed && document.getElementById("stop").disabled) globalThis.over ??= performance.now();
      };
      new MutationObserver(look).observe(document, { subtree: true, attributes: true });
    };
    const one = await begun.page(link([text, "many.ser", "ser", false, 0]), { before: [`(${press})(${JSON.stringify(seen.source)}); (${watch})()`] });
    await until(one, () => globalThis.over !== undefined);
    took.push(await one.evaluate(() => globalThis.over - globalThis.pressed));
    frames.push(await one.evaluate(() => globalThis.worst));
    await one.close();
  }
  console.log(`stop while ${stage}: worst ${Math.max(...took).toFixed(0)} ms of ${took.map((one) => one.toFixed(0)).join(", ")}; worst frame ${Math.max(...frames).toFixed(0)} ms`);
}

// --- memory

/** What the processes of all pages have, in MiB, after what is garbage was collected. */
async function memory(one) {
  const session = await one.context().newCDPSession(one);
  await session.send("HeapProfiler.collectGarbage");
  await session.detach();
  let sum = 0;
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${process}/cmdline`, "utf8").includes("--type=renderer")) continue;
      const status = readFileSync(`/proc/${process}/status`, "utf8");
      sum += Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum / 1024;
}
const one = await begun.page();
await settled(one);
const program = (number) => `request add { x := N; yield; N := (x + ${1 + (number % 5)}) % ${3 + (number % 4)}; N } // ${number}\n`;
await write(one, program(0));
await settled(one);
const grown = [];
for (let number = 1; number <= 1100; number++) {
  await one.locator("#editor .cm-content").focus();
  await one.keyboard.press("Control+a");
  await changes(one, () => one.keyboard.insertText(program(number)));
  await one.keyboard.press("Control+Enter");
  await settled(one);
  if (number % 100 === 0) grown.push(await memory(one));
}
console.log(`memory after 100, 200, … 1100 checks: ${grown.map((size) => size.toFixed(0)).join(", ")} MiB`);
await begun.end();
await server.close();
