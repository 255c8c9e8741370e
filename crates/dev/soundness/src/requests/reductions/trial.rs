//! One system against brute force.

use std::convert::Infallible;
use std::fmt;

use serval_budget::{Budget, Cancel};
use serval_engine::reduce::{Extent, RULES, Reduction, Rule, apply_rule, reduce};

use serval_model::{NetworkSystem, NormalForm, SplitMix64};
use serval_proof::script::{Entry, Reduced, check_script};
use serval_proof::{Body, Caps, Certificate, Claim, Part, Refusal, Systems, Work, check, fingerprint};
use serval_random::Behaviours;

use super::endings::{Endings, From};
use super::movers::{mover_of, needs};
use super::tally::rule_name;
use super::{Tally, TallyRow, offers};
use crate::requests::systems::Generator;

/// How much is done for one system.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Configurations that one enumeration may visit.
    pub ticks: u64,
    /// The largest normal form that is reduced, in steps.
    pub steps: usize,
    /// How many entries of each kind are drawn.
    pub drawn: usize,
}

/// Finding and checking on systems of this size takes far less. What takes
/// more does not end.
const FINDER_TICKS: u64 = 20_000_000;

/// Something is not as it should be.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where it was seen.
    pub row: TallyRow,
    /// What is wrong.
    pub message: String,
    /// The script that led there.
    pub script: Vec<Entry>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\nscript: {:?}", self.row.name(), self.message, self.script)
    }
}

/// Tries everything with one system.
pub fn trial(
    system: &NetworkSystem,
    generator: Generator,
    mut random: SplitMix64,
    effort: Effort,
    tally: &mut Tally,
) -> Result<(), Difference> {
    tally.figures(generator).systems += 1;
    let normal = NormalForm::new(system).map(|(form, _)| form).filter(|form| form.steps().len() <= effort.steps);
    let reference = normal.as_ref().and_then(|_| Behaviours::of(system, effort.ticks));
    let (Some(form), Some(reference)) = (normal, reference) else {
        tally.figures(generator).too_large += 1;
        return Ok(());
    };
    let figures = tally.figures(generator);
    figures.with_four += u64::from(reference.requests == 4);
    figures.serializable += u64::from(reference.is_serializable());
    let limit = usize::try_from(effort.ticks).unwrap_or(usize::MAX);
    let ends = [From::Anywhere, From::Initial].map(|from| Endings::of(&form, from, limit));
    let mut trial = Trial { system, form, reference, ends, generator, effort, tally, same: Vec::new(), same_ends: Vec::new() };
    let whole = Reduction::new(trial.form.clone());
    trial.compare(TallyRow::NormalForm, &whole.reduced, &[])?;
    for &rule in RULES {
        trial.rule(&whole, rule)?;
    }
    trial.split(&whole, &mut random)?;
    trial.all()?;
    for _ in 0..2 {
        let several = trial.several(&mut random)?;
        for &rule in RULES {
            trial.rule(&several, rule)?;
        }
        trial.split(&several, &mut random)?;
        trial.draw(&several, RULES, &mut random)?;
    }
    trial.draw(&whole, RULES, &mut random)?;
    trial.known_pairs(&mut random)
}

struct Trial<'a> {
    system: &'a NetworkSystem,
    form: NormalForm,
    reference: Behaviours,
    generator: Generator,
    effort: Effort,
    tally: &'a mut Tally,
    /// What was compared, and whether it could be.
    same: Vec<(NormalForm, bool)>,
    /// The ends of its runs, from anywhere and from the initial global state.
    ends: [Option<Endings>; 2],
    /// Whose ends were compared.
    same_ends: Vec<(NormalForm, From)>,
}

fn difference(row: TallyRow, message: impl Into<String>, script: &[Entry]) -> Difference {
    Difference { row, message: message.into(), script: script.to_vec() }
}

