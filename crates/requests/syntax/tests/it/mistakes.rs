//! Every kind of mistake: its code, its place, and that it is the only one
//! reported. `«…»` marks the place in the text.

use serval_syntax::{Severity, analyze, codes, parse};

/// Takes the marks out of a text and gives the place between them.
fn unmark(marked: &str) -> (String, std::ops::Range<usize>) {
    let start = marked.find('«').expect("a mark");
    let end = marked.find('»').expect("an end mark") - '«'.len_utf8();
    (marked.replace(['«', '»'], ""), start..end)
}

/// What is wrong with the claim that `marked` has exactly one error, with
/// this code, at the mark.
fn one_error(code: &str, marked: &str) -> Option<String> {
    let (text, place) = unmark(marked);
    assert_eq!(parse(&text).syntax().text().to_string(), text);
    let analysis = analyze(&text);
    assert!(analysis.program.is_none(), "{marked}");
    let errors = analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let found: Vec<_> = errors.map(|d| (d.code.0, d.primary.span.range())).collect();
    (found != [(code, place)]).then(|| format!("{code} {marked}: {found:?}\n"))
}

#[test]
fn each_mistake_is_one_error_at_its_place() {
    let cases: &[(&str, &str)] = &[
        // Letters.
        ("E0101", "request a { x «@» y }"),
        ("E0101", "request a { «@»@@@ }"),
        ("E0101", "«#» comment\nrequest a { 0 }"),
        ("E0101", "request a { x := «“»; 1 }"),
        ("E0102", "request a { 1 «−» 2 }"),
        ("E0102", "request a { 1 «≠» 2 }"),
        ("E0102", "request a { 1 «≤» 2 }"),
        ("E0102", "request a { x «：＝» 2 }"),
        ("E0102", "request a { x := 2«；» x }"),
        ("E0102", "request a {«\u{a0}»0 }"),
        ("E0102", "request a { «\u{feff}»0 }"),
        ("E0103", "request a { x := 1 «/*» } request b { 0 }"),
        ("E0103", "«/*»/"),
        ("E0104", "request a { «é» := 1 }"),
        ("E0104", "request a { «Χ» := 1 }"),
        ("E0105", "request a { «9223372036854775808» }"),
        ("E0105", "request a { 1 - «9223372036854775808» }"),
        ("E0105", "request a { -(«9223372036854775808») }"),
        ("E0105", "request a { - -«9223372036854775809» }"),
        ("E0105", "request a { !«9223372036854775808» }"),
        ("E0105", "A := 0 - «9223372036854775808» request a { A }"),
        ("E0106", "request a { «3x» }"),
        ("E0106", "request a { «2nd» := QUEUE }"),
        ("E0106", "request a { «1_000» }"),
        ("E0106", "request a { «1.5» }"),
        ("E0107", "request a { x := «\"hello\"» }"),
        ("E0107", "request a { x := «'hello'» }"),
        ("E0107", "request a { x := «'hello» }"),
        ("E0107", "request a { don«'t» }"),
        // Expressions.
        ("E0110", "request a { x := «;» 1 }"),
        ("E0110", "request a { 1 + «*» 2 }"),
        ("E0110", "request a { («)» }"),
        ("E0110", "request a { if («)» { 1 } }"),
        ("E0110", "request a { 1;«;» 2 }"),
        ("E0110", "request a { «;» 2 }"),
        ("E0110", "request a { «{» x := 1 }; 2 }"),
        ("E0110", "request a { x := A - «;» x }"),
        ("E0110", "request a { x := -«;» x }"),
        ("E0110", "request a { x := «request» }"),
        ("E0110", "request a { x := «request» + 1; x }"),
        ("E0110", "request a { «request» }"),
        ("E0110", "request a { «request»; 1 } request b { 0 }"),
        ("E0110", "x := «request»; x"),
        ("E0110", "request a { /* a /* b */ 1 *«/» 0 }"),
        ("E0110", "request a { x «.» 1 }"),
        ("E0111", "request a { x := 1«» y := 2 }"),
        ("E0111", "request a { x := 1«» x := 2 }"),
        ("E0111", "request a { x := 1«,» y := 2 }"),
        ("E0111", "A := 100«,» B := 50"),
        ("E0111", "request a { yield«(») }"),
        ("E0111", "request a { yield«» x }"),
        ("E0112", "request a { x «=» 1 }"),
        ("E0112", "request a { if (x «=» 1) { 1 } }"),
        ("E0112", "request a { x «:» 1 }"),
        ("E0112", "request a { x «:» = 1 }"),
        ("E0112", "A «=» 1 request a { A }"),
        ("E0113", "request a { x «&» y }"),
        ("E0113", "request a { x «|» y }"),
        ("E0114", "request a { x«++»; x }"),
        ("E0114", "request a { «++»x; x }"),
        ("E0114", "request a { COUNT«--»; COUNT }"),
        ("E0114", "request a { x «--» }"),
        ("E0114", "request a { if (x«--») { 1 } }"),
        ("E0114", "request a { x := y«--» + 1; x }"),
        ("E0114", "request a { x «*=» 2; x }"),
        ("E0114", "request a { x «<>» 2 }"),
        ("E0114", "request a { x «=>» 2 }"),
        ("E0114", "request a { x := «+» 2 }"),
        // Brackets.
        ("E0115", "request a { x := (1 + 2 «}»"),
        ("E0115", "request a { if (x == 1 «{» 2 } }"),
        ("E0115", "request a { x := (1 «}» request b { 0 }"),
        ("E0116", "request a { x := 1; «request» b { 0 }"),
        ("E0116", "request a { if (x) { x := 1 }«»"),
        ("E0116", "request a { if (x) { x := 1«»\n// the end\n\n"),
        ("E0117", "request a «x» := 1 } request b { 0 }"),
        ("E0117", "request a { if (x) «x» := 1; x }"),
        ("E0117", "request a { if (x) «x» := 1 } else { 0 } }"),
        ("E0117", "request a { if (x) { 1 } else «2» }"),
        ("E0117", "request a { while (x) «yield»; 0 }"),
        ("E0118", "request a { if «x» == 1 { 2 } }"),
        ("E0118", "request a { if «x» { 2 } }"),
        ("E0118", "request a { while «x» { yield } }"),
        ("E0118", "request a { if (x) «&&» (y) { 2 } }"),
        ("E0119", "request a { 0 } «}»"),
        ("E0119", "request a { 0«)» }"),
        ("E0119", "request a { if (x)«)» { 1 } }"),
        ("E0119", "1; 2 «}»"),
        ("E0120", "request a { «else» { 0 } }"),
        ("E0120", "request a { if (x) { 1 }; «else» { 0 } }"),
        ("E0120", "request a { if (x) { 1 }; «else» if (y) { 0 } }"),
        // Assignments and comparisons.
        ("E0121", "request a { «5» := x }"),
        ("E0121", "request a { «(x)» := 1 }"),
        ("E0121", "request a { «yield» := 1 }"),
        ("E0121", "request a { «if» := 1 }"),
        ("E0121", "request a { «request» := 1; 2 }"),
        ("E0121", "request a { 0 } «request» := 1 request b { 0 }"),
        ("E0121", "«request» := 1; 2"),
        ("E0122", "request a { 1 + «x :=» 2 }"),
        ("E0122", "request a { !«x :=» 2 }"),
        ("E0122", "request a { 1 + «return» 2 }"),
        ("E0123", "request a { 1 < 2 «<» 3 }"),
        ("E0123", "request a { 1 == 2 «==» 3 }"),
        ("E0124", "request a «{ }»"),
        ("E0124", "request a { if (x) «{}» else { 1 } }"),
        // Words.
        ("E0125", "request a { if (x) { 1 } «elif» (y) { 0 } }"),
        ("E0125", "request a { if (x) { 1 } «elseif» (y) { 0 } else { 2 } }"),
        ("E0125", "request a { if (x) { 1 } «esle» { 0 } }"),
        ("E0125", "request a { if (x) «then» { 1 } }"),
        ("E0125", "request a { while (x) «do» { 1 } }"),
        ("E0125", "request a { «let» x := 1; x }"),
        ("E0125", "request a { «whlie» (x) { x := 1 } }"),
        ("E0125", "request a { «retrun» x }"),
        ("E0125", "request a { «global» x; x := 1 }"),
        ("E0125", "request a { «global» x\n x := 1 }"),
        ("E0125", "request a { «int» x, y; x := 1 }"),
        ("E0125", "request a { «const» x := 1; x }"),
        ("E0125", "request a { «loop» { 1 } }"),
        ("E0125", "«requst» foo { 1 }"),
        ("E0125", "request a { 1 } «Request» b { 2 }"),
        ("E0125", "request a { 1 } «handler» b { 2 }"),
        // Requests.
        ("E0126", "request«» { x }"),
        ("E0126", "request «5» { x }"),
        ("E0126", "request «if» { x }"),
        ("E0126", "request foo«-»bar { x }"),
        ("E0126", "request foo «bar» { x }"),
        ("E0126", "request «request» { 1 }"),
        ("E0126", "request«» request a { 1 }"),
        ("E0126", "request «:=» a { 1 }"),
        ("E0127", "request a«»"),
        ("E0127", "request a«»;"),
        ("E0127", "request a«» request b { 0 }"),
        ("E0128", "request a { 0 }«;» request b { 0 }"),
        ("E0128", "request a { 0 } «1» + 2 request b { 0 }"),
        ("E0128", "request a { 0; } «x» := 2; x } request b { 0 }"),
        ("E0128", "«yield»; request b { 0 }"),
        ("E0128", "«foo» { 1 }"),
        ("E0128", "«{»\n  \"initial_global\": \"G0\", \"requests\": [[\"é\", \"L0\"]],\n  \"responses\": [], \"transitions\": []\n}"),
        ("E0128", " // two\n«[»{ \"initial_global\": 0 }, {}]"),
        ("E0129", "request a { x := 1; «fn» f(x) { y = x }; x }"),
        ("E0129", "request a { x := 1; «enum» E { A }; x }"),
        ("E0129", "«async» function f(x) {\n  const y = x;\n  await g();\n}\n"),
        ("E0129", "«function» f(x)\n{\n  let y = x;\n}\nx := 1; x"),
        ("E0129", "«def» f(x):\n  x"),
        // Forms that are not complete.
        ("E0133", "const N «3» request a { N }"),
        ("E0133", "enum E «A», B request a { A }"),
        ("E0133", "enum E { A, «3» } request a { A }"),
        ("E0133", "enum E { A «B» } request a { A }"),
        ("E0133", "var A: «:=» 1 request a { A := 1 - A }"),
        ("E0133", "var A[0..3 «:» 0..1 request a { A[0] := 1 }"),
        ("E0133", "fn f «{» x } request a { 0 }"),
        ("E0133", "fn f(x «y») { x } request a { f(1) }"),
        ("E0133", "fn f(x«:» 0..3) { x } request a { f(1) }"),
        ("E0133", "request a(n «1»..3) { n }"),
        ("E0133", "request a(n: 1..3«;») { n }"),
        ("E0133", "request a(n: «)» { n }"),
        ("E0133", "request a { «for» (i := 0; i < 3; i := i + 1) { X := 1 - X } }"),
        ("E0133", "request a { «for» i of 0 { X := 1 - X } }"),
        ("E0133", "request a { for i in «{» X := 1 - X } }"),
        ("E0133", "var A[0..3] request a { A[0«)» := 1 }"),
        ("E0115", "request a { lock(L«;» 1 }"),
        ("E0115", "request a { choose(1, 2«;» 1 }"),
        // Declarations and their use.
        ("E0210", "«»const N = 3"),
        ("E0211", "var «a»: 0..3 request r { 0 }"),
        ("E0212", "var A: 0..3 «A» := 1 request r { A := 1 - A }"),
        ("E0213", "const N = «x» request r { N }"),
        ("E0213", "var A: 0..«B» request r { A := 1 - A; B := 1 - B }"),
        ("E0213", "var A[0..2]: 0..2 var Y: 0..«A[1]» request r { Y := 1; A[1] := Y }"),
        ("E0213", "var A[0..2]: 0..2 var Y: 0..«A[X]» request r { Y := 1; A[1] := Y }"),
        ("E0213", "var A[0..2]: 0..2 var Y: 0..(«A[1] := 1») request r { Y := 1; A[1] := Y }"),
        ("E0214", "const N = «1 / 0» request r { N }"),
        ("E0215", "request a { «f»(1) }"),
        ("E0215", "fn g(x) { «h»(x) } request a { g(1) + g(2) }"),
        ("E0216", "fn f(x) { x } request a { «f(1, 2)» }"),
        ("E0216", "fn f() { 1 } request a { «f(1)» }"),
        ("E0216", "request a { «choose()» }"),
        ("E0217", "fn f(x) { «f(x)» } request a { f(1) }"),
        ("E0217", "fn f(x) { g(x) } fn g(x) { «f(x)» } request a { f(1) }"),
        ("E0218", "const N = 3 const «N» = 4 request a { N }"),
        ("E0218", "enum E { A, «A» } request a { A }"),
        ("E0218", "fn f(x, «x») { x } request a { f(1, 2) }"),
        ("E0218", "fn «lock»(x) { x } request a { 0 }"),
        ("E0218", "fn f(«X») { X } request a { f(1) }"),
        ("E0218", "const n = 3 request a(«n»: 0..1) { n }"),
        ("E0219", "const N = 3 request a { «N» := 1 }"),
        ("E0219", "request a(n: 0..1) { «n» := n + 1 }"),
        ("E0219", "request a { for i in 0..1 { «i» := 3 } }"),
        ("E0219", "enum E { A } request a { «A» := 3 }"),
        ("E0220", "var A[0..3] request a { «A» := 1 }"),
        ("E0220", "var A[0..3] request a { x := «A»; x }"),
        ("E0220", "request a { «A»[0] := 1 }"),
        ("E0220", "var A[0..3] request a { A[«4»] := 1 }"),
        ("E0220", "var A[0..3] request a { A[«0 - 1»] }"),
        ("E0221", "var A: «3..0» request a { A := 1 - A }"),
        ("E0221", "var A: «N» request a { A := 1 - A }"),
        ("E0221", "var A[«0..70000»] request a { A[0] := 1 }"),
        ("E0221", "var A: 0..3 := «4» request a { A := 1 - A }"),
        ("E0221", "var A := 1 «wrap» request a { A := 1 - A }"),
        ("E0221", "request a(x: «0..9999999999») { x }"),
        ("E0222", "request a { atomic { x := X; «yield»; X := x } }"),
        ("E0222", "request a { atomic { «lock(L)»; X := 1 - X } }"),
        ("E0222", "request a { atomic { «await (X == 1)»; 0 } }"),
        ("E0222", "fn f() { «yield» } request a { atomic { f() } }"),
        ("E0223", "fn f(x) { while (x == 1) { «return 1» }; 2 } request a { f(?) }"),
        ("E0223", "fn f(x) { 1 + («return 1») } request a { f(?) }"),
        ("E0224", "request a { lock(«l»); 1 }"),
        ("E0224", "request a { unlock(«1 + 1»); 1 }"),
        ("E0224", "request a { «lock(L, M)»; 1 }"),
        ("E0225", "request a { «for i in 0..999999999 { X := 1 - X }» }"),
        ("E0226", "enum E { A } request a { x := «E»; x }"),
        ("E0220", "var A[0..1][0..2] request a { A[0][«3»] }"),
        ("E0220", "var A[0..1][0..2] request a { «A[0]» := 1; 0 }"),
        ("E0220", "var A[0..1] request a { «A[0][0]» }"),
        ("E0220", "var «A»[0..1][0..1][0..1] request a { A[0][0][0] }"),
        ("E0220", "request a { var s[0..1]; «s» := 1; s[0] }"),
        ("E0220", "request a { «s»[0] := 1; var s[0..1]; 0 }"),
        ("E0220", "request a { if (?) { var s[0..1]; s[0] := 1 }; «s»[0] }"),
        ("E0218", "request a { var s[0..1]; var «s»[0..1]; s[0] }"),
        ("E0218", "request a(n: 0..1) { var «n»[0..1]; n[0] }"),
        ("E0211", "var «s»[0..1] request a { 0 }"),
        ("E0129", "request a { x := «var» s[0..1]; x }"),
        ("E0133", "var A[0..1«,» 0..2] request a { 0 }"),
        ("E0133", "var A[0..1][0..2] request a { A[0«,» 1] }"),
        ("E0133", "var A: «{»1, 2} request a { 0 }"),
        ("E0133", "request a(n: {1«..»2}) { n }"),
        ("E0121", "enum E { A } request a { «E.A» := 1; 0 }"),
        ("E0213", "request a(n: {1, «x»}) { n }"),
        ("E0240", "request a(n: «{}») { n }"),
        ("E0240", "const N = 1 request a(n: {1, 2, «N»}) { n }"),
        ("E0241", "request a { var «S»[0..1]; S[0] }"),
        ("E0242", "enum Lease { Free, Held } request a { x := Lease.«Fre»; x }"),
        ("E0242", "enum Lease { Free, Held } request a { x := «Leas».Free; x }"),
        ("E0242", "enum Lease { Free } enum Seat { Open } request a { x := Lease.«Open»; x }"),
        ("E0235", "request a { «break» }"),
        ("E0235", "request a { if (X) { «continue» }; X := 1 }"),
        ("E0235", "fn f(x) { «break» } request a { while (X) { X := f(1) } }"),
        // Words and forms of other languages: one error for what belongs together.
        ("E0125", "request a { «begin»; X := 1; X }"),
        ("E0129", "request a { «BEGIN» TRANSACTION; X := 1; X }"),
        ("E0125", "request a { X := 1; «commit» }"),
        ("E0125", "request a { X := 1; if (X) { «rollback»() }; X }"),
        ("E0110", "request a { if (X) { «return» }; X := 1; X }"),
        ("E0110", "request a { X := 1; «return»; }"),
        ("E0125", "request a { X := «null»; X }"),
        ("E0125", "request a { if (X == «None») { X := 1 }; X }"),
        ("E0125", "request a { f := X; f + «undefined» }"),
        ("E0125", "request a { if (X == «True») { X := 1 }; X }"),
        ("E0125", "request a { «switch» (X) { case 1: X := 2; break; default: X := 0 } X }"),
        ("E0125", "request a { «try» { X := 1 } catch (e) { X := 2 } finally { X := 3 } X }"),
        ("E0125", "request a { «try» {\n  X := 1\n}\ncatch (e) {\n  X := 2\n}\nX }"),
        ("E0125", "request a { if (X) { «throw» new Error(\"no\") }; X := 1 }"),
        ("E0125", "request a { «raise» Busy; X }"),
        ("E0125", "request a { x := «new» Order(1); x }"),
        ("E0125", "request a { x := «async» () => { 1 }; x }"),
        ("E0125", "request a { «do» { X := 1 } while (X); X }"),
        ("E0125", "request a { «goto» end; X }"),
        ("E0125", "request a { «self».x := 1; X }"),
        ("E0125", "«import» stripe from \"stripe\";\nrequest a { X }"),
        ("E0125", "«class» Account { balance }\nrequest a { X }"),
        ("E0125", "«let» X = 1;\nrequest a { X }"),
        ("E0125", "«let» balance = 1\nrequest a { X }"),
        ("E0125", "request a { x := «random»(3); x }"),
        ("E0125", "request a { x := «Math.random»(); x }"),
        ("E0125", "request a { «sleep»(5); X }"),
        ("E0125", "request a { x := «now»; x }"),
        ("E0125", "request a { «require»(X == 1); X }"),
        ("E0114", "request a { x := X «?» 1 : 2; x }"),
        ("E0114", "request a { f(X == 1 «?» (1) : 2, 3); x } fn f(a, b) { a }"),
        ("E0114", "request a { if (X «?» 1 : 2) { X := 1 } }"),
        ("E0114", "request a { x := X «?»? 1; x }"),
        ("E0129", "request a { «User.balance» := X - 1; X }"),
        ("E0129", "var A[0..1] request a { «A[1].seats» := 1; X }"),
        ("E0129", "request a { x := «db.query»(\"SELECT 1\"); x }"),
        ("E0129", "var A: «map»[int]int\nrequest a { X }"),
        ("E0129", "request a { m := «map»[string]int{}; X }"),
        ("E0129", "request a { «SELECT» balance FROM accounts WHERE id = 'x'; X }"),
        ("E0129", "request a { x := («SELECT» balance FROM accounts WHERE id = 1); x }"),
        ("E0129", "request a {\n  «BEGIN»;\n  UPDATE accounts SET balance = balance - 10\n    WHERE name = 'ann';\n  COMMIT;\n  X\n}"),
        ("E0129", "«START» TRANSACTION; SELECT 1; INSERT INTO t (a, b) VALUES (1, 'x'); COMMIT;"),
        ("E0228", "version V: 2 request a { t := V; yield; «t» }"),
        ("E0228", "version V: 2 request a { t := V; yield; «t < V» }"),
        ("E0228", "version V: 2 request a { «V» := 1; 0 }"),
        ("E0228", "version V: 1 request a { t := V; «u := V»; 0 }"),
        ("E0228", "version «v»: 2 request a { 0 }"),
        ("E0250", "request a { assume («X := 1»); X }"),
        ("E0250", "request a { assume (X == «?»); X }"),
        ("E0250", "request a { assume («yield»; X); X }"),
        ("E0251", "invariant «x» == X request a { X := 1; 0 }"),
        ("E0252", "«invariant X == 1» request a { X := 1; 0 }"),
        ("E0121", "request a { «3» += 1; 0 }"),
        ("E0122", "request a { X + «X +=» 1; 0 }"),
        ("E0129", "request a { «await» audit(); 1 }"),
        ("E0129", "request a { x := «await» audit(1, 2); x }"),
        ("E0129", "request a { while («await» ready) { 1 } }"),
        ("E0129", "request a { «await» done }"),
        ("E0132", "request a { A } «A» := 1"),
        // Programs.
        ("E0210", "«»"),
        ("E0210", "«»// nothing\n/* here */"),
        ("E0211", "«a» := 1 request r { 0 }"),
        ("E0212", "A := 1 «A» := 2 request r { A }"),
        ("E0213", "A := 1 + «B» request r { A }"),
        ("E0213", "A := «?» request r { A }"),
        ("E0213", "A := «B := 1» request r { A }"),
        ("E0214", "A := «1 / 0» request r { A }"),
        ("E0214", "A := «9223372036854775807 + 1» request r { A }"),
    ];
    let wrong: String = cases.iter().filter_map(|(code, marked)| one_error(code, marked)).collect();
    assert!(wrong.is_empty(), "{wrong}");
    // Every code for an error is in the table, but for the limits, which have
    // tests of their own.
    for info in codes().iter().filter(|info| info.severity == Severity::Error) {
        let elsewhere = ["E0130", "E0131", "E0199"];
        assert!(cases.iter().any(|(code, _)| *code == info.code.0) || elsewhere.contains(&info.code.0), "{}", info.code);
    }
}

