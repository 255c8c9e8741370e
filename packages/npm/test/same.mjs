// The module against the binary: verdict, method, counterexample and certificate of files, byte for byte.
// Usage: node same.mjs MODULE SERVAL [--times] FOLDER…

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { filesIn, instanceOf } from "./host.mjs";

const [path, serval, ...rest] = process.argv.slice(2);
const times = rest.includes("--times");
const instance = await instanceOf(path);
const made = mkdtempSync(join(tmpdir(), "serval-same-"));
const ENDINGS = ["ser", "json", "tso", "litmus", "net", "pnml", "spec", "vass"];
const WEAK = ["tso", "litmus"];
const SECONDS = 60;

/** What the binary says: the lines of JSON, certificates, exit status, milliseconds. */
function binary(file, ending) {
  const certificate = join(made, "certificates");
  const kept = join(certificate, "one.json");
  const isNet = ["net", "pnml", "spec", "vass"].includes(ending);
  const command = isNet ? ["net", "check"] : WEAK.includes(ending) ? ["tso", "check"] : ["check"];
  const options = ["--format", "json", "--no-times", "--jobs", "1", "--timeout", String(SECONDS), "--certificate", isNet ? certificate : kept];
  spawnSync("mkdir", ["-p", certificate]);
  const began = performance.now();
  const ran = spawnSync(serval, [...command, file, ...options, ...(command.length === 1 ? ["--no-cache"] : [])], { encoding: "utf8", maxBuffer: 1 << 28 });
  const took = performance.now() - began;
  const certificates = readdirSync(certificate).sort().map((name) => readFileSync(join(certificate, name), "utf8"));
  rmSync(certificate, { recursive: true });
  return { reports: ran.stdout.trim() === "" ? [] : ran.stdout.trim().split("\n").map((line) => JSON.parse(line)), certificates, status: ran.status, took };
}

/** A report without where things were saved, and without what stops only by the clock. */
function bare(report) {
  const { certificate, trace, ...other } = report;
  return JSON.stringify({ ...other, certificate: certificate && { ...certificate, path: undefined } });
}

let compared = 0;
let differs = 0;
let skipped = 0;
let sums = [0, 0];
let worst = ["", 0];
for (const file of rest.filter((word) => !word.startsWith("--")).flatMap((folder) => filesIn(folder, ENDINGS))) {
  const ending = file.split(".").at(-1);
  const text = readFileSync(file, "utf8");
  if (ending === "json" && !text.includes('"transitions"')) continue;
  const own = binary(file, ending);
  const request = { text, name: file, kind: ending };
  const end = () => performance.now() > began + SECONDS * 1000 * 10;
  let began = performance.now();
  const checked = instance.call("check", request, { stop: () => (end() ? 2 : 0) });
  let took = performance.now() - began;
  if (own.reports.some((one) => /time limit/.test(one.reason ?? "")) || checked.ended) {
    skipped += 1;
    continue;
  }
  compared += 1;
  const certificates = checked.certificates.filter((one) => one !== null);
  const same = JSON.stringify([own.reports.map(bare), own.status]) === JSON.stringify([checked.reports.map(bare), checked.status]) || (own.status === 2 && checked.status === 2);
  const evidence = [...own.certificates].sort().join("\0") === [...certificates].sort().join("\0");
  if (!same || !evidence) {
    differs += 1;
    console.log(`differs: ${file}: ${same ? "" : `report ${own.status} ${checked.status}`} ${evidence ? "" : `evidence ${own.certificates.length} ${certificates.length}`}`);
    if (process.env.SERVAL_SHOW) console.log(own.reports.map(bare).join("\n"), "\n---\n", checked.reports.map(bare).join("\n"));
  }
  if (times && ending === "ser") {
    began = performance.now();
    instance.call("check", request);
    took = performance.now() - began;
    sums = [sums[0] + own.took, sums[1] + took];
    if (own.took > 50 && took / own.took > worst[1]) worst = [basename(file), took / own.took];
  }
}
rmSync(made, { recursive: true, force: true });
console.log(`${compared} compared, ${differs} differ, ${skipped} not decided in time`);
if (times) console.log(`binary ${sums[0].toFixed(0)} ms, module ${sums[1].toFixed(0)} ms: ${(sums[1] / sums[0]).toFixed(2)} times; worst ${worst[0]} ${worst[1].toFixed(2)}; memory ${(instance.memory / 2 ** 20).toFixed(1)} MiB`);
process.exit(differs === 0 ? 0 : 1);
