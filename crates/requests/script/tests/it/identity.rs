//! Records that have more than one name: what Node reads through them, and what is refused.

use std::process::Command;

use serval_handlers::node::Trying;
use serval_handlers::{HandlerBounds, Numbers};

use crate::node::{file, node};
use crate::translated;

const HEAD: &str = "import { out } from './out.js';\nconst table = new Map();\nlet cur = null;\nlet total = 0;\n";

/// A request that changes what lies in the table in place.
const INCREASES: &str = "export function inc(k) { const r = table.get(k); if (r) r.n += 1; return r ? r.n : 0; }\n";

/// Another that changes a record in a record.
const INNER: &str = "export function inc(k) { const r = table.get(k); if (r) r.inner.n += 1; return r ? r.inner.n : 0; }\n";

/// One that only reads, and one that replaces.
const READS: &str = "export function read(k) { const r = table.get(k); if (r) table.set(k, { n: r.n + 1 }); return r ? r.n : 0; }\n";

const HANDED: &str = "a record that is handed to the outside, stored, and changed in place";

#[test]
fn a_shared_record_that_changes_is_not_outside_as_well() {
    for (put, other, said) in [
        // Handed out first, or later.
        ("const o = { n: 1 }; await out.send(o); table.set(k, o);", INCREASES, HANDED),
        ("const o = { n: 1 }; table.set(k, o); await out.go(k); await out.send(o);", INCREASES, "handed to the outside"),
        ("const o = { n: 1 }; cur = out.send(o); table.set(k, o);", INCREASES, HANDED),
        // By another name, in an array, in a record, in a function, in a copy of what is around it.
        ("const o = { n: 1 }; const b = o; await out.go(b); table.set(k, o);", INCREASES, HANDED),
        ("const o = { n: 1 }; await out.go([o]); table.set(k, o);", INCREASES, HANDED),
        ("const o = { n: 1 }; await out.go({ o }); table.set(k, o);", INCREASES, HANDED),
        ("const o = { n: 1 }; await out.go(() => o); table.set(k, o);", INCREASES, HANDED),
        ("const o = { n: 1 }; await out.go([...[], o]); table.set(k, o);", INCREASES, HANDED),
        ("const inner = { n: 1 }; const s = { ...{ inner } }; await out.go(s); table.set(k, { inner });", INNER, HANDED),
        ("const o = { inner: { n: 1 } }; const { inner } = o; await out.go(inner); table.set(k, o);", INNER, HANDED),
        // Perhaps this one.
        ("const a = { n: 1 }; const b = { n: 2 }; const o = out.flag() ? a : b; await out.go(o); table.set(k, a);", INCREASES, HANDED),
        ("const a = { n: 1 }; const o = cur || a; await out.go(o); table.set(k, a);", INCREASES, HANDED),
        ("const a = { n: 1 }; const o = cur ?? a; await out.go(o); table.set(k, a);", INCREASES, HANDED),
        ("const o = table.get(k) ?? { n: 1 }; await out.go(o); table.set(k, o);", INCREASES, "a record"),
        // Beside another call, as what a parameter is without an argument, and in `new`.
        ("const o = { n: 1 }; await Promise.all([out.a(o), out.b()]); table.set(k, o);", INCREASES, HANDED),
        ("const f = async (o = { n: 1 }) => { await out.send(o); table.set(k, o); }; await f();", INCREASES, HANDED),
        ("const o = { n: 1 }; const x = new out.Thing(o); await out.go(x); table.set(k, o);", INCREASES, HANDED),
        // Answered.
        ("const o = { n: 1 }; table.set(k, o); return o;", INCREASES, "an answer that hands out a shared record that is changed in place"),
        (
            "return table.get(k);",
            "export function inc(k) { const r = table.get(k) ?? { n: 0 }; table.set(k, r); r.n += 1; }\n",
            "an answer",
        ),
    ] {
        let text = format!("{HEAD}export async function put(k) {{ {put} }}\n{other}");
        match translated("a.js", &text) {
            Ok(made) => panic!("{put}\n{}", made.text),
            Err(found) => assert!(found.iter().any(|one| one.contains(said)), "{put}: {found:?}"),
        }
        // Where a copy goes out nothing is to be said, and where nothing is changed in place.
        if put.contains("const o = { n: 1 }; await out.send(o)") {
            let copied = text.replace("out.send(o)", "out.send({ ...o })");
            assert!(translated("a.js", &copied).is_ok(), "{copied}: {:?}", translated("a.js", &copied));
            let replaced = text.replace(INCREASES, READS);
            assert!(translated("a.js", &replaced).is_ok(), "{:?}", translated("a.js", &replaced));
        }
    }
}