#[test]
fn every_error_says_what_was_expected_and_what_to_do() {
    let soup = ["request a { x = 1 & 2 y ) else := } ; request { foo( [ 3x \"a", "A := B C := 1/0 x := 2 request if a { { }", "é @ − /*"];
    for text in soup {
        let analysis = analyze(text);
        assert!(analysis.diagnostics.len() > 1, "{text}");
        for diagnostic in analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
            assert!(diagnostic.expected.is_some() && diagnostic.help.is_some(), "{diagnostic:?}");
            assert!(codes().iter().any(|info| info.code == diagnostic.code && info.severity == Severity::Error));
        }
        assert!(analysis.diagnostics.is_sorted_by_key(|d| d.primary.span.start), "{text}");
    }
}

#[test]
fn several_mistakes_are_reported_together() {
    let text = "request a { x = 1 }\nrequest b { if x { 1 } }\nrequest c { y := 1; y }\nrequest d { 3x }";
    let found: Vec<_> = analyze(text).diagnostics.iter().map(|d| d.code.0).collect();
    assert_eq!(found, ["E0112", "E0118", "E0106"]);
}

#[test]
fn a_missing_brace_names_both_places() {
    let text = "request transfer {\n  x := 1;\n\nrequest interest { 0 }\n";
    let analysis = analyze(text);
    let [error] = analysis.diagnostics.as_slice() else { panic!("{:?}", analysis.diagnostics) };
    assert_eq!(error.message, "expected `}` to close the request opened here");
    assert_eq!(&text[error.primary.span.range()], "request");
    assert_eq!(error.primary.text, "another request begins");
    assert_eq!(error.secondary.len(), 1);
    assert_eq!((error.secondary[0].span.start, error.secondary[0].text.as_str()), (17, "opened here"));
    assert_eq!(error.help.as_deref(), Some("add `}` before line 4"));
}

