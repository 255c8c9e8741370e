//! Symmetric nets of our own, each with its unfolding made by hand: equal up to names.

use serval_petri::{Arc, FormatError, Marking, Net, Property, mcc, pnml, tina};

/// A symmetric net from declarations and nodes.
fn symmetric(declarations: &str, nodes: &str) -> String {
    format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
         type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><declaration><structure><declarations>{declarations}\
         </declarations></structure></declaration><page id=\"page\">{nodes}</page></net></pnml>"
    )
}

fn names(id: &str, kind: &str, names: &[&str]) -> String {
    let constants: String = names.iter().map(|name| format!("<feconstant id=\"{id}{name}\" name=\"{name}\"/>")).collect();
    format!("<namedsort id=\"{id}\" name=\"{id}\"><{kind}>{constants}</{kind}></namedsort>")
}

fn product(id: &str, parts: &[&str]) -> String {
    let parts: String = parts.iter().map(|part| user(part)).collect();
    format!("<namedsort id=\"{id}\" name=\"{id}\"><productsort>{parts}</productsort></namedsort>")
}

fn variable(id: &str, sort: &str) -> String {
    format!("<variabledecl id=\"{id}\" name=\"{id}\">{}</variabledecl>", user(sort))
}

fn user(sort: &str) -> String {
    if sort == "dot" { "<dot/>".to_owned() } else { format!("<usersort declaration=\"{sort}\"/>") }
}

fn place(id: &str, sort: &str, marking: &str) -> String {
    let marking = match marking {
        "" => String::new(),
        _ => format!("<hlinitialMarking><structure>{marking}</structure></hlinitialMarking>"),
    };
    format!("<place id=\"{id}\"><type><structure>{}</structure></type>{marking}</place>", user(sort))
}

fn transition(id: &str, condition: &str) -> String {
    let condition = match condition {
        "" => String::new(),
        _ => format!("<condition><structure>{condition}</structure></condition>"),
    };
    format!("<transition id=\"{id}\">{condition}</transition>")
}

fn arc(source: &str, target: &str, what: &str) -> String {
    format!(
        "<arc id=\"{source}-{target}-{}\" source=\"{source}\" target=\"{target}\"><hlinscription><structure>{what}</structure></hlinscription></arc>",
        what.len()
    )
}

fn op(name: &str, terms: &[&str]) -> String {
    let terms: String = terms.iter().map(|term| format!("<subterm>{term}</subterm>")).collect();
    format!("<{name}>{terms}</{name}>")
}

fn var(id: &str) -> String {
    format!("<variable refvariable=\"{id}\"/>")
}

fn constant(id: &str) -> String {
    format!("<useroperator declaration=\"{id}\"/>")
}

fn times(number: u64, what: &str) -> String {
    op("numberof", &[&format!("<numberconstant value=\"{number}\"><positive/></numberconstant>"), what])
}

fn all(sort: &str) -> String {
    format!("<all>{}</all>", user(sort))
}

const DOT: &str = "<dotconstant/>";

/// Tokens by place; what transitions take and give, by the numbers of places.
type Shape = (Vec<u64>, Vec<[Vec<(usize, u64)>; 2]>);

/// A net without its names.
fn shape(net: &Net) -> Shape {
    let numbers = |arcs: &[Arc]| arcs.iter().map(|arc| (arc.0.index(), arc.1)).collect::<Vec<_>>();
    (
        net.places().map(|place| net.initial_tokens(place)).collect(),
        net.transitions().map(|one| [numbers(net.inputs(one)), numbers(net.outputs(one))]).collect(),
    )
}

/// Whether the unfolding is the net made by hand, whose places and transitions come in the same order, and what its
/// transitions are called.
fn unfolds(model: &str, by_hand: &str, transitions: &[&str]) {
    let (net, by_hand) = (pnml::read(model).unwrap().net, tina::read(by_hand).unwrap());
    net.check_invariants();
    assert_eq!(shape(&net), shape(&by_hand), "{}", tina::write(&net));
    let names: Vec<&str> = net.transitions().map(|one| net.transition_name(one)).collect();
    assert_eq!(names, transitions);
}

