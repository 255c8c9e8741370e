//! What the style looks like, form by form.

use crate::{FormatRefusal, Style, format};

fn formatted_to(width: usize, text: &str) -> String {
    let style = Style { width, ..Style::default() };
    let once = format(text, &style).unwrap_or_else(|refusal| panic!("{refusal:?}\n{text}"));
    assert_eq!(format(&once, &style).as_deref(), Ok(once.as_str()), "not formatted once and for all\n{text}");
    once
}

/// Checks what becomes of a text; both are compared without the line end that
/// begins them and with as many blanks less as the first line has.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(formatted_to(100, text), trimmed(expected));
}

#[track_caller]
fn becomes_within(width: usize, text: &str, expected: &str) {
    assert_eq!(formatted_to(width, text), trimmed(expected));
}

#[track_caller]
fn stays(text: &str) {
    becomes(&trimmed(text), text);
}

fn trimmed(text: &str) -> String {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let lines = text.trim_end_matches(' ').lines().map(|line| line.get(blanks..).unwrap_or("").to_owned() + "\n");
    lines.collect()
}

#[test]
fn blanks_around_operators() {
    becomes("x:=a+b*-c%(d-1)/2", "x := a + b * -c % (d - 1) / 2");
    becomes("x:=a==b&&!c||not d and(e or ?)", "x := a == b && !c || not d and (e or ?)");
    becomes("x := - - 1; y := a - -1; !!z; -!z; not  not z", "x := - -1;\ny := a - -1;\n!!z;\n-!z;\nnot not z");
    becomes("return  x:=y :=( 1 )", "return x := y := (1)");
    becomes("a<b;a<=b;a>b;a>=b;a!=b", "a < b;\na <= b;\na > b;\na >= b;\na != b");
}

#[test]
fn statements_are_on_lines_of_their_own() {
    becomes("request a{X:=1;yield;X}", "request a {\n  X := 1;\n  yield;\n  X\n}");
    becomes("X := 1; yield; X ;", "X := 1;\nyield;\nX;");
}

#[test]
fn short_blocks_that_were_on_one_line_stay_there() {
    becomes("request a { while(L==1){yield};L:=1; }", "request a {\n  while (L == 1) { yield };\n  L := 1;\n}");
    becomes("if(a){b}else if(c){d}else{e}", "if (a) { b } else if (c) { d } else { e }");
    becomes("if(a){b}else{\nc}", "if (a) {\n  b\n} else {\n  c\n}");
    becomes("if(a){b;c}else{d}", "if (a) {\n  b;\n  c\n} else {\n  d\n}");
    becomes("while(a){if(b){c}}", "while (a) { if (b) { c } }");
    becomes("x := if (a) { b } else { c; d }", "x := if (a) {\n  b\n} else {\n  c;\n  d\n}");
    becomes_within(20, "if (aaaa) { bbbb } else { cccc }", "if (aaaa) {\n  bbbb\n} else {\n  cccc\n}");
}

#[test]
fn empty_lines() {
    becomes("\n\n\nX := 1;\n\n\n\nyield;\n\nX\n\n\n", "X := 1;\n\nyield;\n\nX");
    becomes("request a {\n\n\nX;\n\n}\n\n\n\nrequest b {\nX\n}", "request a {\n  X;\n}\n\nrequest b {\n  X\n}");
    becomes("// head\n\n\nA := 1\n\n// tail\n\n", "// head\n\nA := 1\n\n// tail");
    becomes("x := (\n\na;\n\n\nb)", "x := (a; b)");
}

#[test]
fn initial_values_stay_on_their_lines() {
    becomes("A:=1,B:=2\nC:=-3;D:=4 E:=5 request a{A}", "A := 1, B := 2\nC := -3; D := 4 E := 5\nrequest a { A }");
    becomes("const N = 3; A := N B := 1 request a { A }", "const N = 3;\nA := N B := 1\nrequest a { A }");
    becomes_within(20, "AAAAA := 1, BBBBB := 2, CCCCC := 3 request a { 0 }", "AAAAA := 1,\nBBBBB := 2,\nCCCCC := 3\nrequest a { 0 }");
}

