//! Branch and bound with cuts from proofs (Dillig, Dillig, Aiken 2009): the search for a solution or a refutation.
//!
//! Depth first, with an explicit stack. At a node:
//!
//! 1. The simplex. No rational point: a Farkas leaf. Otherwise the point with
//!    the least sum of variables is taken, so that solutions have many zeros.
//! 2. If a clause does not hold at the point: split on the one with the
//!    fewest literals that bounds leave open.
//! 3. If the point is integral, it is a solution.
//! 4. Otherwise the [lattice](crate::lattice) test: the equalities, then the
//!    inequalities that the simplex shows to be equalities. No integral point:
//!    a lattice leaf. Then the bounds that the point is at, one after the
//!    other. As the point is not integral, they (mostly) have no integral
//!    solution; the reason is a combination with integral coefficients whose
//!    value at the point is not integral, and to split on that value cuts the
//!    point off for the modular reason that it is not integral (Dillig,
//!    Dillig, Aiken: Cuts from proofs, 2009). Failing that, split on a
//!    fractional variable.
//!
//! **Left-out splits.** Each refutation comes with the assumptions that it
//! uses. If a case of a split is refuted without the assumption of the case,
//! its refutation refutes the node, and the split is left out, with all its
//! other cases. A split on an expression uses the assumptions that introduced
//! the expression's variables, so that variables are never left dangling.

mod clauses;
mod frame;
mod integral;

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Problem, Tree};

use crate::lattice::Lattice;
use crate::refutation::{self, Refutation, RefutationStep, StepId};
use crate::simplex::{Bound, Explanation, Side, Simplex, Source, Variable};
use crate::{Int, Rational};
use clauses::Prepared;
use frame::{Case, Split, SplitFrame};

/// What is known of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// These values of the variables meet everything.
    Satisfiable(Vec<i64>),
    /// There is no solution, and this is why.
    Refuted(Tree),
    /// The budget ended first. Also where a value of a solution or a
    /// multiplier of a refutation is too large to be written down.
    Stopped(Stopped),
}

/// Decides problems that grow: constraints, clauses and variables can be
/// added between calls of [`solve`](Solver::solve), which begins where the
/// last one ended.
///
/// ```
/// use serval_arith::{Outcome, Solver};
/// use serval_budget::Budget;
/// use serval_linear::{Linear, check_tree};
/// let mut solver = Solver::default();
/// let [x, y] = [solver.add_variable(), solver.add_variable()];
/// solver.add_equality(Linear::new([(x, 2), (y, -2)], -2).unwrap());
/// assert_eq!(solver.solve(&mut Budget::unlimited()), Outcome::Satisfiable(vec![1, 0]));
/// // Now x = y + 1, so x + y is odd, but here it must be even.
/// let z = solver.add_variable();
/// solver.add_equality(Linear::new([(x, 1), (y, 1), (z, -2)], 0).unwrap());
/// let Outcome::Refuted(tree) = solver.solve(&mut Budget::unlimited()) else { panic!() };
/// assert_eq!(check_tree(solver.problem(), &tree, &mut Budget::unlimited()), Ok(()));
/// ```
#[derive(Clone, Default)]
pub struct Solver {
    problem: Problem,
    simplex: Simplex,
    /// The variables of the problem, and the way back.
    variables: Vec<Variable>,
    numbers: FxHashMap<Variable, u32>,
    /// The sum of all variables of the problem.
    sum: Option<Variable>,
    /// For each variable of the simplex its definition, if it has one.
    definitions: Vec<Option<Vec<(Variable, Int)>>>,
    defined: FxHashMap<Vec<(Variable, Int)>, Variable>,
    /// For each clause what is known of its literals.
    literals: Vec<Vec<Option<Prepared>>>,
    /// How many equalities and inequalities the simplex has been told.
    told: (usize, usize),
    /// The equalities of the problem.
    lattice: Lattice,
    lattice_sources: Vec<(Source, Rational)>,
    lattice_told: usize,
    /// Numbers for assumptions.
    assumptions: u32,
}

/// The terms of an expression: `factor` times a variable of the simplex.
/// `None` where there are no terms.
#[derive(Clone)]
struct SimplexForm {
    scaled: Option<(Variable, Int)>,
}

/// A refuted node and the assumptions that it uses, in increasing order.
type Refuted = (StepId, Vec<u32>);

