//! Certificates: evidence for an answer about a property of a net.
//!
//! A certificate names the net by its [`fingerprint`] (`net.input`) and the question in the words in which it was asked
//! (`net.property`), and says whether the property holds. The property has *goals* ([`Property::goals`]), sets of
//! markings, and evidence is about goals, by number (`net.goal`).
//!
//! **Theorem.** If the checker accepts the certificate, the property holds, or does not hold, as the certificate says.
//!
//! **Proof.** Each piece of evidence is accepted for its goal, so by the theorem of its kind the goal can be reached,
//! or cannot. What follows for the property depends on its form ([`Decides`]); `net.complete` asks that the goals with
//! evidence are enough for it:
//!
//! - *The property holds iff every goal can be reached.* Evidence that every goal is reachable shows that it holds;
//!   evidence that one goal is unreachable shows that it does not.
//! - *The property holds iff no goal can be reached.* The other way round.
//! - *The property holds iff some goal cannot be reached.* Evidence that one goal is unreachable shows that it holds;
//!   evidence that every goal is reachable shows that it does not.
//! - *Boundedness* has places instead of goals. Each piece of evidence has the number 0, is about all the places, and
//!   shows that all are bounded or that one is not ([`check_bounded`]).
//! - *A largest value* is the number `n` iff a value of at least `n` can be reached, which is the first goal, and one
//!   of at least `n + 1` cannot, which is the second. Both together show that it is `n`; the opposite of either shows
//!   that it is not. A certificate must say which number it is (`net.property`).
//! - *No largest value.* The values of a sum of places, each with a factor of at least 1, are unbounded iff one of the
//!   places is. So evidence that a place is unbounded shows ω, and evidence that all are bounded refutes it.
//! - *What can always be reached again* (liveness, reversibility) has sets of markings, of which each must be a home
//!   space. A piece of evidence with the number 0 shows that of all of them, or one with the number of a set that it is
//!   none ([`check_homes`]). ∎
//!
//! WrittenCertificate down, a certificate is a JSON object:
//!
//! ```json
//! {"format":"serval-net-certificate","version":1,"net":"…","property":"invariant:a + 2*b <= 3","holds":true,
//!  "evidence":[{"goal":0,"evidence":{"weights":{"sums":[[[0,1],[1,2]]]}}}]}
//! ```
//!
//! Reading is strict: fields that are unknown, missing or repeated, arrays for objects and another format or version
//! are errors.

use std::fmt::Write;
use std::io;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::FormatError;
use serval_evidence::require;
use serval_petri::{Decides, Formula, Net, PlaceId, Property};

use crate::run::check_runs;
use crate::{Claim, Evidence, Item, Refusal, Runs, States, check, check_bounded, check_homes};

serval_evidence::head!("serval-net-certificate", 1);

/// Bytes of a certificate that is read piece by piece: the checker takes no larger ones.
pub const MOST_BYTES: u64 = 4 << 30;

/// Evidence for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Document")]
pub struct Certificate {
    /// The [`fingerprint`] of the net.
    pub net: String,
    /// The question as it was asked, in the words of the command line. The checker itself makes the goals of them.
    pub property: String,
    /// Whether it holds.
    pub holds: bool,
    /// Evidence about single goals.
    pub evidence: Vec<About>,
    /// Runs into several goals.
    pub runs: Runs,
}

/// Room for so many bytes, which are counted and not kept.
struct Room {
    left: u64,
}

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = u64::try_from(bytes.len()).ok().and_then(|bytes| self.left.checked_sub(bytes));
        self.left = left.ok_or(io::ErrorKind::WriteZero)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Evidence about a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct About {
    /// The number of the goal, from 0.
    pub goal: usize,
    /// Why it can be reached, or cannot.
    pub evidence: Evidence,
}

/// A certificate as it is read.
#[derive(Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct Document {
    format: FormatName,
    version: FormatVersion,
    net: String,
    property: String,
    holds: bool,
    evidence: Vec<About>,
    #[serde(default)]
    runs: Runs,
}

