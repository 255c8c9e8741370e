//! Horn clauses and VMT: read as S-expressions, and evaluated.

use std::collections::HashMap;
use std::time::Duration;

use serval_net_export::{NamedProperty, horn, vmt};
use serval_petri::{Marking, Net, Property};
use serval_testkit::solvers::Outside;

use crate::examples::{Random, examples_and, random_net};

#[derive(Clone, Debug, PartialEq)]
enum Sexp {
    Word(String),
    List(Vec<Sexp>),
}

impl Sexp {
    fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            Self::Word(word) => panic!("{word} is no list"),
        }
    }

    fn word(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::List(list) => panic!("{list:?} is no word"),
        }
    }

    fn head(&self) -> &str {
        self.list()[0].word()
    }
}

/// The commands of a script.
fn script(text: &str) -> Vec<Sexp> {
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    for line in text.lines() {
        assert_eq!(line, line.trim_end());
        let code = line.split(';').next().unwrap().replace('(', " ( ").replace(')', " ) ");
        for word in code.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = Sexp::List(open.pop().unwrap());
                    open.last_mut().unwrap().push(list);
                }
                _ => {
                    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-+*<>=!:".contains(letter);
                    assert!(word.chars().all(plain), "{word}");
                    open.last_mut().unwrap().push(Sexp::Word(word.to_owned()));
                }
            }
        }
    }
    assert_eq!(open.len(), 1, "brackets");
    open.pop().unwrap()
}

/// The value of an expression; Booleans are 0 and 1, and `reach` is what `reach` says.
fn value(expr: &Sexp, values: &HashMap<String, i128>, reach: &dyn Fn(&[i128]) -> bool) -> i128 {
    let go = |expr: &Sexp| value(expr, values, reach);
    match expr {
        Sexp::Word(word) => match word.as_str() {
            "true" => 1,
            "false" => 0,
            "reach" => i128::from(reach(&[])),
            _ => word.parse().unwrap_or_else(|_| *values.get(word).unwrap_or_else(|| panic!("{word} is not declared"))),
        },
        Sexp::List(list) => {
            let arguments = &list[1..];
            let pair = || (go(&arguments[0]), go(&arguments[1]));
            match list[0].word() {
                "and" => i128::from(arguments.iter().all(|one| go(one) == 1)),
                "or" => i128::from(arguments.iter().any(|one| go(one) == 1)),
                "not" => 1 - go(&arguments[0]),
                "=>" => i128::from(go(&arguments[0]) == 0 || go(&arguments[1]) == 1),
                "+" => arguments.iter().map(go).sum(),
                "-" if arguments.len() == 1 => -go(&arguments[0]),
                "-" => pair().0 - pair().1,
                "*" => pair().0 * pair().1,
                "=" => i128::from(pair().0 == pair().1),
                ">=" => i128::from(pair().0 >= pair().1),
                "<=" => i128::from(pair().0 <= pair().1),
                "ite" => {
                    if go(&arguments[0]) == 1 {
                        go(&arguments[1])
                    } else {
                        go(&arguments[2])
                    }
                }
                "!" => go(&arguments[0]),
                "reach" => i128::from(reach(&arguments.iter().map(go).collect::<Vec<_>>())),
                other => panic!("{other} is not known"),
            }
        }
    }
}

fn asked(net: &Net, words: &str) -> NamedProperty {
    NamedProperty { name: words.to_owned(), property: Property::parse(words, net).unwrap() }
}

/// A marking that is reached by a random run, and a random one.
fn some_marking(net: &Net, random: &mut Random) -> Marking {
    if random.below(2) == 0 {
        return Marking::new(net.places().map(|_| u64::try_from(random.below(4)).unwrap()).collect());
    }
    let mut marking = net.initial();
    for _ in 0..random.below(8) {
        let enabled: Vec<_> = net.transitions().filter(|&transition| net.is_enabled(&marking, transition)).collect();
        if !enabled.is_empty() {
            net.fire(&mut marking, enabled[random.below(enabled.len())]).unwrap();
        }
    }
    marking
}

fn tuple(marking: &Marking) -> Vec<i128> {
    marking.as_slice().iter().map(|&tokens| tokens.into()).collect()
}

