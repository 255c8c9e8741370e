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
