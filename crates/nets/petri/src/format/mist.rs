//! Specifications of mist (`.spec`): a net as rules over counters, and what is to be covered.
//!
//! ```text
//! vars
//!   idle crit lock
//! rules
//!   idle >= 1, lock >= 1 -> idle' = idle - 1, lock' = lock - 1, crit' = crit + 1;
//! init
//!   idle >= 1, crit = 0, lock = 1
//! target
//!   crit >= 2
//! ```
//!
//! Counters become places, rules become transitions `rule1`, `rule2`, …. A counter that has *at least* n in the
//! beginning has n, and a transition `more NAME` adds to it: what is added later could have been there before, and more
//! tokens end nothing that is asked here. So quasi-liveness is that each rule can fire from some beginning, as what
//! adds always can; only deadlocks are no question about such a net, since it has none.
//!
//! Each target is a conjunction of lower bounds and exact numbers, and there may be several. With that transition the
//! same markings can be reached as from all beginnings. It takes nothing, so in a run each of its firings can be moved
//! to the front: before it the others only find more tokens, and the last marking stays the same. Then the run begins
//! with one of the beginnings. The other way, a beginning is reached by firing it first.
//!
//! A rule without a guard, or with `true`, can always fire if what it takes is there. The reader refuses by name
//! whatever is more than a net: a *reset* `x' = 0`, a *transfer* `x' = x + y`, a test for zero.

use std::collections::BTreeMap;

use super::{FormatError, Limits, without_mark};
use crate::formula::enough;
use crate::{Constraint, Formula, Linear, Net, PlaceId};

/// A specification that has been read.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The net.
    pub net: Net,
    /// What is to be covered, one by one.
    pub targets: Vec<Formula>,
}

const SECTIONS: &[&str] = &["vars", "rules", "init", "target", "targets", "invariants"];
const SIGNS: &[&str] = &["->", ">=", "<=", "'", "=", "+", "-", ",", ";", "<", ">"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MistToken<'a> {
    Word(&'a str),
    Number(u64),
    Sign(&'static str),
    End,
}

impl MistToken<'_> {
    fn told(self) -> String {
        match self {
            Self::Word(word) => format!("“{word}”"),
            Self::Number(number) => number.to_string(),
            Self::Sign(sign) => format!("“{sign}”"),
            Self::End => "the end".to_owned(),
        }
    }
}

fn lex<'a>(text: &'a str) -> Result<Vec<(MistToken<'a>, usize)>, FormatError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '@' | '$');
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push((MistToken::Sign(sign), at));
            sign.len()
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..length].parse().map_err(|_| FormatError::at(text, at, "the number does not fit 64 bits"))?;
            tokens.push((MistToken::Number(number), at));
            length
        } else if is_name(first) {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            tokens.push((MistToken::Word(&rest[..length]), at));
            length
        } else {
            return Err(FormatError::at(text, at, format!("a specification has no “{first}”")));
        };
        at += length;
    }
    tokens.push((MistToken::End, text.len()));
    Ok(tokens)
}

/// What a rule takes and gives.
type MistRule = (BTreeMap<PlaceId, u64>, BTreeMap<PlaceId, u64>);

struct MistReader<'a> {
    text: &'a str,
    tokens: Vec<(MistToken<'a>, usize)>,
    at: usize,
    places: BTreeMap<&'a str, PlaceId>,
}

impl<'a> MistReader<'a> {
    fn token(&self) -> MistToken<'a> {
        self.tokens.get(self.at).map_or(MistToken::End, |one| one.0)
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, FormatError> {
        let position = self.tokens.get(self.at).map_or(self.text.len(), |one| one.1);
        Err(FormatError::at(self.text, position, message))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.token(), MistToken::Sign(next) if next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), FormatError> {
        if self.takes(sign) { Ok(()) } else { self.fail(format!("expected “{sign}”, found {}", self.token().told())) }
    }

    fn number(&mut self) -> Result<u64, FormatError> {
        let MistToken::Number(number) = self.token() else { return self.fail(format!("expected a number, found {}", self.token().told())) };
        self.at += 1;
        Ok(number)
    }

    fn is_section(&self) -> bool {
        matches!(self.token(), MistToken::Word(word) if SECTIONS.contains(&word)) || self.token() == MistToken::End
    }

    fn section(&mut self, names: &[&str]) -> Result<(), FormatError> {
        match self.token() {
            MistToken::Word(word) if names.contains(&word) => {
                self.at += 1;
                Ok(())
            }
            other => self.fail(format!("expected “{}”, found {}", names[0], other.told())),
        }
    }

    fn place(&mut self) -> Result<PlaceId, FormatError> {
        let MistToken::Word(word) = self.token() else {
            return self.fail(format!("expected the name of a counter, found {}", self.token().told()));
        };
        let Some(&place) = self.places.get(word) else { return self.fail(format!("there is no counter “{word}”")) };
        self.at += 1;
        Ok(place)
    }

