// What the tests of the module share.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { Instance } from "../src/instance.js";

/** An instance of the module in this file. */
export async function instanceOf(path) {
  return new Instance(await WebAssembly.compile(readFileSync(path)));
}

/** The files below a folder with one of these endings, sorted. */
export function filesIn(folder, endings) {
  const names = readdirSync(folder).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesIn(path, endings);
    return endings.some((ending) => name.endsWith(`.${ending}`)) ? [path] : [];
  });
}

/** Fails with a sentence. */
export function demand(holds, message) {
  if (!holds) {
    process.stderr.write(`${message}\n`);
    process.exit(1);
  }
}
