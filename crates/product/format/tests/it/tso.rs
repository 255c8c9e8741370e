//! What is promised of the layout of programs on weak memory: only blanks change, comments stay, and formatting twice
//! is formatting once.

use std::path::Path;

use serval_effort::sweep;
use serval_format::{FormatRefusal, Style, tso};

fn formatted(text: &str, style: &Style) -> String {
    tso::format(text, style).unwrap_or_else(|refusal| panic!("{refusal}: {refusal:?}\n{text}"))
}

/// Every program of the examples, and one with every construct.
fn programs() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/tso");
    let mut paths: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "tso"));
    paths.sort();
    let mut texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    texts.push(
        "values -1..3 wrap; memory x = 0, a[2] = -1; thread* T { l: m: r := cas(a[r + 1], 0, -1); while (r != 1 || !r) { break; } \
         if (r == 0) { skip; } else if (r < 2) { fence; } else { xchg(x, r); } loop { } atomic { s := x; if (s) { x := 2; } assume -s < 1; } \
         assert (r + s) * 2 % 3 <= -(-1); fadd(x, -r); goto l; } never T@l && (T.r > 0 || !(T.s >= 1)); exists a[1] == 0 - 1; forall x == 0;"
            .to_owned(),
    );
    texts
}

/// A generator of numbers, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// The program with other blanks and with comments between its tokens.
fn disturbed(text: &str, numbers: &mut Numbers) -> String {
    let mut out = String::new();
    for span in serval_tso_program::lexemes(text).unwrap() {
        let blanks = ["", " ", "  ", "\n", "\n\n\n", "\t", " \r\n "];
        let comments = ["// a comment  \n", "/* one */", "/* two\n   lines */", "/**/", "//\n"];
        for _ in 0..=numbers.below(2) {
            out.push_str(blanks[numbers.below(7)]);
            if numbers.below(6) == 0 {
                out.push_str(comments[numbers.below(5)]);
            }
        }
        // Words must not grow together.
        if out.ends_with(|letter: char| !letter.is_whitespace()) {
            out.push(' ');
        }
        let piece = &text[span.range()];
        out.push_str(piece);
        if piece.starts_with("//") {
            out.push('\n');
        }
    }
    out
}

fn tokens(text: &str) -> Vec<&str> {
    serval_tso_program::lexemes(text).unwrap().into_iter().map(|span| text[span.range()].trim_end()).collect()
}

#[test]
fn only_blanks_change_and_twice_is_once() {
    let sweep = sweep("format.tso", 6, 12);
    let programs = programs();
    for (number, program) in (0_u64..).zip(&programs) {
        for (case, seed) in sweep.seeds(0).enumerate() {
            let mut numbers = Numbers(seed * 1_000 + number);
            let text = if case == 0 { program.clone() } else { disturbed(program, &mut numbers) };
            let style = Style { indent: 1 + case % 4, width: [100, 40, 20, 1000][case % 4] };
            let once = formatted(&text, &style);
            assert_eq!(tokens(&once), tokens(&text), "{text}");
            assert_eq!(formatted(&once, &style), once, "formatted twice\n{text}");
            assert_eq!(
                serval_tso_program::read(&once).unwrap().canonical(),
                serval_tso_program::read(program).unwrap().canonical(),
                "{text}"
            );
            assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.starts_with(['\n', ' ']), "{once:?}");
        }
    }
}

#[test]
fn examples_are_formatted() {
    for program in &programs()[..programs().len() - 1] {
        assert_eq!(formatted(program, &Style::default()), *program);
    }
}

#[test]
fn how_programs_look() {
    let cases = [
        ("memory x=0 , a [ 2 ]= -1;", "memory x = 0, a[2] = -1;\n"),
        ("values -1 .. 3 wrap;thread*P{skip}", "values -1..3 wrap;\nthread* P { skip }\n"),
        ("thread P{x:=a [r-1]; r:=-r- -1;assume !r&&-r<1;}", "thread P { x := a[r - 1]; r := -r - -1; assume !r && -r < 1; }\n"),
        ("thread P {\nif(r==0){skip;}else{fence;}}", "thread P {\n  if (r == 0) { skip; } else { fence; }\n}\n"),
        ("thread P {\n l :\n cas ( x,0 , 1 ) ;loop{\n} }", "thread P {\n  l: cas(x, 0, 1);\n  loop { }\n}\n"),
        // Empty lines between statements stay, one of them; not at the ends of a block.
        ("thread P {\n\n skip;\n\n\n skip;\n\n}\n\n\n\nthread Q { }", "thread P {\n  skip;\n\n  skip;\n}\n\nthread Q { }\n"),
        // Comments: behind code, on a line of their own, before code, and at the end of a block.
        (
            "thread P { // who\n skip;    // set off\n // alone\n /* before */ skip; skip; /* between */ skip;\n // last\n}",
            "thread P { // who\n  skip;   // set off\n  // alone\n  /* before */ skip;\n  skip;\n  /* between */ skip;\n  // last\n}\n",
        ),
        ("never P@l &&\n  P@m;", "never P@l &&\n  P@m;\n"),
        ("never P@l\n  && P@m;", "never P@l && P@m;\n"),
        ("memory x,\ny; // end", "memory x,\n  y; // end\n"),
        ("// only a comment", "// only a comment\n"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(formatted(text, &Style::default()), expected, "{text}");
    }
    let narrow = Style { indent: 4, width: 20 };
    assert_eq!(formatted("thread P { x := 1; y := 1; }", &narrow), "thread P {\n    x := 1;\n    y := 1;\n}\n");
}

#[test]
fn what_has_mistakes_is_left_alone() {
    assert!(matches!(tso::format("thread P { x = 1; }", &Style::default()), Err(FormatRefusal::Mistakes(mistakes)) if mistakes.len() == 1));
    // What names mean does not matter.
    assert_eq!(formatted("thread P{r:=s;}", &Style::default()), "thread P { r := s; }\n");
}
