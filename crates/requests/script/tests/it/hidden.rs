//! State that is in no variable of the module, or is changed where the form does not show it: files that were once
//! decided without the request that changes it.

use crate::translated;

/// Beside a request that is fine by itself.
fn said(text: &str) -> Vec<String> {
    let whole =
        format!("import {{ api }} from './api.js';\nlet n = 0;\nlet m = 0;\n{text}\nexport function other() {{ m += 1; return m; }}\n");
    match translated("a.js", &whole) {
        Ok(made) => panic!("{text}\nis decided for {:?}", made.requests),
        Err(said) => said,
    }
}

const LOST: &str = "const a = n; await api.go(); n = a + 1; return n;";

#[test]
fn a_variable_that_only_unmodelled_code_changes_is_shared() {
    let found = said(
        "export async function f() { for await (const x of api.all()) n += 1; }\n\
         export async function g() { const a = n; await api.go(); return a === n; }",
    );
    assert!(found.iter().any(|one| one.contains("a loop over a collection")), "{found:?}");
}

#[test]
fn a_function_that_a_call_of_the_module_makes_keeps_what_is_in_the_call() {
    for text in [
        "const c = (() => { let k = 0; return { f: async () => { const a = k; await api.go(); k = a + 1; return k; } }; })();\n\
         export const f = c.f;",
        "function make() { let k = 0; return async () => { const a = k; await api.go(); k = a + 1; return k; }; }\n\
         export const f = make();",
        "const memo = (g) => { const seen = new Map(); return async (k) => { if (!seen.has(k)) seen.set(k, await g(k)); return seen.get(k); }; };\n\
         export const f = memo(async (k) => api.load(k));",
    ] {
        let found = said(text);
        assert!(found.iter().any(|one| one.contains("a variable of a call that the module has made")), "{text}: {found:?}");
    }
    let wrapped = said(&format!("const log = (g) => async () => g();\nexport const f = log(async () => {{ {LOST} }});"));
    assert!(wrapped.iter().any(|one| one.contains("`g`, a variable of a call")), "{wrapped:?}");
}

#[test]
fn functions_in_lists_and_what_others_keep_are_no_less_requests() {
    for (text, why) in [
        (format!("export const routes = [{{ path: '/x', handler: async () => {{ {LOST} }} }}];"), "a list of functions"),
        ("export async function f() { const a = api.n; await api.go(); api.n = a + 1; return api.n; }".to_owned(), "an assignment to `.n`"),
        (
            "class C { static k = 0; static async f() { const a = C.k; await api.go(); C.k = a + 1; return C.k; } }\n\
             export async function f() { return C.f(); }"
                .to_owned(),
            "`.f()` here",
        ),
        (
            format!("export default {{ limit: 3, inner: {{ f: async () => {{ {LOST} }} }} }};"),
            "a shared object or a function that is stored",
        ),
    ] {
        let found = said(&text);
        assert!(found.iter().any(|one| one.contains(why)), "{text}: {found:?}");
    }
}

#[test]
fn timers_and_listeners_that_touch_the_state_are_named() {
    for (text, path) in [
        ("setInterval(() => { n = 0; }, 1000);", "setInterval"),
        ("setInterval(() => { for (const x of api.all()) n = x; }, 1000);", "setInterval"),
        ("setTimeout(sweep, 10);\nasync function sweep() { await api.go(); n = 0; }", "setTimeout"),
        ("process.on('SIGTERM', () => { n = 0; });", "process.on"),
        ("api.on('gone', async function forget() { n = 0; });", "api.on"),
    ] {
        let found = said(&format!("{text}\nexport async function f() {{ {LOST} }}"));
        let why = format!("that `{path}` is given and that touches what is shared");
        assert!(found.iter().any(|one| one.contains(&why)), "{text}: {found:?}");
    }
    // Those that have nothing to do with it are left alone.
    let text = format!(
        "import {{ api }} from './api.js';\nlet n = 0;\nsetInterval(() => api.ping(), 1000);\nexport async function f() {{ {LOST} }}\n"
    );
    assert_eq!(translated("a.js", &text).expect("it is decided").requests, ["f"]);
}