/// What a node comes to.
enum Visit {
    Model(Vec<i64>),
    Refuted(Refuted),
    Split(Split),
}

/// What is on the stack of a search.
#[derive(Default)]
struct BranchStack {
    refutation: Refutation,
    frames: Vec<SplitFrame>,
}

/// Decides one problem; see [`Solver`].
pub fn solve(problem: Problem, budget: &mut Budget) -> Outcome {
    Solver::new(problem).solve(budget)
}

impl Solver {
    /// A solver for a problem. Variables of expressions that the problem does
    /// not have are added to it. Passes checkpoints, as does adding to it.
    pub fn new(problem: Problem) -> Self {
        let mut solver = Self::default();
        for _ in 0..problem.variables {
            solver.add_variable();
        }
        for linear in problem.equalities {
            solver.add_equality(linear);
        }
        for linear in problem.inequalities {
            solver.add_inequality(linear);
        }
        for clause in problem.clauses {
            solver.add_clause(clause);
        }
        solver
    }

    /// The problem, with all that has been added.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Adds a variable and gives its number: the next one.
    pub fn add_variable(&mut self) -> u32 {
        serval_budget::checkpoint::pass();
        let number = self.problem.variables;
        self.problem.variables += 1;
        let variable = self.simplex_variable();
        self.variables.push(variable);
        self.numbers.insert(variable, number);
        let sum = match self.sum {
            Some(sum) => {
                self.simplex.extend(sum, variable);
                sum
            }
            None => {
                self.definitions.push(None);
                self.simplex.define(&[(variable, Int::ONE)])
            }
        };
        self.sum = Some(sum);
        let bound = Bound { value: Rational::ZERO, source: Source::Nonnegative(variable), factor: Rational::ONE };
        // A first bound contradicts nothing, and the variable is at it.
        let _ = self.simplex.assume(variable, Side::Lower, bound, &mut Budget::unlimited());
        number
    }

    /// Adds an expression that must be 0.
    pub fn add_equality(&mut self, linear: Linear) {
        self.cover(&linear);
        self.problem.equalities.push(linear);
    }

    /// Adds an expression that must be at least 0.
    pub fn add_inequality(&mut self, linear: Linear) {
        self.cover(&linear);
        self.problem.inequalities.push(linear);
    }

    /// Adds literals of which one must hold.
    pub fn add_clause(&mut self, clause: Vec<Literal>) {
        for literal in &clause {
            self.cover(literal.linear());
        }
        self.literals.push(vec![None; clause.len()]);
        self.problem.clauses.push(clause);
    }

    /// Adds the variables that an expression needs.
    fn cover(&mut self, linear: &Linear) {
        while !linear.is_over(self.problem.variables) {
            self.add_variable();
        }
    }

    fn simplex_variable(&mut self) -> Variable {
        self.definitions.push(None);
        self.simplex.variable()
    }

    /// Finds a solution or a refutation. Can be called again, also after it
    /// was stopped.
    pub fn solve(&mut self, budget: &mut Budget) -> Outcome {
        let outcome = self.tell(budget).and_then(|conflict| {
            let mark = self.simplex.mark();
            let outcome = self.search(conflict, budget);
            self.simplex.take_back(mark);
            outcome
        });
        outcome.unwrap_or_else(Outcome::Stopped)
    }

    /// Tells the simplex what has been added since the last time.
    fn tell(&mut self, budget: &mut Budget) -> Result<Option<Explanation>, Stopped> {
        while let Some(linear) = self.problem.equalities.get(self.told.0).cloned() {
            budget.spend(0)?;
            let form = self.form(&linear, None);
            let source = Source::Equality(number(self.told.0));
            if let Some(conflict) = self.assume(&form, &linear.constant().into(), source, true, budget)? {
                return Ok(Some(conflict));
            }
            self.told.0 += 1;
        }
        while let Some(linear) = self.problem.inequalities.get(self.told.1).cloned() {
            budget.spend(0)?;
            let form = self.form(&linear, None);
            let source = Source::Inequality(number(self.told.1));
            if let Some(conflict) = self.assume(&form, &linear.constant().into(), source, false, budget)? {
                return Ok(Some(conflict));
            }
            self.told.1 += 1;
        }
        Ok(None)
    }

