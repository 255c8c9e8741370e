// Performs handlers in Node: one process for many files and runs. Lines of JSON come in, and one goes out for each.
//
// The only choices of a run are the events: a call that comes, an outside call that is answered, and with what. A run
// is a list of choices; all runs are performed by counting through these lists. A file is loaded anew for each run.
import vm from 'node:vm';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createInterface } from 'node:readline';

const immediate = globalThis.setImmediate;
const write = process.stdout.write.bind(process.stdout);
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir']) console[name] = () => {};

// All microtasks run, and everything that Node itself does behind them.
const turn = () => new Promise((resolve) => immediate(resolve));

// Where a function of ours was called from: line and column in the file.
const site = (above) => {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_, frames) => frames;
  const here = {};
  Error.captureStackTrace(here, above);
  const frame = here.stack.find((one) => one.getFileName() === 'handlers:file');
  Error.prepareStackTrace = prepare;
  return frame ? `${frame.getLineNumber()}:${frame.getColumnNumber()}` : '';
};

const token = Symbol('token');
let run; // what is performed now
// Which call the code belongs to that runs now, where a run is shown; all runs together go without it, as it takes
// time.
const caller = new AsyncLocalStorage();
const whose = () => (run.job.once ? caller.getStore() ?? run.now : run.now);

class Cut extends Error {}

// One of so many: as the run says, else the first. What cannot be done any more is noted.
const choose = (many) => {
  if (many <= 1) return 0;
  const at = run.taken.length;
  let picked = 0;
  if (at < run.prefix.length) picked = run.prefix[at];
  else if (run.random) picked = run.random(many);
  if (!Number.isInteger(picked) || picked < 0 || picked >= many) {
    run.lost = true;
    picked = 0;
  }
  run.taken.push(picked);
  run.many.push(many);
  return picked;
};

// What is known of a call of the outside, by the place from which it is made; and how it is called there.
let paths = {};
const lookup = (path, above) => {
  const at = site(above);
  paths[at] = path;
  return [at, run.job.outside[at]];
};

// A call that is not looked at: its value counts for nothing. Where nothing is known of the file that may be otherwise.
const unknown = (path, at) => (run.job.guess ? perhaps(path, at) : outside(`${path}()`));

//#stubs
replace(globals);
Math.random = random;
// Listeners of the process are like all others.
for (const name of ['on', 'once', 'addListener', 'off']) process[name] = (event, f) => { if (run?.loading) handed(`process.${name}`, [f]); return process; };

// What can happen next: calls that come, of equal ones the first, and calls of the outside that are answered.
const possible = () => {
  const serial = run.job.serial;
  const busy = run.gates.length > 0 || run.calls.some(is_open);
  const list = [];
  const seen = new Set();
  run.calls.forEach((state, index) => {
    if (state.come || (serial && busy)) return;
    const same = JSON.stringify(run.job.calls[index]);
    if (seen.has(same)) return;
    seen.add(same);
    list.push({ call: index });
  });
  run.gates.forEach((gate) => list.push({ gate }));
  return list;
};

const happen = (event) => {
  if (event.call !== undefined) {
    run.events.push(['comes', event.call]);
    if (run.job.once) caller.run(event.call, () => begin(event.call));
    else begin(event.call);
    return;
  }
  run.gates.splice(run.gates.indexOf(event.gate), 1);
  const told = ['answered', event.gate.by, event.gate.at];
  run.events.push(told);
  told.push(settle(event.gate), event.gate.path);
  if (told[3][0] === 'q') told.push(run.fresh[told[3][1]]);
};

const load = async (job, prefix, random) => {
  run = { job, prefix, random, taken: [], many: [], gates: [], routes: {}, handed: {}, tokens: {}, fresh: {}, given: {}, events: [], now: -1, loading: true };
  run.calls = job.calls.map(() => ({ come: false, answer: undefined }));
  run.exported = await job.load();
  await plugged();
  await turn();
  run.loading = false;
};

const perform = async (job, prefix, random) => {
  await load(job, prefix, random);
  for (let turns = 0; ; turns += 1) {
    const list = possible();
    if (list.length === 0) break;
    if (turns >= job.most_turns) return { cut: true };
    run.events.push(['turn']);
    happen(list[choose(list.length)]);
    if (job.together > 1 && !job.serial) {
      const more = possible();
      const picked = choose(more.length + 1);
      if (picked > 0) happen(more[picked - 1]);
    }
    await turn();
  }
  const answers = answers_now();
  return answers.includes(undefined) ? { stuck: true } : { answers };
};