#[test]
fn what_is_handed_out_changes_no_variable_of_the_request() {
    for body in [
        "let seen = 0; await out.each(() => { seen += 1; }); total += seen;",
        "const o = { n: 0 }; out.later(() => { o.n = 1; }); total += o.n;",
    ] {
        let found = translated("a.js", &format!("{HEAD}export async function f(k) {{ {body} }}\n")).expect_err(body);
        assert!(found[0].contains("a function that is handed to the outside and changes"), "{found:?}");
    }
}

/// What Node answers, and what a program that copies records would answer; `refused` where ours says nothing.
const NAMES: &[(&str, &str, &str, bool)] = &[
    ("const a = { n: 1 }; const b = a; b.n = 2; return a.n;", "2", "1", true),
    ("const a = { n: 1 }; const b = a; a.n = 2; return b.n;", "2", "1", true),
    ("const set = (o) => { o.n = 5; }; const a = { n: 1 }; set(a); return a.n;", "5", "1", true),
    ("const a = { n: 1 }; const o = { a }; a.n = 2; return o.a.n;", "2", "1", true),
    ("const a = { n: 1 }; const l = [a]; a.n = 2; return l[0].n;", "2", "1", true),
    ("const a = { n: 1 }; const { x = a } = {}; a.n = 2; return x.n;", "2", "1", true),
    ("let b = null; const a = { n: 0 }; for (let i = 0; i < 3; i += 1) { a.n += 1; if (i === 0) b = a; } return b.n;", "3", "1", true),
    ("const o = { n: 1 }; cur = o; o.n += 1; return cur.n;", "2", "1", false),
    ("const o = { n: 1 }; cur = o; table.set(k, o); cur.n += 1; return table.get(k).n;", "2", "1", true),
    ("const o = { n: 1 }; table.set(k, o); table.set('other', o); table.get(k).n = 7; return table.get('other').n;", "7", "1", true),
    ("table.set(k, { n: 1 }); const r = table.get(k) ?? { n: 0 }; r.n += 1; return table.get(k).n;", "2", "1", true),
    ("table.set(k, { n: 1 }); const r = table.get(k); r.n += 1; const s = { ...r }; return s.n;", "2", "1", true),
    ("table.set(k, { n: 1 }); const r = table.get(k); table.set(k, { n: 9 }); return r.n;", "1", "9", false),
    ("table.set(k, { n: 1 }); const r = table.get(k); table.delete(k); return r.n;", "1", "0", false),
    ("const make = () => { const a = { n: 1 }; a.n = 5; return a; }; const a = make(); a.n += 1; return a.n;", "6", "5", false),
    ("const a = { n: 1 }; const s = { ...a }; a.n = 2; return s.n;", "1", "2", false),
    ("const r = table.get(k) ?? { n: 0 }; r.n += 1; table.set(k, r); return table.get(k).n;", "1", "0", false),
];

#[test]
fn what_is_read_through_another_name_is_what_node_reads() {
    let Some(mut asked) = node() else { return };
    let program = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
    for (body, answer, copied, refused) in NAMES {
        assert_ne!(answer, copied);
        let alone =
            format!("let cur = null, total = 0; const table = new Map(); const f = (k) => {{ total += 1; {body} }}; console.log(f('k'));");
        let output = Command::new(&program).args(["-e", &alone]).output().expect("Node is there");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), *answer, "{body}");
        let text = format!("{HEAD}export function f(k) {{ total += 1; {body} }}\n");
        let bounds = HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..HandlerBounds::default() };
        match file("a.js", &text, &bounds) {
            Err(why) => assert!(refused, "{body}: {why}"),
            Ok(made) => {
                assert!(!refused, "{body}\n{}", made.translation.text);
                for requests in made.choices(2) {
                    let trying = Trying { most: 500, together: 1, failures: true, first: false };
                    let (tried, wrong) = made.compared(&mut asked, &requests, trying).expect("Node performs it");
                    assert!(tried.runs > 0 && wrong.is_none(), "{body}: {wrong:?}");
                }
            }
        }
    }
}

/// Across a pause others change what was found.
#[test]
fn copies_are_not_read_behind_a_pause() {
    for body in [
        "const a = { n: 1 }; const b = a; table.set(k, a); await out.go(); return b.n;",
        "const r = table.get(k) ?? { n: 0 }; await out.go(); return r.n;",
        "const r = { user: table.get(k) }; await out.go(); return r.user.n;",
    ] {
        let head = format!("{HEAD}export function start(k) {{ table.set(k, {{ n: 1 }}); }}\n");
        let text = format!("{head}export async function put(k) {{ {body} }}\n{INCREASES}");
        let found = translated("a.js", &text).expect_err(body);
        assert!(!found.is_empty());
        let replaced = format!("{head}export async function put(k) {{ {body} }}\n{READS}");
        assert!(translated("a.js", &replaced).is_ok(), "{body}: {:?}", translated("a.js", &replaced));
    }
}
