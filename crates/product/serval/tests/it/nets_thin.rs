//! Nets in every form that is read, with every way to begin and to ask, against trying all markings.
//!
//! The machines are drawn here and explored here: counters, and rules that take and give. Each is then written as a
//! net, a specification, a system with states, a symmetric net or two nets that are composed, and asked about through
//! the library.

use std::collections::{BTreeSet, VecDeque};

use serval::nets::{NetAnswer, NetDecision, NetInput, NetKind, NetOptions, NetQuestion, NetSession, decide_net, decide_proposed};
use serval_budget::Cancel;
use serval_effort::sweep;
use serval_testkit::random::SplitMix64;
use serval_testkit::say;
use serval_verify::{Caps, NetFormat, verify_net};

/// How many markings are tried.
const MOST: usize = 3_000;

#[derive(Clone, Debug)]
struct Machine {
    begin: Vec<u64>,
    /// What each rule takes and gives.
    rules: Vec<(Vec<u64>, Vec<u64>)>,
}

/// The markings that were found, and whether they are all.
struct Explored {
    markings: BTreeSet<Vec<u64>>,
    is_all: bool,
}

impl Machine {
    fn draw(rng: &mut SplitMix64, places: usize) -> Self {
        let amounts = |rng: &mut SplitMix64, often: usize| -> Vec<u64> {
            (0..places).map(|_| if rng.below(often) == 0 { 1 + u64::from(rng.below(5) == 0) } else { 0 }).collect()
        };
        let begin = (0..places).map(|_| u64::try_from(rng.below(3)).unwrap()).collect();
        // Rules that give more than they take are rare, so that often there are few markings.
        let rules = (0..1 + rng.below(4)).map(|_| {
            let (take, mut give) = (amounts(rng, 2), amounts(rng, 3));
            if rng.below(5) > 0 {
                while give.iter().sum::<u64>() > take.iter().sum() {
                    let largest = (0..places).max_by_key(|&place| give[place]).unwrap();
                    give[largest] -= 1;
                }
            }
            (take, give)
        });
        let rules = rules.collect();
        Self { begin, rules }
    }

    fn fires(&self, rule: usize, marking: &[u64]) -> bool {
        self.rules[rule].0.iter().zip(marking).all(|(take, have)| take <= have)
    }

