//! nuXmv and mist, by grammars of their own; and what all exports have in common.

use std::collections::HashMap;

use serval_net_export::lustre::{Encoding, Options};
use serval_net_export::{NamedProperty, horn, lustre, mist, names, nuxmv, sets, vmt};
use serval_petri::{Net, Property};

use crate::examples::{Random, example, examples_and};

fn asked(net: &Net, words: &str) -> NamedProperty {
    NamedProperty { name: words.to_owned(), property: Property::parse(words, net).unwrap() }
}

/// A sum of products, such as `2 * p + q + 3`.
fn sum(words: &[&str], values: &HashMap<String, i128>) -> i128 {
    let factor = |word: &str| word.parse().unwrap_or_else(|_| *values.get(word).unwrap_or_else(|| panic!("{word} is not known")));
    words.split(|word| *word == "+").map(|term| term.split(|word| *word == "*").map(|one| factor(one[0])).product::<i128>()).sum()
}

/// A formula of nuXmv without its brackets around single comparisons: `(a >= 1 & (b = 2 | TRUE))`.
fn formula(words: &[&str], at: &mut usize, values: &HashMap<String, i128>) -> bool {
    if words[*at] == "(" {
        let (mut result, mut operator) = (None, "");
        loop {
            *at += 1;
            let value = formula(words, at, values);
            result = Some(match (result, operator) {
                (None, _) => value,
                (Some(before), "&") => before && value,
                (Some(before), _) => before || value,
            });
            match words[*at] {
                ")" => break,
                next @ ("&" | "|") => {
                    assert!(operator.is_empty() || operator == next, "mixed operators");
                    operator = next;
                }
                other => panic!("{other}"),
            }
        }
        *at += 1;
        return result.unwrap();
    }
    let end = (*at..words.len()).find(|&end| ["&", "|", ")"].contains(&words[end])).unwrap_or(words.len());
    let atom = &words[*at..end];
    *at = end;
    if let ["TRUE" | "FALSE"] = atom {
        return atom[0] == "TRUE";
    }
    let sign = atom.iter().position(|word| [">=", "="].contains(word)).unwrap();
    let (left, right) = (sum(&atom[..sign], values), sum(&atom[sign + 1..], values));
    if atom[sign] == "=" { left == right } else { left >= right }
}

fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace(';', " ; ").replace('!', " ! ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Statements of a module: what begins each, and its words.
fn statements(text: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        assert_eq!(line, line.trim_end());
        if line.starts_with("--") {
            continue;
        }
        let begins = ["MODULE", "IVAR", "VAR", "INIT", "TRANS", "INVARSPEC"].iter().any(|keyword| line.starts_with(keyword));
        match all.last_mut() {
            Some(last) if !begins => last.extend(words(line)),
            _ => all.push(words(line)),
        }
    }
    all
}

