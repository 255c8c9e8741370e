//! What is not modelled is refused, and named.

use crate::translated;

/// What is said about a file that is refused.
fn said(name: &str, text: &str) -> String {
    match translated(name, text) {
        Ok(made) => panic!("this became a program:\n{}", made.text),
        Err(said) => said.join("\n"),
    }
}

/// The body of a request beside a number and a map of the module.
fn request(body: &str) -> String {
    said("a.js", &format!("import {{ out }} from './out.js';\nlet n = 0;\nconst m = new Map();\nexport async function f(k) {{ {body} }}\n"))
}

#[test]
fn constructs_outside_of_the_subset_are_named() {
    assert!(request("n = 1; await Promise.any([out(), out()]);").contains("any"));
    assert!(request("const t = setTimeout(() => { n = 1; }, 1); clearTimeout(t);").contains("clearTimeout"));
    assert!(request("for (const x of m.values()) n = 1; m.set(k, 1);").contains("iteration over a shared map"));
    assert!(request("n = 1; await f(k);").contains("recursion of `f`"));
}

#[test]
fn mistakes_of_the_syntax_are_reported() {
    assert!(!said("a.js", "export async function f( {").is_empty());
    assert!(!said("a.js", "let a; let a; export function f() { return a; }").is_empty());
    assert!(!said("a.js", "export function f(a: number) { return a; }").is_empty(), "types belong to TypeScript");
}

#[test]
fn deep_nesting_ends_with_a_message() {
    let deep = format!("export const a = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
    assert!(said("a.js", &deep).contains("nests too deeply"));
}

#[test]
fn directives_that_mean_nothing_are_named() {
    let head = "import { out } from './out.js';\n";
    let body = "let n = 0;\nexport async function f() { n += 1; await out(); return n; }\n";
    for directive in ["pure", "never fails", "returns 'a' | 'b'", "9..0", "0..many", "requests", "keys 2"] {
        let found = translated("a.js", &format!("{head}/** @serval {directive} */\n{body}")).expect_err(directive);
        assert_eq!(found, [format!("`@serval {directive}`")]);
    }
    for directive in ["0..9", "-2..3 wrap"] {
        assert!(translated("a.js", &format!("{head}/** @serval {directive} */\n{body}")).is_ok(), "{directive}");
    }
}
