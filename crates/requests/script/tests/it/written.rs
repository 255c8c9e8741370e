//! JavaScript as people write it: each file is compared with Node, order by order, or refused by a name that helps.

use serval_handlers::node::Trying;
use serval_handlers::{HandlerBounds, Numbers};
use serval_replay::NodeProcess;

use crate::node::{file, node};
use crate::translated;

const HEAD: &str = "import { out } from './out.js';\nlet n = 0;\nlet last = 'none';\nlet slot = null;\nconst rec = { a: 1, b: 'x' };\n\
    const state = { inner: { n: 0 }, total: 0 };\nconst seen = {};\nconst map = new Map();\nconst list = [];\n";

const ERRORS: &str = "class Lost extends Error {\n  constructor(message, status = 404) {\n    super(message);\n    this.name = 'Lost';\n    this.status = status;\n  }\n}\n\
    class Gone extends Lost {}\nclass Busy extends Error {\n  code = 'BUSY';\n}\n";

/// Two calls of each pair of requests, with one event in a turn and with two.
pub(crate) fn compared(node: &mut NodeProcess, name: &str, text: &str) {
    let bounds = HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..HandlerBounds::default() };
    let made = file(name, text, &bounds).unwrap_or_else(|why| panic!("{why}\n{text}"));
    for requests in made.choices(2) {
        for together in [1, 2] {
            let trying = Trying { most: 300, together, failures: true, first: false };
            let (tried, wrong) = made.compared(node, &requests, trying).unwrap_or_else(|why| panic!("{why}\n{text}"));
            assert!(tried.runs > 0 && wrong.is_none(), "{requests:?}: {wrong:?}\n{text}\n{}", made.translation.text);
        }
    }
}

/// Bodies of `async function f(k)`.
const BODIES: &[&str] = &[
    // What a failure says, and what was thrown.
    "try { await out.go(); } catch (e) { n += 1; return e.message; } return 'fine';",
    "try { await out.go(); } catch (e) { n += 1; return { error: e.message, late: true }; } return n;",
    "if (n > 0) throw new TypeError('x'); n += 1; await out.go(); n = 0; return n;",
    "n += 1; if (n > 1) throw new Error(`no ${k}`); await out.go(); n = 0; return 'done';",
    "n += 1; try { await out.go(); if (n > 1) throw new Error('busy'); } catch (error) { n = 0; throw error; } return n;",
    "let e; try { if (n > 0) throw new Error('late'); } catch (error) { e = error; } n += 1; await out.go(); return e?.message ?? 'fine';",
    "try { if (n > 0) throw 'text'; n += 1; } catch (e) { return e; } await out.go(); n = 0; return n;",
    "try { if (n > 0) throw new RangeError('x'); n += 1; } catch (e) { return e.message; } await out.go(); n = 0; return 'fine';",
    // Classes of errors.
    "try { if (n > 0) throw new Lost('gone'); n += 1; await out.go(); } catch (e) { if (e instanceof Lost) return e.status; throw e; } n = 0; return n;",
    "try { if (n > 1) throw new Gone('away', 410); if (n > 0) throw new Busy('b'); n += 1; await out.go(); n += 1; }\n\
     catch (e) { if (e instanceof Gone) return e.status; return e instanceof Busy ? e.code : e instanceof Error ? 'other' : 'none'; } return n;",
    "const work = async () => { n += 1; await out.go(); n += 1; return n; }; if (n > 1) return work(); return (await work()) + 1;",
    "try { n += 1; if (n > 1) throw new Lost('a', 409); await out.go(); } catch (e) { if (!(e instanceof Lost)) throw e; n = 0; return e.status + 1; } return n;",
    "try { n += 1; if (n > 1) throw new Gone('a'); await out.go(); } catch (e) { return e instanceof Lost && e.status === 404 ? e.message : 'else'; } return n;",
    "try { await out.go(); if (n > 0) throw new Busy(); n += 1; } catch (e) { return e instanceof Lost || e instanceof Busy; } return n;",
    // Several calls at once.
    "const [a, b] = await Promise.allSettled([out.one(), out.two()]); n += 1; if (a.status === 'fulfilled') last = a.value; return [a.status, b.status, last];",
    "const got = await Promise.allSettled([out.one(), out.two()]); for (const one of got) { if (one.status === 'rejected') n += 1; } return n;",
    "const [a] = await Promise.allSettled([out.one()]); n += 1; return a.status === 'rejected' ? a.reason.message : a.value;",
    "const x = await Promise.race([out.one(), out.two()]); last = x; n += 1; return x;",
    "slot ??= Promise.race([out.one(), out.two()]); const x = await slot; n += 1; return x;",
    // Fields one after the other.
    "Object.assign(rec, { a: rec.a + 1, b: last }); await out.go(); last = rec.b; return rec.a;",
    "const r = Object.assign({}, rec, { a: n }); n += 1; await out.go(); rec.a = r.a; return r;",
    "const r = { a: 1 }; Object.assign(r, { a: 2, c: r.a }); n += r.a; await out.go(); return [r.c, n];",
    "Object.assign(state, { total: state.total + 1 }); const mine = state.total; await out.go(); return mine;",
    // Objects as maps.
    "if (k in seen) return true; seen[k] = 1; await out.go(); delete seen[k]; return k in seen;",
    "const had = k in seen; seen[k] = n; n += 1; await out.go(); return [had, seen[k]];",
    // Lists that are written down.
    "for (const x of ['a', 'b']) { last = x; await out.go(); } return last;",
    "for (const x of [1, 2, 3]) { if (x === 2) continue; n += x; if (n > 4) break; await out.go(); } return n;",
    "for (const { id, by } of [{ id: 'a', by: 1 }, { id: 'b', by: 2 }]) { n += by; await out.go(); if (n > 3) return id; } return n;",
    "for (const [a, b] of [[1, 2], [0, 1]]) { n += a; await out.go(); n += b; } return n;",
    "let sum = 0; for (const x of [n, n + 1]) { sum += x; n += 1; await out.go(); } return sum;",
    // A nested record of the module by another name.
    "const s = state.inner; s.n += 1; return s.n;",
    "const { inner } = state; const before = inner.n; await out.go(); state.inner = { n: before + 1 }; return state.inner.n;",
    // `try` and `finally`, closures, chains.
    "n += 1; try { return await out.get(); } finally { n -= 1; last = 'done'; }",
    "const add = (by) => { n += by; return n; }; add(1); await out.go(); return add(2);",
    "const user = await out.user(); n += 1; last = user?.name ?? 'anon'; return last;",
    "for (let tries = 0; tries < 2; tries += 1) { try { last = await out.get(); break; } catch (e) { if (tries === 1) throw e; n += 1; } } return [n, last];",
];

