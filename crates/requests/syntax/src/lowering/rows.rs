//! Parameters of more combinations than are written out: which requests stand for all.
//!
//! A request `transfer(a: 0..99, b: 0..99, n: 0..1000)` is ten million requests. A proof about all of them needs few:
//!
//! - `n` is a *number*: it is kept as a local variable that has any value of its range when the request begins and that
//!   nothing assigns to.
//! - `a` and `b` are *rows*: they are used for nothing but to say which element of an array of globals is meant,
//!   `A[a]`, and to be compared with one another and with constants. Of their values a few are written out.
//! - What has to be a constant (`for i in 0..k`) is *fixed*: all of its values are written out.
//!
//! **Sorts.** Rows that are compared, and rows that stand at the same place of one array, are of one sort, and so is
//! that place. A row that is compared with a number or a fixed parameter, or that is used for a local array, is a
//! number, and so is one at a place where some index is computed: there any element may be meant.
//!
//! **Which values.** Cut the integers into pieces for each sort: a piece begins with the least and after the greatest
//! value of each parameter of the sort and of the index of each of its places; each constant with which a row of the
//! sort is compared, or that is an index at one of its places, and each value of a listed parameter is a piece of its
//! own. Let no request have more than `r` rows of the sort. Then the first `2 r` values of each piece are written out,
//! or all where it has fewer.
//!
//! **Statement.** Let `P` be the program in which all combinations of rows and fixed parameters are written out, and
//! `Q` the one with the values chosen here. For all bodies `B` and `C` of `P` there is a renaming of globals that is
//! injective on those that `B` and `C` mention, keeps their order, takes an element to one of the same array and any
//! other global to itself, and takes `B` and `C` to bodies of `Q` with the same text.
//!
//! **Proof.** Let `V` be the values of sort `s` that the rows of `B` and of `C` have: at most `2 r`. In each piece let
//! the values of `V` there, ascending, go to the first ones of the piece; all of these are written out, and a piece
//! that is a constant stays as it is. This is strictly monotone on `V` and the constants, and keeps every value in its
//! piece, so between the ends of each range and of each index: the values of a parameter go to values of it. Let `φ` do
//! so for each sort, and let `B'`, `C'` be what `B` and `C` are with `φ` of their rows; they are bodies of `Q`. The
//! texts of `B` and `B'` are made in the same way, because rows have no influence on it but at two places. A comparison
//! of two rows of a sort, or of a row and a constant, has the same result for `B` and `B'`, because `φ` is strictly
//! monotone. An index that is a row names an element of the array for both or for neither; those are the renamed
//! elements, and the order of elements is that of their indices, first the first, and `φ` keeps it at each place.
//! Indices that are constants stay as they are. Numbers are the same variables in both. ∎
//!
//! So `P` meets all conditions of `rows` in `serval-lipton-proof` that are about shapes and patterns if `Q` stands for
//! all. All elements of an array begin with the same value and have the same range, by its declaration. What is known
//! of the globals of `Q` because of what requests of `Q` do with them must not be used for elements of arrays, since
//! `P` has more requests; [`Global::stands`](crate::Global::stands) says so to those who simplify.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Lowering;
use super::declared::{Array, MAX_ELEMENTS};
use crate::grammar::SyntaxKind;
use crate::program::{ManyRequest, ParamValues, Variable, fold};
use crate::tree::ast;

/// A parameter: of which request with parameters, and which of it.
pub(crate) type ParamId = (usize, usize);

/// An index of an array: by its first element, and which index.
type Place = (u32, usize);

/// What is compared.
enum Compared {
    Param(ParamId),
    Constant(i64),
    Other,
}

/// What parameters are used for.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    numbers: BTreeSet<ParamId>,
    fixed: BTreeSet<ParamId>,
    together: BTreeSet<(ParamId, ParamId)>,
    compared: BTreeSet<(ParamId, i64)>,
    indices: BTreeSet<(ParamId, Place)>,
    constants: BTreeSet<(Place, i64)>,
    computed: BTreeSet<Place>,
    /// The range of each index that is used.
    ranges: BTreeMap<Place, (i64, i64)>,
}

