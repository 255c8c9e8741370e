//! Random files of handlers: all forms of `await`, kept promises, locks, exceptions, records and maps, in any mixture.

use serval_model::SplitMix64;

/// A statement, so that a file can be made smaller.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    Plain(String),
    /// What begins it, its parts with what stands between them, and its end.
    Block(Vec<(String, Vec<Line>)>),
}

/// A file: what it declares, and its functions with their bodies.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) head: Vec<String>,
    pub(crate) functions: Vec<(String, Vec<Line>)>,
}

impl Drawn {
    pub(crate) fn text(&self) -> String {
        let mut out = self.head.join("\n") + "\n";
        for (head, body) in &self.functions {
            out.push_str(&format!("{head} {{\n"));
            lines(body, 1, &mut out);
            out.push_str("}\n");
        }
        out
    }

    /// The same with one statement less, in all ways.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for (place, (_, body)) in self.functions.iter().enumerate() {
            for less in fewer(body) {
                let mut smaller = self.clone();
                smaller.functions[place].1 = less;
                all.push(smaller);
            }
        }
        for place in 0..self.functions.len() {
            let mut smaller = self.clone();
            smaller.functions.remove(place);
            all.push(smaller);
        }
        all
    }
}

fn lines(list: &[Line], depth: usize, out: &mut String) {
    let blank = "  ".repeat(depth);
    for line in list {
        match line {
            Line::Plain(text) => out.push_str(&format!("{blank}{text}\n")),
            Line::Block(parts) => {
                for (head, body) in parts {
                    out.push_str(&format!("{blank}{head} {{\n"));
                    lines(body, depth + 1, out);
                    out.push_str(&format!("{blank}}}\n"));
                }
            }
        }
    }
}

fn fewer(list: &[Line]) -> Vec<Vec<Line>> {
    let mut all = Vec::new();
    for (place, line) in list.iter().enumerate() {
        let mut less = list.to_vec();
        less.remove(place);
        all.push(less);
        let Line::Block(parts) = line else { continue };
        for (at, (_, body)) in parts.iter().enumerate() {
            let mut flat = list.to_vec();
            flat.splice(place..=place, body.clone());
            all.push(flat);
            for inner in fewer(body) {
                let mut parts = parts.clone();
                parts[at].1 = inner;
                let mut changed = list.to_vec();
                changed[place] = Line::Block(parts);
                all.push(changed);
            }
        }
    }
    all
}

/// Names that may be used at a place.
#[derive(Clone, Default)]
struct Known {
    numbers: Vec<String>,
    values: Vec<String>,
    truths: Vec<String>,
    records: Vec<String>,
    key: bool,
    looped: bool,
}

struct Draw {
    random: SplitMix64,
    next: usize,
    pauses: usize,
    helpers: bool,
}

/// The file of a seed.
pub(crate) fn drawn(seed: u64) -> Drawn {
    let mut draw = Draw { random: SplitMix64::new(seed), next: 0, pauses: 0, helpers: false };
    let head = [
        "import { out } from './out.js';",
        "let n = 0;",
        "let flag = false;",
        "let last = 'none';",
        "let slot = null;",
        "let tail = Promise.resolve();",
        "const rec = { a: 1, b: 'x' };",
        "const map = new Map();",
        "const set = new Set();",
        "const list = [];",
        "const rooms = new Map();",
        "let cur = { a: 0, b: 'y' };",
    ];
    let mut functions = Vec::new();
    draw.helpers = draw.chance(40);
    if draw.helpers {
        draw.pauses = 1;
        let body = draw.block(2, &mut Known { values: vec!["last".to_owned()], ..Known::default() });
        functions.push(("async function helper()".to_owned(), body));
        draw.pauses = 1;
        let body = vec![
            Line::Plain("const got = await out.load();".to_owned()),
            Line::Plain(if draw.chance(50) { "return got;" } else { "if (got) return got;" }.to_owned()),
        ];
        functions.push(("async function load()".to_owned(), body));
    }
    let count = 1 + draw.below(2);
    for number in 0..count {
        let key = draw.chance(30);
        draw.pauses = 2;
        let mut known = Known { key, ..Known::default() };
        let size = 2 + draw.below(4);
        let mut body = draw.block(size, &mut known);
        let answer = draw.answer(&known);
        body.push(Line::Plain(answer));
        let async_word = if draw.chance(92) { "async " } else { "" };
        let async_word = if uses_await(&body) { "async " } else { async_word };
        functions.push((format!("export {async_word}function f{number}({})", if key { "k" } else { "" }), body));
    }
    Drawn { head: head.map(str::to_owned).to_vec(), functions }
}