    fn search(&mut self, conflict: Option<Explanation>, budget: &mut Budget) -> Result<Outcome, Stopped> {
        let mut search = BranchStack::default();
        let mut refuted = match conflict {
            Some(explanation) => Some(farkas(&mut search.refutation, explanation)?),
            None => None,
        };
        loop {
            if refuted.is_none() {
                match self.visit(&mut search, budget)? {
                    Visit::Model(model) => return Ok(Outcome::Satisfiable(model)),
                    Visit::Refuted(leaf) => refuted = Some(leaf),
                    Visit::Split(split) => search.frames.push(SplitFrame::new(split, self.simplex.mark())),
                }
            }
            // To the next case that is open.
            loop {
                let Some(frame) = search.frames.last_mut() else {
                    let Some((root, _)) = refuted else { return Err(Stopped::OutOfTicks) };
                    let tree = search.refutation.tree(root, &self.problem, &self.numbers);
                    return tree.map(Outcome::Refuted).ok_or(Stopped::OutOfTicks);
                };
                self.simplex.take_back(frame.mark);
                if let Some((step, used)) = refuted.take()
                    && !frame.close_case(step, &used)
                {
                    search.frames.pop();
                    refuted = Some((step, used));
                    continue;
                }
                match frame.next_case(&self.problem) {
                    None => {
                        let Some(frame) = search.frames.pop() else { continue };
                        refuted = Some(frame.close(self, &search.frames, &mut search.refutation));
                    }
                    Some(case) => {
                        let conflict = self.enter(&case, &mut search.frames, budget)?;
                        match conflict {
                            Some(explanation) => refuted = Some(farkas(&mut search.refutation, explanation)?),
                            None => break,
                        }
                    }
                }
            }
        }
    }

    /// Assumes what a case assumes.
    fn enter(&mut self, case: &Case, frames: &mut [SplitFrame], budget: &mut Budget) -> Result<Option<Explanation>, Stopped> {
        budget.spend(1)?;
        let assumption = self.assumptions;
        // Far fewer than 2³² cases fit into any search that ends.
        self.assumptions = self.assumptions.checked_add(1).ok_or(Stopped::OutOfTicks)?;
        let Some(frame) = frames.last_mut() else { return Ok(None) };
        frame.assumption = assumption;
        frame.quotient = None;
        frame.equality = None;
        let source = Source::Assumption(assumption);
        match case {
            Case::Literal { clause, literal, residue } => {
                let prepared = self.prepare(*clause, *literal);
                let given = &self.problem.clauses[*clause as usize][*literal];
                let is_equality = matches!(given, Literal::NotDivisible(..));
                let constant = &Int::from(given.linear().constant()) - &Int::from(*residue);
                frame.quotient = prepared.quotient;
                frame.equality = prepared.form.scaled.as_ref().filter(|_| is_equality).map(|(variable, _)| *variable);
                self.assume(&prepared.form, &constant, source, is_equality, budget)
            }
            Case::Not { clause, literal } => {
                // −e − 1 ≥ 0.
                let SimplexForm { scaled } = self.prepare(*clause, *literal).form;
                let form = SimplexForm { scaled: scaled.map(|(variable, factor)| (variable, -&factor)) };
                let constant = -&Int::from(self.problem.clauses[*clause as usize][*literal].linear().constant());
                self.assume(&form, &(&constant - &Int::ONE), source, false, budget)
            }
            Case::Bound { terms, constant } => {
                let terms: Vec<(Variable, Int)> = terms.iter().map(|&(variable, coefficient)| (variable, Int::from(coefficient))).collect();
                let form = self.form_of(terms);
                self.assume(&form, constant, source, false, budget)
            }
        }
    }

    /// The form of an expression, minus a multiple of a quotient.
    fn form(&mut self, linear: &Linear, quotient: Option<(Variable, u64)>) -> SimplexForm {
        let terms = linear.terms().iter().map(|&(number, coefficient)| (self.variables[number as usize], Int::from(coefficient)));
        let mut terms: Vec<(Variable, Int)> = terms.collect();
        terms.extend(quotient.map(|(quotient, divisor)| (quotient, -&Int::from(divisor))));
        self.form_of(terms)
    }

