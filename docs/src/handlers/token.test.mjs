// Made by `serval check FILE --emit test`: it fails until the race is fixed. It needs Node from 20.6 on, and nothing else.
// One run is performed with the file as it is, with what it imports replaced by stubs; its answers must be those of
// some order in which the same calls come one at a time. Run it with `node --test`.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { setImmediate as immediate } from 'node:timers';

const FILE = "token.js";
const NAME = "getToken, getToken at the same time answer as if one at a time";
// The calls: as people write them, and as they are made here.
const SAID = ["getToken","getToken"];
const CALLS = [
  {"given":[],"params":[],"path":["getToken"]},
  {"given":[],"params":[],"path":["getToken"]},
];
// What happened in the run that was seen: a call comes, or the outside answers a call.
const EVENTS = [
  ["turn"],
  ["comes",0],
  ["turn"],
  ["comes",1],
  ["turn"],
  ["answered",0,["k","identity.refresh 1"],"identity.refresh"],
  ["turn"],
  ["answered",1,["k","identity.refresh 2"],"identity.refresh"],
];
// What the outside may answer.
const OUTSIDE = {
  "identity.refresh": {"fails":true,"path":"identity.refresh","values":[["z"],["k","identity.refresh 1"],["k","identity.refresh 2"]],"waits":true},
};
// With these a handler refuses and has done nothing.
const REFUSALS = [409,423,425,429,503];

// What stands below is the same in every such test.

// An answer in words.
const words = ([kind, inside]) => {
  switch (kind) {
    case 'u': return 'undefined';
    case 'z': return 'null';
    case 'f': return 'an object';
    case 't': return `throws ${words(['s', inside])}`;
    case 'a': return `[${inside.map(words).join(', ')}]`;
    case 'o': return `{ ${Object.keys(inside).map((name) => `${name}: ${words(inside[name])}`).join(', ')} }`;
    default: return String(inside).replace(/[\ue000\ue001]/g, '');
  }
};

const place = new URL(`./${encodeURIComponent(FILE)}`, import.meta.url);

