// The module against the binary: verdict, method, counterexample and certificate of files, byte for byte; the checker
// accepts the certificates of the module. Usage: node same.mjs MODULE SERVAL [--times] [--checker SERVAL-VERIFY] FOLDER…

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { bare, Binary } from "./binary.mjs";
import { filesIn, instanceOf } from "./host.mjs";

const ENDINGS = ["ser", "json", "tso", "litmus", "net", "pnml", "spec", "vass"];
const SECONDS = 60;
const [path, serval, ...rest] = process.argv.slice(2);
const times = rest.includes("--times");
const checker = rest.includes("--checker") ? rest.splice(rest.indexOf("--checker"), 2)[1] : undefined;
const instance = await instanceOf(path);
const made = mkdtempSync(join(tmpdir(), "serval-same-"));
const binary = new Binary(serval, made, SECONDS);

/** The answer of the module, and milliseconds of processor time. */
function asked(request) {
  const began = performance.now();
  const before = process.cpuUsage();
  const end = () => performance.now() > began + SECONDS * 10_000;
  const answer = instance.call("check", request, { stop: () => (end() ? 2 : 0) });
  const { user, system } = process.cpuUsage(before);
  return [answer, (user + system) / 1000];
}

let [compared, differs, skipped, accepted] = [0, 0, 0, 0];
const rows = [];
for (const file of rest.filter((word) => !word.startsWith("--")).flatMap((folder) => filesIn(folder, ENDINGS))) {
  const ending = file.split(".").at(-1);
  const text = readFileSync(file, "utf8");
  if (ending === "json" && !text.includes('"transitions"')) continue;
  const own = binary.says(file, { timed: times });
  const request = { text, name: file, kind: ending };
  const [checked] = asked(request);
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
  if (checker && ["ser", "json"].includes(ending)) {
    for (const certificate of certificates) {
      writeFileSync(join(made, "one.json"), certificate);
      const verified = spawnSync(checker, [file, join(made, "one.json")], { encoding: "utf8" });
      if (verified.status === 0) accepted += 1;
      else {
        differs += 1;
        console.log(`refused: ${file}: ${verified.stdout}${verified.stderr}`);
      }
    }
  }
  if (times && ending === "ser") rows.push([basename(file), own.took, asked(request)[1]]);
}
rmSync(made, { recursive: true, force: true });
console.log(`${compared} compared, ${differs} differ, ${skipped} not decided in time${checker ? `; ${accepted} certificates accepted` : ""}`);
if (times) {
  const [ours, theirs] = [1, 2].map((place) => rows.reduce((sum, row) => sum + row[place], 0));
  // What takes the binary no time says nothing about how much slower the module is.
  const worst = rows.filter(([, own]) => own > 50).map(([name, own, took]) => [name, took / own]).sort((a, b) => b[1] - a[1])[0] ?? ["none", 0];
  console.log(`processor time: binary ${ours.toFixed(0)} ms, module ${theirs.toFixed(0)} ms: ${(theirs / ours).toFixed(2)} times; worst ${worst[0]} ${worst[1].toFixed(2)}; memory ${(instance.memory / 2 ** 20).toFixed(1)} MiB`);
}
process.exit(differs === 0 ? 0 : 1);