impl Uses {
    fn mentioned(&self) -> BTreeSet<ParamId> {
        let pairs = self.together.iter().flat_map(|&(one, other)| [one, other]);
        let rest = self.compared.iter().map(|&(param, _)| param).chain(self.indices.iter().map(|&(param, _)| param));
        self.numbers.iter().chain(&self.fixed).copied().chain(pairs).chain(rest).collect()
    }
}

impl Lowering<'_> {
    fn note(&self, note: impl FnOnce(&mut Uses)) {
        if let Some(uses) = &self.uses {
            note(&mut uses.borrow_mut());
        }
    }

    /// A name that may be that of a parameter is read as a value.
    pub(super) fn note_data(&self, param: Option<ParamId>) {
        if let (Some(param), false) = (param, self.quiet) {
            self.note(|uses| _ = uses.numbers.insert(param));
        }
    }

    /// Notes for itself what is used where only a constant will do, if anything is noted.
    pub(super) fn only_constants(&mut self, outer: Option<&Rc<RefCell<Uses>>>) -> Option<Rc<RefCell<Uses>>> {
        self.uses = outer.map(|_| Rc::default());
        self.uses.clone()
    }

    /// What was used where only a constant will do.
    pub(super) fn note_fixed(&self, inner: Option<Rc<RefCell<Uses>>>) {
        if let Some(inner) = inner {
            self.note(|uses| uses.fixed.extend(inner.borrow().mentioned()));
        }
    }

    /// Whether the name is that of a parameter which is a local variable here.
    pub(super) fn is_param(&self, name: &str) -> bool {
        self.frames.is_empty() && self.params.iter().any(|param| param == name)
    }

    /// The parameter that an expression is, if it is the name of one that is a constant here.
    pub(super) fn as_param(&self, expr: &ast::Expr) -> Option<ParamId> {
        let name = expr.token().filter(|_| self.uses.is_some() && expr.kind() == SyntaxKind::NameExpr)?;
        self.constant(name.text())?.1
    }

    /// Does `what` where the names that are read are noted elsewhere.
    pub(super) fn quietly<T>(&mut self, quiet: bool, what: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.quiet, quiet);
        let result = what(self);
        self.quiet = before;
        result
    }

    /// Notes what is compared; `true` where that is all there is to note.
    pub(super) fn note_compared(&self, expr: &ast::Expr) -> bool {
        if self.uses.is_none() {
            return false;
        }
        let operands: Vec<Compared> = expr.operands().map(|operand| self.compared(&operand)).collect();
        match operands.as_slice() {
            [Compared::Param(one), Compared::Param(other)] => self.note(|uses| _ = uses.together.insert((*one, *other))),
            [Compared::Param(param), Compared::Constant(value)] | [Compared::Constant(value), Compared::Param(param)] => {
                self.note(|uses| _ = uses.compared.insert((*param, *value)));
            }
            _ => return false,
        }
        true
    }

    fn compared(&self, operand: &ast::Expr) -> Compared {
        if let Some(param) = self.as_param(operand) {
            return Compared::Param(param);
        }
        let value = match (operand.kind(), operand.token()) {
            (SyntaxKind::NumberExpr, Some(number)) => number.text().parse().ok(),
            (SyntaxKind::NameExpr, Some(name)) => self.constant(name.text()).map(|constant| constant.0),
            _ => None,
        };
        value.map_or(Compared::Other, Compared::Constant)
    }

    /// Notes the index of an element: the parameter that it is, a constant, or what is computed.
    pub(super) fn note_index(&self, array: &Array, position: usize, param: Option<ParamId>, constant: Option<i64>) {
        let Some(Variable::Global(first)) = array.elements.first() else {
            if let Some(param) = param {
                self.note(|uses| _ = uses.numbers.insert(param));
            }
            return;
        };
        let place = (first.0, position);
        self.note(|uses| {
            uses.ranges.insert(place, array.indices[position]);
            _ = match (param, constant) {
                (Some(param), _) => uses.indices.insert((param, place)),
                (None, Some(value)) => uses.constants.insert((place, value)),
                (None, None) => uses.computed.insert(place),
            };
        });
    }
}

/// The value of an expression that has the same one in every run.
pub(super) fn constant_of(expr: &crate::program::Expr) -> Option<i64> {
    fold(expr).ok()
}

/// Where what is written out does not stand for all, this number of parameters has two values, and each other one.
const TWICE: usize = 3;