#[test]
fn modules_of_nuxmv_say_what_the_net_does() {
    let mut random = Random(8);
    for (name, net) in examples_and(serval_effort::sweep("export.nuxmv", 10, 20)) {
        let all = [asked(&net, "deadlock-free"), asked(&net, "safe:2")];
        let statements = statements(&nuxmv::write(&net, &all).unwrap());
        assert_eq!(statements[0], ["MODULE", "main"]);
        assert_eq!(statements[1][..3], ["IVAR", "fire", ":"]);
        let of = |keyword: &str| statements.iter().filter(|one| one[0] == keyword).collect::<Vec<_>>();
        assert_eq!((of("VAR").len(), of("INIT").len(), of("INVARSPEC").len()), (net.place_count(), net.place_count(), 2), "{name}");
        for _ in 0..20 {
            let marking = serval_petri::Marking::new(net.places().map(|_| u64::try_from(random.below(4)).unwrap()).collect());
            let choice = random.below(net.transition_count() + 1);
            let mut after = marking.clone();
            let fired = choice == 0 || net.fire(&mut after, net.transitions().nth(choice - 1).unwrap()).is_ok();
            let tokens = |place| i128::from(marking.tokens(place));
            let variable = |place| format!("p_{}", names::identifier(net.place_name(place), |_| false));
            let values: HashMap<String, i128> = net.places().map(|place| (variable(place), tokens(place))).collect();
            let mut allowed = true;
            for statement in of("TRANS") {
                let statement: Vec<&str> = statement.iter().map(String::as_str).collect();
                if statement[1] == "fire" {
                    assert_eq!((statement[2], statement[4], statement.last()), ("=", "->", Some(&";")));
                    allowed &= statement[3] != choice.to_string() || formula(&statement, &mut 5, &values);
                    continue;
                }
                let ["TRANS", "next", "(", next, ")", "=", same, rest @ .., ";"] = &statement[..] else { panic!("{statement:?}") };
                assert_eq!(next, same);
                let mut change = 0;
                if let ["+", "(", "case", cases @ .., "TRUE", ":", "0", ";", "esac", ")"] = rest {
                    for case in cases.chunks(6) {
                        let ["fire", "=", number, ":", value, ";"] = case else { panic!("{case:?}") };
                        if *number == choice.to_string() {
                            change = value.parse().unwrap();
                        }
                    }
                } else {
                    assert!(rest.is_empty(), "{rest:?}");
                }
                let place = net.places().find(|&place| variable(place) == **next).unwrap();
                if fired {
                    assert_eq!(values[*next] + change, i128::from(after.tokens(place)), "{name}");
                }
            }
            assert_eq!(allowed, fired, "{name} {choice}");
            for (statement, asked) in of("INVARSPEC").into_iter().zip(&all) {
                let statement: Vec<&str> = statement.iter().map(String::as_str).collect();
                assert_eq!((statement[1], statement[3], statement[4], statement[5]), ("NAME", ":=", "!", "("));
                let goal = &asked.property.goals(&net).unwrap()[0];
                assert_eq!(formula(&statement, &mut 5, &values), goal.holds(&marking), "{name}");
            }
        }
    }
}

#[test]
fn specifications_of_mist_say_what_the_net_does() {
    let mut random = Random(9);
    for (name, net) in examples_and(serval_effort::sweep("export.mist", 10, 20)) {
        let asked = asked(&net, "safe:2");
        let text = mist::write(&net, &asked).unwrap();
        let code: String = text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        let section = |from: &str, to: &str| {
            let start = code.find(&format!("{from}\n")).unwrap() + from.len() + 1;
            let end = if to.is_empty() { code.len() } else { code.find(&format!("\n{to}\n")).unwrap() + 1 };
            code[start..end.max(start)].to_owned()
        };
        let vars: Vec<String> = section("vars", "rules").split_whitespace().map(str::to_owned).collect();
        assert_eq!(vars.len(), net.place_count());
        let guard = |text: &str, values: &HashMap<String, i128>| {
            text.split(',').all(|atom| {
                let atom: Vec<&str> = atom.split_whitespace().collect();
                let [place, ">=", least] = &atom[..] else { panic!("{atom:?}") };
                values[*place] >= least.parse().unwrap()
            })
        };
        let rules = section("rules", "init");
        let rules: Vec<(&str, &str)> =
            rules.split(';').filter(|rule| !rule.trim().is_empty()).map(|rule| rule.split_once("->").unwrap()).collect();
        assert_eq!(rules.len(), net.transition_count(), "{name}");
        let init = section("init", "target");
        assert_eq!(init.split(',').count(), net.place_count());
        for (place, part) in net.places().zip(init.split(',')) {
            assert!(part.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(&format!("= {}", net.initial_tokens(place))));
        }
        for _ in 0..20 {
            let marking = serval_petri::Marking::new(net.places().map(|_| u64::try_from(random.below(4)).unwrap()).collect());
            let values: HashMap<String, i128> =
                vars.iter().cloned().zip(marking.as_slice().iter().map(|&tokens| i128::from(tokens))).collect();
            for (transition, (before, after)) in net.transitions().zip(&rules) {
                let mut next = marking.clone();
                let fires = net.fire(&mut next, transition).is_ok();
                assert_eq!(guard(before, &values), fires, "{name}");
                if fires {
                    let mut then = values.clone();
                    for change in after.split(',') {
                        let change: Vec<&str> = change.split_whitespace().collect();
                        let value = match &change[3..] {
                            [] => 0,
                            ["+", more] => more.parse::<i128>().unwrap(),
                            ["-", less] => -less.parse::<i128>().unwrap(),
                            other => panic!("{other:?}"),
                        };
                        assert_eq!(change[0], format!("{}'", change[2]));
                        *then.get_mut(change[2]).unwrap() += value;
                    }
                    let tokens: Vec<i128> = vars.iter().map(|name| then[name]).collect();
                    assert_eq!(tokens, next.as_slice().iter().map(|&one| i128::from(one)).collect::<Vec<_>>(), "{name}");
                }
            }
            let goal = &asked.property.goals(&net).unwrap()[0];
            assert_eq!(section("target", "").lines().any(|line| guard(line, &values)), goal.holds(&marking), "{name}");
        }
    }
}

