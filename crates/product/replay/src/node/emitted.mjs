//#header
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { setImmediate as immediate } from 'node:timers';

//#data

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

//#types

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

//#stubs

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
