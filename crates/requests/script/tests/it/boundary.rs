//! The boundary of the parser: no text makes it panic, recurse without end, or take time out of proportion.

use serval_handlers::{HandlerBounds, Module, Stmt, StmtKind, steps};
use serval_model::SplitMix64;
use serval_script::{Language, MOST_BRACKETS, MOST_BYTES, read};
use serval_testkit::suite::data_dir;

use crate::random;

/// Reads a text as both languages and translates what can be read; whether it could be read as one of them.
fn read_through(text: &str) -> bool {
    let mut any = false;
    for language in [Language::JavaScript, Language::TypeScript] {
        if let Ok((module, performed)) = read(text, language) {
            any = true;
            assert!(bounded(&module, text), "a form that is larger than its text:\n{}", text.chars().take(300).collect::<String>());
            assert!(performed.module.len() <= 2 * text.len() + 4096);
            let _ = steps(&module, &HandlerBounds::default());
        }
    }
    any
}

/// Whether there are no more functions and variables than the text has room for.
fn bounded(module: &Module, text: &str) -> bool {
    let statements: usize = module.functions.iter().map(|function| counted(&function.body)).sum::<usize>() + counted(&module.top);
    module.functions.len() <= text.len() && module.variables.len() <= 2 * text.len() + 16 && statements <= 4 * text.len() + 16
}

fn counted(list: &[Stmt]) -> usize {
    let inner = |one: &Stmt| match &one.kind {
        StmtKind::If(_, yes, no) => counted(yes) + counted(no),
        StmtKind::Loop { body, .. } | StmtKind::Block(body) => counted(body),
        StmtKind::Try { body, catch, finally } => {
            counted(body) + catch.as_ref().map_or(0, |(_, body)| counted(body)) + finally.as_deref().map_or(0, counted)
        }
        _ => 0,
    };
    list.iter().map(|one| 1 + inner(one)).sum()
}

/// Files as people write them, and those of the generator.
fn seeds() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if let Some(place) = data_dir("await") {
        let mut names: Vec<_> =
            std::fs::read_dir(place).expect("the data can be listed").map(|one| one.expect("an entry").path()).collect();
        names.sort();
        let texts = names.iter().filter(|path| path.to_str().is_some_and(|name| Language::of(name).is_some()));
        all.extend(texts.map(|path| std::fs::read_to_string(path).expect("the data can be read")));
    }
    all.extend((0..20).map(|seed| random::drawn(seed).text()));
    all.push(TYPED.to_owned());
    all
}

/// What the others have none of.
const TYPED: &str = "import express from 'express';\nenum Kind { One, Two = 5, Three = 'x' }\ninterface A<T> { a?: T; b: [A<T>, string | null] }\n\
    class NotFound extends Error { constructor(public readonly id: string, m = `no ${id}`) { super(m); this.name = 'NotFound'; } }\n\
    const app = express();\nlet last: Kind | undefined;\napp.get('/a', async (req, res, next) => {\n  try {\n    for (const k of ['a', 'b'] as const) {\n\
    const [one, two] = await Promise.allSettled([out.a(k), out.b?.(k!)]);\n      if (one.status === 'fulfilled') last ??= Kind.Two;\n    }\n\
    switch (req.query.kind) { case 'x': last = Kind.One; break; default: throw new NotFound('y') }\n    res.json({ ...last, 'k': last });\n\
    } catch (e: unknown) { if (e instanceof NotFound && e.id === 'y') return res.status(404).send(`${e.message}`); next(e); } finally { delete (cache as any)[1]; }\n});\n\
    label: for (;;) { break label; }\nexport default async function (f, { a, b: { c = 3 }, ...d }) { f.route({ method: 'GET', url: '/x', handler() { return a in d; } }); }\n";

/// Words and pieces of which texts are put together.
const PIECES: &[&str] = &[
    "await ",
    "async ",
    "function f",
    "=>",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ".",
    "?.",
    "??",
    "??=",
    "...",
    "`",
    "${",
    "'",
    "\"",
    "/",
    "/*",
    "*/",
    "//",
    "\n",
    "let x",
    "const y = ",
    "class A",
    " extends ",
    "super(",
    "this",
    "new ",
    "new.target",
    "import ",
    "export ",
    "default ",
    "from 'x'",
    "yield ",
    "return ",
    "throw ",
    "try ",
    "catch ",
    "finally ",
    "if ",
    "else ",
    "for ",
    " of ",
    " in ",
    "while ",
    "do ",
    "switch ",
    "case 1:",
    "break",
    "continue",
    "1e400",
    "0x",
    "1n",
    "#p",
    "@d ",
    "<T>",
    "<",
    ">",
    "as any",
    "enum E",
    "type T = ",
    "declare ",
    "static ",
    "get ",
    "\u{feff}",
    "\u{2028}",
    "é",
    "\u{1f600}",
    "\0",
    "\\u{61}",
    "\\",
    "=",
    "==",
    "===",
    "!",
    "-",
    "+",
    "**",
    "%",
    "&&",
    "||",
    "|",
    "&",
    ":",
    "@serval request",
    "using z = ",
    "with (a)",
    "debugger",
    "import.meta",
    "import('x')",
    "eval",
    "arguments",
];