serval_evidence::objects!(About);
serval_evidence::read_object!(Document);

impl From<Document> for Certificate {
    fn from(document: Document) -> Self {
        let Document { net, property, holds, evidence, runs, .. } = document;
        Self { net, property, holds, evidence, runs }
    }
}

/// A certificate as it is written down; lists of markings may be long and are not copied for it.
#[derive(Serialize)]
struct WrittenCertificate<'a> {
    format: FormatName,
    version: FormatVersion,
    net: &'a str,
    property: &'a str,
    holds: bool,
    evidence: &'a [About],
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<&'a Runs>,
}

/// The identity of a net: the fingerprint of its places with their tokens, and its transitions with their arcs, in
/// order. The name of the net and the format of its file do not matter.
///
/// Nothing rests on it: what a certificate shows is checked against the net that is given.
pub fn fingerprint(net: &Net) -> String {
    let mut text = String::new();
    let mut line = |kind: char, name: &str, numbers: &[u64]| {
        // The length in front keeps names that contain anything at all apart from what follows.
        let _ = write!(text, "{kind}{}:{name}", name.len());
        numbers.iter().for_each(|number| text.extend([" ", &number.to_string()]));
        text.push('\n');
    };
    for place in net.places() {
        line('p', net.place_name(place), &[net.initial_tokens(place)]);
    }
    for transition in net.transitions() {
        line('t', net.transition_name(transition), &[]);
        for (kind, arcs) in [('i', net.inputs(transition)), ('o', net.outputs(transition))] {
            arcs.iter().for_each(|&(place, weight)| line(kind, "", &[u64::try_from(place.index()).unwrap_or(u64::MAX), weight]));
        }
    }
    serval_evidence::fingerprint(&text)
}

/// Whether the property holds where something is shown of all goals, or does not hold then.
fn holds_if_all(decides: Decides) -> bool {
    decides != Decides::UnlessAllReachable
}

/// What must be shown of a goal, by its number, where each of them decides, and of one goal at least where that is
/// enough for the opposite.
fn claims(decides: Decides, goal: usize) -> (Claim, Claim) {
    match decides {
        Decides::IfFirst if goal > 0 => (Claim::Unreachable, Claim::Reachable),
        Decides::IfReachable | Decides::UnlessAllReachable | Decides::IfFirst => (Claim::Reachable, Claim::Unreachable),
        Decides::UnlessReachable => (Claim::Unreachable, Claim::Reachable),
        Decides::IfHome => (Claim::Home, Claim::Lost),
    }
}

impl Certificate {
    /// The certificate for a question about a net, in the words in which it was asked, from evidence about its goals:
    /// what decides it, and no more. Runs that begin alike are written once. `None` where the evidence does not decide
    /// it.
    ///
    /// The goals must be those of the property that is read from these words.
    pub fn new(net: &Net, asked: &str, decides: Decides, goals: usize, evidence: Vec<(usize, Evidence)>) -> Option<Self> {
        let property = asked.to_owned();
        let holds = holds_if_all(decides);
        let mut certificate = Self { net: fingerprint(net), property, holds, evidence: Vec::new(), runs: Runs::default() };
        if let Some(first) = evidence.iter().position(|one| one.1.claim() == claims(decides, one.0).1) {
            certificate.holds = !holds;
            certificate.evidence.extend(evidence.into_iter().nth(first).map(|(goal, evidence)| About { goal, evidence }));
            return Some(certificate);
        }
        let mut is_open = vec![true; goals];
        for (goal, _) in evidence.iter().filter(|one| one.1.claim() == claims(decides, one.0).0) {
            *is_open.get_mut(*goal)? = false;
        }
        if is_open.contains(&true) {
            return None;
        }
        certificate.add(goals, evidence);
        Some(certificate)
    }

