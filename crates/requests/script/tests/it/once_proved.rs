//! Racy files that were once proved, by what was left out: branches that no value of the outside took, answers that
//! come late, what an answer says beside status and body, and what runs on behind a function that does not pause.

use std::collections::BTreeSet;

use serval_handlers::{HandlerBounds, answers};

use crate::node::{file, node};
use crate::translated;
use crate::written::compared;

/// Everything that the requests of a file answer when they are called alone.
fn alone(text: &str) -> BTreeSet<String> {
    let made = file("a.js", text, &HandlerBounds::default()).unwrap_or_else(|why| panic!("{why}\n{text}"));
    assert_eq!(made.translation.out_of_reach, None, "{text}");
    let mut said = BTreeSet::new();
    for requests in made.choices(1) {
        let ours = answers(&made.source, &requests).expect("it is small");
        let words = |one: &Vec<i64>| made.translation.answers.words(&requests[0], one[0]).unwrap_or_default();
        said.extend(ours.all.iter().map(words));
    }
    said
}

#[test]
fn a_comparison_of_what_is_computed_comes_out_in_both_ways() {
    for (values, test) in [
        ("const x = await api.a();", "x * 2 === 6"),
        ("const x = await api.a();", "x + 3 === 7"),
        ("const x = await api.a();", "x * x === 9"),
        ("const x = await api.a(); const y = await api.b();", "x + y === 10"),
        ("const x = await api.a(); const y = await api.b();", "x > y + 1"),
        ("const x = await api.a(); const y = await api.b();", "y + 2 < x"),
        ("const x = await api.a();", "x + 1 > 5 && x + 1 < 7"),
        ("const x = await api.a();", "x % 9 === 4"),
        ("const x = await api.a(); const y = k;", "x + y === 8"),
    ] {
        let text = format!(
            "import {{ api }} from './api.js';\nexport async function f(k) {{ n = 1; {values} return {test} ? 'yes' : 'no'; }}\n\
             let n = 0;\nexport function other() {{ n += 1; return n > 2; }}\n"
        );
        let said = alone(&text);
        assert!(["yes", "no"].iter().all(|one| said.contains(*one)), "{test}: {said:?}");
    }
    // What callers give stays as it is, and then there is no proof.
    let text = "let n = 0;\nexport function f(k) { n += 1; const x = k + 1; return x === 9 ? n : 0; }\n";
    assert!(translated("a.js", text).expect("it is translated").out_of_reach.is_some());
}

#[test]
fn values_of_different_calls_may_be_the_same() {
    for body in [
        "const x = await api.a(); const y = await api.b(); return x === y ? 'yes' : 'no';",
        "const x = await api.b(); const y = await api.a(); if (x !== y) return 'no'; return 'yes';",
        "const x = await api.stored(); return x === k ? 'yes' : 'no';",
        "const u = await api.user(); return u.id === u.owner ? 'yes' : 'no';",
        "const x = await api.a(); const y = await api.b(); switch (x) { case y: return 'yes'; default: return 'no'; }",
        "const x = await api.a(); const y = await api.b(); const z = await api.c(); return x === y && y === z && x === z ? 'yes' : 'no';",
        "last = await api.a(); const y = await api.b(); return last === y ? 'yes' : 'no';",
        "first = await api.a(); last = await api.b(); return first === last ? 'yes' : 'no';",
    ] {
        let text = format!(
            "import {{ api }} from './api.js';\nlet first = null;\nlet last = null;\nlet n = 0;\nexport async function f(k) {{ n = 1; {body} }}\n\
             export function g() {{ first = null; last = 'none'; return n; }}\n"
        );
        let said = alone(&text);
        assert!(["yes", "no"].iter().all(|one| said.contains(*one)), "{body}: {said:?}");
    }
}