#[test]
fn node_answers_what_the_program_answers_on_files_as_people_write_them() {
    let Some(mut node) = node() else { return };
    for body in BODIES {
        compared(&mut node, "a.js", &format!("{HEAD}{ERRORS}export async function f(k) {{ {body} }}\n"));
    }
    let typed = "class Denied extends Error {\n  constructor(public readonly by: string, readonly code = 403) { super('denied'); }\n}\n\
        export async function f(k: string): Promise<unknown> {\n  try {\n    if (n > 0) throw new Denied('door');\n    n += 1;\n    await out.go();\n    n = 0;\n\
        } catch (e: unknown) {\n    if (e instanceof Denied) return { by: e.by, code: e.code };\n    throw e;\n  }\n}\n";
    compared(&mut node, "a.ts", &format!("{HEAD}{typed}"));
    // Parameters that are fields have their defaults.
    let limiter = "class Limit {\n  used = 0;\n  constructor(start: number, private most = 1, readonly step = most + 1) { this.used = start; }\n\
          full() { return this.used > this.most; }\n  async take() { if (this.full()) return this.step; this.used += 1; await out.go(); this.used -= 1; return 0; }\n}\n\
        const limit = new Limit(0);\nexport async function f(k: string): Promise<number> {\n  return limit.take();\n}\n";
    compared(&mut node, "a.ts", &format!("{HEAD}{limiter}"));
}

const HANDLER: &str =
    "async (req, reply) => { n += 1; const mine = n; await out.go(); if (mine > 1) return reply.code(404).send({ n }); return { mine }; }";