/// What becomes of each parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The values that are written out; none for a number.
    pub(crate) values: Vec<Vec<Option<Vec<i64>>>>,
    /// Whether what is written out stands for all.
    pub(crate) stands: bool,
}

impl Plan {
    /// What becomes of the parameters of these requests, which are used so.
    pub(crate) fn new(requests: &[ManyRequest], uses: &Uses) -> Self {
        let mut sorts = Sorts::new(requests, uses);
        let mut values: Vec<Vec<Option<Vec<i64>>>> = Vec::new();
        for (at, request) in requests.iter().enumerate() {
            let of = |param: usize| sorts.values((at, param), &request.params[param].values);
            values.push((0..request.params.len()).map(of).collect::<Vec<_>>());
        }
        let most = u64::try_from(MAX_ELEMENTS).unwrap_or(0);
        let bodies = |params: &Vec<Option<Vec<i64>>>| {
            params.iter().flatten().fold(1_u64, |all, values| all.saturating_mul(u64::try_from(values.len()).unwrap_or(u64::MAX)))
        };
        let stands = values.iter().map(bodies).fold(0, u64::saturating_add) <= most;
        if !stands {
            return Self::some(requests);
        }
        Self { values, stands }
    }

    /// A few of the requests, which do not stand for all, so that there is a program at all.
    pub(crate) fn some(requests: &[ManyRequest]) -> Self {
        let of = |request: &ManyRequest| {
            let values = |(at, param): (usize, &crate::program::ManyParam)| {
                let all = &param.values;
                let last = if at < TWICE { all.count().saturating_sub(1) } else { 0 };
                let mut ends: Vec<i64> = [all.at(0), all.at(last)].into_iter().flatten().collect();
                ends.dedup();
                Some(ends)
            };
            request.params.iter().enumerate().map(values).collect()
        };
        Self { values: requests.iter().map(of).collect(), stands: false }
    }
}

/// The rows of a program by sort, and where the integers are cut.
struct Sorts<'a> {
    uses: &'a Uses,
    numbers: BTreeSet<ParamId>,
    /// What each row and each place is in one sort with; those that lead to themselves are sorts.
    parents: BTreeMap<Member, Member>,
    /// Where pieces begin.
    cuts: BTreeMap<Member, BTreeSet<i64>>,
    /// How many values of a piece are written out.
    most: BTreeMap<Member, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    Row(ParamId),
    Place(Place),
}

impl<'a> Sorts<'a> {
    fn new(requests: &[ManyRequest], uses: &'a Uses) -> Self {
        let numbers = uses.numbers.clone();
        let mut sorts = Self { uses, numbers, parents: BTreeMap::new(), cuts: BTreeMap::new(), most: BTreeMap::new() };
        sorts.find_numbers();
        let row = |param: &ParamId| !sorts.numbers.contains(param) && !uses.fixed.contains(param);
        let together: Vec<(Member, Member)> = uses
            .together
            .iter()
            .filter(|(one, other)| row(one) && row(other))
            .map(|&(one, other)| (Member::Row(one), Member::Row(other)))
            .chain(uses.indices.iter().filter(|(param, _)| row(param)).map(|&(param, place)| (Member::Row(param), Member::Place(place))))
            .collect();
        for (one, other) in together {
            sorts.unite(one, other);
        }
        sorts.cut(requests);
        sorts
    }