#[test]
fn values_that_are_compared_may_all_be_different() {
    for (body, option) in [
        ("if (k !== l && l !== m && k !== m) { n = 7; } return n;", "`--keys 3`"),
        (
            "const x = await api.a(); const y = await api.a(); const z = await api.a(); return x !== y && y !== z && x !== z ? n : 0;",
            "`--values 3`",
        ),
    ] {
        let text = format!("import {{ api }} from './api.js';\nlet n = 0;\nexport async function f(k, l, m) {{ n = 1; {body} }}\n");
        let why = translated("a.js", &text).expect("it is translated").out_of_reach;
        assert!(why.as_ref().is_some_and(|why| why.contains(option)), "{body}: {why:?}");
        let more = HandlerBounds { keys: Some(3), values: 3, ..HandlerBounds::default() };
        assert_eq!(file("a.js", &text, &more).expect("it is translated").translation.out_of_reach, None, "{body}");
    }
}

#[test]
fn an_answer_behind_the_end_of_the_handler_counts() {
    let Some(mut node) = node() else { return };
    let head = "import express from 'express';\nimport { api } from './api.js';\nconst app = express();\nlet n = 0;\n";
    for handler in [
        "(req, res) => { const a = n; api.x().then(() => { n = a + 1; res.json({ n }); }); }",
        "(req, res) => { const a = n; setTimeout(() => { n = a + 1; res.status(201).json({ n }); }, 5); }",
        "(req, res) => { const a = n; api.x().then(() => { n = a + 1; res.json({ n }); }).catch(() => { n = 0; res.sendStatus(500); }); }",
        "async (req, res) => { setTimeout(() => { n += 1; res.json({ n }); }, 5); if (n > 0) throw new Error('late'); }",
        "(req, res) => { if (n > 0) res.json({ n }); setTimeout(() => { n += 1; res.json({ late: n }); }, 5); }",
        "(req, res, next) => { setTimeout(() => { n += 1; if (n > 1) next(new Error('many')); else res.json({ n }); }, 5); }",
        // It never answers.
        "(req, res) => { setTimeout(() => { n += 1; if (n > 1) res.json({ n }); }, 5); }",
    ] {
        let text = format!("{head}app.post('/a', {handler});\napp.get('/n', (req, res) => {{ res.json({{ n }}); }});\n");
        // `.then(…).catch(…)` is one of those that are not modelled.
        if handler.contains(".catch") {
            assert!(translated("a.js", &text).is_err());
        } else {
            compared(&mut node, "a.js", &text);
        }
    }
    let text = "import Fastify from 'fastify';\nimport { api } from './api.js';\nconst app = Fastify();\nlet n = 0;\n\
        app.get('/a', (req, reply) => { const a = n; api.x().then(() => { n = a + 1; reply.send({ n }); }); });\n";
    let found = translated("a.js", text).expect_err("it is refused");
    assert!(found.iter().any(|one| one.contains("an answer behind the end of the handler")), "{found:?}");
    // What answers while the handler goes on could be first or last.
    let text = format!(
        "{head}app.post('/a', async (req, res) => {{ setTimeout(() => {{ res.json(1); }}, 5); await api.x(); res.json(2); n += 1; }});\n"
    );
    let found = translated("a.js", &text).expect_err("it is refused");
    assert!(found.iter().any(|one| one.contains("two activities of one request at once")), "{found:?}");
}

