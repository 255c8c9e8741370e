//! What the outside answers, by how it is used.
//!
//! **Claim.** A proof with these values is one about an outside that answers any of them, and a run with them is one
//! of any outside. *Why.* A value that is only moved is a token: every map of tokens takes runs to runs. One that is
//! tested takes both ways, one that is compared with literals is one of them or another, and of numbers there are
//! two, or as many as it takes for each comparison to come out in each way. Two that are compared with each other may
//! be equal.

use std::collections::BTreeSet;

use super::ops::{Kind, Term, constant};
use super::state::{Maker, ValueUses};
use super::values::{FALSE, INT, NULL, REC, TRUE, UNDEFINED, Val};

impl Maker<'_> {
    pub(super) fn mark(&mut self, origins: &BTreeSet<String>, mark: impl Fn(&mut ValueUses)) {
        for origin in origins {
            mark(self.uses.entry(origin.clone()).or_default());
        }
    }

    /// Notes that these values are compared.
    pub(super) fn mark_compared(&mut self, one: &Val, other: &Val) {
        for (this, that) in [(one, other), (other, one)] {
            if this.origins.is_empty() {
                continue;
            }
            let known = that.origins.is_empty();
            let nothing = that.tags.iter().all(|tag| [NULL, UNDEFINED, FALSE, TRUE].contains(tag));
            let (tags, num) = (that.tags.clone(), super::ops::known(&that.num));
            let number = that.is_only(INT);
            self.mark(&this.origins.clone(), |uses| match (known, number, nothing) {
                (true, true, _) => {
                    uses.numbers.extend(num);
                    uses.arithmetic = true;
                }
                (true, false, true) => uses.nothing.extend(&tags),
                (true, false, false) => uses.literals.extend(tags.iter().filter(|tag| **tag >= super::values::FIRST_ATOM)),
                (false, ..) => uses.moved = true,
            });
        }
        self.may_be_equal(one, other);
    }

    /// Tokens that are compared with each other may be the same, also where they come from elsewhere: one of both has
    /// those of the other as well.
    fn may_be_equal(&mut self, one: &Val, other: &Val) {
        let (Some(mine), Some(theirs)) = (one.origins.first(), other.origins.first()) else { return };
        self.as_many_as_are_compared(one, other);
        // What callers give are keys, which stay as few as they are.
        let first = !mine.starts_with("p:") && (theirs.starts_with("p:") || mine < theirs);
        let (wider, from) = if first { (one, other) } else { (other, one) };
        let atoms: BTreeSet<i64> = from.tags.iter().copied().filter(|tag| *tag >= super::values::FIRST_ATOM).collect();
        if short(mine) != short(theirs) {
            self.mark(&wider.origins.clone(), |uses| uses.literals.extend(&atoms));
        }
    }

    /// Of values of one kind that are compared with each other there are enough for all of them to be different.
    fn as_many_as_are_compared(&mut self, one: &Val, other: &Val) {
        let is_open = |val: &Val| val.tags.iter().any(|tag| *tag >= super::values::FIRST_ATOM);
        if !is_open(one) || !is_open(other) {
            return;
        }
        let kind = |origin: &str| if origin.starts_with("p:") { "p:".to_owned() } else { short(origin).to_owned() };
        for origin in one.origins.iter().chain(&other.origins) {
            self.frees_once.insert(format!("compared {} {origin}", kind(origin)));
        }
        for origin in one.origins.iter().chain(&other.origins) {
            let kind = kind(origin);
            let all = format!("compared {kind} ");
            let count = self.frees_once.iter().filter(|known| known.starts_with(&all)).count();
            let (there, option) = if kind == "p:" { (self.keys, "--keys") } else { (self.limits.values, "--values") };
            if count > usize::try_from(there).unwrap_or(0) {
                self.out_of_reach =
                    Some(format!("{count} values are compared with each other, and there are {there} in the proof: `{option} {count}`"));
            }
        }
    }

    /// The tokens that stand for keys.
    pub(super) fn key_tokens(&self) -> BTreeSet<i64> {
        let literals = self.uses.iter().filter(|(origin, _)| origin.starts_with("p:")).flat_map(|(_, uses)| uses.literals.iter().copied());
        (0..self.keys).map(|key| super::values::FIRST_ATOM + key).chain(literals).collect()
    }

    /// One of these numbers.
    pub(super) fn chosen(&mut self, from: &[i64]) -> Term {
        match from {
            [] => constant(UNDEFINED),
            [only] => constant(*only),
            _ => {
                let local = self.fresh();
                self.push(Kind::Choose(local.clone(), from.to_vec()));
                local
            }
        }
    }

    /// A value that the outside answers here.
    pub(super) fn outside_value(&mut self, origin: &str) -> Val {
        let domain = self.domain(origin);
        let mut made = self.outside_kind(origin, &domain);
        made.origins.insert(origin.to_owned());
        made
    }

    /// A call of the outside at the place where the call stands.
    pub(super) fn origin(&mut self, path: &str) -> String {
        let origin = format!("o:{path}@{}", self.called_at);
        self.outside.insert(origin.clone(), path.to_owned());
        origin
    }

    /// What the outside may answer.
    pub(super) fn domain(&mut self, origin: &str) -> Domain {
        let uses = self.uses.entry(origin.to_owned()).or_default().clone();
        if !uses.fields.is_empty() {
            let parts = uses.fields.iter().map(|field| (field.clone(), self.domain(&format!("{origin}.{field}"))));
            let fields = parts.collect();
            let mut others = uses.nothing.clone();
            if uses.condition {
                others.insert(NULL);
            }
            return Domain::Record { fields, others };
        }
        if uses.arithmetic {
            let zero = uses.condition.then_some(0);
            let far = self.far.iter().map(|value| value.saturating_add(1));
            let numbers = self.without_gaps([1, 2].into_iter().chain(zero).chain(far).chain(uses.numbers).collect());
            // What is no number is tested for as well.
            return Domain::Numbers { numbers, others: uses.nothing.union(&uses.literals).copied().collect() };
        }
        let mut tags: BTreeSet<i64> = uses.nothing.clone();
        let falsy = tags.iter().any(|tag| [FALSE, UNDEFINED, NULL].contains(tag));
        if uses.moved {
            for number in 1..=self.limits.values {
                let token = self.atom(&format!("{} {number}", short(origin)));
                self.opaque.insert(token);
                tags.insert(token);
            }
        } else if uses.condition && uses.literals.is_empty() && uses.nothing.is_empty() {
            tags.extend([FALSE, TRUE]);
        } else {
            tags.insert(self.atom(short(origin)));
        }
        if uses.condition && !falsy && !tags.contains(&FALSE) {
            tags.insert(NULL);
        }
        tags.extend(&uses.literals);
        Domain::Tags(tags)
    }

    fn outside_kind(&mut self, origin: &str, domain: &Domain) -> Val {
        match domain {
            Domain::Record { fields, others } => {
                let parts = fields.iter().map(|(field, _)| (field.clone(), self.outside_value(&format!("{origin}.{field}"))));
                let record = Val::record(parts.collect());
                let record = self.made_here(record, "o:");
                if others.is_empty() {
                    return record;
                }
                let list: Vec<i64> = [REC].into_iter().chain(others.iter().copied()).collect();
                let tag = self.chosen(&list);
                Val { tags: list.into_iter().collect(), tag, ..record }
            }
            Domain::Numbers { numbers, others } => {
                let (low, high) = (numbers.first().copied().unwrap_or(1), numbers.last().copied().unwrap_or(2));
                let list: Vec<i64> = numbers.iter().copied().collect();
                let num = self.chosen(&list);
                let made = Val::int(num, Some((low, high)));
                if others.is_empty() {
                    return made;
                }
                let list: Vec<i64> = [INT].into_iter().chain(others.iter().copied()).collect();
                let tag = self.chosen(&list);
                Val { tags: list.into_iter().collect(), tag, ..made }
            }
            Domain::Tags(tags) => {
                let list: Vec<i64> = tags.iter().copied().collect();
                let tag = self.chosen(&list);
                Val::tagged(tags.clone(), tag)
            }
        }
    }

    /// What a caller gives at this path, such as `body.form`.
    pub(super) fn given(&mut self, path: &str) -> Val {
        let origin = format!("p:{path}");
        self.given_here.insert(origin.clone());
        let uses = self.uses.entry(origin.clone()).or_default().clone();
        let local = given_name(path);
        let mut val = if uses.arithmetic {
            if !uses.nothing.is_empty() || !uses.literals.is_empty() {
                self.out_of_reach = Some(format!("`{path}` is a number, and is compared with what is none"));
            }
            let numbers = self.given_numbers(&uses);
            Val::int(local, numbers.first().copied().zip(numbers.last().copied()))
        } else {
            let tags = self.given_tags(&uses);
            let tag = if tags.len() == 1 { constant(tags.first().copied().unwrap_or(UNDEFINED)) } else { local };
            Val::tagged(tags, tag)
        };
        val.origins.insert(origin);
        val
    }

    /// The numbers that a parameter can be.
    pub(super) fn given_numbers(&self, uses: &ValueUses) -> BTreeSet<i64> {
        self.without_gaps([1, 2].into_iter().chain(uses.condition.then_some(0)).chain(uses.numbers.iter().copied()).collect())
    }

    /// Where what is computed is compared, any number may be the one with which the comparison comes out otherwise.
    fn without_gaps(&self, numbers: BTreeSet<i64>) -> BTreeSet<i64> {
        match (self.frees_once.contains("gaps"), numbers.first(), numbers.last()) {
            (true, Some(low), Some(high)) => (*low..=*high).collect(),
            _ => numbers,
        }
    }

    /// The tags that a parameter can have.
    pub(super) fn given_tags(&self, uses: &ValueUses) -> BTreeSet<i64> {
        let mut tags: BTreeSet<i64> = (0..self.keys).map(|key| super::values::FIRST_ATOM + key).collect();
        tags.extend(&uses.literals);
        tags.extend(&uses.nothing);
        if uses.condition {
            tags.insert(UNDEFINED);
        }
        tags
    }
}

/// What the outside may answer at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// An object with these fields, or one of these tags.
    Record {
        fields: Vec<(String, Domain)>,
        others: BTreeSet<i64>,
    },
    /// One of these numbers, or one of these tags.
    Numbers {
        numbers: BTreeSet<i64>,
        others: BTreeSet<i64>,
    },
    Tags(BTreeSet<i64>),
}

/// The parameter of the program for a path.
pub(super) fn given_name(path: &str) -> String {
    let letters = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("p_{}", letters.collect::<String>())
}

/// What a value of an outside call is called.
pub(super) fn short(origin: &str) -> &str {
    let name = origin.split('@').next().unwrap_or(origin);
    name.strip_prefix("o:").unwrap_or(name)
}