#[test]
fn a_set_or_list_that_was_found_before_a_pause_is_not_the_one_that_lies_there() {
    let head = "import { out } from './out.js';\nconst rooms = new Map();\n";
    for text in [
        "export async function f(r, u) { let m = rooms.get(r); if (!m) { m = new Set(); rooms.set(r, m); } await out(); m.add(u); return m.size; }\n\
         export function g(r) { rooms.set(r, new Set()); }",
        "export async function f(r, u) { if (!rooms.has(r)) rooms.set(r, new Set()); const m = rooms.get(r); m.delete(u); rooms.delete(r); await out(); return m.size; }",
        "class Q { items = []; async add(x) { const list = this.items; await out(); list.push(x); return list.length; }\n\
           drain() { const many = this.items.length; this.items = []; return many; } }\nexport const q = new Q();",
        "class Q { items = new Set(); async add(x) { const list = this.items; await out(); list.add(x); return list.size; }\n\
           drain() { const many = this.items.size; this.items = new Set(); return many; } }\nexport const q = new Q();",
    ] {
        let found = translated("a.js", &format!("{head}{text}\n")).expect_err(text);
        assert!(found.iter().any(|one| one.contains("a shared set or list that was found before an `await`")), "{text}: {found:?}");
    }
    // Where nothing takes its place it is still the same.
    let text = "export const seen = null;\nconst all = new Set();\nexport async function f(u) { const m = all; await out(); m.add(u); return m.size; }";
    assert!(translated("a.js", &format!("{head}{text}\n")).is_ok());
}

#[test]
fn undefined_in_a_map_is_there() {
    // Found by random files: Node answers `true` to `has`, and the program answered `false`.
    let text = "import { out } from './out.js';\nlet slot = null;\nconst map = new Map();\nasync function load() {\n}\n\
        export async function f0(k) {\n  if (map.has(k)) {\n    throw new Error('late');\n  }\n  slot ??= load();\n\
        const x4 = await slot;\n  map.set(k, x4);\n}\n";
    let found = translated("a.js", text).expect_err("it is refused");
    assert!(found.iter().any(|one| one.contains("`undefined` in a shared map")), "{found:?}");
}

/// Each of these was once decided without a branch that its numbers never took.
#[test]
fn numbers_of_the_outside_and_of_callers_take_all_branches() {
    let race = "const a = n; await api.go(); n = a + 1; return n;";
    for (body, taken) in [
        // The greater, zero, and what is none.
        (format!("const x = await api.price(); if (x > 5) {{ {race} }} return 0;"), true),
        (format!("const x = await api.price(); if (5 >= x) return 0; {race}"), true),
        (format!("const x = await api.price(); m += x; if (!x) {{ {race} }} return 0;"), true),
        (format!("const x = (await api.price()) ?? 7; if (x === 7) {{ {race} }} m += x; return 0;"), true),
        (format!("if (k > 5) {{ {race} }} return 0;"), true),
        // What is computed of them.
        (format!("const x = Date.now(); if (x - m < 5) return 0; {race}"), true),
        // What no number of keys and no clock comes to.
        (format!("set.add(k); if (set.size > 4) {{ {race} }} return 0;"), false),
        (format!("const x = Date.now(); if (m > x) return 0; m = x + 60; {race}"), false),
    ] {
        let text = format!(
            "import {{ api }} from './api.js';\nlet n = 0;\nlet m = 0;\nconst set = new Set();\nexport async function f(k) {{ {body} }}\n\
             export function other() {{ m += 1; return m; }}\n"
        );
        let made = translated("a.js", &text).unwrap_or_else(|why| panic!("{body}: {why:?}"));
        assert_eq!(made.out_of_reach.is_none(), taken, "{body}: {:?}\n{}", made.out_of_reach, made.text);
    }
}

#[test]
fn numbers_come_to_what_they_are_compared_with() {
    // With numbers 0..3 the way behind the comparison was never taken, and what happens there was proved.
    let file = |test: &str| {
        let text = format!(
            "import {{ api }} from './api.js';\nlet n = 0;\nlet slow = 0;\nexport async function f() {{\n  n += 1;\n  if ({test}) {{ \
             const a = slow; await api.go(); slow = a + 1; return slow; }}\n  return 0;\n}}\n"
        );
        translated("a.js", &text).expect("it is translated")
    };
    for (test, range) in [("n > 5", "0..6"), ("n === 9", "0..10"), ("n % 7 === 0", "0..8"), ("n < -2", "-3..3"), ("n > 2", "0..3")] {
        let made = file(test);
        assert!(made.text.contains(&format!("var G_n_n: {range} wrap := 0")), "{test}: {}", made.text);
        assert!(made.bounded.iter().any(|one| one.starts_with(&format!("numbers {range} "))), "{test}: {:?}", made.bounded);
        assert_eq!(made.out_of_reach, None, "{test}");
    }
    assert!(file("n > 100").out_of_reach.is_some_and(|why| why.contains("with 100, to which")));
}