#[test]
fn what_is_said_beside_an_answer_has_nothing_that_is_shared() {
    let race = "const a = n; await api.x(); n = a + 1;";
    let express = |how: &str| {
        format!(
            "import express from 'express';\nimport {{ api }} from './api.js';\nconst app = express();\nlet n = 0;\n\
             app.post('/a', async (req, res) => {{ {race} {how} res.json({{ ok: true }}); }});\n"
        )
    };
    for how in [
        "res.set('X-Count', n);",
        "res.cookie('n', String(n));",
        "res.setHeader('X', n > 1 ? 'a' : 'b');",
        "res.type(n === 2 ? 'a' : 'b');",
    ] {
        let found = translated("a.js", &express(how)).expect_err(how);
        assert!(found.iter().any(|one| one.contains("with what is shared")), "{how}: {found:?}");
    }
    for how in ["res.set('X-Id', req.params.id);", "res.type('json');", "res.set('X-At', await api.time());"] {
        assert!(translated("a.js", &express(how)).is_ok(), "{how}");
    }
    for thrown in [
        "throw new Error('x', { cause: n });",
        "throw new Own(n);",
        "throw new Late(n);",
        "throw new Error(n > 1 ? 'later' : 'first');",
        "let why = 'first'; if (n > 1) why = 'later'; throw new Error(why);",
        "let why = 'first'; if (n > 1) { why = 'later'; } else { why = 'none'; } throw new Own(why);",
        "let by = 0; while (by < n) { by += 1; } throw new Own(by);",
    ] {
        let text = format!(
            "import {{ api }} from './api.js';\nlet n = 0;\nclass Own extends Error {{ constructor(by) {{ super('x'); this.by = by; }} }}\n\
             class Late extends Own {{}}\nexport async function f() {{ {race} {thrown} }}\n"
        );
        let found = translated("a.js", &text).expect_err(thrown);
        assert!(found.iter().any(|one| one.contains("an error that has what is shared")), "{thrown}: {found:?}");
    }
}

#[test]
fn what_a_function_begins_that_does_not_pause_runs_on() {
    let Some(mut node) = node() else { return };
    for text in [
        "async function later() { setTimeout(() => { n = 0; }, 5); }\nexport async function f() { later(); n += 1; return n; }",
        "async function inner() { await api.x(); n += 1; }\nasync function outer() { inner(); n += 1; if (n > 3) n = 0; }\n\
         export async function f() { outer(); return n; }",
        "const run = async (g) => { g(); };\nexport async function f() { run(async () => { await api.x(); n += 1; }); return n; }",
        "async function inner() { await api.x(); n += 1; }\nasync function outer() { if (n < 2) inner(); }\n\
         export async function f() { const before = n; outer(); return before; }",
    ] {
        compared(
            &mut node,
            "a.js",
            &format!("import {{ api }} from './api.js';\nlet n = 0;\n{text}\nexport function read() {{ return n; }}\n"),
        );
    }
}

/// A timer that fires long after the answer is in the program; calls one at a time wait for it, in Node as well.
#[test]
fn timers_fire_at_any_moment() {
    let Some(mut node) = node() else { return };
    for text in [
        "export async function f() { if (last !== null) return { hit: true }; last = await api.load(); setTimeout(() => { last = null; }, 9); return { hit: false }; }",
        "export async function f() { if (last !== null) return last; last = await api.load(); setTimeout(() => { last = null; }, 9); return last; }",
        "export async function f() { n += 1; last = await api.token(); setTimeout(() => { last = null; n = 0; }, 9); return last; }",
        "export async function f() { last ??= api.load(); setTimeout(() => { last = null; }, 9); return last; }",
        "export async function f() { const mine = ++n; setTimeout(() => { if (n === mine) n = 0; }, 9); return mine; }",
        "export async function f(k) { if (k === 'a') { n += 1; setTimeout(() => { n = 0; }, 9); return n; } await api.x(); return n; }",
        "export async function f() { n += 1; setTimeout(async () => { const a = n; try { await api.y(); } catch {} n = a - 1; }, 9); return n; }",
    ] {
        let head = "import { api } from './api.js';\nlet n = 0;\nlet last = null;\n";
        let text = format!("{head}{text}\nexport function g() {{ return [n, last === null]; }}\n");
        compared(&mut node, "a.js", &text);
        let made = file("a.js", &text, &HandlerBounds::default()).expect("it is translated");
        let calls = made.choices(1).into_iter().flatten().filter(|name| name.contains("_f"));
        let late = calls.into_iter().any(|f| {
            let ours = answers(&made.source, &[f, "r2_g".to_owned()]).expect("it is small");
            assert!(ours.serial.iter().all(|one| ours.all.contains(one)), "{text}");
            ours.all.len() > ours.serial.len()
        });
        assert!(late, "{text}");
    }
}