#[test]
fn what_cannot_be_said_is_refused_in_one_sentence() {
    let net = example("figure-1.net");
    let refused = |words: &str| mist::write(&net, &asked(&net, words)).unwrap_err().to_string();
    assert_eq!(refused("deadlock-free"), "the format of mist asks whether places get at least so many tokens, and deadlock-free asks more");
    assert_eq!(refused("reachable:p1 <= 0"), "the format of mist asks whether places get at least so many tokens, and reachable asks more");
    assert!(
        mist::write(&net, &asked(&net, "reachable:2*p1 >= 3 and p2 >= 1 or p3 > 4"))
            .unwrap()
            .ends_with("target\np_p1 >= 2, p_p2 >= 1\np_p3 >= 5\n")
    );
    for refusal in [
        horn::write(&net, &asked(&net, "quasi-live")).unwrap_err(),
        vmt::write(&net, &[asked(&net, "quasi-live")]).unwrap_err(),
        nuxmv::write(&net, &[asked(&net, "quasi-live")]).unwrap_err(),
        mist::write(&net, &asked(&net, "quasi-live")).unwrap_err(),
    ] {
        assert_eq!(refusal.to_string(), "quasi-live asks 4 questions, and here only one can be asked, such as reachable:fireable(t)");
    }
    let divisible = || {
        let expression = serval_petri::Linear::variable(net.places().next().unwrap());
        let constraint = serval_petri::Constraint::NotDivisible { divisor: 2.try_into().unwrap(), expression };
        NamedProperty { name: "odd".to_owned(), property: Property::Reachable(serval_petri::Formula::constraint(constraint)) }
    };
    for refusal in [
        horn::write(&net, &divisible()).unwrap_err(),
        vmt::write(&net, &[divisible()]).unwrap_err(),
        nuxmv::write(&net, &[divisible()]).unwrap_err(),
    ] {
        assert_eq!(refusal.to_string(), "a condition about divisibility cannot be written in this format");
    }
}

/// A ring with a hub that every transition touches: sizes that grow with the square of the number of nodes would show.
fn large(nodes: usize) -> Net {
    let mut net = Net::new("large");
    let hub = net.add_place("hub", 1).unwrap();
    let places: Vec<_> = (0..nodes / 2).map(|place| net.add_place(format!("p{place}"), u64::from(place == 0)).unwrap()).collect();
    for place in 0..places.len() {
        net.add_transition(format!("t{place}"), [(places[place], 1), (hub, 1)], [(places[(place + 1) % places.len()], 1), (hub, 1)])
            .unwrap();
    }
    net
}

#[test]
fn exports_grow_with_the_net_and_no_faster() {
    let (small, large) = (large(10_000), large(100_000));
    let lengths = |net: &Net| {
        let asked = asked(net, "one-safe");
        let one = std::slice::from_ref(&asked);
        let sets = sets::greedy(net);
        assert_eq!(sets.len(), net.transition_count(), "all touch the hub");
        let options = Options { encoding: Encoding::Corrected, sets: &sets, asked: one, assumed: &[] };
        let texts = [
            lustre::write(net, &options).unwrap(),
            lustre::write(net, &Options { encoding: Encoding::Published, ..options }).unwrap(),
            horn::write(net, &asked).unwrap(),
            vmt::write(net, one).unwrap(),
            nuxmv::write(net, one).unwrap(),
            mist::write(net, &asked).unwrap(),
        ];
        for text in &texts {
            assert!(text.lines().all(|line| line == line.trim_end()) && text.ends_with('\n'));
        }
        texts.map(|text| text.len())
    };
    for (small, large) in lengths(&small).into_iter().zip(lengths(&large)) {
        assert!(large < 13 * small, "{small} bytes became {large}");
    }
}