#[test]
fn routes_and_plugins_of_fastify_are_requests() {
    let Some(mut node) = node() else { return };
    let head = "import Fastify from 'fastify';\nimport { out } from './out.js';\nlet n = 0;\n";
    for (text, requests) in [
        (
            format!("const app = Fastify();\napp.route({{ method: 'GET', url: '/a', schema: {{ x: 1 }}, handler: {HANDLER} }});\n"),
            &["GET /a"][..],
        ),
        (
            format!(
                "const app = Fastify();\nasync function routes(fastify, options) {{\n  fastify.get('/a', {HANDLER});\n  await fastify.register(out.plugin);\n\
                 fastify.route({{ method: 'POST', path: '/b', async handler(request, reply) {{ fastify.log.info('x'); n = 0; await out.go(); return {{ n }}; }} }});\n}}\n\
                 app.register(routes, {{ prefix: '/v1' }});\napp.listen({{ port: 3000 }});\n"
            ),
            &["GET /a", "POST /b"],
        ),
        (format!("export default async function (fastify, opts) {{\n  fastify.post('/a', {HANDLER});\n}}\n"), &["POST /a"]),
        (
            format!("export const routes = async (app) => {{\n  app.get('/a', {HANDLER});\n  app.get('/b', async () => ({{ n }}));\n}};\n"),
            &["GET /a", "GET /b"],
        ),
    ] {
        let text = format!("{head}{text}");
        let made = translated("a.js", &text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        assert_eq!(made.requests, requests, "{text}");
        compared(&mut node, "a.js", &text);
    }
}

/// What is not modelled of all this, by name.
#[test]
fn what_is_not_modelled_of_them_is_named() {
    for (body, said) in [
        // The text of an error would say what is shared, or is one of many.
        ("n += 1; throw new Error(`was ${n}`);", "an error that has what is shared"),
        ("const seen = n; await out.go(); n = seen + 1; throw new Error('was ' + seen);", "an error that has what is shared"),
        ("n += 1; last = k; await out.go(); throw new Lost(last);", "an error that has what is shared"),
        ("try { await out.go(); } catch (e) { last = e.message; } return last;", "the text of an error that is stored"),
        (
            "try { await out.go(); } catch (e) { n += 1; if (e.message === 'no') n = 0; } return n;",
            "a comparison with the text of an error",
        ),
        ("try { await out.go(); } catch (e) { n += 1; if (e.code === 'X') n = 0; } return n;", "`.code` of an error of the outside"),
        ("try { await out.go(); } catch (e) { n += 1; return e.name; } return n;", "`.name` of an error of the outside"),
        ("try { if (n > 0) throw new Lost('x'); } catch (e) { n += 1; return e.stack; } return n;", "`.stack` of an error"),
        (
            "try { await out.go(); } catch (e) { n += 1; return e instanceof TypeError; } return n;",
            "`instanceof` with a class of the language, of an error",
        ),
        ("try { await out.go(); } catch (e) { n += 1; return e instanceof out.Lost; } return n;", "`instanceof` with this class"),
        ("try { await out.go(); } catch (e) { n += 1; return e; } return n;", "an error inside of an answer"),
        ("n += 1; const got = await Promise.allSettled([out.a()]); return got[0].reason;", "an error inside of an answer"),
        // What may be settled before.
        (
            "const p = out.one(); n += 1; await out.go(); return await Promise.race([p, out.two()]);",
            "`Promise.race` of what may be settled before it",
        ),
        ("slot ??= out.one(); return await Promise.race([slot, out.two()]);", "`Promise.race` of what may be settled before it"),
        ("n += 1; return await Promise.race([Promise.resolve(1), out.two()]);", "`Promise.race` of what may be settled before it"),
        ("n += 1; return await Promise.any([out.one(), out.two()]);", "`Promise.any`"),
        ("n += 1; return await Promise.race(out.list());", "`Promise.race` of"),
        ("Object.assign(rec, state); await out.go(); return rec.a;", "`Object.assign` of this"),
        ("Object.assign(map.get(k), { a: 1 }); await out.go();", "`Object.assign` of this"),
        ("seen[k] = undefined; await out.go(); return k in seen;", "`undefined` in a shared map"),
        ("n += 1; return 'a' in rec;", "`in` of this object"),
        ("for (const [key, value] of map) n += value; map.set(k, 1);", "a loop over a shared collection"),
        ("for (const one of list) n += one; list.push(n);", "a loop over a shared collection"),
        ("for (const one of map.values()) n += one; map.set(k, 1);", "iteration over a shared map, `values`"),
        ("for (const one of k) { n += 1; await out.go(one); }", "a loop over what a caller gives"),
        ("for (const one of await out.list()) { n += 1; }", "a loop over a collection"),
        ("for (const f of [() => { n += 1; }]) f();", "a loop over promises or functions"),
        ("for (const one in rec) n += 1;", "a loop over a collection"),
        ("for (let i = 0; i < 2; i += 1) { n += 1; map.set(k[i], n); await out.go(); }", "an element of an array"),
        ("for (const key of [k, 'q']) { n += 1; map.set(key, n); await out.go(); }", "a key that is a parameter here and a text there"),
        ("map[k] = 1; await out.go(); return map.get(k);", "an element of a map"),
    ] {
        let text = format!("{HEAD}{ERRORS}export async function f(k) {{ {body} }}\n");
        match translated("a.js", &text) {
            Ok(made) => panic!("{body}\n{}", made.text),
            Err(found) => assert!(found.iter().any(|one| one.contains(said)), "{body}: {found:?}"),
        }
    }
}

/// Parts of a file that touch the state where no function says so: each was once left out.
#[test]
fn classes_that_touch_the_state_are_no_less_requests() {
    for text in [
        "class Ticket { id = n++; }\nexport async function other() { await out.go(); new Ticket(); }",
        "class Base extends Error { constructor() { super('x'); n += 1; } }\nclass Child extends Base {}\nexport function other() { throw new Child(); }",
        "class Counted extends Error { at = n++; }\nexport function other() { throw new Counted('x'); }",
    ] {
        let text = format!("{HEAD}{text}\nexport function read() {{ return n; }}\n");
        assert!(translated("a.js", &text).map_or(true, |made| made.requests == ["other", "read"]), "{text}");
    }
}