#[test]
fn dots_are_tokens() {
    let model = symmetric(
        "",
        &(place("p", "dot", &times(3, DOT))
            + &place("q", "dot", "")
            + &transition("t", "")
            + &arc("p", "t", &times(2, DOT))
            + &arc("t", "q", DOT)),
    );
    unfolds(&model, "pl a (3)\npl b (0)\ntr t a*2 -> b", &["t"]);
    // What has no colour keeps its name, and its id.
    let read = pnml::read(&model).unwrap();
    assert_eq!((read.net.place_named("p"), read.ids.place("p")), (read.ids.place("p"), read.net.places().next()));
}

#[test]
fn a_variable_is_any_colour() {
    let model = symmetric(
        &(names("C", "finiteenumeration", &["red", "blue"]) + &variable("x", "C")),
        &(place("p", "C", &all("C")) + &place("q", "C", "") + &transition("t", "") + &arc("p", "t", &var("x")) + &arc("t", "q", &var("x"))),
    );
    unfolds(&model, "pl xr (1)\npl xb (1)\npl yr\npl yb\ntr r xr -> yr\ntr b xb -> yb", &["t(x=red)", "t(x=blue)"]);
    let net = pnml::read(&model).unwrap().net;
    assert_eq!(net.places().map(|place| net.place_name(place).to_owned()).collect::<Vec<_>>(), ["p(red)", "p(blue)", "q(red)", "q(blue)"]);
}

#[test]
fn successors_go_round() {
    let model = symmetric(
        &(names("C", "cyclicenumeration", &["1", "2", "3"]) + &variable("x", "C")),
        &(place("p", "C", &times(2, &constant("C1")))
            + &transition("t", "")
            + &transition("back", "")
            + &arc("p", "t", &var("x"))
            + &arc("t", "p", &op("successor", &[&var("x")]))
            + &arc("p", "back", &var("x"))
            + &arc("back", "p", &op("predecessor", &[&op("predecessor", &[&var("x")])]))),
    );
    let by_hand =
        "pl a (2)\npl b\npl c\ntr 1 a -> b\ntr 2 b -> c\ntr 3 c -> a\ntr 4 a -> b\ntr 5 b -> c\ntr 6 c -> a".replace("tr ", "tr t");
    unfolds(&model, &by_hand, &["t(x=1)", "t(x=2)", "t(x=3)", "back(x=1)", "back(x=2)", "back(x=3)"]);
}

/// Two philosophers, with the fork of the other as the next one.
#[test]
fn philosophers() {
    let model = symmetric(
        &(names("P", "cyclicenumeration", &["a", "b"]) + &variable("x", "P")),
        &(place("think", "P", &all("P"))
            + &place("fork", "P", &all("P"))
            + &place("eat", "P", "")
            + &transition("take", "")
            + &transition("leave", "")
            + &arc("think", "take", &var("x"))
            + &arc("fork", "take", &op("add", &[&var("x"), &op("successor", &[&var("x")])]))
            + &arc("take", "eat", &var("x"))
            + &arc("eat", "leave", &var("x"))
            + &arc("leave", "think", &var("x"))
            + &arc("leave", "fork", &all("P"))),
    );
    unfolds(
        &model,
        "pl ta (1)\npl tb (1)\npl fa (1)\npl fb (1)\npl ea\npl eb\ntr taka ta fa fb -> ea\ntr takb tb fb fa -> eb\n\
         tr leaa ea -> ta fa fb\ntr leab eb -> tb fa fb",
        &["take(x=a)", "take(x=b)", "leave(x=a)", "leave(x=b)"],
    );
}