    /// The form of terms without repetition: those that are multiples of each
    /// other share a variable of the simplex.
    fn form_of(&mut self, mut terms: Vec<(Variable, Int)>) -> SimplexForm {
        terms.sort_unstable_by_key(|&(variable, _)| variable);
        let Some((_, first)) = terms.first() else { return SimplexForm { scaled: None } };
        let sign = Int::from(i64::from(first.signum()));
        let divisor = terms.iter().fold(Int::ZERO, |divisor, (_, coefficient)| divisor.gcd(coefficient));
        let factor = &divisor * &sign;
        for (_, coefficient) in &mut terms {
            *coefficient = coefficient.div_exact(&factor);
        }
        if let [(variable, _)] = terms[..] {
            return SimplexForm { scaled: Some((variable, factor)) };
        }
        let variable = match self.defined.get(&terms) {
            Some(&variable) => variable,
            None => {
                let variable = self.simplex.define(&terms);
                self.definitions.push(Some(terms.clone()));
                self.defined.insert(terms, variable);
                variable
            }
        };
        SimplexForm { scaled: Some((variable, factor)) }
    }

    /// Assumes that `form + constant` is at least 0, or is 0.
    fn assume(
        &mut self,
        form: &SimplexForm,
        constant: &Int,
        source: Source,
        is_equality: bool,
        budget: &mut Budget,
    ) -> Result<Option<Explanation>, Stopped> {
        let Some((variable, factor)) = &form.scaled else {
            let sign = constant.signum();
            let holds = if is_equality { sign == 0 } else { sign >= 0 };
            // A constant that is wrong is a contradiction of its own; a positive one that should be 0, its negative.
            let multiplier = Rational::from(if sign > 0 { -1 } else { 1 });
            return Ok((!holds).then(|| vec![(source, multiplier)]));
        };
        // factor · x + constant ≥ 0, so x − value = (factor · x + constant) / factor.
        let inverse = Rational::new(&Int::ONE, factor).unwrap_or_default();
        let value = &Rational::from(-constant) * &inverse;
        let lower = Bound { value, source, factor: inverse };
        let upper = Bound { value: lower.value.clone(), source, factor: -&lower.factor };
        if (is_equality || factor.signum() > 0)
            && let Some(conflict) = self.simplex.assume(*variable, Side::Lower, lower, budget)?
        {
            return Ok(Some(conflict));
        }
        if is_equality || factor.signum() < 0 {
            return self.simplex.assume(*variable, Side::Upper, upper, budget);
        }
        Ok(None)
    }

    fn visit(&mut self, search: &mut BranchStack, budget: &mut Budget) -> Result<Visit, Stopped> {
        if let Some(explanation) = self.simplex.check(self.sum, budget)? {
            return farkas(&mut search.refutation, explanation).map(Visit::Refuted);
        }
        if let Some(sum) = self.sum {
            self.simplex.minimise(sum, budget)?;
        }
        if let Some(split) = self.violated_clause(&search.frames, budget)? {
            return Ok(Visit::Split(split));
        }
        let structural = |variable: &Variable| self.definitions[variable.index()].is_none() && Some(*variable) != self.sum;
        let all = (0..number(self.definitions.len())).map(Variable).filter(structural);
        // Quotients that no assumption on the way uses have no say.
        let in_use = |variable: &Variable| self.numbers.contains_key(variable) || introducer(&search.frames, *variable).is_some();
        let fractional = all.filter(in_use).find(|&variable| !self.simplex.value(variable).is_integer());
        let Some(fractional) = fractional else {
            let values = self.variables.iter().map(|&variable| self.simplex.value(variable).numerator().to_i64());
            return values.collect::<Option<Vec<i64>>>().map(Visit::Model).ok_or(Stopped::OutOfTicks);
        };
        self.split_fraction(fractional, search, budget)
    }
}

/// The assumption on the way that introduced a quotient.
fn introducer(frames: &[SplitFrame], variable: Variable) -> Option<u32> {
    frames.iter().find(|frame| frame.quotient == Some(variable)).map(|frame| frame.assumption)
}

fn farkas(refutation: &mut Refutation, explanation: Explanation) -> Result<Refuted, Stopped> {
    let multiples = refutation::falling(explanation).ok_or(Stopped::OutOfTicks)?;
    let used = assumptions(&multiples);
    Ok((refutation.add(RefutationStep::Farkas(multiples)), used))
}

/// The assumptions among facts, which are sorted.
fn assumptions(multiples: &refutation::Multiples) -> Vec<u32> {
    let assumption = |&(source, _): &(Source, i128)| match source {
        Source::Assumption(number) => Some(number),
        _ => None,
    };
    multiples.iter().filter_map(assumption).collect()
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
