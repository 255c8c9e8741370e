// Names, licences and licence texts of the packages from which a bundle was made.
//
//   node packages/third-parties.mjs META OUT    META is the metafile that esbuild writes
//
// Packages without a text of their own are named with the licence that their manifest has. The order is that of names,
// so that the same bundle gives the same bytes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const TEXTS = /^(licen[cs]e|copying|notice|thirdpartynotices?)/i;
const INSIDE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** The folders of the packages that some modules, which are paths, belong to. */
function folders(modules) {
  return [...new Set(modules.map((path) => INSIDE.exec(resolve(path.replace(/^\0/, "")))?.[1]).filter(Boolean))];
}

/** What is said of the packages that some modules belong to. */
export function thirdParties(modules) {
  const packages = folders(modules).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (!license) throw new Error(`${name} ${version} names no licence`);
    const texts = readdirSync(folder).filter((file) => TEXTS.test(file)).sort();
    return { name: `${name} ${version}`, license, texts: texts.map((file) => readFileSync(join(folder, file), "utf8").trim()) };
  });
  packages.sort((one, other) => (one.name < other.name ? -1 : 1));
  const known = new Map();
  for (const one of packages) for (const text of one.texts) known.set(text, [...(known.get(text) ?? []), one.name]);
  const line = "=".repeat(100);
  const lines = ["What is bundled, with its licences.", "", ...packages.map((one) => `${one.name}: ${one.license}`)];
  for (const [text, names] of known) lines.push("", line, names.join(", "), line, "", text);
  return `${lines.join("\n")}\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [meta, out] = process.argv.slice(2);
  if (!meta || !out) throw new Error("node packages/third-parties.mjs META OUT");
  const { inputs } = JSON.parse(readFileSync(meta, "utf8"));
  writeFileSync(out, thirdParties(Object.keys(inputs).map((path) => join(dirname(meta), "..", path))));
}
