#!/usr/bin/env node
// `serval-wasm check|verify|fix|fmt FILE`: output and exit status of the binary, from the module.

import { readFileSync, writeFileSync } from "node:fs";

const [major] = process.versions.node.split(".").map(Number);
if (major < 18) {
  process.stderr.write(`error: serval-wasm needs Node 18 or newer, and this is ${process.versions.node}\n`);
  process.exit(2);
}

const USAGE = `usage: serval-wasm check FILE [--format text|json|markdown|github] [--strict] [--no-fix] [--verbose] [--expected]
                                [--exit-zero] [--certificate PATH] [--question Q]... [--timeout SECONDS]
       serval-wasm verify FILE CERTIFICATE [--question Q]...
       serval-wasm fix FILE [--format text|json] [--lock NAME] [--strict] [--apply N] [--timeout SECONDS]
       serval-wasm fmt FILE [--check]
       FILE may be -, which reads standard input; --input KIND says what it holds
`;

class Wrong extends Error {}

/** Options with a value, and those without, by command. */
const KNOWN = {
  check: [["format", "certificate", "question", "timeout", "input"], ["strict", "no-fix", "verbose", "expected", "exit-zero"], 1],
  verify: [["question", "input"], [], 2],
  fix: [["format", "lock", "apply", "timeout", "input"], ["strict"], 1],
  fmt: [["input"], ["check"], 1],
};

function parsed(argv) {
  const [command, ...rest] = argv;
  if (command === undefined || command === "--help" || command === "-h" || command === "help") return { command: "help" };
  if (command === "--version") return { command: "version" };
  const known = KNOWN[command];
  if (!Object.hasOwn(KNOWN, command)) throw new Wrong(`there is no command ${command}`);
  const [valued, plain, files] = known;
  const options = Object.create(null);
  const given = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === "-" || !word.startsWith("-")) {
      given.push(word);
      continue;
    }
    const [name, value] = word === "-v" ? ["verbose"] : word.replace(/^--/, "").split(/=(.*)/s);
    if (plain.includes(name) && value === undefined) options[name] = true;
    else if (valued.includes(name)) {
      const taken = value ?? rest[++at];
      if (taken === undefined) throw new Wrong(`--${name} needs a value`);
      options[name] = [...(options[name] ?? []), taken];
    } else throw new Wrong(`${command} has no option ${word}`);
  }
  if (given.length !== files) throw new Wrong(`${command} takes ${files === 1 ? "one file" : "a file and a certificate"}`);
  return { command, options, given };
}

function textOf(path) {
  let bytes;
  try {
    bytes = readFileSync(path === "-" ? 0 : path);
  } catch (error) {
    throw new Wrong(`cannot read ${path}: ${error.message} [E0502]`);
  }
  try {
    // A byte-order mark belongs to the text.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Wrong(`${path} is not UTF-8 [E0501]`);
  }
}

const { load, ServalError } = await import("../src/index.js");

async function run() {
  const { command, options, given } = parsed(process.argv.slice(2));
  if (command === "help") {
    process.stdout.write(USAGE);
    return 0;
  }
  const serval = await load();
  if (command === "version") {
    process.stdout.write(`serval-wasm ${serval.version().version}\n`);
    return 0;
  }
  const one = (name) => options[name]?.at(-1);
  const [file] = given;
  const request = { text: textOf(file), name: file, kind: one("input") };
  if (options.question) request.questions = options.question;
  if (options.strict) request.strict = true;
  const timeout = Number(one("timeout") ?? 60);
  if (!(timeout >= 0)) throw new Wrong("--timeout takes seconds");
  switch (command) {
    case "check": {
      Object.assign(request, { format: one("format") ?? "text", fixes: !options["no-fix"], verbose: Boolean(options.verbose), expected: Boolean(options.expected) });
      const checked = serval.check(request, { timeout });
      const certificates = checked.certificates.filter((certificate) => certificate !== null);
      if (one("certificate") && certificates.length > 0) writeFileSync(one("certificate"), certificates[0]);
      process.stderr.write(checked.messages);
      process.stdout.write(checked.output);
      return options["exit-zero"] && [1, 3].includes(checked.status) ? 0 : checked.status;
    }
    case "verify": {
      const verified = serval.verify({ ...request, certificate: textOf(given[1]), certificate_name: given[1] });
      (verified.status === 2 ? process.stderr : process.stdout).write(`${verified.line}\n`);
      return verified.status;
    }
    case "fix": {
      const fixed = serval.fix({ ...request, lock: one("lock") }, { timeout });
      process.stdout.write(one("format") === "json" ? `${JSON.stringify(fixed.report)}\n` : fixed.output);
      const number = one("apply");
      if (number !== undefined) {
        const text = fixed.texts[Number(number) - 1];
        if (text === undefined) throw new Wrong(`there is no fix ${number}; there are ${fixed.texts.length}`);
        writeFileSync(file, text);
        process.stderr.write(`fix ${number} is written to ${file}\n`);
      }
      return fixed.status;
    }
    default: {
      const { text } = serval.format(request);
      const changes = text !== request.text;
      if (options.check) {
        if (changes) process.stdout.write(`would change ${file}\n`);
        return changes ? 1 : 0;
      }
      if (file === "-") process.stdout.write(text);
      else if (changes) {
        writeFileSync(file, text);
        process.stderr.write(`formatted ${file}\n`);
      }
      return 0;
    }
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  if (error instanceof Wrong || error instanceof ServalError) {
    const message = error.message.startsWith("error") ? error.message : `error: ${error.message}\n`;
    process.stderr.write(message.endsWith("\n") ? message : `${message}\n`);
    if (error instanceof Wrong && KNOWN[process.argv[2]] === undefined) process.stderr.write(USAGE);
    process.exitCode = 2;
  } else {
    process.stderr.write(`internal error: this is a bug in serval: ${error?.message ?? error}\n`);
    process.exitCode = 4;
  }
}
