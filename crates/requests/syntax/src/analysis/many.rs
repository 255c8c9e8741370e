//! Which requests with parameters are written out: all, those that stand for all, or those that are asked for.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::Analyzer;
use crate::diagnostic::{Diagnostic, Severity, Sink, codes};
use crate::lowering::{Declared, Lowering, MAX_ELEMENTS, Names, Plan, Reading, Uses};
use crate::program::{LocalVar, Many, ManyRequest, Param, is_global};
use crate::tree::{SyntaxNode, ast};
use serval_diagnostic::Span;

/// How often what is written out may turn out to be used for more.
const ROUNDS: usize = 4;

/// Which of the requests with parameters are written out.
pub(super) enum WrittenOut {
    /// All of them. Whether there are too many.
    All { too_many: bool },
    /// Those with these names.
    Named(BTreeSet<String>),
    /// Of each request the first, to see what its parameters are used for.
    First(Rc<RefCell<Uses>>),
    /// As is planned.
    Planned(Plan, Rc<RefCell<Uses>>),
}

/// What a caller wants.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a> {
    /// All requests, or those that stand for all where there are too many.
    Usual,
    /// Those that stand for all.
    Standing,
    /// Those with these names.
    Named(&'a BTreeSet<String>),
    /// All requests, read so for a proof.
    Proof(Reading),
}

/// The values of a combination; none where a parameter is a local variable.
pub(super) struct Chosen(Vec<Option<i64>>);

impl Chosen {
    /// What a request with these values is called.
    pub(super) fn name(&self, declared: &ManyRequest) -> String {
        let name = |(param, value): (&crate::program::ManyParam, &Option<i64>)| match value {
            Some(value) => param.values.name(*value),
            None => {
                let (low, high) = param.values.bounds();
                format!("{low}..{high}")
            }
        };
        let values: Vec<String> = declared.params.iter().zip(&self.0).map(name).collect();
        format!("{}({})", declared.name, values.join(", "))
    }
}

impl WrittenOut {
    /// The combinations of a request, the last parameter first; none if there are too many.
    pub(super) fn of(&mut self, index: usize, declared: &ManyRequest) -> Option<Vec<Chosen>> {
        if declared.params.is_empty() {
            return Some(vec![Chosen(Vec::new())]);
        }
        let lists: Vec<Option<Vec<i64>>> = match self {
            Self::All { too_many } => {
                if declared.combinations() > MAX_ELEMENTS.unsigned_abs() {
                    *too_many = true;
                    return None;
                }
                let all = |count: u64, at: &dyn Fn(u64) -> Option<i64>| (0..count).filter_map(at).collect();
                declared.params.iter().map(|param| Some(all(param.values.count(), &|place| param.values.at(place)))).collect()
            }
            Self::Named(names) => {
                let values = names.iter().filter_map(|name| declared.values_of(name));
                return Some(values.map(|values| Chosen(values.into_iter().map(Some).collect())).collect());
            }
            Self::First(_) => declared.params.iter().map(|param| Some(param.values.at(0).into_iter().collect())).collect(),
            Self::Planned(plan, _) => plan.values.get(index)?.clone(),
        };
        let mut combinations = vec![Chosen(Vec::new())];
        for list in lists {
            combinations = combinations
                .into_iter()
                .flat_map(|Chosen(before)| {
                    let values: Vec<Option<i64>> =
                        list.as_ref().map_or_else(|| vec![None], |list| list.iter().copied().map(Some).collect());
                    values.into_iter().map(move |value| Chosen(before.iter().copied().chain([value]).collect()))
                })
                .collect();
        }
        Some(combinations)
    }

    /// Says what the parameters are.
    pub(super) fn prepare(&self, lowering: &mut Lowering<'_>, index: usize, declared: &ManyRequest, Chosen(values): &Chosen) {
        let uses = match self {
            Self::First(uses) | Self::Planned(_, uses) => Some(Rc::clone(uses)),
            Self::All { .. } | Self::Named(_) => None,
        };
        for (at, (param, value)) in declared.params.iter().zip(values).enumerate() {
            match value {
                Some(value) => lowering.scope.push((param.name.clone(), *value, uses.as_ref().map(|_| (index, at)))),
                None => lowering.params.push(param.name.clone()),
            }
        }
        lowering.uses = uses;
    }

