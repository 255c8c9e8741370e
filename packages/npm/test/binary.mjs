// What the binary says of a file.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const NETS = ["net", "pnml", "spec", "vass"];
const WEAK = ["tso", "litmus"];

/** The program, and a folder for what it writes. */
export class Binary {
  constructor(program, place, seconds = 60) {
    Object.assign(this, { program, place, seconds });
  }

  /** The lines of JSON, certificates, exit status, and, if that is asked, milliseconds of processor time. */
  says(file, { timed = false } = {}) {
    const ending = file.split(".").at(-1);
    const certificate = join(this.place, "certificates");
    const isNet = NETS.includes(ending);
    const command = isNet ? ["net", "check"] : WEAK.includes(ending) ? ["tso", "check"] : ["check"];
    const options = ["--format", "json", "--no-times", "--jobs", "1", "--timeout", String(this.seconds), "--certificate", isNet ? certificate : join(certificate, "one.json")];
    const words = [this.program, ...command, file, ...options, ...(command.length === 1 ? ["--no-cache"] : [])];
    mkdirSync(certificate, { recursive: true });
    // The shell knows the processor time of what it has run, to the millisecond.
    const [program, ...rest] = timed ? ["bash", "-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", ...words] : words;
    const ran = spawnSync(program, rest, { encoding: "utf8", maxBuffer: 1 << 28 });
    const took = timed ? ran.stderr.trim().split("\n").at(-1).split(" ").reduce((sum, seconds) => sum + Number(seconds) * 1000, 0) : 0;
    const certificates = readdirSync(certificate).sort().map((name) => readFileSync(join(certificate, name), "utf8"));
    rmSync(certificate, { recursive: true });
    const reports = ran.stdout.trim() === "" ? [] : ran.stdout.trim().split("\n").map((line) => JSON.parse(line));
    return { reports, certificates, status: ran.status, took };
  }
}

/** A report without where things were saved. */
export function bare(report) {
  const { certificate, trace, ...other } = report;
  return JSON.stringify({ ...other, certificate: certificate && { ...certificate, path: undefined } });
}