    /// What is a number because of what it is compared with, or because of where it is an index.
    fn find_numbers(&mut self) {
        let uses = self.uses;
        let indexed: BTreeSet<ParamId> = uses.indices.iter().map(|&(param, _)| param).collect();
        let mut computed = uses.computed.clone();
        loop {
            let before = (self.numbers.len(), computed.len());
            let known = |param: &ParamId| self.numbers.contains(param) || uses.fixed.contains(param);
            computed.extend(uses.indices.iter().filter(|(param, _)| self.numbers.contains(param)).map(|&(_, place)| place));
            let compared = uses.together.iter().flat_map(|&(one, other)| {
                let mixed = known(&one) || known(&other);
                [one, other].into_iter().filter(move |_| mixed)
            });
            let anywhere = uses.indices.iter().filter(|(_, place)| computed.contains(place)).map(|&(param, _)| param);
            // A fixed parameter at the place of rows is a constant there whose values are not among the cuts.
            let beside = uses
                .indices
                .iter()
                .filter(|(_, place)| uses.indices.iter().any(|(other, there)| there == place && uses.fixed.contains(other)));
            let more: Vec<ParamId> =
                compared.chain(anywhere).chain(beside.map(|&(param, _)| param)).filter(|param| !uses.fixed.contains(param)).collect();
            self.numbers.extend(more);
            if before == (self.numbers.len(), computed.len()) {
                break;
            }
        }
        // What is compared and never an index is a number as well.
        let rows: BTreeSet<ParamId> = uses.mentioned().difference(&self.numbers).copied().collect();
        let linked = |param: &ParamId| {
            let with = |other: &ParamId| indexed.contains(other);
            uses.together.iter().any(|(one, other)| one == param && with(other) || other == param && with(one))
        };
        let alone = rows.iter().filter(|param| !indexed.contains(param) && !linked(param) && !uses.fixed.contains(param));
        let alone: Vec<ParamId> = alone.copied().collect();
        if !alone.is_empty() {
            self.numbers.extend(alone);
            self.find_numbers();
        }
    }

    fn root(&self, mut member: Member) -> Member {
        while let Some(&parent) = self.parents.get(&member) {
            member = parent;
        }
        member
    }

    fn unite(&mut self, one: Member, other: Member) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.parents.insert(one, other);
        }
    }

    fn is_row(&self, param: ParamId) -> bool {
        !self.numbers.contains(&param) && !self.uses.fixed.contains(&param)
    }

    fn cut(&mut self, requests: &[ManyRequest]) {
        let uses = self.uses;
        let mut cuts: Vec<(Member, i64, i64)> = Vec::new();
        let mut counts: BTreeMap<(Member, usize), u64> = BTreeMap::new();
        for (at, request) in requests.iter().enumerate() {
            for (param, declared) in request.params.iter().enumerate().filter(|(param, _)| self.is_row((at, *param))) {
                let row = Member::Row((at, param));
                *counts.entry((self.root(row), at)).or_default() += 1;
                match &declared.values {
                    ParamValues::Range { low, high, .. } => cuts.push((row, *low, *high)),
                    ParamValues::Listed(list) => cuts.extend(list.iter().map(|&(value, _)| (row, value, value))),
                }
            }
        }
        cuts.extend(
            uses.compared.iter().filter(|(param, _)| self.is_row(*param)).map(|&(param, value)| (Member::Row(param), value, value)),
        );
        cuts.extend(uses.ranges.iter().map(|(&place, &(low, high))| (Member::Place(place), low, high)));
        cuts.extend(uses.constants.iter().map(|&(place, value)| (Member::Place(place), value, value)));
        for (member, low, high) in cuts {
            let cuts = self.cuts.entry(self.root(member)).or_default();
            cuts.insert(low);
            cuts.extend(high.checked_add(1));
        }
        for ((sort, _), count) in counts {
            let most = self.most.entry(sort).or_default();
            *most = (*most).max(2 * count);
        }
    }

    /// The values of a parameter that are written out; none for a number.
    fn values(&mut self, param: ParamId, declared: &ParamValues) -> Option<Vec<i64>> {
        let everything = || {
            let most = u64::try_from(MAX_ELEMENTS).unwrap_or(0);
            // One more says that there are too many.
            (0..declared.count().min(most + 1)).filter_map(|place| declared.at(place)).collect()
        };
        if self.uses.fixed.contains(&param) || matches!(declared, ParamValues::Listed(_)) && self.is_row(param) {
            return Some(everything());
        }
        if self.numbers.contains(&param) || !self.uses.mentioned().contains(&param) {
            return None;
        }
        let sort = self.root(Member::Row(param));
        let most = self.most.get(&sort).copied().unwrap_or(1);
        let (low, high) = declared.bounds();
        let mut values = Vec::new();
        let mut cuts = self.cuts.get(&sort)?.range(low..=high).copied().peekable();
        while let Some(first) = cuts.next() {
            let last = cuts.peek().map_or(high, |next| next - 1);
            values.extend((first..=last).take(usize::try_from(most).unwrap_or(usize::MAX)));
        }
        Some(values)
    }
}