impl Trial<'_> {
    /// What a script left does what the system does.
    fn compare(&mut self, row: TallyRow, reduced: &Reduced, script: &[Entry]) -> Result<(), Difference> {
        let form = reduced.form();
        let known = self.same.iter().find(|(other, _)| other == form).map(|&(_, could)| could);
        let could = match known {
            Some(could) => could,
            None => {
                let same = self.reference.same_as(&form.to_system(self.system), self.effort.ticks);
                if same == Some(false) {
                    return Err(difference(row, "the behaviours differ", script));
                }
                self.same.push((form.clone(), same.is_some()));
                same.is_some()
            }
        };
        self.compare_ends(row, reduced, script)?;
        let counts = self.tally.counts(row, self.generator);
        counts.fired += 1;
        if could {
            counts.compared += 1;
        } else {
            counts.skipped += 1;
        }
        Ok(())
    }

    /// The ends of runs are the same, where the script keeps them.
    fn compare_ends(&mut self, row: TallyRow, reduced: &Reduced, script: &[Entry]) -> Result<(), Difference> {
        let Some(from) = From::kept_by(script) else { return Ok(()) };
        let key = (reduced.form().clone(), from);
        if self.same_ends.contains(&key) {
            return Ok(());
        }
        let limit = usize::try_from(self.effort.ticks).unwrap_or(usize::MAX);
        let expected = &self.ends[usize::from(from == From::Initial)];
        if let (Some(expected), Some(found)) = (expected, Endings::of(&key.0, from, limit)) {
            if *expected != found {
                return Err(difference(row, "the ends of runs differ", script));
            }
            self.tally.figures(self.generator).ends += 1;
        }
        self.same_ends.push(key);
        Ok(())
    }

    /// What a script leaves, if the checker accepts it.
    fn verified(&self, script: &[Entry]) -> Result<Reduced, Refusal<Infallible>> {
        check_script(self.form.clone(), script, &mut Work::new(&Caps::default(), &Cancel::new()))
    }

    /// The checker accepts a script, and it leaves what the finder says.
    fn verify(&mut self, row: TallyRow, reduction: &Reduction) -> Result<(), Difference> {
        let script = &reduction.script;
        let verified = self.verified(script);
        let left = verified.map_err(|refusal| difference(row, format!("the checker refuses: {refusal}"), script))?;
        if left.form() != reduction.form() {
            return Err(difference(row, "the checker computes another system", script));
        }
        self.tally.figures(self.generator).scripts += 1;
        Ok(())
    }

    /// Applies a rule twice to the same system and sees that it does the same.
    fn apply(&mut self, row: TallyRow, before: &Reduction, rule: Rule) -> Result<(Reduction, bool), Difference> {
        let run = || {
            let mut reduction = before.clone();
            let fired = apply_rule(&mut reduction, rule, &mut Budget::ticks(FINDER_TICKS));
            (reduction, fired)
        };
        let ((one, fired), (other, _)) = (run(), run());
        if one.script != other.script {
            return Err(difference(row, "the same system gives two scripts", &one.script));
        }
        let fired = fired.map_err(|_| difference(row, format!("{} does not end", rule_name(rule)), &one.script))?;
        if fired && rule != Rule::Pairs && before.form() == one.form() {
            return Err(difference(row, "it says that it changed something, but did not", &one.script));
        }
        Ok((one, fired))
    }

    fn rule(&mut self, before: &Reduction, rule: Rule) -> Result<(), Difference> {
        let row = TallyRow::Found(rule);
        let (after, fired) = self.apply(row, before, rule)?;
        if !fired {
            return Ok(());
        }
        if let Some((side, mover)) = after.script.last().and_then(mover_of) {
            let mut at = before.reduced.clone();
            for entry in &after.script[before.script.len()..after.script.len() - 1] {
                let _ = at.apply(entry, &mut Budget::unlimited());
            }
            let needs = needs(&at, side, mover);
            let figures = self.tally.figures(self.generator);
            figures.exchanges += needs.exchanges;
            figures.weak += needs.weak;
            figures.weak_entries += u64::from(needs.weak > 0);
            figures.witnesses += needs.witnesses;
            figures.longer += needs.longer;
        }
        self.verify(row, &after)?;
        self.compare(row, &after.reduced, &after.script)
    }

    /// Splits some initial node.
    fn split(&mut self, before: &Reduction, random: &mut SplitMix64) -> Result<(), Difference> {
        let initial: Vec<u32> = before.form().node_numbers().filter(|&node| before.form().is_initial(node)).collect();
        let Some(node) = random.pick(&initial) else { return Ok(()) };
        let after = pushed(before, Entry::Split(node));
        self.verify(TallyRow::Split, &after)?;
        self.compare(TallyRow::Split, &after.reduced, &after.script)
    }

    /// All rules as they are used; with a certificate if that proves something.
    fn all(&mut self) -> Result<(), Difference> {
        let run = || {
            let mut reduction = Reduction::new(self.form.clone());
            let outcome = reduce(&mut reduction, &mut Budget::ticks(FINDER_TICKS));
            (reduction, outcome)
        };
        let ((reduction, outcome), (other, _)) = (run(), run());
        let script = &reduction.script;
        if outcome != Ok(Extent::Complete) {
            return Err(difference(TallyRow::All, "it does not end", script));
        }
        if *script != other.script {
            return Err(difference(TallyRow::All, "the same system gives two scripts", script));
        }
        self.verify(TallyRow::All, &reduction)?;
        if *reduction.form() != self.form {
            self.compare(TallyRow::All, &reduction.reduced, script)?;
        }
        if reduction.form().is_atomic() {
            if !self.reference.is_serializable() {
                return Err(difference(TallyRow::All, "it proves what is not so", script));
            }
            self.certify(script)?;
        }
        Ok(())
    }

    /// A certificate from the script is accepted, also after it was written out
    /// and read again.
    fn certify(&mut self, script: &[Entry]) -> Result<(), Difference> {
        let text = self.system.to_json();
        let body = Body::Part(Part::Atomic(script.to_vec()));
        let certificate = Certificate { input: fingerprint(&text), component: 0, claim: Claim::Serializable, body };
        let read = Certificate::from_json(&certificate.to_json());
        if read.as_ref().ok() != Some(&certificate) {
            return Err(difference(TallyRow::All, "the certificate is not read as it was written", script));
        }
        let input = Systems { text: &text, systems: vec![self.system] };
        check(&input, &certificate, &Caps::default(), &Cancel::new())
            .map_err(|refusal| difference(TallyRow::All, format!("the certificate is refused: {refusal}"), script))?;
        self.tally.figures(self.generator).atomic += 1;
        Ok(())
    }

    /// A few rules, and splits, in any order.
    fn several(&mut self, random: &mut SplitMix64) -> Result<Reduction, Difference> {
        let mut reduction = Reduction::new(self.form.clone());
        // What is known about pairs changes what the others may do.
        if random.below(2) == 0 {
            (reduction, _) = self.apply(TallyRow::Several, &reduction, Rule::Pairs)?;
        }
        for _ in 0..1 + random.below(4) {
            let initial: Vec<u32> = reduction.form().node_numbers().filter(|&node| reduction.form().is_initial(node)).collect();
            match random.pick(RULES) {
                Some(rule) if random.below(6) > 0 => (reduction, _) = self.apply(TallyRow::Several, &reduction, rule)?,
                _ => {
                    if let Some(node) = random.pick(&initial) {
                        reduction = pushed(&reduction, Entry::Split(node));
                    }
                }
            }
        }
        self.verify(TallyRow::Several, &reduction)?;
        if *reduction.form() != self.form {
            self.compare(TallyRow::Several, &reduction.reduced, &reduction.script)?;
        }
        Ok(reduction)
    }

    /// Movers rely on what is known about pairs: also where nodes were merged or
    /// copied, or global states merged, after it was found out.
    fn known_pairs(&mut self, random: &mut SplitMix64) -> Result<(), Difference> {
        let (pairs, _) = self.apply(TallyRow::Several, &Reduction::new(self.form.clone()), Rule::Pairs)?;
        let initial: Vec<u32> = self.form.node_numbers().filter(|&node| self.form.is_initial(node)).collect();
        let split = random.pick(&initial).map(|node| pushed(&pairs, Entry::Split(node)));
        let locals = self.apply(TallyRow::Several, &pairs, Rule::LocalQuotient)?;
        let globals = self.apply(TallyRow::Several, &pairs, Rule::GlobalQuotient)?;
        let mut merged: Vec<Reduction> = [locals, globals].into_iter().filter(|(_, fired)| *fired).map(|(after, _)| after).collect();
        for rule in [Rule::LocalQuotient, Rule::GlobalQuotient] {
            let drawn = offers::draw(&pairs.reduced, rule, random).map(|entry| pushed(&pairs, entry));
            merged.extend(drawn.filter(|after| self.verified(&after.script).is_ok()));
        }
        for after in merged.into_iter().chain(split) {
            let movers = [Rule::Right, Rule::Left];
            for rule in movers {
                self.rule(&after, rule)?;
            }
            self.draw(&after, &movers, random)?;
        }
        Ok(())
    }

    /// Entries that are drawn, not found.
    fn draw(&mut self, before: &Reduction, rules: &[Rule], random: &mut SplitMix64) -> Result<(), Difference> {
        for &rule in rules.iter().filter(|&&rule| rule != Rule::Pairs) {
            let movers = match (rule, self.generator) {
                (Rule::Right | Rule::Left, Generator::Tiny) => 8,
                (Rule::Right | Rule::Left, _) => 3,
                _ => 1,
            };
            for _ in 0..self.effort.drawn * movers {
                let mut next = offers::draw(&before.reduced, rule, random);
                let mut attempts = 0;
                while let Some(entry) = next.take() {
                    let mut script = before.script.clone();
                    script.push(entry.clone());
                    match self.verified(&script) {
                        Ok(left) if left.form() != before.form() => self.compare(TallyRow::drawn(&entry), &left, &script)?,
                        Ok(_) => {}
                        Err(_) => {
                            attempts += 1;
                            if let Some((side, mover)) = mover_of(&entry)
                                && attempts < 8
                            {
                                next = offers::shrunk(&before.reduced, side, mover, random);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// A reduction with one more entry, whether or not it may be there.
fn pushed(before: &Reduction, entry: Entry) -> Reduction {
    let mut after = before.clone();
    // Without a limit nothing stops it.
    let _ = after.reduced.apply(&entry, &mut Budget::unlimited());
    after.script.push(entry);
    after
}