    /// The certificate for a property that is about bounds, in the words in which it was asked, from one piece of
    /// evidence. `None` where the property is another one.
    pub fn bounded(net: &Net, asked: &str, property: &Property, evidence: Evidence) -> Option<Self> {
        property.bounded_places(net)?;
        let is_bounded = evidence.claim() != Claim::Unbounded;
        let holds = if matches!(property, Property::Bound(..)) { !is_bounded } else { is_bounded };
        let evidence = vec![About { goal: 0, evidence }];
        Some(Self { net: fingerprint(net), property: asked.to_owned(), holds, evidence, runs: Runs::default() })
    }

    /// The certificate for a property about what can always be reached again, in the words in which it was asked, from
    /// one piece of evidence about the goal with this number. `None` where the property is another one.
    pub fn homes(net: &Net, asked: &str, property: &Property, goal: usize, evidence: Evidence) -> Option<Self> {
        if property.decides() != Decides::IfHome {
            return None;
        }
        let (holds, evidence) = (evidence.claim() == Claim::Home, vec![About { goal, evidence }]);
        Some(Self { net: fingerprint(net), property: asked.to_owned(), holds, evidence, runs: Runs::default() })
    }

    /// Adds the first piece of evidence for each goal; several runs as one piece.
    fn add(&mut self, goals: usize, evidence: Vec<(usize, Evidence)>) {
        let mut is_known = vec![false; goals];
        let mut words: Vec<(Vec<Item>, usize)> = Vec::new();
        for (goal, evidence) in evidence {
            match evidence {
                _ if is_known.get_mut(goal).is_none_or(|known| std::mem::replace(known, true)) => {}
                Evidence::Run(run) if goals > 1 => words.push((run.word, goal)),
                evidence => self.evidence.push(About { goal, evidence }),
            }
        }
        // What begins alike is side by side, and the longest comes last.
        words.sort_unstable();
        for (word, goal) in words.into_iter().rev() {
            let items = word.len();
            if self.runs.words.last().is_none_or(|last| !last.starts_with(&word)) {
                self.runs.words.push(word);
            }
            self.runs.ends.push((goal, self.runs.words.len() - 1, items));
        }
        self.runs.ends.sort_unstable();
    }

    /// Checks the certificate for a net.
    pub fn check(&self, net: &Net, budget: &mut Budget) -> Result<(), Refusal> {
        let actual = fingerprint(net);
        require!(Input, self.net == actual, "the fingerprint of the net is {actual}, but the certificate is about {:.80?}", self.net);
        let read = Property::parse(&self.property, net);
        if let Ok(property) = &read
            && let Some(places) = property.bounded_places(net)
        {
            let (if_holds, if_not) = match property {
                Property::Bound(_, most) => {
                    require!(Property, most.is_some(), "it asks for a largest value and does not say which it is");
                    (Claim::Unbounded, Claim::Bounded)
                }
                _ => (Claim::Bounded, Claim::Unbounded),
            };
            return self.check_bounds(net, &places, if self.holds { if_holds } else { if_not }, budget);
        }
        if let Ok(property) = &read
            && let Some(goals) = property.homes(net)
        {
            return self.check_homes(net, &goals, budget);
        }
        let goals = |property: &Property| property.goals(net).ok_or("a number does not fit 64 bits".to_owned());
        let read = read.map_err(|error| error.message).and_then(|property| Ok((goals(&property)?, property.decides())));
        let (goals, decides) = match read {
            Ok(read) => read,
            Err(message) => {
                require!(Property, false, "the property cannot be read: {message:.200}");
                return Ok(());
            }
        };
        let shown = self.check_evidence(net, &goals, budget)?;
        let mut shown = (0..).zip(shown);
        if self.holds == holds_if_all(decides) {
            if let Some((goal, _)) = shown.find(|&(goal, shown)| shown != Some(claims(decides, goal).0)) {
                require!(Complete, false, "goal {goal} is not shown to be {}", claims(decides, goal).0.word());
            }
        } else {
            let is_refuted = shown.any(|(goal, shown)| shown == Some(claims(decides, goal).1));
            require!(Complete, is_refuted, "no goal is shown to be {}", claims(decides, 0).1.word());
        }
        Ok(())
    }

