//! What is written for LoLA follows its grammar and is the net.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serval_effort::sweep;
use serval_petri::{Net, lola};

use crate::formats::any_net;
use crate::support::cases;

/// The words of a file: names, numbers, keywords and signs, without comments.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_comment = false;
    let mut word = String::new();
    for letter in text.chars() {
        match letter {
            '}' if in_comment => in_comment = false,
            _ if in_comment => {}
            '{' | ',' | ';' | ':' | ' ' | '\n' => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                match letter {
                    '{' => in_comment = true,
                    ',' | ';' | ':' => words.push(letter.to_string()),
                    _ => {}
                }
            }
            _ => {
                assert!(!"(){}\t\r".contains(letter), "{letter:?} is in no word: {text}");
                word.push(letter);
            }
        }
    }
    assert!(!in_comment && word.is_empty(), "{text}");
    words
}

/// What a name stands for.
fn name(written: &str) -> String {
    assert!(!written.starts_with(|first: char| first.is_ascii_digit()), "{written} is a number");
    let mut bytes = Vec::new();
    let mut rest = written.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        if first == b'%' && written != "%" {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&others[..2]).unwrap(), 16).unwrap());
            rest = &others[2..];
        } else {
            bytes.extend((first != b'%').then_some(first));
            rest = others;
        }
    }
    String::from_utf8(bytes).unwrap()
}

struct Reader(std::vec::IntoIter<String>);

impl Reader {
    fn next(&mut self) -> String {
        self.0.next().unwrap()
    }

    fn expect(&mut self, word: &str) {
        assert_eq!(self.next(), word);
    }

    /// `name : number`, separated by commas, up to a semicolon.
    fn numbers(&mut self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        loop {
            let word = self.next();
            if word == ";" {
                assert!(found.is_empty(), "a comma before the semicolon");
                return found;
            }
            self.expect(":");
            assert!(found.insert(name(&word), self.next().parse().unwrap()).is_none());
            match self.next().as_str() {
                ";" => return found,
                "," => {}
                other => panic!("{other}"),
            }
        }
    }
}

/// A net by its grammar: `PLACE list; MARKING list; (TRANSITION name CONSUME list; PRODUCE list;)*`.
fn read(text: &str) -> Net {
    let mut reader = Reader(words(text).into_iter());
    reader.expect("PLACE");
    let mut names = Vec::new();
    loop {
        names.push(name(&reader.next()));
        match reader.next().as_str() {
            ";" => break,
            "," => {}
            other => panic!("{other}"),
        }
    }
    reader.expect("MARKING");
    let marking = reader.numbers();
    assert!(marking.keys().all(|marked| names.contains(marked)));
    let mut net = Net::new("read");
    for name in names {
        let tokens = marking.get(&name).copied().unwrap_or(0);
        net.add_place(name, tokens).unwrap();
    }
    while let Some(word) = reader.0.next() {
        assert_eq!(word, "TRANSITION");
        let transition = name(&reader.next());
        let mut arcs = ["CONSUME", "PRODUCE"].map(|side| {
            reader.expect(side);
            let arcs = reader.numbers();
            arcs.into_iter().map(|(place, weight)| (net.place_named(&place).unwrap(), weight)).collect::<Vec<_>>()
        });
        let (outputs, inputs) = (std::mem::take(&mut arcs[1]), std::mem::take(&mut arcs[0]));
        net.add_transition(transition, inputs, outputs).unwrap();
    }
    net
}

/// The same net under the name that the reader gives.
fn renamed(net: &Net) -> Net {
    let mut other = Net::new("read");
    for place in net.places() {
        other.add_place(net.place_name(place), net.initial_tokens(place)).unwrap();
    }
    for transition in net.transitions() {
        let arcs = [net.inputs(transition), net.outputs(transition)].map(<[_]>::to_vec);
        let [inputs, outputs] = arcs;
        other.add_transition(net.transition_name(transition), inputs, outputs).unwrap();
    }
    other
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(sweep("petri.lola", 80, 300))))]
    #[test]
    fn what_is_written_is_the_net(net in any_net()) {
        match lola::write(&net) {
            Ok(text) => prop_assert_eq!(read(&text), renamed(&net), "{}", text),
            Err(lola::NoPlace) => prop_assert_eq!(net.place_count(), 0),
        }
    }
}

#[test]
fn names_that_mean_something_else_are_written_otherwise() {
    for (plain, written) in [
        ("p1", "p1"),
        ("a.b-c_d", "a.b-c_d"),
        ("place", "%70lace"),
        ("PLACE", "%50LACE"),
        ("1", "%31"),
        ("", "%"),
        ("%", "%25"),
        ("a b", "a%20b"),
        ("é", "%C3%A9"),
        ("-x", "%2Dx"),
    ] {
        assert_eq!(lola::name(plain), written);
        assert_eq!(name(written), plain);
    }
}