#[test]
fn long_lines_end_after_operators() {
    becomes_within(
        30,
        "total := first + second * third - fourth;",
        "
        total := first +
          second * third -
          fourth;
        ",
    );
    becomes_within(
        30,
        "if (first == 1 and second == 2 and third == 3) { yield }",
        "
        if (
          first == 1 and
          second == 2 and
          third == 3
        ) {
          yield
        }
        ",
    );
    becomes_within(
        30,
        "while (seen := VERSION; yield; VERSION == seen) { yield; 1 }",
        "
        while (
          seen := VERSION;
          yield;
          VERSION == seen
        ) {
          yield;
          1
        }
        ",
    );
    becomes_within(
        30,
        "x := (first + second) * (third + fourth)",
        "
        x := (first + second) *
          (third + fourth)
        ",
    );
}

#[test]
fn comments_behind_code_keep_their_column() {
    stays(
        "
        request a {
          yield;             // one
                             // and more of it
          X := 1;            // two
          X // three
        }
        ",
    );
    becomes("a;// one\nbbbb  // two\n", "a; // one\nbbbb  // two");
    becomes("aa:=bb+cc;  // one\nx", "aa := bb + cc;  // one\nx");
    becomes("\tyield;\t// one\n\tX;\t// two", "yield;          // one\nX;              // two");
}

#[test]
fn comments_stay_where_they_are() {
    stays(
        "
        // expect: serializable
        // about the file

        // about the request
        request a { // behind the brace
          // before the first
          x := A; // behind

          // between
          yield;
          if (x) {
            1
          }
          // before else
          else {
            2
          } // behind the last
          // before the brace
        }
        // at the end
        ",
    );
    becomes("a /* 1 */ + /* 2 */ b /* 3 */; /* 4 */ c /* 5 */", "a /* 1 */ + /* 2 */ b /* 3 */;\n/* 4 */ c /* 5 */");
    becomes("f:=(/* 1 */a/* 2 */)", "f := (/* 1 */ a /* 2 */)");
    becomes("if/* 1 */(a)/* 2 */{b}/* 3 */else/* 4 */{c}", "if /* 1 */ (a) /* 2 */ { b } /* 3 */ else /* 4 */ { c }");
    becomes("while(a){/* 1 */b/* 2 */}", "while (a) { /* 1 */ b /* 2 */ }");
    becomes("!/* 1 */a; -// 2\nb", "!/* 1 */ a;\n- // 2\nb");
}

#[test]
fn comments_within_expressions_end_their_lines() {
    becomes(
        "x := a // one\n+ b + // two\nc",
        "
        x := a // one
          + b + // two
          c
        ",
    );
    becomes(
        "while (a // one\n== 1\n// two\n) { yield }",
        "
        while (
          a // one
          == 1
          // two
        ) { yield }
        ",
    );
}

#[test]
fn a_semicolon_stands_right_behind_its_statement() {
    becomes("a // one\n;\nb", "a; // one\nb");
    becomes("a // one\n; // two\nb", "a; // one\n// two\nb");
    becomes("a\n// one\n;b", "a;\n// one\nb");
    becomes("A := 1 // one\n, B := 2 request a { A }", "A := 1, // one\nB := 2\nrequest a { A }");
}

#[test]
fn comments_of_several_lines_move_as_a_whole() {
    becomes(
        "request a {\n        /* one\n           two\n\n         three */\n    X /* four\n  five */\n}",
        "
        request a {
          /* one
             two

           three */
          X /* four
          five */
        }
        ",
    );
}

#[test]
fn line_ends_and_marks_of_other_systems() {
    becomes("\u{feff}X := 1;\r\n\r\n\r\n// one\r\n/* two\r\n three */\r\nX\r\n", "X := 1;\n\n// one\n/* two\n three */\nX");
    becomes("X;\u{b}\u{c}\r yield", "X;\nyield");
}