#[test]
fn products_and_tuples() {
    let model = symmetric(
        &(names("A", "finiteenumeration", &["a", "b"])
            + &names("B", "finiteenumeration", &["u", "v"])
            + &product("AB", &["A", "B"])
            + &variable("x", "A")
            + &variable("y", "B")),
        &(place("p", "AB", &op("tuple", &[&constant("Aa"), &all("B")]))
            + &place("q", "A", "")
            + &transition("t", "")
            + &arc("p", "t", &op("tuple", &[&var("x"), &var("y")]))
            + &arc("t", "q", &var("x"))),
    );
    unfolds(
        &model,
        "pl au (1)\npl av (1)\npl bu\npl bv\npl qa\npl qb\ntr 1 au -> qa\ntr 2 av -> qa\ntr 3 bu -> qb\ntr 4 bv -> qb"
            .replace("tr ", "tr t")
            .as_str(),
        &["t(x=a,y=u)", "t(x=a,y=v)", "t(x=b,y=u)", "t(x=b,y=v)"],
    );
    let net = pnml::read(&model).unwrap().net;
    assert_eq!(net.place_name(net.places().next().unwrap()), "p(a,u)");
}

#[test]
fn conditions_leave_choices_out() {
    let condition = op("and", &[&op("inequality", &[&var("x"), &var("y")]), &op("not", &[&op("equality", &[&var("x"), &constant("C2")])])]);
    let model = symmetric(
        &(names("C", "finiteenumeration", &["0", "1", "2"]) + &variable("x", "C") + &variable("y", "C")),
        &(place("p", "C", "") + &transition("t", &condition) + &arc("p", "t", &var("x")) + &arc("t", "p", &var("y"))),
    );
    unfolds(
        &model,
        "pl a\npl b\npl c\ntr t1 a -> b\ntr t2 a -> c\ntr t3 b -> a\ntr t4 b -> c",
        &["t(x=0,y=1)", "t(x=0,y=2)", "t(x=1,y=0)", "t(x=1,y=2)"],
    );
}