// The file as it is now: what it imports comes from stubs.
let text;
let loads = 0;
const load = async () => {
  text ??= with_stubs(await plain(readFileSync(place, 'utf8')));
  loads += 1;
  const there = await import(`data:text/javascript,${encodeURIComponent(`${text}\n// ${loads}`)}`);
  return there['module.exports']?.exports ?? there;
};

const plain = async (source) => source;

// Under this name the file finds its stubs; other tests have others.
const STUB = `serval ${import.meta.url}`;
const with_stubs = (source) => {
  const imported = /^[ \t]*import\s+([\w$\s,{}*]+?)\s*from\s*(['"])([^'"\n]+)\2[ \t]*;?/gm;
  const stub = (module, name, local) => `const ${local} = globalThis[${JSON.stringify(STUB)}](${JSON.stringify(module)}, ${JSON.stringify(name)});`;
  const body = source.replace(/^[ \t]*import\s*(['"])[^'"\n]+\1[ \t]*;?/gm, '').replace(imported, (_, names, __, module) => {
    const [, outer, inner] = /^([^{]*)(?:\{([^}]*)\})?/.exec(names);
    const list = (inner ?? '').split(',').map((one) => one.trim().split(/\s+as\s+/)).filter(([name]) => name !== '');
    for (const one of outer.split(',').map((name) => name.trim()).filter((name) => name !== '')) {
      list.push(one.startsWith('*') ? ['*', one.replace(/^\*\s*as\s+/, '')] : ['default', one]);
    }
    return list.map(([name, local]) => stub(module, name, local ?? name)).join(' ');
  });
  if (/^\s*export\s/m.test(body) || !/\bexports\b/.test(body)) return body;
  const required = `const require = (name) => globalThis[${JSON.stringify(STUB)}](name, '*');`;
  const before = `const module = { exports: {} }; const exports = module.exports; ${required}`;
  return `${before}${body}\nexport { module as 'module.exports' };`;
};
globalThis[STUB] = (module, name) => outside(name === 'default' || name === '*' ? module : name);

// All microtasks run, and everything that Node itself does behind them.
const turn = () => new Promise((resolve) => immediate(resolve));

const token = Symbol('token');
let run; // what is performed now
const caller = new AsyncLocalStorage();
const whose = () => caller.getStore() ?? run.now;
class Cut extends Error {}
const site = () => '';
const lookup = (path) => ['', OUTSIDE[path]];
const unknown = (path, at) => perhaps(path, at);

// One of so many: what the outside answered when the run was seen; or one after the other.
const choose = (many, known, sync) => {
  if (many <= 1) return 0;
  if (run.script) {
    const wanted = JSON.stringify(sync ? (run.gave[`${sync.by} ${sync.path}`] ?? []).shift() : run.wanted);
    if (wanted === undefined) return 0;
    const found = known.values.findIndex((value) => JSON.stringify(value) === wanted);
    return found >= 0 ? found : sync || run.wanted[0] !== 't' ? 0 : known.values.length;
  }
  const picked = run.prefix[run.taken.length] ?? 0;
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
    // Another one each time.
    case 'q': {
      run.fresh[inside] = (run.fresh[inside] ?? 0) + 1;
      return thing(path, {}, `\ue000${inside} ${run.fresh[inside]}\ue001`);
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

// A call of which nothing is known: something outside, and a promise where something waits for it.
const perhaps = (path, at) => {
  const by = whose();
  const there = outside(`${path}()`);
  // Timers of `node:timers/promises` do not fail.
  const known = { path, values: [['q', path]], waits: true, fails: !/^set(Timeout|Immediate|Interval)$/.test(path) };
  let promise;
  return new Proxy(function () {}, {
    get(_, name) {
      if (name !== 'then' && name !== 'catch' && name !== 'finally') return there[name];
      promise ??= new Promise((resolve, reject) => {
        run.gates.push({ by, at, path, known, resolve, reject });
      });
      return promise[name].bind(promise);
    },
    apply: (_, self, args) => called(`${path}()`, args),
    construct: (_, args) => Object(called(`${path}()`, args)),
  });
};

const METHODS = ['get', 'post', 'put', 'delete', 'patch'];

// Functions that something outside gets, to call them later.
const handed = (path, args) => {
  run.handed[path] = [...(run.handed[path] ?? []), ...args.filter((one) => typeof one === 'function' && one[token] === undefined)];
};

// Fastify has routes that are objects, and plugins, which run before all requests.
const registered = (path, method, [first, options]) => {
  if (!path.toLowerCase().includes('fastify') || first?.[token] !== undefined) return;
  if (method === 'register' && typeof first === 'function') first(outside(path.slice(0, -method.length - 1)), options ?? outside('options'));
  const url = first?.url ?? first?.path;
  if (method !== 'route' || typeof first?.method !== 'string' || typeof url !== 'string' || typeof first.handler !== 'function') return;
  run.routes[`${first.method.toUpperCase()} ${url}`] = first.handler;
};
const plugged = async () => {
  for (const name of new Set(run.job.calls.map((call) => call.plugin))) {
    if (name !== undefined) await run.exported[name](outside('fastify()'), outside('options'));
  }
};

const called = (path, args) => {
  if (run.loading) {
    handed(path, args);
    const last = args[args.length - 1];
    const method = path.slice(path.lastIndexOf('.') + 1);
    if (METHODS.includes(method) && typeof args[0] === 'string' && typeof last === 'function') {
      run.routes[`${method.toUpperCase()} ${args[0]}`] = last;
    }
    registered(path, method, args);
    return outside(`${path}()`);
  }
  const [at, known] = lookup(path, called);
  if (!known) return unknown(path, at);
  const by = whose();
  if (!known.waits) {
    const picked = known.values[choose(known.values.length, known, { by, path })];
    if (known.values.length > 1) run.events.push(['gave', by, at, picked, path]);
    return made(picked, known.path);
  }
  return new Promise((resolve, reject) => {
    run.gates.push({ by, at, path, known, resolve, reject });
  });
};

// A timer is an outside call that has no value.
const later_by = (name) => (f, ...rest) => {
  if (!run || run.loading) {
    if (run) handed(name, [f]);
    return outside('a timer');
  }
  const args = rest.slice(1);
  run.gates.push({ by: whose(), at: site(globals[name]), path: 'a timer', timer: () => f(...args) });
  return outside('a timer');
};
const later = later_by('setTimeout');
const now = later_by('setImmediate');
const soon = (f, ...args) => now(f, 0, ...args);

// What Node gives to all files and is outside, too.
const globals = {
  setTimeout: later,
  setImmediate: soon,
  setInterval: (f) => { if (run?.loading) handed('setInterval', [f]); return outside('a timer'); },
  clearTimeout: () => {},
  clearInterval: () => {},
  clearImmediate: () => {},
  fetch: (...args) => called('fetch', args),
  Date: outside('Date'),
  crypto: outside('crypto'),
  performance: outside('performance'),
};
const replace = (list) => {
  for (const name of Object.keys(list)) {
    Object.defineProperty(globalThis, name, { value: list[name], writable: true, configurable: true, enumerable: true });
  }
};
const random = (...args) => called('Math.random', args);

// What a caller gives: values at some paths, and elsewhere something that nothing looks at.
const given = (values, path) => {
  const here = values.find((one) => one[0] === path);
  if (here) return here[1][0] === 'k' ? here[1][1] : made(here[1], path);
  // Equal calls give the same object, so that it is the same key.
  const key = JSON.stringify([values, path]);
  run.given[key] ??= new Proxy({}, {
    get(_, name) {
      if (name === token) return path;
      if (name === Symbol.toPrimitive) return () => path;
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      return given(values, path === '' ? name : `${path}.${name}`);
    },
  });
  return run.given[key];
};

// The answer of a request that goes to a framework: the first counts.
const reply = () => {
  const answer = { status: 200, body: undefined, sent: undefined, late: undefined };
  const sent = (what) => { answer.sent ??= what; answer.late?.(); return self; };
  const send = (body) => sent({ status: answer.status, body });
  const status = (code) => { answer.status = code; return self; };
  const same = () => self;
  const next = (error) => { if (error !== undefined) sent({ passed: error }); };
  // What was answered, and whether it is a failure that was passed on.
  const said = () => {
    if (answer.sent && Object.hasOwn(answer.sent, 'passed')) throw answer.sent.passed;
    return answer.sent;
  };
  const self = {
    answer, next, said, status, code: status, send, json: send, end: send, sendStatus: (code) => { answer.status = code; return send(undefined); },
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

// Calls that must still answer; one whose handler has ended may never do it, and then it has answered nothing.
const is_open = (one) => one.come && one.answer === undefined && one.nothing === undefined;
const answers_now = () => run.calls.map((one) => one.answer ?? one.nothing);

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
        const done = Promise.resolve(f(given(call.given, ''), there, there.next));
        const plain = (value) => {
          if (there.answer.sent) return there.said();
          const given = value === there ? undefined : value;
          const here = call.framework === 'fastify' ? { status: there.answer.status, body: given } : undefined;
          if (here && given !== undefined) return here;
          // What is sent later is the answer.
          state.nothing = shown(here);
          return new Promise((resolve) => { there.answer.late = resolve; }).then(there.said);
        };
        answer = done.then(plain, (error) => { if (there.answer.sent) return there.said(); throw error; });
      }
    } else if (call.handed) {
      const f = run.handed[call.handed]?.[call.number];
      if (!f) throw new Cut(`no function that ${call.handed} is given`);
      answer = Promise.resolve(f(...call.params.map((name) => given(call.given, name)))).then(() => undefined);
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
  const picked = choose(values.length + (fails && run.job.failures ? 1 : 0), gate.known);
  if (picked < values.length) {
    gate.resolve(made(values[picked], gate.known.path));
    return values[picked];
  }
  gate.reject(new Error(`${gate.known.path} failed`));
  return ['t', `${gate.known.path} failed`];
};

// Whether answers are the same but for values that are others each time: each of them may be any one that there is.
const fits = (ours, target) => {
  const parts = (answer) => JSON.stringify(answer).split(/\ue000(.*?)\ue001/);
  const bare = (text) => text.replace(/ \d+$/, '');
  const taken = new Map();
  return ours.every((one, at) => {
    if (one === undefined) return true;
    const [mine, wanted] = [parts(one), parts(target[at] ?? null)];
    return mine.length === wanted.length && mine.every((part, place) => {
      if (place % 2 === 0) return part === wanted[place];
      if (!taken.has(part)) taken.set(part, wanted[place]);
      return bare(part) === bare(wanted[place]) && taken.get(part) === wanted[place];
    });
  });
};

const start = (index) => caller.run(index, () => begin(index));
const answer = (gate, value) => {
  run.gates.splice(run.gates.indexOf(gate), 1);
  run.wanted = value;
  settle(gate);
};

const perform = async (how) => {
  run = { ...how, taken: [], many: [], gates: [], routes: {}, handed: {}, tokens: {}, fresh: {}, given: {}, events: [], gave: {}, now: -1, loading: true };
  run.job = { calls: CALLS, failures: true };
  run.calls = CALLS.map(() => ({ come: false, answer: undefined }));
  const before = Object.fromEntries(Object.keys(globals).map((name) => [name, globalThis[name]]));
  const listeners = process.listeners('unhandledRejection');
  const before_random = Math.random;
  replace(globals);
  Math.random = random;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => {});
  try {
    run.exported = await load();
    await plugged();
    await turn();
    run.loading = false;
    run.fits = await (how.script ? as_seen(how.script) : one_at_a_time(how.target));
    await turn();
    return answers_now();
  } finally {
    replace(before);
    Math.random = before_random;
    process.removeAllListeners('unhandledRejection');
    for (const one of listeners) process.on('unhandledRejection', one);
  }
};

// The run that was seen, and then whatever the code does more than it did then.
const as_seen = async (script) => {
  for (const [kind, by, value, path] of script) if (kind === 'gave') (run.gave[`${by} ${path}`] ??= []).push(value);
  for (const [kind, by, value, path] of script) {
    const gate = run.gates.find((one) => one.by === by && one.path === path);
    if (kind === 'turn') await turn();
    else if (kind === 'comes') start(by);
    else if (kind === 'answered' && gate) answer(gate, value);
  }
  for (let turns = 0; turns < 200; turns += 1) {
    await turn();
    const call = run.calls.findIndex((one) => !one.come);
    if (run.gates.length > 0) answer(run.gates[0]);
    else if (call >= 0) start(call);
    else return;
  }
};

// Whether a call has refused; an answer that came behind a change `counts`, whatever its status.
const has_refused = (answer, at) => {
  const [kind, inside] = answer;
  const counts = CALLS[at].counts === JSON.stringify(answer);
  return CALLS[at].route && kind === 'o' && REFUSALS.includes(inside.status?.[1]) && !counts;
};

// The calls one at a time, until one answers something else. What refuses has done nothing, at any time.
const one_at_a_time = async (target) => {
  const refuses = target.map(has_refused);
  const open = () => run.calls.some(is_open);
  for (let turns = 0; turns < 200; turns += 1) {
    const busy = run.gates.length > 0 || open();
    const coming = CALLS.map((_, at) => at).filter((at) => !busy && !run.calls[at].come && !refuses[at]);
    const next = [...coming, ...run.gates];
    if (next.length === 0) return !open() && fits(answers_now(), target);
    const picked = next[choose(next.length)];
    if (typeof picked === 'number') start(picked);
    else answer(picked);
    await turn();
    if (!fits(run.calls.map((one) => one.answer), target)) return false;
  }
  return false;
};

// Whether some order of the calls, one at a time, gives these answers, whatever the outside answers.
const has_order = async (target) => {
  let prefix = [];
  for (let runs = 0; runs < 5000; runs += 1) {
    await perform({ prefix, target });
    if (run.fits) return true;
    const { taken, many } = run;
    let at = taken.length - 1;
    while (at >= 0 && taken[at] + 1 >= many[at]) at -= 1;
    if (at < 0) return false;
    prefix = [...taken.slice(0, at), taken[at] + 1];
  }
  return false;
};

test(NAME, async () => {
  const answers = await perform({ script: EVENTS });
  CALLS.forEach((_, at) => assert.ok(answers[at], `${SAID[at]} does not answer`));
  const told = SAID.map((call, at) => `  ${call}: ${words(answers[at])}`).join('\n');
  assert.ok(await has_order(answers), `these calls answer what no order of them, one at a time, answers:\n${told}`);
});