    /// Checks a certificate about bounds of places.
    fn check_bounds(&self, net: &Net, places: &[PlaceId], wanted: Claim, budget: &mut Budget) -> Result<(), Refusal> {
        require!(Goal, self.runs == Runs::default(), "runs lead into no goal, since there is none");
        let mut shown = false;
        for About { goal, evidence } in &self.evidence {
            require!(Goal, *goal == 0, "there is no goal number {goal}");
            shown |= check_bounded(net, places, evidence, budget)? == wanted;
        }
        require!(Complete, shown, "the places are not shown to be {}", wanted.word());
        Ok(())
    }

    /// Checks a certificate about what can always be reached again.
    fn check_homes(&self, net: &Net, goals: &[Formula], budget: &mut Budget) -> Result<(), Refusal> {
        require!(Goal, self.runs == Runs::default(), "runs lead into no goal, since there is none");
        let wanted = if self.holds { Claim::Home } else { Claim::Lost };
        let mut shown = false;
        for About { goal, evidence } in &self.evidence {
            shown |= check_homes(net, goals, *goal, evidence, budget)? == wanted;
        }
        require!(Complete, shown, "the goals are not shown to be {}", wanted.word());
        Ok(())
    }

    /// What is shown of each goal.
    fn check_evidence(&self, net: &Net, goals: &[Formula], budget: &mut Budget) -> Result<Vec<Option<Claim>>, Refusal> {
        let mut shown: Vec<Option<Claim>> = vec![None; goals.len()];
        for About { goal, evidence } in &self.evidence {
            require!(Goal, *goal < goals.len(), "there is no goal number {goal}");
            if let (Some(formula), Some(shown)) = (goals.get(*goal), shown.get_mut(*goal)) {
                check(net, formula, evidence.claim(), evidence, budget)?;
                *shown = Some(evidence.claim());
            }
        }
        check_runs(net, goals, &self.runs, budget)?;
        for &(goal, ..) in &self.runs.ends {
            if let Some(shown) = shown.get_mut(goal) {
                *shown = Some(Claim::Reachable);
            }
        }
        Ok(shown)
    }

    /// Reads a certificate from JSON.
    pub fn from_json(text: &str) -> Result<Self, FormatError> {
        serval_evidence::read(text)
    }

    /// The certificate as JSON, on one line with its end.
    pub fn to_json(&self) -> String {
        serval_evidence::line(&self.written()) + "\n"
    }

    /// Writes the certificate as [`Self::to_json`] makes it, piece by piece.
    pub fn write_json(&self, mut into: impl io::Write) -> io::Result<()> {
        serval_evidence::write_line(&self.written(), &mut into)?;
        into.write_all(b"\n")
    }

    fn written(&self) -> WrittenCertificate<'_> {
        let Self { net, property, holds, evidence, runs } = self;
        let runs = Some(runs).filter(|runs| **runs != Runs::default());
        WrittenCertificate { format: FormatName, version: FormatVersion, net, property, holds: *holds, evidence, runs }
    }

    /// Whether the certificate as JSON has more bytes than these.
    pub fn is_longer_than(&self, bytes: u64) -> bool {
        // Rows of markings need not be written down where they are short enough in any case.
        let rows = match &self.evidence[..] {
            [About { evidence: Evidence::States(States { markings }), .. }] => markings.most_bytes(),
            _ => u64::MAX,
        };
        let rest = u64::try_from(self.property.len()).unwrap_or(u64::MAX).saturating_mul(6).saturating_add(1 << 10);
        rows.saturating_add(rest) > bytes && self.write_json(Room { left: bytes }).is_err()
    }
}