// The file as a function: what it imports are the parameters.
const as_function = (job) => {
  const locals = job.imports.map((one) => one[0]);
  const list = job.exports.map(([name, local]) => `${JSON.stringify(name)}: ${local}`);
  const head = `(function (${[...locals, 'module', 'exports', 'require'].join(', ')}) { 'use strict';\n`;
  const code = `${head}${job.body}\n;return { ...module.exports, ${list.join(', ')} }; })`;
  const script = new vm.Script(code, { filename: 'handlers:file', lineOffset: -1 });
  const f = script.runInThisContext();
  return () => {
    const module = { exports: {} };
    return f(...job.imports.map((one) => import_of(one)), module, module.exports, (name) => outside(name));
  };
};

const import_of = ([, module, name]) => outside(name === 'default' || name === '*' ? module : name);

// The file as Node loads it: one without imports and exports is of CommonJS.
const as_module = (job) => (job.imports.length + job.exports.length === 0 ? as_function({ ...job, body: job.module }) : as_linked(job));

const as_linked = (job) => async () => {
  const module = new vm.SourceTextModule(job.module, { identifier: 'handlers:file' });
  await module.link((name) => {
    const wanted = job.imports.filter((one) => one[1] === name);
    const names = [...new Set(wanted.map((one) => one[2]).filter((one) => one !== '*'))];
    return new vm.SyntheticModule(names, function () {
      for (const one of wanted) if (one[2] !== '*') this.setExport(one[2], import_of(one));
    });
  });
  await module.evaluate();
  return module.namespace;
};

const all = async (job) => {
  job.load ??= job.module ? as_module(job) : as_function(job);
  job.most_turns ??= 40;
  const found = new Map();
  paths = {};
  const told = { runs: 0, complete: true, stuck: 0, cut: 0, lost: false };
  const wanted = job.unless ? new Set(job.unless) : undefined;
  const target = job.target ? sorted(job, job.target) : undefined;
  let prefix = job.choices ?? [];
  let state = 1;
  const random = job.random ? (many) => {
    // Marsaglia's xorshift, so that it is the same everywhere.
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) % many;
  } : undefined;
  for (;;) {
    if (random) state = (Math.imul(told.runs + 1, 2654435761) | 1);
    const end = await perform(job, prefix, random);
    told.runs += 1;
    if (end.cut) told.cut += 1;
    if (end.stuck) told.stuck += 1;
    if (run.lost) told.lost = true;
    if (end.answers) {
      const key = JSON.stringify(end.answers);
      if (!found.has(key)) {
        found.set(key, { answers: end.answers, events: run.events, choices: run.taken });
        if (wanted && !wanted.has(sorted(job, end.answers))) { told.complete = false; break; }
      }
      if (target !== undefined && sorted(job, end.answers) === target) {
        told.hit = { answers: end.answers, events: run.events, choices: run.taken };
        break;
      }
    }
    // The next list of choices: the last that has another one.
    const { taken, many } = run;
    let at = taken.length - 1;
    while (at >= 0 && taken[at] + 1 >= many[at]) at -= 1;
    if (at < 0 || job.once) break;
    if (told.runs >= job.most) { told.complete = false; break; }
    if (random) continue;
    prefix = [...taken.slice(0, at), taken[at] + 1];
  }
  return { ...told, found: [...found.values()], paths };
};

// Answers without the order of equal calls.
const sorted = (job, answers) => JSON.stringify(answers.map((one, index) => [JSON.stringify(job.calls[index]), JSON.stringify(one)]).sort());

//#trial

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') continue;
  let said;
  try {
    const job = JSON.parse(line);
    if (job.version) said = { version: process.versions.node };
    else {
      said = {};
      // One at a time first, then all orders; only where these are compared.
      if (job.compare) {
        const serial = await all({ ...job, serial: true, together: 1 });
        said.serial = serial;
        const unless = serial.found.map((one) => sorted(job, one.answers));
        said.other = await all({ ...job, serial: false, unless: job.first ? unless : undefined });
        said.other.beyond = said.other.found.filter((one) => !unless.includes(sorted(job, one.answers)));
      } else said = await (job.trial ? trial(job) : all(job));
    }
  } catch (error) {
    said = { error: String(error?.message ?? error), stack: String(error?.stack ?? '') };
  }
  write(`${JSON.stringify(said)}\n`);
}