#[test]
fn any_text_is_read_or_refused() {
    let sweep = serval_effort::sweep("script.boundary", 1_500, 60_000);
    let seeds = seeds();
    let (mut readable, mut all) = (0, 0);
    for seed in sweep.seeds(0) {
        let mut random = SplitMix64::new(seed);
        let text = drawn(&mut random, &seeds);
        readable += usize::from(read_through(&text));
        all += 1;
    }
    // Both sides of the boundary are seen.
    assert!(readable * 20 > all && readable < all, "{readable} of {all} texts could be read");
}

/// Any bytes, a file that ends early, one in which something stands elsewhere, or pieces in a row.
fn drawn(random: &mut SplitMix64, seeds: &[String]) -> String {
    let seed = seeds[random.index(seeds.len())].clone();
    let at = |random: &mut SplitMix64, text: &str| {
        let mut place = random.index(text.len() + 1);
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        place
    };
    match random.index(6) {
        0 => {
            let bytes: Vec<u8> = (0..random.index(200)).map(|_| u8::try_from(random.index(256)).unwrap_or(0)).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => seed[..at(random, &seed)].to_owned(),
        2 => {
            let (from, to) = (at(random, &seed), at(random, &seed));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 60));
            let to = (to..=seed.len()).find(|place| seed.is_char_boundary(*place)).unwrap_or(seed.len());
            let there = at(random, &seed);
            format!("{}{}{}", &seed[..there], &seed[from..to], &seed[there..])
        }
        3 => {
            let mut text = seed;
            for _ in 0..1 + random.index(4) {
                let place = at(random, &text);
                text.insert_str(place, PIECES[random.index(PIECES.len())]);
            }
            text
        }
        4 => {
            let mut text = seed;
            for _ in 0..1 + random.index(3) {
                let place = at(random, &text);
                let end = text[place..].char_indices().nth(1 + random.index(6)).map_or(text.len(), |(behind, _)| place + behind);
                text.replace_range(place..end, "");
            }
            text
        }
        _ => (0..random.index(40)).map(|_| PIECES[random.index(PIECES.len())]).collect(),
    }
}

/// What nests or goes on for as long as a file may be.
#[test]
fn what_nests_or_goes_on_is_read_or_refused() {
    // As long as a file may be in what nests; shorter where each piece is a mistake of its own.
    let times = |piece: &str| piece.repeat(3_000);
    let deep = MOST_BRACKETS - 2;
    for piece in [
        "!",
        "-",
        "- ",
        "typeof ",
        "void ",
        "await ",
        "new ",
        "async ",
        "x=>",
        "x=",
        "a?b:",
        "a.",
        "a?.",
        "a,",
        "a+",
        "a**",
        "a??",
        "a&&",
        "if(a)",
        "a:",
        "else ",
        "if(a);else ",
        "do ",
        "for(;;)",
        "while(a)",
        "label:",
        "`",
        "/*",
        "\n",
        "a\n",
        "1\n",
        "var a;",
        "let a,",
        "function f(){}",
        "export ",
        "import ",
        "<A",
        "A<",
        "|a",
        "keyof ",
        "as a ",
        "a as a as ",
        "a!",
        "a satisfies ",
        "case 1:",
        "@a ",
        "#a in ",
        "yield ",
        "return ",
        "throw ",
        "static ",
        "...",
        "\u{feff}",
        "\u{1f600}",
        "\\u0061",
        "[]",
        "{}",
        "()",
        "a()",
        "a[0]",
        "a`x`",
        "a`${b}`",
        "try{}catch{}",
    ] {
        for (before, behind) in [
            ("", ""),
            ("let n = 0; export async function f(a) { n = ", "a; }"),
            ("let n = 0; export async function f(a) { switch (n) { case 0: ", "} }"),
            ("type T = ", "a;"),
        ] {
            read_through(&format!("{before}{}{behind}", times(piece)));
        }
    }
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("{a:", "}"),
        ("(a,", ")"),
        ("f(", ")"),
        ("()=>{", "}"),
        ("async()=>{await ", "}"),
        ("`${", "}`"),
        ("if(a){", "}"),
        ("class A{f(){", "}}"),
        ("function f(){", "}"),
        ("try{", "}catch(e){}"),
        ("[...", "]"),
        ("a?.[", "]"),
        ("Object.assign(a,{b:", "})"),
        ("for(const a of [", "]);"),
    ] {
        let brackets = open.chars().filter(|c| "([{".contains(*c)).count();
        let count = deep / brackets.max(1);
        for before in ["", "export const a = ", "let n = 0; export async function f(a, b) { n += 1; return "] {
            let end = if before.ends_with("return ") { "; }" } else { "" };
            read_through(&format!("{before}{}1{}{end}", open.repeat(count), close.repeat(count)));
            // One bracket is not closed, or one too many is.
            read_through(&format!("{before}{}1{}", open.repeat(count), close.repeat(count - 1)));
        }
    }
    // Beyond the bounds there is one message, whatever stands there.
    assert!(read(&"a;".repeat(MOST_BYTES), Language::JavaScript).is_err());
    assert!(read(&"(".repeat(MOST_BRACKETS + 1), Language::TypeScript).is_err());
}
