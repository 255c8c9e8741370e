//! No text makes a reader panic, recurse or hang.

use proptest::prelude::*;
use proptest::sample::Index;
use serval_effort::sweep;
use serval_petri::{Net, mcc, pnml, tina};

use crate::formats::{any_net, any_target, nasty_name};
use crate::support::cases;

#[derive(Clone, Debug)]
enum Edit {
    Remove(Index, usize),
    Insert(Index, String),
    Copy(Index, usize, Index),
    Cut(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let pieces = proptest::sample::select(vec![
        "<",
        ">",
        "/>",
        "</",
        "<place id='p0'/>",
        "<text>",
        "</text>",
        "id=\"p0\"",
        "&",
        "&#0;",
        "99999999999999999999",
        "-1",
        "{",
        "}",
        "\\",
        "->",
        "*",
        "tr ",
        "pl ",
        "(",
        ")",
        "[0,w[",
        ":",
        "<negation>",
        "</negation>",
        "<true/>",
        "<page id='x'>",
        "</page>",
        "<!--",
        "<![CDATA[",
        "<integer-sum/>",
        "<conjunction>",
        "<referencePlace id='r' ref='r'/>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "\u{0}",
        "é",
    ]);
    let piece = prop_oneof![4 => pieces.prop_map(str::to_owned), 1 => nasty_name()];
    prop_oneof![
        (any::<Index>(), 1..20usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        (any::<Index>(), piece).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (any::<Index>(), 1..60usize, any::<Index>()).prop_map(|(from, length, to)| Edit::Copy(from, length, to)),
        any::<Index>().prop_map(Edit::Cut),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for edit in edits {
        let place = |index: &Index| index.index(letters.len() + 1);
        match edit {
            Edit::Remove(at, length) => {
                let at = place(at);
                letters.drain(at..(at + length).min(letters.len()));
            }
            Edit::Insert(at, piece) => {
                let at = place(at);
                letters.splice(at..at, piece.chars());
            }
            Edit::Copy(from, length, to) => {
                let (from, to) = (place(from), place(to));
                let copied: Vec<char> = letters.iter().skip(from).take(*length).copied().collect();
                letters.splice(to..to, copied);
            }
            Edit::Cut(at) => letters.truncate(place(at)),
        }
    }
    letters.into_iter().collect()
}

/// What is accepted is a sound net, and survives being written.
fn check_net(net: &Net) {
    net.check_invariants();
    assert_eq!(&tina::read(&tina::write(net)).unwrap(), net);
    assert_eq!(&pnml::read(&pnml::write(net)).unwrap().net, net);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(sweep("petri.robust", 500, 2000)), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_are_read_or_refused(
        (net, target) in any_net().prop_flat_map(|net| { let places = net.place_count(); (Just(net), any_target(places)) }),
        edits in proptest::collection::vec(edit(), 1..5),
    ) {
        if let Ok(read) = tina::read(&edited(&tina::write(&net), &edits)) {
            check_net(&read);
        }
        if let Ok(read) = pnml::read(&edited(&pnml::write(&net), &edits)) {
            check_net(&read.net);
        }
        let text = edited(&mcc::write(&[("q", &target)]).unwrap(), &edits);
        if let Ok(questions) = mcc::read(&text, &net, &pnml::Ids::written(&net)) {
            for question in questions {
                let holds = question.formula.holds(&net.initial());
                if let Some(targets) = question.formula.targets(1000) {
                    prop_assert_eq!(targets.iter().any(|target| target.holds(&net.initial())), holds);
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = (tina::read(&text), pnml::read(&text), mcc::read(&text, &Net::default(), &pnml::Ids::default()));
    }
}

fn question(formula: &str) -> String {
    format!(
        "<property-set><property><id>q</id><formula><exists-path><finally>{formula}</finally></exists-path></formula></property></property-set>"
    )
}

#[test]
fn depth_is_no_problem() {
    let depth = 200_000;
    let nested = |open: &str, inside: &str, close: &str| open.repeat(depth) + inside + &close.repeat(depth);
    let ids = pnml::Ids::default();
    let negations = mcc::read(&question(&nested("<negation>", "<true/>", "</negation>")), &Net::default(), &ids).unwrap();
    assert!(negations[0].formula.holds(&Net::default().initial()));
    let both = nested("<conjunction><true/>", "<true/>", "</conjunction>");
    assert_eq!(mcc::read(&question(&both), &Net::default(), &ids).unwrap()[0].formula.targets(10).map(|targets| targets.len()), Some(1));
    let sums = nested("<integer-sum>", "<integer-constant>1</integer-constant>", "</integer-sum>");
    let sums = format!("<integer-le>{sums}<integer-constant>0</integer-constant></integer-le>");
    assert!(!mcc::read(&question(&sums), &Net::default(), &ids).unwrap()[0].formula.holds(&Net::default().initial()));
    let head = "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>";
    let pages = format!("{head}{}</net></pnml>", nested("<page id='x'>", "<place id='a'/>", "</page>"));
    assert!(pnml::read(&pages).unwrap_err().message.contains("pages nest more than"));
    assert!(pnml::read(&format!("{head}{}", "<page>".repeat(depth))).is_err());
    assert!(tina::read(&format!("pl {}", "{".repeat(depth))).is_err());
    assert_eq!(tina::read(&format!("pl {{{}}}", "\\{".repeat(depth))).unwrap().place_count(), 1);
}

#[test]
fn width_is_no_problem() {
    let count = 100_000;
    let head = "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>";
    // References in a chain, the last one first, and to each other in a circle.
    let references: String = (1..count).rev().map(|n| format!("<referencePlace id='r{n}' ref='r{}'/>", n - 1)).collect();
    let chain = format!("{head}{references}<place id='r0'/></net></pnml>");
    assert!(pnml::read(&chain).unwrap().ids.place(&format!("r{}", count - 1)).is_some());
    assert!(pnml::read(&format!("{head}{references}<referencePlace id='r0' ref='r9'/></net></pnml>")).is_err());
    // One transition with many arcs, in falling order.
    let places: String = (0..count).rev().map(|n| format!(" a{n}")).collect();
    let text = format!("{}tr t{places} -> {places}", (0..count).map(|n| format!("pl a{n}\n")).collect::<String>());
    assert_eq!(tina::read(&text).unwrap().arc_count(), 2 * count);
    // Attributes and namespaces without end, which the XML parser compares with each other.
    let attributes: String = (0..count).map(|n| format!(" a{n}='>'")).collect();
    assert!(pnml::read(&format!("<pnml{attributes}/>")).is_err());
    let namespaces: String = (0..count).map(|n| format!("<a xmlns:n{n}='{n}'>")).collect();
    assert!(pnml::read(&namespaces).is_err());
}

/// Formulas whose normal form is exponential are cut short.
#[test]
fn normal_forms_are_bounded() {
    let mut net = Net::new("net");
    net.add_place("a", 0).unwrap();
    let atom = |number: usize| {
        format!("<integer-le><integer-constant>{number}</integer-constant><tokens-count><place>p0</place></tokens-count></integer-le>")
    };
    let pairs: String = (0..40).map(|n| format!("<disjunction>{}{}</disjunction>", atom(n), atom(n + 1))).collect();
    let read = mcc::read(&question(&format!("<conjunction>{pairs}</conjunction>")), &net, &pnml::Ids::written(&net)).unwrap();
    assert_eq!(read[0].formula.targets(100_000), None);
}