    /// Whether there are requests that are not written out.
    pub(super) fn is_some_of_many(&self) -> bool {
        matches!(self, Self::Planned(..))
    }

    /// What is said about the requests.
    pub(super) fn told(&self, requests: Vec<ManyRequest>) -> Option<Many> {
        let Self::Planned(plan, _) = self else { return None };
        Some(Many { requests, stands: plan.stands })
    }
}

impl Analyzer {
    fn new(found: &[Diagnostic], written_out: WrittenOut) -> Self {
        Self {
            foreign_names: found.iter().any(|d| d.code == codes::FOREIGN_NAME),
            broken: found.iter().flat_map(|d| d.secondary.iter().chain([&d.primary])).map(|label| label.span).collect(),
            globals: Names::default(),
            declared: Declared::default(),
            errors: Sink::default(),
            requests: Vec::new(),
            written_out,
            many: Vec::new(),
            chosen_twice: false,
        }
    }

    /// What is found in a tree.
    fn of(mut self, root: &SyntaxNode) -> Self {
        if let Some(file) = ast::SourceFile::cast(root.clone()) {
            self.file(&file);
        }
        self
    }

    /// The parameters that are local variables.
    pub(super) fn kept(&self, declared: &ManyRequest, Chosen(values): &Chosen, place: Span, locals: &mut Names) -> Vec<Param> {
        let numbers = declared.params.iter().zip(values).filter(|(param, value)| value.is_none() && !is_global(&param.name));
        let mut kept = Vec::new();
        for (param, _) in numbers {
            let number = locals.number(&param.name, place);
            let usage = locals.usage_mut(number);
            (usage.written, usage.param) = (true, true);
            let (low, high) = param.values.bounds();
            kept.push(Param { local: LocalVar(number), low, high });
        }
        kept
    }

    /// Whether no request has parameters, as far as that is known.
    fn lacks_parameters(&self) -> bool {
        matches!(self.written_out, WrittenOut::All { too_many: false }) && self.many.is_empty()
    }

    /// Whether all that is wrong is that too much was written out, of requests with parameters.
    fn has_too_much(&self) -> bool {
        let WrittenOut::All { too_many } = self.written_out else { return false };
        let only_too_much = self.errors.all_are(codes::TOO_MUCH);
        only_too_much && (too_many || !self.errors.is_empty() && !self.many.is_empty())
    }
}

fn with(root: &SyntaxNode, found: &[Diagnostic], written_out: WrittenOut) -> Analyzer {
    Analyzer::new(found, written_out).of(root)
}

/// Analyzes a text of which `found` is known to be wrong.
pub(super) fn analyzed(root: &SyntaxNode, found: &[Diagnostic], asked: Asked<'_>) -> Analyzer {
    let errors = || found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if let Asked::Named(names) = asked {
        return with(root, found, WrittenOut::Named(names.clone()));
    }
    if let Asked::Proof(reading) = asked {
        let mut analyzer = Analyzer::new(found, WrittenOut::All { too_many: false });
        analyzer.declared.reading = reading;
        return analyzer.of(root);
    }
    let all = with(root, found, WrittenOut::All { too_many: false });
    let usual = matches!(asked, Asked::Usual) && !all.has_too_much();
    if usual || !all.errors.all_are(codes::TOO_MUCH) || errors() || all.lacks_parameters() {
        return all;
    }
    let uses: Rc<RefCell<Uses>> = Rc::default();
    let first = with(root, found, WrittenOut::First(Rc::clone(&uses)));
    if !first.errors.is_empty() {
        return first;
    }
    let mut plan = Plan::new(&first.many, &uses.borrow());
    for _ in 0..ROUNDS {
        let planned = with(root, found, WrittenOut::Planned(plan.clone(), Rc::clone(&uses)));
        // What was written out may have shown more than the first of each request did.
        let next = Plan::new(&planned.many, &uses.borrow());
        if next == plan && planned.errors.is_empty() {
            return planned;
        }
        let same = next == plan;
        plan = if same { Plan::some(&planned.many) } else { next };
    }
    with(root, found, WrittenOut::Planned(Plan::some(&first.many), uses))
}
