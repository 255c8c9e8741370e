//! Claims of the model that no other test looks at; the table at the head of `main.rs` has all of them.

use serval_handlers::node::Trying;
use serval_handlers::{HandlerBounds, Numbers, answers};

use crate::node::{file, node};
use crate::translated;

const HEAD: &str = "import { out } from './out.js';\nlet n = 0;\nlet slot = null;\nlet last = null;\nconst map = new Map();\n";

fn many() -> HandlerBounds {
    HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..HandlerBounds::default() }
}

#[test]
fn two_events_in_a_turn() {
    let Some(mut node) = node() else { return };
    // Between test and entry nothing of another request runs, unless both are resumed in one turn.
    for awaited in ["null", "Promise.resolve()", "nothing()"] {
        let text = format!(
            "{HEAD}async function nothing() {{}}\nexport async function f() {{\n  await out.begin();\n  if (n > 0) return 1;\n  await {awaited};\n  \
             n += 1;\n  const mine = n;\n  await out.work();\n  n = 0;\n  return mine;\n}}\n"
        );
        let made = file("a.js", &text, &many()).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let [calls] = made.choices(2).try_into().expect("there is one request");
        let mut beyond = [1, 2].map(|together| {
            let trying = Trying { most: 9_000, together, failures: true, first: false };
            let (tried, wrong) = made.compared(&mut node, &calls, trying).expect("it is performed");
            assert_eq!(wrong, None, "{text}");
            tried.beyond
        });
        assert!(beyond[0].is_empty() && !std::mem::take(&mut beyond[1]).is_empty(), "{awaited}");
    }
}

#[test]
fn values_of_the_outside_are_as_they_are_used() {
    let values = |body: &str| {
        let text = format!("{HEAD}export async function f() {{ n += 1; {body} }}\n");
        let made = translated("a.js", &text).unwrap_or_else(|why| panic!("{body}: {why:?}"));
        let call = made.outside.iter().find(|call| call.path == "out.get").unwrap_or_else(|| panic!("{body}: no call"));
        format!("{:?}", call.values)
    };
    for (body, wanted) in [
        ("await out.get(); return n;", 1),
        ("if (await out.get()) n = 0; return n;", 2),
        ("const x = await out.get(); if (x === null) n = 0; return n;", 2),
        ("const x = await out.get(); if (x === 'a') n = 0; if (x === 'b') n = 1; return n;", 3),
        ("n += await out.get(); return n;", 2),
        ("return await out.get();", 2),
        ("last = await out.get(); return n;", 2),
        ("const x = await out.get(); if (x === undefined) n = 0; return x;", 3),
    ] {
        let found = values(body);
        assert_eq!(found.matches(", ").count() + 1, wanted, "{body}: {found}");
    }
    // One that is not awaited is answered at once.
    let text = format!("{HEAD}export function f() {{ n += 1; return out.get() ? n : 0; }}\n");
    let made = translated("a.js", &text).expect("it is translated");
    assert!(made.outside.iter().all(|call| !call.waits && !call.fails) && !made.text.contains("yield"), "{}", made.text);
}

#[test]
fn a_third_value_can_matter() {
    // Calls one at a time find a value that was there before, or one that is new: never three that differ.
    let text = "import { out } from './out.js';\nlet first = null;\nlet last = null;\nexport async function put() {\n  const x = await out.get();\n  \
        if (first === null) first = x;\n  else last = x;\n  return 0;\n}\nexport function read() { return [first, last]; }\n";
    let two = file("a.js", text, &HandlerBounds::default()).expect("it is translated");
    let three = file("a.js", text, &HandlerBounds { values: 3, ..HandlerBounds::default() }).expect("it is translated");
    let count = |made: &crate::node::File| {
        let read = made.choices(2).into_iter().find(|names| names[0] != names[1]).expect("there are two requests");
        answers(&made.source, &read).expect("it is small").all.len()
    };
    assert!(count(&two) < count(&three));
    for (made, said) in [(&two, "outside values 2"), (&three, "outside values 3")] {
        assert!(made.translation.bounded.iter().any(|one| one == said), "{:?}", made.translation.bounded);
    }
}

fn refused(cases: &[(&str, &str)]) {
    for (text, why) in cases {
        match translated("a.js", &format!("{HEAD}{text}\n")) {
            Ok(made) => panic!("{text}\n{}", made.text),
            Err(found) => assert!(found.iter().any(|one| one.contains(why)), "{text}: {found:?}"),
        }
    }
}

#[test]
fn what_is_refused_of_functions() {
    refused(&[
        ("async function g() { n += 1; await out(); if (n < 3) await g(); }\nexport async function f() { await g(); }", "recursion of `g`"),
        ("export async function f() { n += arguments.length; await out(); return n; }", "`arguments`"),
        ("export async function* f() { n += 1; yield n; }", "a generator"),
        ("const s = { get next() { n += 1; return n; } };\nexport async function f() { await out(); return s.next; }", "a getter"),
        ("export async function f() { for await (const x of out()) n += x; return n; }", "a loop over a collection"),
        ("export async function f() { n += 1; await out(); return eval('n'); }", "`eval`"),
        ("export async function f() { n += 1; new Function('x')(); await out(); return n; }", "`new Function`"),
    ]);
}

#[test]
fn promises_that_are_refused() {
    refused(&[
        // The outcome depends on what is shared after a pause.
        (
            "async function g() { await out(); n += 1; const x = n; await out(); return x + n; }\nexport async function f() { slot ??= g(); return await slot; }",
            "a kept promise whose outcome depends on what is shared behind an `await`",
        ),
        // It pauses on some ways only.
        (
            "async function g() { if (n > 0) { await out(); } n += 1; return n; }\nexport async function f() { slot ??= g(); return await slot; }",
            "a kept promise of a function that first pauses on some ways only",
        ),
        (
            "async function g() { for (;;) { if (await out()) break; } return 1; }\nexport async function f() { n += 1; slot ??= g(); return await slot; }",
            "a kept promise of a function that first pauses in a loop",
        ),
        ("export async function f() { slot = [out(), out()]; await slot[0]; n += 1; }", ""),
    ]);
}

#[test]
fn activities_that_are_refused() {
    refused(&[
        ("async function g() { await out(); n += 1; }\nexport async function f() { await Promise.all([g(), g()]); return n; }", ""),
        (
            "async function g() { await out(); n += 1; }\nexport async function f() { g(); await out(); return n; }",
            "two activities of one request at once",
        ),
        (
            "export async function f() { setTimeout(() => { n = 0; }, 1); setTimeout(() => { n += 1; }, 2); }",
            "two activities of one request at once",
        ),
        (
            "async function g() { await out(); n += 1; }\nexport async function f() { for (const x of [1, 2]) { n += x; g(); } }",
            "an activity that a loop begins",
        ),
        (
            "async function h() { await out(); n += 1; }\nasync function g() { h(); await out(); }\nexport function f() { g(); return n; }",
            "two activities of one request at once",
        ),
        (
            "async function h() { await out(); n += 1; }\nasync function g() { await out(); h(); }\nexport function f() { g(); return n; }",
            "an activity that an activity leaves behind",
        ),
        ("export async function f() { n += 1; await Promise.any([out(), out()]); return n; }", "`Promise.any`"),
        ("export async function f() { const t = setTimeout(() => { n = 0; }, 1); clearTimeout(t); }", "`clearTimeout`"),
    ]);
}