#[test]
fn horn_clauses_say_what_the_net_does() {
    let mut random = Random(5);
    for (name, net) in examples_and(serval_effort::sweep("export.horn", 10, 40)) {
        for words in ["deadlock-free", "safe:2"] {
            let asked = asked(&net, words);
            let commands = script(&horn::write(&net, &asked).unwrap());
            assert_eq!(commands[0], Sexp::List(vec![Sexp::Word("set-logic".into()), Sexp::Word("HORN".into())]));
            assert_eq!(commands[1].list()[2].list().len(), net.place_count(), "{name}");
            assert_eq!(commands.last().unwrap().head(), "check-sat");
            let clauses: Vec<(Vec<String>, &Sexp, &Sexp)> = commands[2..commands.len() - 1]
                .iter()
                .map(|command| {
                    assert_eq!(command.head(), "assert");
                    let [_, variables, body] = command.list()[1].list() else { panic!("{command:?}") };
                    let names = variables.list().iter().map(|one| one.list()[0].word().to_owned()).collect();
                    (names, &body.list()[1], &body.list()[2])
                })
                .collect();
            assert_eq!(clauses.len(), net.transition_count() + 2, "{name}");
            let goal = &asked.property.goals(&net).unwrap()[0];
            for _ in 0..20 {
                let marking = some_marking(&net, &mut random);
                let here = tuple(&marking);
                let is_here = |values: &[i128]| values == here;
                let known: HashMap<String, i128> = clauses[0].0.iter().cloned().zip(here.clone()).collect();
                let of = |expr: &Sexp, reach: &dyn Fn(&[i128]) -> bool| value(expr, &known, reach) == 1;
                assert_eq!(of(clauses[0].1, &is_here), marking == net.initial(), "{name}");
                assert!(of(clauses[0].2, &is_here));
                for (transition, (_, body, head)) in net.transitions().zip(&clauses[1..]) {
                    assert_eq!(of(body, &is_here), net.is_enabled(&marking, transition), "{name}");
                    // Linear: the body needs that the marking is reached.
                    assert!(!of(body, &|_| false));
                    let mut after = marking.clone();
                    if net.fire(&mut after, transition).is_ok() {
                        let after = tuple(&after);
                        assert!(of(head, &|values: &[i128]| values == after), "{name}");
                    }
                }
                let last = clauses.last().unwrap();
                assert_eq!((of(last.1, &is_here), of(last.2, &is_here)), (goal.holds(&marking), false), "{name}");
            }
        }
    }
}

#[test]
fn systems_in_vmt_say_what_the_net_does() {
    let mut random = Random(6);
    for (name, net) in examples_and(serval_effort::sweep("export.vmt", 10, 40)) {
        let all = [asked(&net, "deadlock-free"), asked(&net, "safe:2")];
        let commands = script(&vmt::write(&net, &all).unwrap());
        let defined: HashMap<&str, &Sexp> =
            commands.iter().filter(|one| one.head() == "define-fun").map(|one| (one.list()[1].word(), &one.list()[4])).collect();
        let states: Vec<&str> = commands.iter().filter(|one| one.head() == "declare-fun").map(|one| one.list()[1].word()).collect();
        let names: Vec<&str> = states.iter().copied().filter(|name| name.starts_with("p_")).collect();
        assert_eq!((names.len(), states.len()), (net.place_count(), 2 * net.place_count() + 1));
        for name in &names {
            assert_eq!(defined[format!("state_{name}").as_str()].list()[3].word(), format!("next_{name}"));
        }
        assert_eq!(defined["init"].list()[2].word(), ":init");
        assert_eq!(defined["trans"].list()[2].word(), ":trans");
        for _ in 0..30 {
            let (marking, choice) = (some_marking(&net, &mut random), random.below(net.transition_count() + 2));
            let mut after = marking.clone();
            let fired = match choice.checked_sub(1).map(|number| net.transitions().nth(number)) {
                None => true,
                Some(Some(transition)) => net.fire(&mut after, transition).is_ok(),
                Some(None) => false,
            };
            let mut values: HashMap<String, i128> = HashMap::from([("fire".to_owned(), i128::try_from(choice).unwrap())]);
            for ((name, now), then) in names.iter().zip(tuple(&marking)).zip(tuple(&after)) {
                values.extend([((*name).to_owned(), now), (format!("next_{name}"), then)]);
            }
            let of = |name: &str, values: &HashMap<String, i128>| value(defined[name], values, &|_| false) == 1;
            assert_eq!(of("trans", &values), fired, "{name} {choice}");
            assert_eq!(of("init", &values), marking == net.initial());
            for (number, asked) in all.iter().enumerate() {
                let goal = &asked.property.goals(&net).unwrap()[0];
                assert_eq!(of(&format!("property_{number}"), &values), !goal.holds(&marking));
            }
            // Nothing else follows.
            if let Some(name) = names.first() {
                *values.get_mut(&format!("next_{name}")).unwrap() += 1;
                assert!(!of("trans", &values));
            }
        }
    }
}

