//! Refutations by Farkas' lemma (Farkas 1902) while they are being built, and how they become proof trees.

use rustc_hash::FxHashMap;
use serval_linear::{Combination, Linear, Node, Problem, Reference, Tree};

use crate::simplex::{Explanation, Source, Variable};
use crate::{Int, Rational};

/// Facts with integer multipliers, sorted by fact.
pub(crate) type Multiples = Vec<(Source, i128)>;

/// The place of a [`RefutationStep`] in a [`Refutation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepId(usize);

/// One step: as a [`Node`], but facts are named by where they come from, not
/// by their number on the way, so that splits can be left out later.
pub(crate) enum RefutationStep {
    Clause { clause: u32, children: Vec<Child> },
    Bound { terms: Vec<(Variable, i64)>, at_most: i64, children: Vec<Child> },
    Farkas(Multiples),
    Lattice { modulus: i128, combination: Multiples, tight: Multiples },
}

/// A case of a split.
#[derive(Clone)]
pub(crate) struct Child {
    /// The number of what it assumes.
    pub(crate) assumption: u32,
    /// The variable that it introduces.
    pub(crate) quotient: Option<Variable>,
    /// Its refutation.
    pub(crate) step: StepId,
    /// Earlier assumptions that the refutation uses, in increasing order.
    pub(crate) uses: Vec<u32>,
}

/// Steps, some of which are no longer used.
#[derive(Default)]
pub(crate) struct Refutation {
    steps: Vec<RefutationStep>,
}

impl Refutation {
    pub(crate) fn add(&mut self, step: RefutationStep) -> StepId {
        self.steps.push(step);
        StepId(self.steps.len() - 1)
    }

    pub(crate) fn step(&self, id: StepId) -> &RefutationStep {
        &self.steps[id.0]
    }

    /// The tree below a step. `None` where a number does not fit, which the
    /// checker would refuse.
    pub(crate) fn tree(&self, root: StepId, problem: &Problem, numbers: &FxHashMap<Variable, u32>) -> Option<Tree> {
        let equalities = problem.equalities.len();
        let own = equalities + problem.inequalities.len();
        let mut writer = Writer { equalities, numbers: numbers.clone(), facts: FxHashMap::default(), nodes: Vec::new() };
        // What is on the way to the present step, and what is still to be written.
        let mut way: Vec<&Child> = Vec::new();
        let mut fresh = problem.variables;
        let mut open = vec![RefutationTask::Write(root)];
        while let Some(task) = open.pop() {
            match task {
                RefutationTask::Write(id) => {
                    let children = writer.write(&self.steps[id.0])?;
                    for child in children.iter().rev() {
                        open.extend([RefutationTask::Leave, RefutationTask::Write(child.step), RefutationTask::Enter(child)]);
                    }
                }
                RefutationTask::Enter(child) => {
                    writer.facts.insert(child.assumption, u32::try_from(own + way.len()).ok()?);
                    if let Some(quotient) = child.quotient {
                        writer.numbers.insert(quotient, fresh);
                        fresh = fresh.checked_add(1)?;
                    }
                    way.push(child);
                }
                RefutationTask::Leave => {
                    let child = way.pop()?;
                    if let Some(quotient) = child.quotient {
                        writer.numbers.remove(&quotient);
                        fresh -= 1;
                    }
                }
            }
        }
        Some(Tree { nodes: writer.nodes })
    }
}

enum RefutationTask<'a> {
    Write(StepId),
    Enter(&'a Child),
    Leave,
}

struct Writer {
    /// How many equalities the problem has.
    equalities: usize,
    /// The numbers of variables, and of assumptions, on the way.
    numbers: FxHashMap<Variable, u32>,
    facts: FxHashMap<u32, u32>,
    nodes: Vec<Node>,
}

impl Writer {
    fn write<'a>(&mut self, step: &'a RefutationStep) -> Option<&'a [Child]> {
        let (node, children): (_, &[Child]) = match step {
            RefutationStep::Clause { clause, children } => (Node::Clause { clause: *clause }, children),
            RefutationStep::Bound { terms, at_most, children } => {
                let terms = terms.iter().map(|(variable, coefficient)| Some((*self.numbers.get(variable)?, *coefficient)));
                let expression = Linear::new(terms.collect::<Option<Vec<_>>>()?, 0)?;
                (Node::Bound { expression, at_most: *at_most }, children)
            }
            RefutationStep::Farkas(multiples) => (Node::Farkas { combination: self.combination(multiples)? }, &[]),
            RefutationStep::Lattice { modulus, combination, tight } => {
                let (combination, tight) = (self.combination(combination)?, self.combination(tight)?);
                (Node::Lattice { modulus: *modulus, combination, tight }, &[])
            }
        };
        self.nodes.push(node);
        Some(children)
    }

    fn combination(&self, multiples: &Multiples) -> Option<Combination> {
        let reference = |source: Source| {
            Some(match source {
                Source::Nonnegative(variable) => Reference::AtLeastZero(*self.numbers.get(&variable)?),
                Source::Equality(index) => Reference::Fact(index),
                Source::Inequality(index) => Reference::Fact(u32::try_from(self.equalities + index as usize).ok()?),
                Source::Assumption(number) => Reference::Fact(*self.facts.get(&number)?),
            })
        };
        multiples.iter().map(|&(source, multiplier)| Some((reference(source)?, multiplier))).collect()
    }
}

/// Adds up multiples of the same fact.
pub(crate) fn collect(mut explanation: Explanation) -> Explanation {
    explanation.sort_by_key(|&(source, _)| source);
    let mut collected: Explanation = Vec::with_capacity(explanation.len());
    for (source, multiplier) in explanation {
        match collected.last_mut() {
            Some((last, sum)) if *last == source => *sum = &*sum + &multiplier,
            _ => collected.push((source, multiplier)),
        }
    }
    collected.retain(|(_, multiplier)| !multiplier.is_zero());
    collected
}

/// The least number whose product with all of these is integral.
pub(crate) fn common_denominator(explanation: &Explanation) -> Int {
    explanation.iter().fold(Int::ONE, |common, (_, multiplier)| {
        let denominator = multiplier.denominator();
        let divisor = common.gcd(&denominator);
        &common * &denominator.div_exact(&divisor)
    })
}

/// Multiples that prove the same, in the smallest integers; `None` where they
/// do not fit. That variables are not negative goes without saying.
pub(crate) fn falling(explanation: Explanation) -> Option<Multiples> {
    let mut explanation = collect(explanation);
    explanation.retain(|(source, _)| !matches!(source, Source::Nonnegative(_)));
    let common = Rational::from(common_denominator(&explanation));
    let integral: Vec<(Source, Int)> =
        explanation.iter().map(|(source, multiplier)| (*source, (multiplier * &common).numerator())).collect();
    let divisor = integral.iter().fold(Int::ZERO, |divisor, (_, multiplier)| divisor.gcd(multiplier));
    integral.iter().map(|(source, multiplier)| Some((*source, multiplier.div_exact(&divisor).to_i128()?))).collect()
}
