// The rules of turns on which the model of handlers stands, seen in this Node: servers and clients on this machine.
import { once, EventEmitter } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';

const told = {};
const immediate = () => new Promise((resolve) => setImmediate(resolve));

// A server whose one route is a handler; `use` gets its port.
const served = async (handler, use) => {
  const server = http.createServer((request, response) => {
    handler(request).then((text) => response.end(String(text)), () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

// Each on a connection of its own, as clients have them.
const separate = (port, count) => Promise.all(Array.from({ length: count }, () => new Promise((resolve, reject) => {
  http.get({ port, host: '127.0.0.1', agent: false }, (response) => {
    let text = '';
    response.on('data', (part) => { text += part; });
    response.on('end', () => resolve(text));
  }).on('error', reject);
})));

// All in one packet of one connection.
const pipelined = (port, count) => new Promise((resolve, reject) => {
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(count)));
  let text = '';
  socket.on('data', (part) => {
    text += part;
    if (text.split('HTTP/1.1 200').length > count) { socket.destroy(); resolve(text); }
  });
  socket.on('error', reject);
});

// A counter that is read, and written behind an `await` of this kind: how many updates are lost.
const lost = async (kind, send, rounds, count) => {
  let n = 0;
  const handler = async () => { const seen = n; await kind(); n = seen + 1; return n; };
  await served(handler, async (port) => { for (let round = 0; round < rounds; round += 1) await send(port, count); });
  return rounds * count - n;
};
const empty = async () => {};
const kinds = {
  waits: immediate,
  value: () => null,
  settled: () => Promise.resolve(),
  function: () => empty(),
  tick: () => new Promise((resolve) => process.nextTick(resolve)),
};
// A call that waits lets all of those go on that come meanwhile.
{
  let come = 0;
  told.waits = await lost(async () => { come += 1; while (come < 4) await immediate(); }, separate, 1, 4);
}
for (const name of ['value', 'settled', 'function', 'tick']) {
  told[`separate ${name}`] = await lost(kinds[name], separate, 30, 4);
  told[`pipelined ${name}`] = await lost(kinds[name], pipelined, 1, 4);
}

// Replies of another server that come in one packet resume all who wait for them in one turn.
{
  const back = net.createServer((socket) => {
    let asked = 0;
    socket.on('data', (data) => {
      asked += data.toString().split('\n').length - 1;
      if (asked === 4) socket.write('yes\n'.repeat(4));
    });
  });
  back.listen(0, '127.0.0.1');
  await once(back, 'listening');
  const socket = net.connect(back.address().port, '127.0.0.1');
  await once(socket, 'connect');
  const waiting = [];
  socket.on('data', (data) => { for (let left = data.toString().split('\n').length - 1; left > 0; left -= 1) waiting.shift()(); });
  const ask = () => new Promise((resolve) => { waiting.push(resolve); socket.write('may I\n'); });
  let n = 0;
  await served(async () => { await ask(); const seen = n; await null; n = seen + 1; return n; }, (port) => separate(port, 4));
  told['one reply'] = 4 - n;
  socket.destroy();
  back.close();
}

// Promise.all: the functions run to their first `await` in the order of the text, at once; a failure does not end the
// others.
{
  const seen = [];
  const f = async (name) => { seen.push(`${name} begins`); await immediate(); seen.push(`${name} ends`); };
  const both = Promise.all([f('a'), f('b')]);
  seen.push('called');
  await both;
  told.all = seen.join(', ');
  let late = 'not yet';
  let release;
  const gate = new Promise((resolve) => { release = resolve; });
  const slow = async () => { await gate; late = 'written'; };
  const fails = async () => { await null; throw new Error('no'); };
  await served(async () => { try { await Promise.all([fails(), slow()]); } catch { return 'answered'; } return 'never'; }, async (port) => {
    const [answer] = await separate(port, 1);
    const then = late;
    release();
    await immediate();
    told['all fails'] = `${answer}, ${then}, ${late}`;
  });
}

// A pending promise: all who wait go on in the turn in which it settles, in their order, behind what settled it, each
// up to its next `await`, and before anything new.
{
  const seen = [];
  let settle;
  const slot = new Promise((resolve) => { settle = resolve; });
  const waits = async (name) => { await slot; seen.push(`${name} goes on`); await null; seen.push(`${name} again`); };
  const all = [waits('a'), waits('b'), waits('c')];
  await immediate();
  setImmediate(() => { seen.push('settles'); settle(); seen.push('settled'); });
  setImmediate(() => seen.push('new'));
  await Promise.all(all);
  await immediate();
  told.pending = seen.join(', ');
}

// Two timers, two immediates: a turn each. Listeners of one `emit`: one turn.
{
  const order = async (begin) => {
    const seen = [];
    const one = (name) => () => { seen.push(name); Promise.resolve().then(() => seen.push(`${name}'`)); };
    begin(one('1'), one('2'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    return seen.join(' ');
  };
  told.timers = await order((one, two) => { setTimeout(one, 1); setTimeout(two, 1); });
  told.immediates = await order((one, two) => { setImmediate(one); setImmediate(two); });
  const bus = new EventEmitter();
  told.listeners = await order((one, two) => { bus.on('x', one).on('x', two); setImmediate(() => bus.emit('x')); });
}

// Streams of HTTP/2 on one connection: a turn each.
{
  let n = 0;
  const server = http2.createServer();
  server.on('stream', async (stream) => { const seen = n; await null; n = seen + 1; stream.respond({ ':status': 200 }); stream.end('x'); });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
  await once(client, 'connect');
  const ask = () => new Promise((resolve, reject) => {
    const stream = client.request({ ':path': '/' });
    stream.on('error', reject).on('end', resolve).resume();
    stream.end();
  });
  await Promise.all([ask(), ask(), ask(), ask()]);
  told.streams = 4 - n;
  client.destroy();
  server.close();
}

// A ruler of microtasks beside each kind of `await`: how many ticks until the code goes on.
{
  const ticks = async (kind) => {
    let n = 0;
    let going = true;
    const tick = () => { n += 1; if (going) queueMicrotask(tick); };
    queueMicrotask(tick);
    await kind();
    going = false;
    await immediate();
    return n - 1;
  };
  const measured = {
    value: () => null,
    settled: () => Promise.resolve(),
    function: () => empty(),
    'return await': () => (async () => await null)(),
    then: () => Promise.resolve().then(() => {}),
    all: () => Promise.all([Promise.resolve()]),
    race: () => Promise.race([Promise.resolve()]),
    allSettled: () => Promise.allSettled([Promise.resolve()]),
    thenable: () => ({ then: (resolve) => resolve() }),
    'returns a promise': () => (async () => Promise.resolve())(),
    finally: () => Promise.resolve().finally(() => {}),
  };
  told.ticks = {};
  for (const name of Object.keys(measured)) told.ticks[name] = await ticks(measured[name]);
}

console.log(JSON.stringify(told));
process.exit(0);