#[test]
fn suggestions_are_near() {
    let help = |text: &str| analyze(text).diagnostics[0].help.clone().unwrap_or_default();
    assert_eq!(help("requst foo { 1 }"), "did you mean `request`?");
    assert_eq!(help("request a { retrun 1 }"), "did you mean `return`?");
    assert_eq!(help("request a { yeild }"), "did you mean `yield`?");
    assert_eq!(help("request a { counter := 1; conuter }"), "did you mean `counter`?");
}

/// The help of the only error, or of the first finding where there is none.
fn help(text: &str) -> String {
    let diagnostics = analyze(text).diagnostics;
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    assert!(errors <= 1 && !diagnostics.is_empty(), "{text}: {diagnostics:?}");
    let error = diagnostics.iter().find(|d| errors == 0 || d.severity == Severity::Error);
    error.and_then(|d| d.help.clone()).unwrap_or_default()
}

/// What the only error expects.
fn expected(text: &str) -> String {
    let diagnostics = analyze(text).diagnostics;
    let [error] = diagnostics.as_slice() else { panic!("{text}: {diagnostics:?}") };
    error.expected.clone().unwrap_or_default()
}

#[test]
fn helps_fit_what_was_written() {
    let json = "give the file the ending `.json`, or say `--input json`";
    let nested = "comments do not nest: the first `*/` has closed it";
    for (text, expected) in [
        ("request a { COUNT--; 1 }", "write `COUNT := COUNT - 1`"),
        ("request a { (x)--; 1 }", "write `x := x - 1`"),
        ("request a { x := A - ; x }", "an operand is missing after `-`: write one"),
        ("request a { x := ; x }", "write an expression after `:=`"),
        ("{ \"requests\": [] }", json),
        ("", "write a request, such as `request main { X := 1 - X }`"),
        ("request log-in { 0 }", "write `log_in`"),
        ("request bank.log_in-2 { 0 }", "write `bank_log_in_2`"),
        ("request log in { 0 }", "a name is one word made of letters, digits and `_`"),
        ("/* outer /* inner */ still outside */\nrequest a { 0 }", nested),
        ("request a { 0 }\n/* outer /* inner */ still outside */", nested),
        ("still /* inner */ outside request a { 0 }", "statements belong into a request: `request NAME { … }`"),
        ("request a { if (x) { 1 } else { } }", "write `{ 0 }`: a block has the value of its last statement; or leave out the `else`"),
        ("request a { if (x) { } else { 1 } }", "write `{ 0 }`: a block has the value of its last statement"),
        ("request a { }", "write `{ 0 }`: a block has the value of its last statement"),
        ("request a { g(1) }", "declare it outside of all requests: `fn g(x) { … }`"),
        ("fn take(x) { x } request a { tkae(1) }", "did you mean `take`?"),
        ("request a { loc(L); 1 }", "did you mean `lock`?"),
        ("def f(x):\n", "write handlers as `request NAME { … }`, and functions as `fn name(x) { … }`"),
        ("request a { await f(); 1 }", "write `yield` where other requests can run, or `await (…)` to wait until a condition holds"),
        ("request a { A[0] := 1 }", "declare it before the first request: `var A[0..3]`"),
        ("request a(n) { n }", "write `request name(amount: 1..3) { … }`"),
        ("var A[0..3] request a { A[0] = 1 }", "write `:=` here; `:=` assigns and `==` compares"),
        (
            "request a { global x; x := 1 }",
            "remove `global x`: variables need no declaration and start at 0; a name with a capital first letter is shared",
        ),
        ("request a { x := request }", "`request` is a word of the language and cannot be a variable; choose another name"),
        ("request := a { 1 }", "remove the `:=`: the name of a request stands right after the word `request`"),
        ("request a { if (?) { return }; 1 }", "write `return 0`"),
        ("request a { if (?) { return; 2 }; 1 }", "write `return 0`"),
        ("request a { return } request b { return 1 }", "write `return 0`"),
        ("request a { return } request b { return := 1; return }", "assign `return` first, or write `0`"),
        ("request a { return } request b { return = 1 }", "write `:=` here; `:=` assigns and `==` compares"),
    ] {
        assert_eq!(help(text), expected, "{text}");
    }
    assert_eq!(expected("request a { if (x) && (y) { 1 } }"), "`{`");
    assert_eq!(expected("request a { A[0] }"), "an array");
    assert_eq!(expected("request a { for i = 0..3 { 1 } }"), "a name and `in`");
    let diagnostics = analyze("request a { return } request b { return := ; 1 }").diagnostics;
    assert_eq!(diagnostics[0].help.as_deref(), Some("assign `return` first, or write `0`"));
}