    fn explored(&self) -> Explored {
        let mut markings = BTreeSet::from([self.begin.clone()]);
        let mut open = VecDeque::from([self.begin.clone()]);
        while let Some(marking) = open.pop_front() {
            for (rule, (take, give)) in self.rules.iter().enumerate() {
                if !self.fires(rule, &marking) {
                    continue;
                }
                let next: Vec<u64> = (0..marking.len()).map(|place| marking[place] - take[place] + give[place]).collect();
                if markings.len() == MOST {
                    return Explored { markings, is_all: false };
                }
                if markings.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        Explored { markings, is_all: true }
    }

    fn tina(&self, places: &str, rules: &str) -> String {
        let arcs = |amounts: &[u64]| {
            let arc = |(place, amount): (usize, &u64)| (*amount > 0).then(|| format!(" {places}{place}*{amount}"));
            amounts.iter().enumerate().filter_map(arc).collect::<String>()
        };
        let mut text = format!("net {places}{rules}\n");
        for (place, tokens) in self.begin.iter().enumerate() {
            text += &format!("pl {places}{place} ({tokens})\n");
        }
        for (rule, (take, give)) in self.rules.iter().enumerate() {
            text += &format!("tr {rules}{rule}{} ->{}\n", arcs(take), arcs(give));
        }
        text
    }

    fn spec(&self) -> String {
        let places: Vec<String> = (0..self.begin.len()).map(|place| format!("p{place}")).collect();
        let mut text = format!("vars\n {}\nrules\n", places.join(" "));
        for (take, give) in &self.rules {
            let guard = places.iter().zip(take).filter(|one| *one.1 > 0).map(|(place, take)| format!("{place} >= {take}"));
            let change = places.iter().zip(take.iter().zip(give)).filter(|one| one.1.0 != one.1.1);
            let change = change.map(|(place, (take, give))| match give.checked_sub(*take) {
                Some(more) => format!("{place}' = {place} + {more}"),
                None => format!("{place}' = {place} - {}", take - give),
            });
            let change: Vec<String> = change.collect();
            if !change.is_empty() {
                text += &format!(" {} -> {};\n", guard.collect::<Vec<_>>().join(", "), change.join(", "));
            }
        }
        let begin = places.iter().zip(&self.begin).map(|(place, tokens)| format!("{place} = {tokens}"));
        text + &format!("init\n {}\ntarget\n p0 >= 99\n", begin.collect::<Vec<_>>().join(", "))
    }
}

/// A weighted sum of places with a name each, compared with a number.
struct Asked {
    factors: Vec<u64>,
    least: u64,
}

impl Asked {
    fn draw(rng: &mut SplitMix64, places: usize) -> Self {
        let mut factors: Vec<u64> = (0..places).map(|_| if rng.below(2) == 0 { 1 + u64::from(rng.below(4) == 0) } else { 0 }).collect();
        factors[rng.below(places)] = 1;
        Self { factors, least: u64::try_from(rng.below(5)).unwrap() }
    }

    fn sum(&self, names: &[String]) -> String {
        let terms = self.factors.iter().zip(names).filter(|one| *one.0 > 0).map(|(factor, name)| format!("{factor}*{name}"));
        terms.collect::<Vec<_>>().join(" + ")
    }

    fn value(&self, marking: &[u64]) -> u64 {
        self.factors.iter().zip(marking).map(|(factor, tokens)| factor * tokens).sum()
    }
}

/// The questions, with what they should be answered as far as that is known.
fn questions(machine: &Machine, asked: &Asked, names: &[String], explored: &Explored) -> Vec<(String, Option<bool>)> {
    let (sum, least) = (asked.sum(names), asked.least);
    let some = |holds: &dyn Fn(&[u64]) -> bool| explored.markings.iter().any(|marking| holds(marking));
    // What is found can be reached; what is not found cannot if all were tried.
    let reached = |found: bool| (found || explored.is_all).then_some(found);
    let never = |found: bool| (found || explored.is_all).then_some(!found);
    let dead = |marking: &[u64]| (0..machine.rules.len()).all(|rule| !machine.fires(rule, marking));
    let all_fire = (0..machine.rules.len()).all(|rule| some(&|marking| machine.fires(rule, marking)));
    let all_marked = (0..names.len()).all(|place| some(&|marking| marking[place] > 0));
    let largest = explored.markings.iter().map(|marking| asked.value(marking)).max().unwrap();
    let mut questions = vec![
        (format!("reachable:{sum} >= {least}"), reached(some(&|marking| asked.value(marking) >= least))),
        (format!("reachable:{sum} = {least}"), reached(some(&|marking| asked.value(marking) == least))),
        (format!("invariant:not {sum} != {least}"), never(some(&|marking| asked.value(marking) != least))),
        (format!("invariant:{sum} <= {least} or {} = 0", names[0]), never(some(&|m| asked.value(m) > least && m[0] > 0))),
        (format!("coverable:{} >= {least}", names[0]), reached(some(&|marking| marking[0] >= least))),
        (format!("safe:{least}"), never(some(&|marking| marking.iter().any(|&tokens| tokens > least)))),
        ("deadlock-free".to_owned(), never(some(&dead))),
        ("quasi-live".to_owned(), reached(all_fire)),
        ("no-dead-places".to_owned(), reached(all_marked)),
        (format!("bound:{sum} = {largest}"), explored.is_all.then_some(true)),
        (format!("bound:{sum} = {}", largest + 1), explored.is_all.then_some(false)),
    ];
    if explored.is_all {
        questions.push(("bounded".to_owned(), Some(true)));
        questions.push((format!("bounded:{sum}"), Some(true)));
    }
    questions
}

fn options() -> NetOptions {
    let mut options = NetOptions::default();
    options.rounds = 3;
    options
}

fn compared(decision: &NetDecision, expected: Option<bool>, about: &dyn Fn() -> String) -> [u64; 2] {
    match decision.answer {
        NetAnswer::Holds => assert_ne!(expected, Some(false), "{}", about()),
        NetAnswer::DoesNotHold => assert_ne!(expected, Some(true), "{}", about()),
        NetAnswer::Undecided => return [0, 1],
        NetAnswer::Error => panic!("{:?}: {}", decision.reason, about()),
    }
    [1, 0]
}

/// Asks all of it, one by one and with what was shown before taken for granted; gives how many were answered, and how
/// many not.
fn tried(input: &NetInput, text: &str, machine: &Machine, asked: &Asked, names: &[String]) -> [u64; 2] {
    let explored = machine.explored();
    let mut count = [0, 0];
    let mut add = |more: [u64; 2]| count = [count[0] + more[0], count[1] + more[1]];
    let mut proved = Vec::new();
    for (words, expected) in questions(machine, asked, names, &explored) {
        let Ok(question) = input.question(&words) else { continue };
        let about = || format!("{words} should be {expected:?}\n{text}");
        let decision = decide_net(input, &question, &options());
        add(compared(&decision, expected, &about));
        if words.starts_with("invariant:") {
            // That it is inductive is more than that it holds.
            let proposed = decide_proposed(input, &question, &options());
            compared(&proposed, expected, &about);
        }
        if let Some(certificate) = decision.certificate {
            assert_eq!(certificate.property, words);
            proved.extend(certificate.holds.then_some(certificate));
        }
    }
    // With proofs taken for granted no answer is another.
    let questions: Vec<(NetQuestion, Option<bool>)> = questions(machine, asked, names, &explored)
        .into_iter()
        .filter_map(|(words, expected)| Some((input.question(&words).ok()?, expected)))
        .collect();
    let all: Vec<NetQuestion> = questions.iter().map(|one| one.0.clone()).collect();
    let mut session = NetSession::without_beginning(input, &all, &Cancel::new());
    let mut assumed = 0;
    for certificate in &proved {
        assumed += u64::from(session.assume(input, certificate).is_ok());
    }
    if assumed > 0 {
        for (number, (question, expected)) in questions.iter().enumerate() {
            let decision = session.decide(input, number, &options());
            compared(&decision, *expected, &|| format!("assumed: {} should be {expected:?}\n{text}", question.name));
        }
    }
    // The largest value that is asked for is the largest that there is.
    let question = input.question(&format!("bound:{}", asked.sum(names))).unwrap();
    let decision = decide_net(input, &question, &options());
    if let (true, Some(value)) = (explored.is_all, &decision.value) {
        let largest = explored.markings.iter().map(|marking| asked.value(marking)).max().unwrap();
        assert_eq!(*value, largest.to_string(), "bound:{}\n{text}", asked.sum(names));
    }
    count
}

fn named(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|place| format!("{prefix}{place}")).collect()
}

/// A net, perhaps with another beginning, and its evidence checked as a file.
fn as_net(rng: &mut SplitMix64) -> [u64; 2] {
    let places = 2 + rng.below(3);
    let mut machine = Machine::draw(rng, places);
    let text = machine.tina("p", "t");
    let names = named("p", places);
    let mut input = NetInput::read(&text, NetKind::Tina).unwrap();
    if rng.below(3) == 0 {
        let rest = rng.below(2) == 0;
        let place = rng.below(places);
        for other in (0..places).filter(|&other| other != place && !rest) {
            machine.begin[other] = 0;
        }
        machine.begin[place] = u64::try_from(rng.below(4)).unwrap();
        input = input.starting(&format!("p{place} = {}{}", machine.begin[place], if rest { ", *" } else { "" })).unwrap();
    } else {
        let question = input.question("quasi-live").unwrap();
        if let Some(certificate) = decide_net(&input, &question, &options()).certificate {
            let outcome = verify_net(&text, NetFormat::Tina, &certificate.to_json(), &Caps::default(), &Cancel::new());
            assert_eq!(outcome.status(), 0, "{text}");
        }
    }
    let asked = Asked::draw(rng, places);
    tried(&input, &text, &machine, &asked, &names)
}

fn as_specification(rng: &mut SplitMix64) -> [u64; 2] {
    let places = 2 + rng.below(2);
    let mut machine = Machine::draw(rng, places);
    machine.rules.retain(|(take, give)| take != give);
    let text = machine.spec();
    if machine.rules.is_empty() {
        return [0, 0];
    }
    let input = NetInput::read(&text, NetKind::Mist).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let asked = Asked::draw(rng, places);
    tried(&input, &text, &machine, &asked, &named("p", places))
}

/// States become places with one token, in the order in which they are named.
fn as_system(rng: &mut SplitMix64) -> [u64; 2] {
    let (states, counters) = (2 + rng.below(2), 1 + rng.below(2));
    let mut machine = Machine { begin: vec![0; states + counters], rules: Vec::new() };
    machine.begin[0] = 1;
    let start: Vec<String> = (0..counters).map(|_| rng.below(3).to_string()).collect();
    for (counter, value) in start.iter().enumerate() {
        machine.begin[states + counter] = value.parse().unwrap();
    }
    let named_states = named("q", states);
    let mut text = format!("states {}\nstate q0 ({})\n", named_states.join(" "), start.join(", "));
    for step in 0..2 + rng.below(3) {
        let (from, to) = (rng.below(states), rng.below(states));
        let vector: Vec<i64> = (0..counters).map(|_| rng.between(-2, 1)).collect();
        let (mut take, mut give) = (vec![0; states + counters], vec![0; states + counters]);
        (take[from], give[to]) = (1, 1);
        for (counter, change) in vector.iter().enumerate() {
            let at = states + counter;
            if *change < 0 { take[at] = change.unsigned_abs() } else { give[at] = change.unsigned_abs() }
        }
        machine.rules.push((take, give));
        let vector: Vec<String> = vector.iter().map(ToString::to_string).collect();
        text += &format!("q{from} -> q{to} ({}) s{step}\n", vector.join(", "));
    }
    let input = NetInput::read(&text, NetKind::Vass).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let counter_names = (1..=counters).map(|counter| format!("c{counter}"));
    let names: Vec<String> = named_states.into_iter().chain(counter_names).collect();
    let asked = Asked::draw(rng, states + counters);
    tried(&input, &text, &machine, &asked, &names)
}

/// Two nets, whose transitions with the same names are one.
fn as_composition(rng: &mut SplitMix64) -> [u64; 2] {
    let (first, second) = (Machine::draw(rng, 2), Machine::draw(rng, 2));
    let (one, other) = (first.tina("a", "t"), second.tina("b", "t"));
    let joined = |a: Option<&(Vec<u64>, Vec<u64>)>, b: Option<&(Vec<u64>, Vec<u64>)>| {
        let none = (vec![0, 0], vec![0, 0]);
        let (a, b) = (a.unwrap_or(&none), b.unwrap_or(&none));
        ([&a.0[..], &b.0].concat(), [&a.1[..], &b.1].concat())
    };
    let rules = (0..first.rules.len().max(second.rules.len())).map(|rule| joined(first.rules.get(rule), second.rules.get(rule)));
    let machine = Machine { begin: [&first.begin[..], &second.begin].concat(), rules: rules.collect() };
    let inputs = [&one, &other].map(|text| NetInput::read(text, NetKind::Tina).unwrap());
    let input = NetInput::composed(&inputs).unwrap();
    let asked = Asked::draw(rng, 4);
    tried(&input, &format!("{one}\n{other}"), &machine, &asked, &[named("a", 2), named("b", 2)].concat())
}

/// Each place has tokens of two colours, and each transition one colour for all that it takes and gives.
fn as_symmetric(rng: &mut SplitMix64) -> [u64; 2] {
    let (places, small) = (2 + rng.below(2), Machine::draw(rng, 2));
    let colours = 2;
    let mut machine = Machine { begin: vec![0; places * colours], rules: Vec::new() };
    let sort = "<usersort declaration=\"C\"/>";
    let constants: String = (0..colours).map(|colour| format!("<feconstant id=\"c{colour}\" name=\"c{colour}\"/>")).collect();
    let mut nodes = String::new();
    for place in 0..places {
        let (which, tokens) = (rng.below(colours), rng.below(3));
        machine.begin[place * colours + which] = u64::try_from(tokens).unwrap();
        let number = format!(
            "<numberof><subterm><numberconstant value=\"{tokens}\"><positive/></numberconstant></subterm><subterm><useroperator declaration=\"c{which}\"/></subterm></numberof>"
        );
        let marking =
            if tokens == 0 { String::new() } else { format!("<hlinitialMarking><structure>{number}</structure></hlinitialMarking>") };
        nodes += &format!("<place id=\"p{place}\"><type><structure>{sort}</structure></type>{marking}</place>");
    }
    for rule in 0..small.rules.len() {
        let pick = |rng: &mut SplitMix64| (0..places).filter(|_| rng.below(2) == 0).collect::<Vec<usize>>();
        let (take, give) = (pick(rng), pick(rng));
        nodes += &format!("<transition id=\"t{rule}\"/>");
        for (number, (source, target)) in take
            .iter()
            .map(|place| (format!("p{place}"), format!("t{rule}")))
            .chain(give.iter().map(|place| (format!("t{rule}"), format!("p{place}"))))
            .enumerate()
        {
            nodes += &format!(
                "<arc id=\"a{rule}-{number}\" source=\"{source}\" target=\"{target}\"><hlinscription><structure><variable refvariable=\"x\"/></structure></hlinscription></arc>"
            );
        }
        for colour in 0..colours {
            let mut arcs = [vec![0; places * colours], vec![0; places * colours]];
            take.iter().for_each(|place| arcs[0][place * colours + colour] = 1);
            give.iter().for_each(|place| arcs[1][place * colours + colour] = 1);
            let [take, give] = arcs;
            machine.rules.push((take, give));
        }
    }
    let text = format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
         type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><declaration><structure><declarations>\
         <namedsort id=\"C\" name=\"C\"><cyclicenumeration>{constants}</cyclicenumeration></namedsort>\
         <variabledecl id=\"x\" name=\"x\">{sort}</variabledecl></declarations></structure></declaration>\
         <page id=\"page\">{nodes}</page></net></pnml>"
    );
    let input = NetInput::read(&text, NetKind::Pnml).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let (place, least) = (rng.below(places), rng.below(4));
    let explored = machine.explored();
    let tokens = |marking: &[u64]| (0..colours).map(|colour| marking[place * colours + colour]).sum::<u64>();
    let least_tokens = u64::try_from(least).unwrap();
    let found = explored.markings.iter().any(|marking| tokens(marking) >= least_tokens);
    let count = format!(
        "<integer-le><integer-constant>{least}</integer-constant><tokens-count><place>p{place}</place></tokens-count></integer-le>"
    );
    let formulas = [
        (format!("<exists-path><finally>{count}</finally></exists-path>"), (found || explored.is_all).then_some(found)),
        (format!("<all-paths><globally><negation>{count}</negation></globally></all-paths>"), (found || explored.is_all).then_some(!found)),
    ];
    let mut sum = [0, 0];
    for (formula, expected) in formulas {
        let set = format!("<property-set><property><id>q</id><description/><formula>{formula}</formula></property></property-set>");
        let question = input.queries(&set).unwrap().remove(0);
        let decision = decide_net(&input, &question, &options());
        let more = compared(&decision, expected, &|| format!("{set} should be {expected:?}\n{text}"));
        sum = [sum[0] + more[0], sum[1] + more[1]];
    }
    sum
}

#[test]
fn every_form_of_a_net_has_the_answers_of_trying_everything() {
    let sweep = sweep("serval.nets-thin", 100, 20_000);
    let forms: [fn(&mut SplitMix64) -> [u64; 2]; 5] = [as_net, as_specification, as_system, as_composition, as_symmetric];
    let results = sweep.map(0, |seed| forms[usize::try_from(seed % 5).unwrap()](&mut SplitMix64::new(seed)));
    let sum = |which: usize| results.iter().map(|one| one[which]).sum::<u64>();
    say(&format!("nets in five forms: {} drawn, {} answers, {} open, none wrong", results.len(), sum(0), sum(1)));
    assert!(!sweep.is_representative() || sum(0) > 4 * sum(1) && sum(0) > 3 * sweep.count(), "{} and {}", sum(0), sum(1));
}