#[test]
fn ranges_of_integers_are_ordered() {
    let range = "<namedsort id=\"R\" name=\"R\"><finiteintrange start=\"-1\" end=\"1\"/></namedsort>".to_owned();
    let zero = "<finiteintrangeconstant value=\"0\"><finiteintrange start=\"-1\" end=\"1\"/></finiteintrangeconstant>";
    for (condition, expected) in
        [("lessthan", vec!["-1"]), ("lessthanorequal", vec!["-1", "0"]), ("greaterthan", vec!["1"]), ("greaterthanorequal", vec!["0", "1"])]
    {
        let model = symmetric(
            &(range.clone() + &variable("x", "R")),
            &(place("p", "R", &times(2, zero)) + &transition("t", &op(condition, &[&var("x"), zero])) + &arc("p", "t", &var("x"))),
        );
        let all = ["-1", "0", "1"];
        let lines: String = expected
            .iter()
            .map(|one| {
                format!("tr t{} {} ->\n", one.replace('-', "m"), ["a", "b", "c"][all.iter().position(|other| other == one).unwrap()])
            })
            .collect();
        let names: Vec<String> = expected.iter().map(|one| format!("t(x={one})")).collect();
        unfolds(&model, &format!("pl a\npl b (2)\npl c\n{lines}"), &names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn differences_and_multiples() {
    let model = symmetric(
        &(names("C", "finiteenumeration", &["a", "b", "c"]) + &variable("x", "C")),
        &(place("p", "C", &op("subtract", &[&times(2, &all("C")), &constant("Cb")]))
            + &transition("t", "")
            + &arc("p", "t", &op("subtract", &[&all("C"), &var("x")]))
            + &arc("t", "p", &op("scalarproduct", &["<numberconstant value=\"3\"/>", &op("add", &[&var("x"), &var("x")])]))),
    );
    unfolds(&model, "pl a (2)\npl b (1)\npl c (2)\ntr ta b c -> a*6\ntr tb a c -> b*6\ntr tc a b -> c*6", &["t(x=a)", "t(x=b)", "t(x=c)"]);
}

#[test]
fn implications_and_alternatives() {
    let is = |variable: &str, colour: &str| op("equality", &[&var(variable), &constant(colour)]);
    let condition = op("imply", &[&is("x", "Ca"), &op("or", &[&is("y", "Cb"), &is("y", "Ca")])]);
    let model = symmetric(
        &(names("C", "finiteenumeration", &["a", "b", "c"]) + &variable("y", "C") + &variable("x", "C")),
        &(place("p", "dot", "") + &transition("t", &condition) + &arc("t", "p", DOT)),
    );
    let net = pnml::read(&model).unwrap().net;
    // Variables in the order of their declarations; only x = a with y = c is left out.
    let names: Vec<&str> = net.transitions().map(|one| net.transition_name(one)).collect();
    assert_eq!(names, ["t(y=a,x=a)", "t(y=a,x=b)", "t(y=a,x=c)", "t(y=b,x=a)", "t(y=b,x=b)", "t(y=b,x=c)", "t(y=c,x=b)", "t(y=c,x=c)"]);
    let lines: String = (0..8).map(|number| format!("tr t{number} -> p\n")).collect();
    unfolds(&model, &format!("pl p\n{lines}"), &names);
}

/// A database with two sites: who changes something tells the other, and waits for its answer.
#[test]
fn a_database() {
    let other = op("inequality", &[&var("s"), &var("r")]);
    let message = op("tuple", &[&var("s"), &var("r")]);
    let model = symmetric(
        &(names("S", "finiteenumeration", &["1", "2"]) + &product("M", &["S", "S"]) + &variable("s", "S") + &variable("r", "S")),
        &(place("idle", "S", &all("S"))
            + &place("sent", "M", "")
            + &place("lock", "dot", DOT)
            + &transition("tell", &other)
            + &transition("hear", &other)
            + &arc("idle", "tell", &var("s"))
            + &arc("lock", "tell", DOT)
            + &arc("tell", "sent", &message)
            + &arc("sent", "hear", &message)
            + &arc("idle", "hear", &var("r"))
            + &arc("hear", "idle", &all("S"))
            + &arc("hear", "lock", DOT)),
    );
    unfolds(
        &model,
        "pl i1 (1)\npl i2 (1)\npl m11\npl m12\npl m21\npl m22\npl lock (1)\ntr a i1 lock -> m12\ntr b i2 lock -> m21\n\
         tr c m12 i2 -> i1 i2 lock\ntr d m21 i1 -> i1 i2 lock",
        &["tell(s=1,r=2)", "tell(s=2,r=1)", "hear(s=1,r=2)", "hear(s=2,r=1)"],
    );
}

/// Products of products, with a place of the class of pairs of pairs.
#[test]
fn nested_products() {
    let pair = |first: &str, second: &str| op("tuple", &[first, second]);
    let model = symmetric(
        &(names("B", "finiteenumeration", &["0", "1"])
            + &product("P", &["B", "B"])
            + &product("PB", &["P", "B"])
            + &variable("x", "B")
            + &variable("z", "P")),
        &(place("p", "PB", &pair(&pair(&constant("B1"), &constant("B0")), &constant("B1")))
            + &transition("t", "")
            + &arc("p", "t", &pair(&pair(&var("x"), &var("x")), &var("x")))
            + &transition("u", "")
            + &arc("u", "p", &pair(&var("z"), &constant("B0")))),
    );
    let places: String = (0..8).map(|number| format!("pl p{number} ({})\n", u8::from(number == 5))).collect();
    unfolds(
        &model,
        &format!("{places}tr t0 p0 ->\ntr t1 p7 ->\ntr u0 -> p0\ntr u1 -> p2\ntr u2 -> p4\ntr u3 -> p6"),
        &["t(x=0)", "t(x=1)", "u(z=(0,0))", "u(z=(0,1))", "u(z=(1,0))", "u(z=(1,1))"],
    );
    let net = pnml::read(&model).unwrap().net;
    assert!(net.place_named("p((1,0),1)").is_some());
}

/// References to coloured places and arcs in parallel.
#[test]
fn references_and_parallel_arcs() {
    let model = symmetric(
        &(names("C", "finiteenumeration", &["a", "b"]) + &variable("x", "C") + &variable("y", "C")),
        &(place("p", "C", "")
            + "<referencePlace id=\"r\" ref=\"p\"/>"
            + &transition("t", "")
            + &arc("p", "t", &var("x"))
            + &arc("r", "t", &times(2, &var("y")))),
    );
    unfolds(
        &model,
        "pl a\npl b\ntr t1 a*3 ->\ntr t2 a b*2 ->\ntr t3 a*2 b ->\ntr t4 b*3 ->",
        &["t(x=a,y=a)", "t(x=a,y=b)", "t(x=b,y=a)", "t(x=b,y=b)"],
    );
}

#[test]
fn mistakes_are_told_with_their_place() {
    let two = names("C", "finiteenumeration", &["a", "b"]) + &variable("x", "C");
    let refused = |declarations: &str, nodes: &str| pnml::read(&symmetric(declarations, nodes)).unwrap_err().message;
    assert_eq!(refused("", "<place id=\"p\"/>"), "a place of a symmetric net without <type>");
    assert_eq!(refused("", &place("p", "D", "")), "there is no class “D”");
    assert_eq!(refused("<partition id=\"q\"/>", ""), "<partition> is not supported in declarations of symmetric nets");
    assert_eq!(refused(&two, &place("p", "C", &var("x"))), "the variable “x” in an initial marking");
    assert_eq!(refused(&two, &place("p", "dot", &constant("Ca"))), "this is a colour of another class than is expected here");
    assert_eq!(refused(&two, &place("p", "C", &constant("Cc"))), "there is no constant “Cc”");
    assert_eq!(refused(&two, &place("p", "C", &op("successor", &[&constant("Ca")]))), "<successor> is about one colour of a cyclic class");
    assert_eq!(
        refused(&two, &place("p", "C", &op("subtract", &[&constant("Ca"), &constant("Cb")]))),
        "<subtract> takes away a colour that is not there"
    );
    assert_eq!(
        refused(&two, &place("p", "C", &times(u64::MAX, &op("add", &[&constant("Ca"), &constant("Ca")])))),
        "the number of tokens does not fit 64 bits"
    );
    assert_eq!(refused(&two, &transition("t", &op("equality", &[DOT, DOT]))), "it cannot be told which class these colours are of");
    let arcs = place("p", "C", "") + &transition("t", "") + "<arc id=\"a\" source=\"p\" target=\"t\"/>";
    assert_eq!(refused(&two, &arcs), "an arc of a symmetric net without <hlinscription>");
    // Sizes and nesting.
    let thousand: Vec<String> = (0..1100).map(|number| number.to_string()).collect();
    let large = names("L", "finiteenumeration", &thousand.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(refused(&(large.clone() + &product("LL", &["L", "L"])), ""), "a class has between 1 and 1048576 colours");
    let three = large + &variable("x", "L") + &variable("y", "L") + &variable("z", "L");
    let condition = op(
        "and",
        &[&op("equality", &[&var("x"), &var("y")]), &op("inequality", &[&var("x"), &var("y")]), &op("equality", &[&var("z"), &var("x")])],
    );
    assert_eq!(refused(&three, &transition("t", &condition)), "unfolding this net tries more than 4194304 choices of colours");
    let deep = (0..100).fold(constant("Ca"), |inner, _| op("add", &[&inner]));
    assert_eq!(refused(&two, &place("p", "C", &deep)), "terms nest more than 50 deep");
    let range = |end: &str| format!("<namedsort id=\"R\" name=\"R\"><finiteintrange start=\"0\" end=\"{end}\"/></namedsort>");
    assert_eq!(refused(&range("9223372036854775807"), ""), "a class has between 1 and 1048576 colours");
    assert_eq!(refused(&range("x"), ""), "`end` is no number");
}

/// The property of a question of the contest about a model.
fn asked(read: &pnml::ReadNet, inside: &str) -> Result<Property, FormatError> {
    let text = format!("<property-set><property>{inside}</property></property-set>");
    mcc::properties(&text, &read.net, &read.ids).map(|mut all| all.remove(0).1)
}

fn count(places: &[&str]) -> String {
    let places: String = places.iter().map(|place| format!("<place>{place}</place>")).collect();
    format!("<tokens-count>{places}</tokens-count>")
}

fn fireable(transition: &str) -> String {
    format!("<exists-path><finally><is-fireable><transition>{transition}</transition></is-fireable></finally></exists-path>")
}

#[test]
fn questions_are_about_places_and_transitions_of_the_file() {
    let model = symmetric(
        &(names("C", "finiteenumeration", &["red", "blue"]) + &variable("x", "C") + &variable("y", "C")),
        &(place("p", "C", &all("C"))
            + &place("q", "C", "")
            + &transition("t", "")
            + &transition("never", &op("and", &[&op("equality", &[&var("x"), &var("y")]), &op("inequality", &[&var("x"), &var("y")])]))
            + &arc("p", "t", &var("x"))
            + &arc("t", "q", &var("x"))),
    );
    let read = pnml::read(&model).unwrap();
    let formula = |inside: &str| format!("<id>q</id><formula>{inside}</formula>");
    let at_most = |places: &[&str], number: u64| {
        let inside = format!("<integer-le>{}<integer-constant>{number}</integer-constant></integer-le>", count(places));
        let asked = asked(&read, &formula(&format!("<all-paths><globally>{inside}</globally></all-paths>"))).unwrap();
        let Property::Invariant(invariant) = asked else { panic!("{asked:?}") };
        invariant
    };
    let fires = |transition: &str| {
        let Property::Reachable(fires) = asked(&read, &formula(&fireable(transition))).unwrap() else { panic!() };
        fires
    };
    let (all, some, one) = (at_most(&["p", "q"], 2), at_most(&["p"], 1), at_most(&["p(red)"], 0));
    let (fires, never, red) = (fires("t"), fires("never"), fires("t(x=red)"));
    for code in 0..81_u32 {
        let tokens: Vec<u64> = (0..4).map(|place| u64::from(code / 3_u32.pow(place) % 3)).collect();
        let marking = Marking::new(tokens.clone());
        assert_eq!(all.holds(&marking), tokens.iter().sum::<u64>() <= 2, "{tokens:?}");
        assert_eq!(some.holds(&marking), tokens[0] + tokens[1] <= 1, "{tokens:?}");
        assert_eq!(one.holds(&marking), tokens[0] == 0, "{tokens:?}");
        assert_eq!(fires.holds(&marking), tokens[0] + tokens[1] > 0, "{tokens:?}");
        assert_eq!(red.holds(&marking), tokens[0] > 0, "{tokens:?}");
        assert!(!never.holds(&marking), "{tokens:?}");
    }
    // What could be about the file or about what it was unfolded to is refused, and so is what no property says.
    let refused = |inside: &str| asked(&read, inside).unwrap_err().message;
    assert_eq!(refused("<id>A-OneSafe</id>"), "OneSafe of a symmetric net is meant before or after unfolding; say which with a <formula>");
    assert!(refused("<id>QuasiLiveness</id>").starts_with("QuasiLiveness of a symmetric net"));
    assert!(asked(&read, "<id>ReachabilityDeadlock</id>").is_ok());
    let both = format!("<conjunction>{}{}</conjunction>", fireable("t"), fireable("never"));
    assert_eq!(refused(&formula(&both)), "“t” has several choices of colours; ask for one transition at a time");
    let no_place = format!(
        "<exists-path><finally><integer-le>{}<integer-constant>0</integer-constant></integer-le></finally></exists-path>",
        count(&["r"])
    );
    assert_eq!(refused(&formula(&no_place)), "there is no place “r”");
    // Without colours nothing can be meant in two ways.
    let dots = symmetric("", &(place("p", "dot", DOT) + &transition("t", "") + &arc("p", "t", DOT)));
    assert_eq!(asked(&pnml::read(&dots).unwrap(), "<id>OneSafe</id>"), Ok(Property::Safe(1)));
}