#[test]
fn words_and_names_are_reported_once() {
    let found = |text: &str| analyze(text).diagnostics.iter().map(|d| (d.code.0, d.primary.span.start)).collect::<Vec<_>>();
    assert_eq!(found("request zähle { ZÄHLER := 1 - ZÄHLER } request b { ZÄHLER; c }"), [("E0104", 8), ("E0104", 17)]);
    assert_eq!(found("request a { 2nd := QUEUE; QUEUE := 1 - 2nd }"), [("E0106", 12), ("E0106", 39)]);
    assert_eq!(found("request main {\n  request := 1;\n  X := request\n}"), [("E0121", 17), ("E0110", 38)]);
    assert_eq!(found("request := a { ; y }"), [("E0126", 8), ("E0110", 15)]);
    let javascript = "let b = 2;\n\nasync function f(n) {\n  const s = b;\n  await g();\n  if (s >= n) { b = s - n; return true; }\n  return false;\n}\n\
        let c = 1;\n";
    assert_eq!(found(javascript), [("E0125", 0), ("E0112", 6), ("E0129", 12), ("E0125", 122), ("E0112", 128)]);
    // The text behind the comment is missing, so the use of `X` and `y` is unknown.
    assert_eq!(found("request a { X := 1; y }\n/* not yet\nrequest b { X }"), [("E0103", 24)]);
}

