// Compares the TextMate grammar with serval's own parser: reads a JSON list of texts with the tokens that serval finds
// in them, and prints a line for each token of another class. Names are compared as names. SERVAL_TEXTMATE is a folder
// in whose node_modules the editor's own modules are: vscode-textmate and vscode-oniguruma.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const file = process.argv[2];
const require = createRequire(join(resolve(process.env.SERVAL_TEXTMATE), "package.json"));
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");
const here = dirname(dirname(fileURLToPath(import.meta.url)));

await oniguruma.loadWASM(readFileSync(join(dirname(require.resolve("vscode-oniguruma")), "onig.wasm")));
const registry = new Registry({
  onigLib: Promise.resolve({ createOnigScanner: sources => new oniguruma.OnigScanner(sources), createOnigString: text => new oniguruma.OnigString(text) }),
  loadGrammar: async () => {
    const path = join(here, "syntaxes", "serval.tmLanguage.json");
    return parseRawGrammar(readFileSync(path, "utf8"), path);
  },
});
const grammar = await registry.loadGrammar("source.serval");

const classOf = scopes => {
  const last = scopes.at(-1);
  if (scopes.some(scope => scope.startsWith("comment."))) return "comment";
  if (last.startsWith("keyword.operator.")) return "operator";
  if (last.startsWith("keyword.")) return "keyword";
  if (last.startsWith("constant.numeric.")) return "number";
  if (last.startsWith("variable.") || last.startsWith("entity.name.") || last.startsWith("constant.")) return "name";
  return undefined;
};

let compared = 0;
for (const { name, text, tokens } of JSON.parse(readFileSync(file, "utf8"))) {
  // The class of each byte; the texts are read line by line, as editors do.
  const bytes = Buffer.from(text);
  const classes = new Array(bytes.length);
  let state = INITIAL;
  let at = 0;
  for (const line of text.split("\n")) {
    const found = grammar.tokenizeLine(line, state);
    state = found.ruleStack;
    for (const token of found.tokens) {
      const from = at + Buffer.byteLength(line.slice(0, token.startIndex));
      const to = at + Buffer.byteLength(line.slice(0, token.endIndex));
      classes.fill(classOf(token.scopes), from, Math.min(to, bytes.length));
    }
    at += Buffer.byteLength(line) + 1;
  }
  for (const [begin, end, meant] of tokens) {
    compared += 1;
    if (classes[begin] !== meant) console.log(`${name}: \`${bytes.subarray(begin, end)}\` at ${begin} is ${classes[begin]}, and ${meant} for serval`);
  }
}
console.log(`${compared} tokens compared`);
