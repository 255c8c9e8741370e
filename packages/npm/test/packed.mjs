// The package as it is shipped, in an empty project: from JavaScript, from TypeScript, through Vite, in a worker, and
// on the command line. Usage: node packed.mjs TOOLS, where TOOLS is a folder `node_modules` with typescript and vite.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const tools = process.argv[2] ? resolve(process.argv[2]) : "";
const source = fileURLToPath(new URL("..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "serval-npm-"));
const node = (...args) => spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
const RACY = "request add {\n  x := N;\n  yield;\n  N := (x + 1) % 3;\n  N\n}\n";

try {
  const [{ filename, files }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", project], { cwd: source, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  assert.ok(["serval.wasm", "licences.txt"].every((name) => files.some((file) => file.path === name)));
  assert.ok(!files.some((file) => file.path.startsWith("test")));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${filename}`], { cwd: project, stdio: "ignore" });
  writeFileSync(join(project, "add.ser"), RACY);

  writeFileSync(join(project, "use.mjs"), `
    import { load, ServalError } from "serval-wasm";
    const serval = await load();
    const text = ${JSON.stringify(RACY)};
    const checked = serval.check({ text, name: "add.ser" });
    if (checked.reports[0].verdict !== "not-serializable") throw new Error(JSON.stringify(checked));
    if (serval.verify({ text, name: "add.ser", certificate: checked.certificates[0] }).status !== 0) throw new Error("refused");
    try { serval.check({ txet: "" }); throw new Error("accepted"); } catch (error) { if (!(error instanceof ServalError)) throw error; }
  `);
  const used = node("use.mjs");
  assert.equal(used.status, 0, used.stderr);

  writeFileSync(join(project, "work.mjs"), `
    import { Worker } from "node:worker_threads";
    import { compile, ServalWorker } from "serval-wasm";
    const module = await compile();
    const serval = new ServalWorker(module, () => new Worker(new URL(import.meta.resolve("serval-wasm/worker"))));
    const checked = await serval.check({ text: "request flip { X := 1 - X; X }" }, { timeout: 100_000 });
    if (checked.reports[0].verdict !== "serializable") throw new Error(JSON.stringify(checked));
    // One that does not end by itself is stopped, and the next is answered.
    const rows = Array.from({ length: 14 }, (_, step) => \`request a\${step} { x := N; yield; M := (M + \${step + 1}) % 97; N := (x + M) % 89; N }\`);
    let long;
    await new Promise((searches) => {
      const onProgress = (stage) => stage !== "reading" && searches();
      long = serval.check({ text: rows.join("\\n"), methods: ["letters"] }, { onProgress });
    });
    serval.stop();
    const ended = await long.then((checked) => checked.ended ?? "decided", (error) => error.message);
    if (ended !== "stopped") throw new Error(ended);
    const again = await serval.check({ text: "request flip { X := 1 - X; X }" });
    if (again.status !== 0) throw new Error(JSON.stringify(again));
    // A worker that is killed in the middle is replaced.
    serval.replace(new Error("killed"));
    if ((await serval.version()).version === undefined) throw new Error("no version");
    // What is asked of one that has gone gets an error when it is stopped, and so does what an AbortSignal ends.
    await serval.worker.terminate();
    const gone = serval.version();
    serval.stop(0);
    if ((await gone.catch((error) => error.message)) !== "stopped") throw new Error("an answer of one that has gone");
    const controller = new AbortController();
    const asked = serval.check({ text: rows.join("\\n"), methods: ["letters"] }, { signal: controller.signal, onProgress: () => controller.abort() });
    if ((await asked.then((checked) => checked.ended ?? "decided", (error) => error.message)) !== "stopped") throw new Error("not aborted");
    serval.end();
    // One that cannot be loaded is not made again and again.
    const none = new ServalWorker(module, () => new Worker(new URL("data:text/javascript,throw new Error('no worker')")));
    for (let turn = 0; turn < 2; turn++) {
      if (!/no worker/.test(await none.version().catch((error) => error.message))) throw new Error("an answer of none");
    }
  `);
  const worked = node("work.mjs");
  assert.equal(worked.status, 0, worked.stderr);

  const command = join(project, "node_modules/.bin/serval-wasm");
  const cli = (...args) => spawnSync(command, args, { cwd: project, encoding: "utf8" });
  const patient = ["--timeout", "100000"];
  const checked = cli("check", "add.ser", "--certificate", "add.json", ...patient);
  assert.equal(checked.status, 1, checked.stderr);
  assert.match(checked.stdout, /^not serializable {2}add\.ser {3}lost update/);
  assert.equal(cli("verify", "add.ser", "add.json").status, 0);
  assert.match(cli("fix", "add.ser", ...patient).stdout, /^not serializable/);
  writeFileSync(join(project, "untidy.ser"), "request  flip{X:=1-X;X}");
  assert.deepEqual([cli("fmt", "untidy.ser", "--check").status, cli("fmt", "untidy.ser").status, cli("fmt", "untidy.ser", "--check").status], [1, 0, 0]);
  // Bad input: a sentence each, and status 2.
  writeFileSync(join(project, "bytes.ser"), Buffer.from([0x58, 0xff]));
  for (const [args, said] of [
    [["check", "none.ser"], /cannot read none\.ser/],
    [["check", "bytes.ser"], /not UTF-8/],
    [["check"], /takes one file/],
    [["check", "add.ser", "--colour"], /no option --colour/],
    [["dance", "add.ser"], /no command dance/],
    [["verify", "untidy.ser", "untidy.ser"], /error: expected value/],
  ]) {
    const refused = cli(...args);
    assert.equal(refused.status, 2, `${args}: ${refused.stdout}`);
    assert.match(refused.stderr, said);
  }
  // A Node that is too old gets a sentence, before anything of the package is loaded.
  const old = node("--input-type=module", "-e", `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "16.20.2" } });
    await import(${JSON.stringify(pathToFileURL(join(project, "node_modules/serval-wasm/bin/serval-wasm.js")).href)});
  `);
  assert.deepEqual([old.status, old.stderr], [2, "error: serval-wasm needs Node 18 or newer, and this is 16.20.2\n"]);
  // Files that are damaged: the module cut short.
  writeFileSync(join(project, "cut.mjs"), `
    import { readFileSync } from "node:fs";
    import { load } from "serval-wasm";
    const bytes = readFileSync(new URL(import.meta.resolve("serval-wasm/serval.wasm")));
    const said = await load(bytes.subarray(0, 100_000)).then(() => "loaded", (error) => error.name);
    if (said !== "CompileError") throw new Error(said);
  `);
  const cut = node("cut.mjs");
  assert.equal(cut.status, 0, cut.stderr);
  // A certificate of another program is refused.
  assert.equal(cli("verify", "untidy.ser", "add.json").status, 1);

  if (tools) {
    writeFileSync(join(project, "typed.ts"), `
      import { load, type Checked } from "serval-wasm";
      const serval = await load();
      const checked: Checked = serval.check({ text: "request a { 1 }", kind: "ser" }, { timeout: 1 });
      // @ts-expect-error: there is no such kind
      serval.check({ text: "", kind: "doc" });
      export const verdict: string | undefined = checked.reports[0]?.verdict;
    `);
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({
      compilerOptions: { target: "ES2022", module: "ESNext", moduleResolution: "bundler", strict: true, noEmit: true, lib: ["ES2022", "DOM"], types: [] },
      files: ["typed.ts"],
    }));
    const typed = node(join(tools, "typescript/bin/tsc"), "--noEmit");
    assert.equal(typed.status, 0, typed.stdout);

    mkdirSync(join(project, "node_modules"), { recursive: true });
    for (const name of ["vite"]) if (!existsSync(join(project, "node_modules", name))) symlinkSync(join(tools, name), join(project, "node_modules", name));
    writeFileSync(join(project, "index.html"), '<!doctype html><title>a</title><script type="module" src="/page.js"></script>');
    writeFileSync(join(project, "page.js"), 'import { load } from "serval-wasm"; load().then((serval) => (document.title = serval.version().version));');
    const built = node(join(tools, "vite/bin/vite.js"), "build", "--logLevel", "error", "--target", "es2022");
    assert.equal(built.status, 0, built.stderr);
    const assets = readdirSync(join(project, "dist/assets"));
    const module = assets.find((name) => name.endsWith(".wasm"));
    assert.ok(module && readFileSync(join(project, "dist/assets", module)).equals(readFileSync(join(source, "serval.wasm"))), assets.join());
  }
  console.log("packed: passed");
} finally {
  rmSync(project, { recursive: true, force: true });
}