/// Whether a marking of the goal can be reached with a limit on the markings looked at, if that is enough to know.
fn reachable(net: &Net, asked: &NamedProperty) -> Option<bool> {
    let goal = &asked.property.goals(net).unwrap()[0];
    let (mut all, mut next) = (vec![net.initial()], 0);
    while next < all.len() {
        if goal.holds(&all[next]) {
            return Some(true);
        }
        for transition in net.transitions() {
            let mut after = all[next].clone();
            if net.fire(&mut after, transition).is_ok() && !all.contains(&after) {
                all.push(after);
            }
        }
        next += 1;
        if all.len() > 300 {
            return None;
        }
    }
    Some(false)
}

#[test]
fn z3_agrees_with_horn_clauses() {
    let Some(z3) = Outside::z3(5_000) else { return };
    let sweep = serval_effort::sweep("export.z3", 10, 40);
    // How often it can be reached, and how often not.
    let answers = sweep.map(0, |seed| {
        let (net, mut answers) = (random_net(seed), [0, 0]);
        for words in ["deadlock-free", "safe:2"] {
            let asked = asked(&net, words);
            let Some(can) = reachable(&net, &asked) else { continue };
            let answer = z3.ask(&horn::write(&net, &asked).unwrap(), Duration::from_secs(20)).unwrap();
            match answer.trim() {
                "sat" => assert!(!can, "random {seed} {words}"),
                "unsat" => assert!(can, "random {seed} {words}"),
                _ => continue,
            }
            answers[usize::from(!can)] += 1;
        }
        answers
    });
    let [can, cannot] = [0, 1].map(|what| answers.iter().map(|counts| counts[what]).sum::<u64>());
    assert!(!sweep.is_representative() || can > 0 && cannot > 0, "{answers:?}");
}

#[test]
fn large_nets_have_one_clause_for_all_transitions() {
    let mut net = Net::new("a long ring");
    let count = 1500;
    let places: Vec<_> = (0..count).map(|place| net.add_place(format!("p{place}"), u64::from(place == 0)).unwrap()).collect();
    for place in 0..count {
        net.add_transition(format!("t{place}"), [(places[place], 1)], [(places[(place + 1) % count], 1)]).unwrap();
    }
    assert!(count * count > horn::MOST);
    let commands = script(&horn::write(&net, &asked(&net, "one-safe")).unwrap());
    let asserts: Vec<&Sexp> = commands.iter().filter(|one| one.head() == "assert").collect();
    assert_eq!(asserts.len(), 3);
    let [_, variables, body] = asserts[1].list()[1].list() else { panic!() };
    assert_eq!(variables.list().len(), count + 1);
    let mut values: HashMap<String, i128> = places.iter().map(|&place| (format!("p_{}", net.place_name(place)), 0)).collect();
    values.insert("p_p7".to_owned(), 1);
    for (choice, fires) in [(8, true), (7, false), (0, false), (1501, false)] {
        values.insert("fire".to_owned(), choice);
        let here = |tuple: &[i128]| tuple[7] == 1 && tuple.iter().sum::<i128>() == 1;
        assert_eq!(value(&body.list()[1], &values, &here) == 1, fires);
    }
    values.insert("fire".to_owned(), 8);
    assert_eq!(value(&body.list()[2], &values, &|tuple: &[i128]| tuple[8] == 1 && tuple.iter().sum::<i128>() == 1), 1);
}
