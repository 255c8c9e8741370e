// All orders of up to so many calls. What is found is a run whose answers no order of its calls, one at a time, gives.

// What a file lets others call: routes, functions, and methods of objects. Nothing else is known of it.
const discovered = async (job) => {
  await load({ ...job, calls: [] }, []);
  const names = (f, many) => {
    const inside = /^[^(]*\(([^)]*)\)/.exec(Function.prototype.toString.call(f))?.[1] ?? '';
    const known = inside.split(',').map((one) => /^\s*([\w$]+)/.exec(one)?.[1]);
    return Array.from({ length: Math.max(many, known.filter(Boolean).length) }, (_, at) => known[at] ?? `p${at + 1}`);
  };
  const is_ours = (f) => typeof f === 'function' && f[token] === undefined && !/^class\b/.test(Function.prototype.toString.call(f));
  const calls = [];
  const add = (path, f) => calls.push({ said: path.join('.'), path, params: names(f, f.length), given: [] });
  const framework = ['express', 'fastify', 'koa'].find((name) => job.imports.some((one) => one[1].includes(name))) ?? 'express';
  for (const route of Object.keys(run.routes)) calls.push({ said: route, route, framework, given: [] });
  for (const name of Object.keys(run.exported).sort()) {
    const value = run.exported[name];
    if (is_ours(value)) add([name], value);
    else if (typeof value === 'object' && value !== null && value[token] === undefined) {
      const methods = new Set(Object.keys(value));
      const above = Object.getPrototypeOf(value);
      if (above && above !== Object.prototype) Object.getOwnPropertyNames(above).forEach((one) => methods.add(one));
      for (const method of [...methods].sort()) {
        const plain = method !== 'constructor' && !method.startsWith('_') && !job.hidden.includes(method);
        const getter = Object.getOwnPropertyDescriptor(above ?? {}, method)?.get;
        if (plain && !getter && is_ours(value[method])) add([name, method], value[method]);
      }
    }
  }
  return calls;
};

// Values of which there are several of one kind are another one each time.
const fresh_values = (values) => {
  const fresh = ([kind, inside]) => {
    if (kind === 'k') return ['q', inside.replace(/ \d+$/, '')];
    if (kind !== 'o') return [kind, inside];
    return ['o', Object.fromEntries(Object.keys(inside).map((name) => [name, fresh(inside[name])]))];
  };
  const seen = new Set();
  const list = values.map(fresh).filter((one) => !seen.has(JSON.stringify(one)) && seen.add(JSON.stringify(one)));
  return list;
};

// All choices of so many, where the order does not count.
const choices = (list, count, first = 0) => {
  if (count === 0) return [[]];
  return list.slice(first).flatMap((one, at) => choices(list, count - 1, first + at).map((rest) => [one, ...rest]));
};

// The same answers, equal calls with each other's.
const swapped = (calls, answers) => {
  const orders = (left) => (left.length === 0 ? [[]] : left.flatMap((at) => orders(left.filter((other) => other !== at)).map((rest) => [at, ...rest])));
  const same = calls.map((call) => JSON.stringify(call));
  const list = orders(answers.map((_, at) => at)).filter((order) => order.every((at, place) => same[at] === same[place]));
  return list.map((order) => order.map((at) => answers[at]));
};

const trial = async (job) => {
  job.load = as_function(job);
  for (const known of Object.values(job.outside)) known.values = fresh_values(known.values);
  job.calls ??= await discovered(job);
  const told = { runs: 0, complete: true, calls: job.calls, outside: job.outside, paths: {} };
  const [kept, ways] = [new Map(), [[1, false], [2, false], [1, true]]];
  const counted = async (wanted) => {
    const found = await all({ ...job, ...wanted });
    told.runs += found.runs;
    told.complete &&= found.complete && found.cut === 0;
    Object.assign(told.paths, found.paths);
    return found;
  };
  const alone = async (calls) => {
    const key = JSON.stringify(calls);
    if (!kept.has(key)) kept.set(key, await counted({ calls, serial: true, together: 1, failures: true, most: job.most_serial }));
    return kept.get(key);
  };
  // Where there is a program it knows with what a handler refuses before anything has happened.
  const refuses = (call, answer) => {
    if (call.refuses) return call.refuses.some((one) => JSON.stringify(one) === JSON.stringify(answer));
    return call.route && answer[0] === 'o' && job.refusals.includes(answer[1].status?.[1]);
  };
  for (let count = 2; count <= job.trial; count += 1) {
    const all_lists = choices(job.calls, count);
    // Where there are too many, they are taken evenly from all.
    const step = Math.max(1, Math.ceil((all_lists.length * job.least) / job.most_each));
    const lists = all_lists.filter((_, at) => at % step === 0);
    told.complete &&= step === 1;
    const most = Math.max(job.least, Math.floor(job.most_each / lists.length / ways.length));
    for (const [together, failures] of ways) {
      for (const calls of lists) {
        const found = await counted({ calls, serial: false, together, failures, most });
        for (const one of found.found) {
          const rest = calls.map((_, at) => at).filter((at) => !refuses(calls[at], one.answers[at]));
          const [left, answers] = [rest.map((at) => calls[at]), rest.map((at) => one.answers[at])];
          const serial = await alone(left);
          // Where not all orders are known, nothing is said.
          const whole = serial.complete && serial.cut === 0;
          if (!whole || swapped(left, answers).some((target) => serial.found.some((other) => fits(other.answers, target)))) continue;
          const orders = await alone(calls);
          return { ...told, finding: { ...one, calls, together, failures, serial: orders.found.map((other) => other.answers) } };
        }
      }
    }
  }
  return told;
};