#[test]
fn a_brace_at_another_indentation_is_pointed_out() {
    let text = "request a {\n  while (L == 1) {\n    if (?) {\n      yield\n  };\n  L := 1\n}\n";
    let analysis = analyze(text);
    let [error] = analysis.diagnostics.as_slice() else { panic!("{:?}", analysis.diagnostics) };
    assert_eq!(error.code.0, "E0116");
    let labels: Vec<_> = error.secondary.iter().map(|label| (label.span.start, label.text.as_str())).collect();
    assert_eq!(labels, [(10, "opened here"), (42, "closed on line 5 by a `}` further left; is its own missing?")]);
    assert_eq!(error.help.as_deref(), Some("add `}` at the end of the file, or where the block opened on line 3 should end"));
    // A style of its own is no reason to suspect anything.
    for text in ["request a\n  {\n  if (?) { 1 }\n  else\n    {\n    2\n    };\n  3\n", "request a { if (?) {\n1 };\n 3\n"] {
        let analysis = analyze(text);
        assert_eq!(analysis.diagnostics[0].secondary.len(), 1, "{text}");
    }
}

#[test]
fn codes_are_unique_and_sorted_by_number() {
    let numbers: Vec<_> = codes().iter().map(|info| &info.code.0[1..]).collect();
    let mut unique = numbers.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(numbers, unique);
    for info in codes() {
        let letter = match info.severity {
            Severity::Error => 'E',
            Severity::Warning => 'W',
            Severity::Note => 'N',
        };
        assert!(info.code.0.starts_with(letter), "{}", info.code);
    }
}