fn uses_await(list: &[Line]) -> bool {
    list.iter().any(|line| match line {
        Line::Plain(text) => text.contains("await"),
        Line::Block(parts) => parts.iter().any(|(head, body)| head.contains("await") || uses_await(body)),
    })
}

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.random.index(bound.max(1))
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.random.chance(percent)
    }

    fn one(&mut self, list: &[&str]) -> String {
        list[self.below(list.len())].to_owned()
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("x{}", self.next)
    }

    fn number(&mut self, known: &Known) -> String {
        let mut all: Vec<String> = ["n", "rec.a", "1", "2", "n", "list.length", "set.size", "cur.a"].map(str::to_owned).to_vec();
        all.extend(known.numbers.iter().cloned());
        all.extend(known.numbers.iter().cloned());
        let one = all[self.below(all.len())].clone();
        match self.below(6) {
            0 => format!("{one} + 1"),
            1 => format!("Math.max({one}, 1)"),
            _ => one,
        }
    }

    fn value(&mut self, known: &Known) -> String {
        let mut all: Vec<String> = ["last", "rec.b", "'a'", "last", "null", "cur.b"].map(str::to_owned).to_vec();
        all.extend(known.values.iter().cloned());
        all.extend(known.values.iter().cloned());
        if known.key {
            all.push("k".to_owned());
        }
        all[self.below(all.len())].clone()
    }

    fn truth(&mut self, known: &Known) -> String {
        let key = if known.key { "k" } else { "'q'" };
        let mut all = vec!["flag".to_owned(), "!flag".to_owned(), format!("map.has({key})"), format!("set.has({key})")];
        all.extend(known.truths.iter().cloned());
        let (number, other) = (self.number(known), self.number(known));
        all.push(format!("{number} > {}", self.below(3)));
        all.push(format!("{number} === {other}"));
        let (value, other) = (self.value(known), self.value(known));
        all.push(format!("{value} === {other}"));
        all.push(format!("{value} !== null"));
        all.push(format!("!{value}"));
        let one = all[self.below(all.len())].clone();
        let next = all[self.below(all.len())].clone();
        match self.below(8) {
            0 => format!("({one} && {next})"),
            1 => format!("({one} || {next})"),
            _ => one,
        }
    }

    fn answer(&mut self, known: &Known) -> String {
        let (number, value, truth) = (self.number(known), self.value(known), self.truth(known));
        match self.below(9) {
            0 | 1 => format!("return {number};"),
            2 => format!("return {value};"),
            3 => format!("return {{ number: {number}, value: {value} }};"),
            4 => format!("return {truth};"),
            5 => format!("return `${{{number}}} of ${{{value}}}`;"),
            6 => format!("return [{number}, {value}];"),
            7 => format!("return {truth} ? {{ yes: {number} }} : {{ no: {value} }};"),
            _ => format!("return {truth} ? {number} : {value};"),
        }
    }

    fn block(&mut self, size: usize, known: &mut Known) -> Vec<Line> {
        (0..size).map(|_| self.line(known)).collect()
    }

    /// What pauses, as long as there may be more pauses.
    fn pause(&mut self, known: &mut Known) -> String {
        if self.pauses == 0 {
            return "n += 1;".to_owned();
        }
        self.pauses -= 1;
        let name = self.fresh();
        match self.below(17) {
            13 => "await out.go().finally(() => { n += 1; });".to_owned(),
            14 => {
                known.values.push(name.clone());
                format!("const {name} = await out.get().then((got) => {{ last = got; return got; }});")
            }
            15 => {
                known.values.push(name.clone());
                format!("const {name} = await out.get().catch(() => 'failed');")
            }
            0 | 1 => "await out.go();".to_owned(),
            2 => {
                known.values.push(name.clone());
                format!("const {name} = await out.get();")
            }
            3 => {
                known.numbers.push(name.clone());
                format!("const {name} = await out.count();\n  n += {name};")
            }
            4 => {
                known.truths.push(name.clone());
                format!("const {name} = await out.asks();\n  if ({name}) n += 1;")
            }
            5 => format!("const {name} = out.late();\n  n += 1;\n  await {name};"),
            6 => "await null;".to_owned(),
            7 if self.helpers => "await helper();".to_owned(),
            7 | 8 if self.helpers => {
                known.values.push(name.clone());
                format!("slot ??= load();\n  const {name} = await slot;")
            }
            8 => "await Promise.all([out.one(), out.two()]);".to_owned(),
            9 => "last = await out.get();".to_owned(),
            10 => "n += await out.count();".to_owned(),
            11 if self.helpers => "if (!slot) slot = load();\n  last = await slot;\n  slot = null;".to_owned(),
            11 => "void out.mail(); await out.go();".to_owned(),
            _ => {
                known.values.push(format!("{name}.id"));
                format!("const {name} = await out.user();\n  last = {name}.id;")
            }
        }
    }

    fn line(&mut self, known: &mut Known) -> Line {
        let key = if known.key { "k" } else { "'q'" };
        let (number, value, truth) = (self.number(known), self.value(known), self.truth(known));
        match self.below(26) {
            24 => {
                let name = self.fresh();
                known.numbers.push(format!("{name}.a"));
                known.values.push(format!("{name}.b"));
                known.records.push(name.clone());
                Line::Plain(format!("const {name} = {{ a: {number}, b: {value} }};"))
            }
            25 if known.records.is_empty() => {
                let name = self.fresh();
                known.numbers.push(format!("{name}.a"));
                known.records.push(name.clone());
                Line::Plain(format!("const {name} = cur;"))
            }
            25 => {
                let name = known.records[self.below(known.records.len())].clone();
                let one = format!("map.set({key}, {name});");
                let texts = [format!("cur = {name};"), format!("{name}.a += 1;"), "cur.a += 1;".to_owned(), one];
                Line::Plain(texts[self.below(4)].clone())
            }
            0..=4 => Line::Plain(self.pause(known)),
            5 => Line::Plain(format!("n = {number};")),
            6 => Line::Plain("n += 1;".to_owned()),
            7 => {
                let name = self.fresh();
                known.numbers.push(name.clone());
                Line::Plain(format!("const {name} = {number};"))
            }
            8 => Line::Plain(format!("last = {value};")),
            9 => {
                let name = self.fresh();
                known.values.push(name.clone());
                Line::Plain(format!("let {name} = {value};"))
            }
            10 => Line::Plain(format!("flag = {truth};")),
            11 if self.chance(20) => {
                let texts = [
                    format!(
                        "if (!rooms.has({key})) rooms.set({key}, new Set());\n  rooms.get({key}).add('u');\n  n = rooms.get({key}).size;"
                    ),
                    format!("rooms.delete({key});"),
                    format!("const {0} = rooms.get({key});\n  if ({0}) {{ {0}.delete('u'); n = {0}.size; }}", self.fresh()),
                ];
                Line::Plain(texts[self.below(3)].clone())
            }
            11 => Line::Plain(self.one(&["rec.a += 1;", "rec.b = last;", "list.push(n);", "flag = !flag;"])),
            12 => Line::Plain(format!("map.set({key}, {});", if self.chance(50) { &value } else { "'v'" })),
            13 => Line::Plain(format!("{}({key});", self.one(&["map.delete", "set.add", "set.delete"]))),
            14 => {
                let name = self.fresh();
                known.values.push(name.clone());
                Line::Plain(format!("const {name} = map.get({key}) ?? {value};"))
            }
            15..=17 => {
                let size = 1 + self.below(2);
                let yes = self.block(size, &mut known.clone());
                let mut parts = vec![(format!("if ({truth})"), yes)];
                if self.chance(40) {
                    parts.push(("else".to_owned(), self.block(1, &mut known.clone())));
                }
                Line::Block(parts)
            }
            18 | 19 => {
                let size = 1 + self.below(2);
                let mut parts = vec![("try".to_owned(), self.block(size, &mut known.clone()))];
                let both = self.chance(30);
                if both || self.chance(60) {
                    let inner = self.block(1, &mut known.clone());
                    parts.push((self.one(&["catch", "catch (e)"]), inner));
                }
                if both || parts.len() == 1 {
                    let inner = self.block(1, &mut known.clone());
                    parts.push(("finally".to_owned(), inner));
                }
                Line::Block(parts)
            }
            20 => {
                let throws = self.one(&["throw new Error('no');", "throw new Error('late');"]);
                Line::Block(vec![(format!("if ({truth})"), vec![Line::Plain(throws)])])
            }
            21 => {
                let answer = self.answer(known);
                Line::Block(vec![(format!("if ({truth})"), vec![Line::Plain(answer)])])
            }
            22 if !known.looped => {
                let name = self.fresh();
                let inner = self.block(1, &mut Known { looped: true, ..known.clone() });
                Line::Block(vec![(format!("for (let {name} = 0; {name} < 2; {name} += 1)"), inner)])
            }
            _ if self.pauses > 0 => {
                self.pauses -= 1;
                let name = self.fresh();
                let inner = self.block(2, &mut known.clone());
                let before =
                    format!("const {name}b = tail; let {name};\n  tail = new Promise((resolve) => ({name} = resolve));\n  await {name}b;");
                Line::Block(vec![(
                    "".to_owned(),
                    vec![
                        Line::Plain(before),
                        Line::Block(vec![("try".to_owned(), inner), ("finally".to_owned(), vec![Line::Plain(format!("{name}();"))])]),
                    ],
                )])
            }
            _ => Line::Plain(self.pause(known)),
        }
    }
}