    /// `x >= 3` or `x = 3`: the place, whether it is equal, the number.
    fn bound(&mut self) -> Result<(PlaceId, bool, u64), FormatError> {
        let place = self.place()?;
        let is_equal = match self.token() {
            MistToken::Sign("=") => true,
            MistToken::Sign(">=") => false,
            MistToken::Sign(sign @ ("<=" | "<" | ">")) => {
                return self.fail(format!("“{sign}” is no comparison of this format; there are >= and ="));
            }
            other => return self.fail(format!("expected “>=” or “=”, found {}", other.told())),
        };
        self.at += 1;
        Ok((place, is_equal, self.number()?))
    }

    /// `guard -> changes ;` as what is taken and what is given.
    fn rule(&mut self) -> Result<MistRule, FormatError> {
        let mut least: BTreeMap<PlaceId, u64> = BTreeMap::new();
        if self.token() == MistToken::Word("true") {
            self.at += 1;
        } else if self.token() != MistToken::Sign("->") {
            loop {
                let before = self.at;
                let (place, is_equal, number) = self.bound()?;
                if is_equal {
                    self.at = before;
                    return self.fail("a test for an exact number is more than a net can do; only >= is read in guards");
                }
                let known = least.entry(place).or_default();
                *known = number.max(*known);
                if !self.takes(",") {
                    break;
                }
            }
        }
        self.expect("->")?;
        let mut changes: BTreeMap<PlaceId, i128> = BTreeMap::new();
        while !self.takes(";") {
            let place = self.place()?;
            self.expect("'")?;
            self.expect("=")?;
            let change = self.change(place)?;
            if changes.insert(place, change).is_some() {
                return self.fail("a rule changes a counter twice");
            }
            if !self.takes(",") {
                self.expect(";")?;
                break;
            }
        }
        let (mut inputs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
        for place in least.keys().chain(changes.keys()).copied().collect::<std::collections::BTreeSet<_>>() {
            let change = changes.get(&place).copied().unwrap_or(0);
            // What is taken must be there, whether the guard says so or not.
            let taken = i128::from(least.get(&place).copied().unwrap_or(0)).max(-change);
            let fits = |number: i128| u64::try_from(number).ok();
            match (fits(taken), fits(taken + change)) {
                (Some(taken), Some(given)) => {
                    inputs.insert(place, taken);
                    outputs.insert(place, given);
                }
                _ => return self.fail("a number does not fit 64 bits"),
            }
        }
        Ok((inputs, outputs))
    }

    /// What comes behind `x' =`.
    fn change(&mut self, place: PlaceId) -> Result<i128, FormatError> {
        if let MistToken::Number(_) = self.token() {
            return self.fail("this is a reset, which is more than a net can do: a counter becomes a number");
        }
        let start = self.at;
        if self.place()? != place {
            self.at = start;
            return self.fail("this is a transfer, which is more than a net can do: a counter becomes another one");
        }
        let mut change = 0_i128;
        loop {
            let sign = match self.token() {
                MistToken::Sign("+") => 1,
                MistToken::Sign("-") => -1,
                _ => return Ok(change),
            };
            self.at += 1;
            if let MistToken::Word(_) = self.token() {
                return self.fail("this is a transfer, which is more than a net can do: a counter is added to another one");
            }
            change += sign * i128::from(self.number()?);
        }
    }
}

/// Reads a specification within the default limits.
pub fn read(text: &str) -> Result<Spec, FormatError> {
    read_within(text, &Limits::default())
}

/// Reads a specification.
pub fn read_within(text: &str, limits: &Limits) -> Result<Spec, FormatError> {
    limits.check_length(text)?;
    let text = without_mark(text);
    let mut reader = MistReader { text, tokens: lex(text)?, at: 0, places: BTreeMap::new() };
    reader.section(&["vars"])?;
    let mut names: Vec<&str> = Vec::new();
    while let (MistToken::Word(word), false) = (reader.token(), reader.is_section()) {
        let place = PlaceId::try_from_index(names.len());
        let Some(place) = place.filter(|_| names.len() < limits.nodes) else { return reader.fail("there are too many counters") };
        if reader.places.insert(word, place).is_some() {
            return reader.fail(format!("two counters are called “{word}”"));
        }
        names.push(word);
        reader.at += 1;
    }
    reader.section(&["rules"])?;
    let (mut rules, mut arcs) = (Vec::new(), 0);
    while !reader.is_section() {
        let rule = reader.rule()?;
        arcs += rule.0.len() + rule.1.len();
        if rules.len() == limits.nodes || arcs > limits.arcs {
            return reader.fail("there are too many rules");
        }
        rules.push(rule);
    }
    reader.section(&["init"])?;
    let (mut tokens, mut more) = (vec![0_u64; names.len()], Vec::new());
    while !reader.is_section() {
        let (place, is_equal, number) = reader.bound()?;
        tokens[place.index()] = number;
        if !is_equal {
            more.push(place);
        }
        reader.takes(",");
    }
    reader.section(&["target", "targets"])?;
    let mut targets = Vec::new();
    while !reader.is_section() {
        let mut bounds = Vec::new();
        loop {
            let (place, is_equal, number) = reader.bound()?;
            let constraint = match is_equal {
                true => Linear::from_wide([(place, 1)], -i128::from(number)).map(Constraint::Zero),
                false => enough((place, number), false),
            };
            let Some(constraint) = constraint else { return reader.fail("a number does not fit 63 bits") };
            bounds.push(Formula::constraint(constraint));
            if !reader.takes(",") {
                break;
            }
        }
        targets.push(Formula::all(bounds));
        if targets.len() > limits.nodes {
            return reader.fail("there are too many targets");
        }
    }
    if reader.token() != MistToken::End {
        // What others have found out about the net is not believed, and not needed.
        reader.section(&["invariants"])?;
    }
    let mut net = Net::new("");
    let wrong = |error: crate::NetError| FormatError::at(text, 0, error.to_string());
    for (name, tokens) in names.iter().zip(tokens) {
        net.add_place(*name, tokens).map_err(wrong)?;
    }
    for (number, (inputs, outputs)) in (1..).zip(rules) {
        net.add_transition(format!("rule{number}"), inputs, outputs).map_err(wrong)?;
    }
    for place in more {
        net.add_transition(format!("more {}", names[place.index()]), [], [(place, 1)]).map_err(wrong)?;
    }
    Ok(Spec { net, targets })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "# a lock\nvars\n idle crit lock\nrules\n idle >= 1, lock >= 1 -> idle' = idle - 1, lock' = lock-1,\n crit' = crit + 1;\n\
        crit >= 1 -> crit' = crit - 1, lock' = lock + 1, idle' = idle + 1;\ninit\n idle >= 1, crit = 0, lock = 1\ntarget\n crit >= 2\n idle>=2,lock>=1\n";

    #[test]
    fn rules_become_transitions() {
        let Spec { net, targets } = read(LOCK).unwrap();
        assert_eq!((net.place_count(), net.transition_count(), targets.len()), (3, 3, 2));
        let names: Vec<&str> = net.transitions().map(|one| net.transition_name(one)).collect();
        assert_eq!(names, ["rule1", "rule2", "more idle"]);
        let crit = net.place_named("crit").unwrap();
        let first = net.transitions().next().unwrap();
        assert_eq!(net.outputs(first), [(crit, 1)]);
        assert_eq!(net.initial().as_slice(), [1, 0, 1]);
    }

    /// A rule without a guard can always fire, and a target may name the exact number.
    #[test]
    fn rules_without_guards_and_exact_targets() {
        let open = LOCK.replace("crit >= 1 ->", "->").replace("crit >= 2\n", "crit = 2, lock >= 1\n");
        let Spec { net, targets } = read(&open).unwrap();
        let crit = net.place_named("crit").unwrap();
        let second = net.transitions().nth(1).unwrap();
        // What is taken must be there.
        assert_eq!(net.inputs(second), [(crit, 1)]);
        let holds = |tokens: [u64; 3]| targets[0].holds(&crate::Marking::new(tokens.to_vec()));
        assert_eq!([[0, 2, 1], [0, 1, 1], [0, 3, 1], [0, 2, 0]].map(holds), [true, false, false, false]);
        let free = LOCK.replace("crit >= 1 -> crit' = crit - 1,", "->");
        assert!(read(&free).unwrap().net.inputs(second).is_empty());
    }

    #[test]
    fn what_is_more_than_a_net_is_refused_by_name() {
        for (from, to, message) in [
            ("crit' = crit + 1", "crit' = 0", "this is a reset, which is more than a net can do: a counter becomes a number"),
            (
                "crit' = crit + 1",
                "crit' = crit + idle",
                "this is a transfer, which is more than a net can do: a counter is added to another one",
            ),
            ("crit' = crit + 1", "crit' = idle", "this is a transfer, which is more than a net can do: a counter becomes another one"),
            ("idle >= 1, lock >= 1 ->", "idle = 0 ->", "a test for an exact number is more than a net can do; only >= is read in guards"),
            ("rules\n", "rule\n", "two counters are called “idle”"),
            ("crit >= 2\n", "grit >= 2\n", "there is no counter “grit”"),
            (" idle crit", " idle idle", "two counters are called “idle”"),
            ("lock >= 1 ->", "lock >= 99999999999999999999 ->", "the number does not fit 64 bits"),
            ("lock >= 1 ->", "lock ! 1 ->", "a specification has no “!”"),
        ] {
            let bad = LOCK.replacen(from, to, 1);
            assert_ne!(bad, LOCK, "{from}");
            let error = read(&bad).unwrap_err();
            assert_eq!(error.message, message);
        }
        assert!(read("").is_err() && read("vars rules init target").is_ok());
    }
}
