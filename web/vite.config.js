import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { thirdParties } from "../packages/third-parties.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The licences of what the page and its module are made of, as a file beside the page. */
function licences() {
  return {
    name: "licences",
    apply: "build",
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}));
      const own = here("../packages/npm/licences.txt");
      const source = thirdParties(modules) + (existsSync(own) ? `\n${readFileSync(own, "utf8")}` : "");
      this.emitFile({ type: "asset", fileName: "licences.txt", source });
    },
  };
}

/** What a browser that was here once needs to be here again without a network. */
function offline() {
  return {
    name: "offline",
    apply: "build",
    generateBundle(_, bundle) {
      const files = ["./", ...Object.keys(bundle).filter((name) => name !== "index.html" && name !== "licences.txt").sort(), "icon.svg"];
      const hash = createHash("sha256");
      for (const name of Object.keys(bundle).sort()) hash.update(name).update(bundle[name].source ?? bundle[name].code);
      const source = readFileSync(here("src/offline.js"), "utf8")
        .replace("/* FILES */", JSON.stringify(files).slice(1, -1))
        .replace("VERSION", hash.digest("hex").slice(0, 16));
      this.emitFile({ type: "asset", fileName: "offline.js", source });
    },
  };
}

function commit() {
  try {
    return execFileSync("git", ["rev-parse", "--short=10", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

/** The module that the page was built with, by its hash. */
function moduleHash() {
  return createHash("sha256").update(readFileSync(here("../packages/npm/serval.wasm"))).digest("hex");
}

export default {
  base: "./",
  define: { COMMIT: JSON.stringify(commit()), MODULE: JSON.stringify(moduleHash()) },
  resolve: {
    alias: [
      { find: "serval-wasm/worker", replacement: here("../packages/npm/src/worker.js") },
      { find: "serval-wasm", replacement: here("../packages/npm/src/index.js") },
    ],
  },
  server: { fs: { allow: [here("..")] } },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: "es" },
  plugins: [licences(), offline()],
};
