//! What the outside answers, by how it is used.
//!
//! **Claim.** A proof with these values is one about an outside that answers any of them, and a run with them is one of any
//! outside. *Why.* A value that is only moved is a token: every map of tokens takes runs to runs. One that is tested takes both
//! ways, one that is compared with literals is one of them or another, and of numbers there are two.

use std::collections::{BTreeMap, BTreeSet};

use super::ops::{Kind, Term, constant};
use super::state::{Maker, Uses};
use super::values::{FALSE, INT, NULL, REC, TRUE, UNDEFINED, Val};

impl Maker<'_> {
    pub(super) fn mark(&mut self, origins: &BTreeSet<String>, mark: impl Fn(&mut Uses)) {
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
                (true, false, true) => uses.condition = true,
                (true, false, false) => uses.literals.extend(tags.iter().filter(|tag| **tag >= super::values::FIRST_ATOM)),
                (false, ..) => uses.moved = true,
            });
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
        let uses = self.uses.entry(origin.to_owned()).or_default().clone();
        let mut made = self.outside_kind(origin, &uses);
        made.origins.insert(origin.to_owned());
        made
    }

    fn outside_kind(&mut self, origin: &str, uses: &Uses) -> Val {
        if !uses.fields.is_empty() {
            let parts = uses.fields.iter().map(|field| (field.clone(), self.outside_value(&format!("{origin}.{field}"))));
            let fields: BTreeMap<String, Val> = parts.collect();
            let record = Val::record(fields);
            if uses.condition {
                let tag = self.chosen(&[REC, NULL]);
                return Val { tags: [REC, NULL].into(), tag, ..record };
            }
            return record;
        }
        if uses.arithmetic {
            let mut numbers: BTreeSet<i64> = [1, 2].into();
            numbers.extend(&uses.numbers);
            let (low, high) = (numbers.first().copied().unwrap_or(1), numbers.last().copied().unwrap_or(2));
            let numbers: Vec<i64> = numbers.into_iter().collect();
            let num = self.chosen(&numbers);
            return Val::int(num, Some((low, high)));
        }
        let mut tags: BTreeSet<i64> = BTreeSet::new();
        if uses.moved {
            for number in 1..=self.limits.values {
                tags.insert(self.atom(&format!("{} {number}", short(origin))));
            }
            if uses.condition {
                tags.insert(NULL);
            }
        } else if uses.condition && uses.literals.is_empty() {
            tags.extend([FALSE, TRUE]);
        } else {
            tags.insert(self.atom(short(origin)));
            if uses.condition {
                tags.insert(NULL);
            }
        }
        tags.extend(&uses.literals);
        let list: Vec<i64> = tags.iter().copied().collect();
        let tag = self.chosen(&list);
        Val::tagged(tags, tag)
    }

    /// What a caller gives at this path, such as `body.form`.
    pub(super) fn given(&mut self, path: &str) -> Val {
        let origin = format!("p:{path}");
        self.given_here.insert(origin.clone());
        let uses = self.uses.entry(origin.clone()).or_default().clone();
        let local = given_name(path);
        let mut val = if uses.arithmetic {
            let numbers = given_numbers(&uses);
            Val::int(local, numbers.first().copied().zip(numbers.last().copied()))
        } else {
            let tags = self.given_tags(&uses);
            let tag = if tags.len() == 1 { constant(tags.first().copied().unwrap_or(UNDEFINED)) } else { local };
            Val::tagged(tags, tag)
        };
        val.origins.insert(origin);
        val
    }

    /// The tags that a parameter can have.
    pub(super) fn given_tags(&self, uses: &Uses) -> BTreeSet<i64> {
        let mut tags: BTreeSet<i64> = (0..self.keys).map(|key| super::values::FIRST_ATOM + key).collect();
        tags.extend(&uses.literals);
        if uses.condition {
            tags.insert(UNDEFINED);
        }
        tags
    }
}

/// The numbers that a parameter can be.
pub(super) fn given_numbers(uses: &Uses) -> BTreeSet<i64> {
    [1, 2].into_iter().chain(uses.numbers.iter().copied()).collect()
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
