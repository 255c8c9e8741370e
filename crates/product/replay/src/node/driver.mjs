// Performs handlers in Node: one process for many files and runs. Lines of JSON come in, and one goes out for each.
//
// The only choices of a run are the events: a call that comes, an outside call that is answered, and with what. A run is
// a list of choices; all runs are performed by counting through these lists. A file is loaded anew for each run.
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
// Which call the code belongs to that runs now, where a run is shown; all runs together go without it, as it takes time.
const caller = new AsyncLocalStorage();
const whose = () => (run.job.once ? caller.getStore() ?? run.now : run.now);

class Cut extends Error {}

// One of so many: as the run says, else the first.
const choose = (many) => {
  if (many <= 1) return 0;
  const at = run.taken.length;
  let picked = 0;
  if (at < run.prefix.length) picked = run.prefix[at];
  else if (run.random) picked = run.random(many);
  run.taken.push(picked);
  run.many.push(many);
  return picked;
};

// A value as it is written in what comes in, for this run.
const made = (value, path) => {
  const [kind, inside] = value;
  switch (kind) {
    case 'u': return undefined;
    case 'z': return null;
    case 's': return inside;
    case 'k': {
      run.tokens[inside] ??= thing(path, {}, inside);
      return run.tokens[inside];
    }
    case 'o': {
      const fields = {};
      for (const name of Object.keys(inside)) fields[name] = made(inside[name], path);
      return thing(path, fields, undefined);
    }
    default: return inside;
  }
};

// What an outside answers: its fields, and all else that is called of it is outside, too.
const thing = (path, fields, text) => new Proxy(fields, {
  get(target, name) {
    if (name === token) return text;
    if (Object.hasOwn(target, name)) return target[name];
    if (name === Symbol.toPrimitive) return () => text ?? path;
    if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
    return outside(`${path}.${name}`);
  },
});

// Something outside: all of its members are, and calls of it are answered by events.
const outside = (path) => new Proxy(function () {}, {
  get(_, name) {
    if (name === token) return path;
    if (name === Symbol.toPrimitive) return () => path;
    if (typeof name === 'symbol' || name === 'then' || name === 'toJSON' || name === 'prototype') return undefined;
    return outside(path === '' ? name : `${path}.${name}`);
  },
  apply(_, self, args) { return called(path, args); },
  construct(_, args) { return Object(called(path, args)); },
});

const METHODS = ['get', 'post', 'put', 'delete', 'patch'];

const called = (path, args) => {
  if (run.loading) {
    const last = args[args.length - 1];
    const method = path.slice(path.lastIndexOf('.') + 1);
    if (METHODS.includes(method) && typeof args[0] === 'string' && typeof last === 'function') {
      run.routes[`${method.toUpperCase()} ${args[0]}`] = last;
    }
    return outside(`${path}()`);
  }
  const at = site(called);
  const known = run.job.outside[at];
  // A call that is not looked at: its value counts for nothing.
  if (!known) return outside(`${path}()`);
  const by = whose();
  if (!known.waits) return made(known.values[choose(known.values.length)], known.path);
  return new Promise((resolve, reject) => {
    run.gates.push({ by, at, known, resolve, reject });
  });
};

// A timer is an outside call that has no value.
const later = (f, ...rest) => {
  if (!run || run.loading) return outside('a timer');
  const args = rest.slice(1);
  run.gates.push({ by: whose(), at: site(later), timer: () => f(...args) });
  return outside('a timer');
};
const soon = (f, ...args) => later(f, 0, ...args);
globalThis.setTimeout = later;
globalThis.setImmediate = soon;
globalThis.setInterval = () => outside('a timer');
globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = () => {};
globalThis.fetch = (...args) => called('fetch', args);
const now = Date.now.bind(Date);
globalThis.Date = outside('Date');
Math.random = (...args) => called('Math.random', args);

// What a caller gives: values at some paths, and elsewhere something that nothing looks at.
const given = (values, path) => {
  const here = values.find((one) => one[0] === path);
  if (here) return here[1][0] === 'k' ? here[1][1] : made(here[1], path);
  return new Proxy({}, {
    get(_, name) {
      if (name === token) return path;
      if (name === Symbol.toPrimitive) return () => path;
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      return given(values, path === '' ? name : `${path}.${name}`);
    },
  });
};

// The answer of a request that goes to a framework: the first counts.
const reply = () => {
  const answer = { status: 200, body: undefined, sent: undefined };
  const send = (body) => { answer.sent ??= { status: answer.status, body }; return self; };
  const status = (code) => { answer.status = code; return self; };
  const same = () => self;
  const self = {
    answer, status, code: status, send, json: send, end: send, sendStatus: (code) => { answer.status = code; return send(undefined); },
    set: same, header: same, setHeader: same, type: same, cookie: same,
    set statusCode(code) { answer.status = code; },
  };
  return self;
};