#[test]
fn declarations() {
    becomes("const N=3 const M:=N*2;X", "const N = 3\nconst M := N * 2;\nX");
    becomes(
        "enum State{Idle,Busy}var A:0..N wrap:=1 var B[0..3]:0..1:=0;var C:State var D:-1..N-1 saturate request a{A}",
        "
        enum State { Idle, Busy }
        var A: 0..N wrap := 1
        var B[0..3]: 0..1 := 0;
        var C: State
        var D: -1..N - 1 saturate
        request a { A }
        ",
    );
    becomes("enum State{\nIdle,// one\nBusy}request a{0}", "enum State {\n  Idle, // one\n  Busy\n}\nrequest a { 0 }");
    becomes_within(20, "enum State { Idle, Busy, Done } request a { 0 }", "enum State {\n  Idle,\n  Busy,\n  Done\n}\nrequest a { 0 }");
    becomes("request pay(amount:1..3,from:State){0}", "request pay(amount: 1..3, from: State) { 0 }");
    becomes("request pay(amount:{ 100,- 5 ,N },from:State){0}", "request pay(amount: {100, -5, N}, from: State) { 0 }");
    becomes(
        "var Seat [0..1] [0 .. 9]:0..1 enum L{A,B}request a{Seat[ 1 ] [ i+1 ]:=L . A}",
        "
        var Seat[0..1][0..9]: 0..1
        enum L { A, B }
        request a { Seat[1][i + 1] := L.A }
        ",
    );
    becomes("request a{var seen [0..N] :0..1 wrap:=1;seen[0]}", "request a {\n  var seen[0..N]: 0..1 wrap := 1;\n  seen[0]\n}");
    becomes("request a(n:{/* one */1,// two\n2}){n}", "request a(\n  n: {\n    /* one */ 1, // two\n    2\n  }\n) { n }");
    becomes_within(
        24,
        "request pay(amount: {100, 250, 500}) { 0 }",
        "
        request pay(
          amount: {
            100,
            250,
            500
          }
        ) { 0 }
        ",
    );
    becomes("fn f(x,y){x+y}fn g(){0}request a{f(1,g())}", "fn f(x, y) { x + y }\nfn g() { 0 }\nrequest a { f(1, g()) }");
    becomes_within(
        24,
        "request pay(amount: 1..3, from: State) { 0 }",
        "
        request pay(
          amount: 1..3,
          from: State
        ) { 0 }
        ",
    );
}

#[test]
fn convenience_forms() {
    becomes("request a{atomic{X:=1;Y:=2}}", "request a {\n  atomic {\n    X := 1;\n    Y := 2\n  }\n}");
    becomes(
        "request a{while(1){if(X){break};if(Y){continue}else{Z:=min( X,1 )};yield}}",
        "
        request a {
          while (1) {
            if (X) { break };
            if (Y) { continue } else { Z := min(X, 1) };
            yield
          }
        }
        ",
    );
    becomes("x := 1+(break)*max(1 , 2,X)", "x := 1 + (break) * max(1, 2, X)");
    becomes("request a{atomic{X}}", "request a { atomic { X } }");
    becomes("request a{lock(L);unlock( L[ i+1 ] )}", "request a {\n  lock(L);\n  unlock(L[i + 1])\n}");
    becomes("request a{await(X==1);skip}", "request a {\n  await (X == 1);\n  skip\n}");
    becomes("request a{choose(1,2)+choose( 0 .. 3 )}", "request a { choose(1, 2) + choose(0..3) }");
    becomes("request a{for i in 0 .. N-1{A[i]:=0;yield}}", "request a {\n  for i in 0..N - 1 {\n    A[i] := 0;\n    yield\n  }\n}");
    becomes("A [ i ] := A [ A [ 0 ] ] - 1", "A[i] := A[A[0]] - 1");
    becomes_within(
        30,
        "x := choose(first, second, third, fourth)",
        "
        x := choose(
          first,
          second,
          third,
          fourth
        )
        ",
    );
    becomes("f(// one\na, /* two */ b\n// three\n)", "f( // one\n  a,\n  /* two */ b\n  // three\n)");
}

#[test]
fn texts_with_mistakes_are_refused() {
    let Err(FormatRefusal::Mistakes(mistakes)) = format("request a { X = 1; }", &Style::default()) else { panic!("refused") };
    assert_eq!(mistakes[0].code.0, "E0112");
    for text in ["", "   // only a comment", "request a { X := }", "X := 1 Y := 2 }", "/* open", "\u{a0}X", "{\"json\": 1}"] {
        assert!(matches!(format(text, &Style::default()), Err(FormatRefusal::Mistakes(_))), "{text}");
    }
}

#[test]
fn what_nests_deeply_is_no_trouble() {
    for text in [
        format!("{}x{}", "(".repeat(250), ")".repeat(250)),
        format!("{}x{}", "while(1){".repeat(250), "}".repeat(250)),
        format!("{}x", "!".repeat(250)),
        format!("{}x", "a := ".repeat(250)),
    ] {
        formatted_to(100, &text);
    }
}