// An answer in a form that can be compared.
const shown = (value) => {
  switch (typeof value) {
    case 'undefined': return ['u'];
    case 'boolean': return ['b', value];
    case 'number': return Number.isSafeInteger(value) ? ['n', value] : ['s', String(value)];
    case 'string': return ['s', value];
    case 'function': return ['f'];
    default: break;
  }
  if (value === null) return ['z'];
  if (Array.isArray(value)) return ['a', value.map(shown)];
  const text = value[token];
  if (text !== undefined) return ['s', text];
  if (value instanceof Map || value instanceof Set || value instanceof Promise) return ['f'];
  const fields = {};
  for (const name of Object.keys(value).sort()) {
    const inside = shown(value[name]);
    if (inside[0] !== 'u') fields[name] = inside;
  }
  return ['o', fields];
};

const failure = (error) => {
  if (error instanceof TypeError) return ['t', 'TypeError'];
  if (error instanceof Error) return ['t', error.message];
  return ['t', typeof error === 'object' && error !== null ? String(error[token] ?? 'an object') : String(error)];
};

// A call begins: what it does before its first pause happens here.
const begin = (index) => {
  const call = run.job.calls[index];
  const state = run.calls[index];
  state.come = true;
  run.now = index;
  const end = (answer) => { state.answer = answer; };
  try {
    let answer;
    if (call.route) {
      const f = run.routes[call.route];
      if (!f) throw new Cut(`no handler of ${call.route}`);
      if (call.framework === 'koa') {
        const names = ['params', 'query', 'request', 'ip', 'headers'];
        const ctx = { status: 200, body: undefined };
        for (const name of names) ctx[name] = given(call.given, name);
        answer = Promise.resolve(f(ctx, async () => {})).then(() => ({ status: ctx.status, body: ctx.body }));
      } else {
        const there = reply();
        const done = Promise.resolve(f(given(call.given, ''), there, () => {}));
        const plain = (value) => {
          if (there.answer.sent) return there.answer.sent;
          return call.framework === 'fastify' ? { status: there.answer.status, body: value === there ? undefined : value } : undefined;
        };
        answer = done.then(plain, (error) => { if (there.answer.sent) return there.answer.sent; throw error; });
      }
    } else {
      let self;
      let f = run.exported;
      for (const name of call.path) { self = f; f = f[name]; }
      answer = f.apply(self, call.params.map((name) => given(call.given, name)));
    }
    if (answer instanceof Promise) answer.then((value) => end(shown(value)), (error) => end(failure(error)));
    else end(shown(answer));
  } catch (error) {
    if (error instanceof Cut) throw error;
    end(failure(error));
  }
};

const settle = (gate) => {
  run.now = gate.by;
  if (gate.timer) { gate.timer(); return 'goes on'; }
  const { values, fails } = gate.known;
  const picked = choose(values.length + (fails && run.job.failures ? 1 : 0));
  if (picked < values.length) {
    gate.resolve(made(values[picked], gate.known.path));
    return values[picked];
  }
  gate.reject(new Error(`${gate.known.path} failed`));
  return ['t', `${gate.known.path} failed`];
};

// What can happen next: calls that come, of equal ones the first, and calls of the outside that are answered.
const possible = () => {
  const serial = run.job.serial;
  const busy = run.gates.length > 0 || run.calls.some((one) => one.come && one.answer === undefined);
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
  told.push(settle(event.gate));
};

const perform = async (job, prefix, random) => {
  run = { job, prefix, random, taken: [], many: [], gates: [], routes: {}, tokens: {}, events: [], now: -1, loading: true };
  run.calls = job.calls.map(() => ({ come: false, answer: undefined }));
  run.exported = await job.load();
  await turn();
  run.loading = false;
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
  if (run.calls.some((one) => one.answer === undefined)) return { stuck: true };
  return { answers: run.calls.map((one) => one.answer) };
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

// The file as Node loads it.
const as_module = (job) => async () => {
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
  job.load = job.module ? as_module(job) : as_function(job);
  job.most_turns ??= 40;
  const found = new Map();
  const told = { runs: 0, complete: true, stuck: 0, cut: 0 };
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
  return { ...told, found: [...found.values()] };
};

// Answers without the order of equal calls.
const sorted = (job, answers) => JSON.stringify(answers.map((one, index) => [JSON.stringify(job.calls[index]), JSON.stringify(one)]).sort());

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
      } else said = await all(job);
    }
  } catch (error) {
    said = { error: String(error?.message ?? error), stack: String(error?.stack ?? '') };
  }
  write(`${JSON.stringify(said)}\n`);
}
