//! Proof trees (Farkas' lemma, Farkas 1902, with case splits and divisibility): evidence that a problem of linear
//! integer arithmetic has no solution.
//!
//! A [`Problem`] asks for non-negative integers that meet equalities,
//! inequalities and clauses. A [`Tree`] splits it into cases until each case
//! is contradictory for a reason that can be checked by adding up:
//!
//! ```
//! use serval_budget::Budget;
//! use serval_linear::{Linear, Literal, Node, Problem, Reference, Tree, check_tree};
//! // x + y = 1, and both x ≥ 1 or y ≥ 2, and x is even.
//! let linear = |terms: &[(u32, i64)], constant| Linear::new(terms.iter().copied(), constant).unwrap();
//! let problem = Problem {
//!     variables: 2,
//!     equalities: vec![linear(&[(0, 1), (1, 1)], -1)],
//!     inequalities: vec![],
//!     clauses: vec![
//!         vec![Literal::AtLeastZero(linear(&[(0, 1)], -1)), Literal::AtLeastZero(linear(&[(1, 1)], -2))],
//!         vec![Literal::NotDivisible(linear(&[(0, 1)], 1), 2)],
//!     ],
//! };
//! // Fact 0 is the equality; each split adds the next fact.
//! let fact = |index| Reference::Fact(index);
//! let tree = Tree { nodes: vec![
//!     Node::Clause { clause: 0 },
//!     // x ≥ 1 (fact 1). Now x + 1 is odd: x + 1 = 2q + 1 (fact 2), where q is variable 2.
//!     Node::Clause { clause: 1 },
//!     // x − 1 ≥ 0 and 1 − x − y = 0 add up to −y ≥ 0; so x − 1 = 0, and x − 2q − 1 + 1 = 0 makes 1 even.
//!     Node::Lattice {
//!         modulus: 2,
//!         combination: vec![(fact(2), 1), (fact(1), -1)],
//!         tight: vec![(fact(1), 1), (fact(0), -1)],
//!     },
//!     // y − 2 ≥ 0 (fact 1) and 1 − x − y = 0 add up to −1 − x ≥ 0.
//!     Node::Farkas { combination: vec![(fact(1), 1), (fact(0), -1)] },
//! ] };
//! let check = |tree: &Tree| check_tree(&problem, tree, &mut Budget::unlimited());
//! assert_eq!(check(&tree), Ok(()));
//! assert_eq!(serde_json::to_string(&tree).unwrap(), "[[0,0],[0,1],[4,2,2,2,1,1,-1,1,1,0,-1],[3,1,1,0,-1]]");
//! ```
//!
//! # What is checked
//!
//! **Definitions.** A *solution* of a problem gives each of its variables a
//! non-negative integer such that every equality's expression is 0, every
//! inequality's is at least 0, and every clause has a literal that holds: `e
//! ≥ 0`, or that `d` does not divide `e`.
//!
//! The nodes of a tree are listed in preorder: a node, then its children's
//! trees from first to last. On the way from the root to a node there are
//! *facts* and *fresh variables*. The facts are numbered: first the equalities
//! of the problem, then its inequalities, then one for each inner node on the
//! way, which belongs to the child that the way takes. Fresh variables are
//! numbered after those of the problem, in the order in which they come.
//! Fresh variables may be negative.
//!
//! Inner nodes, their children, and the fact that each child adds (`q` is a fresh variable):
//!
//! - `Clause k`: for each literal of the clause in order: for `e ≥ 0` one child, with it; for `d` does not divide `e`
//!   one child for each `r` = 1, …, `d − 1`, with `e = d·q + r`;
//! - `Bound e k`: two, `e ≤ k`, then `e ≥ k + 1`;
//! - `Residue e d`: for each `r` = 0, …, `d − 1` one, with `e = d·q + r`.
//!
//! A *combination* is a list of facts, or of `x ≥ 0` for variables `x` of the
//! problem, with integer multipliers; its *sum* is the sum of the multiples
//! of their expressions. It is *falling* if multipliers of inequalities are
//! not negative (`tree.sign`), the coefficients of the problem's variables in
//! its sum are not positive (`tree.falling`), and those of fresh variables
//! are 0 (`tree.fresh`).
//!
//! Leaves, and what each holds:
//!
//! - `Farkas`: a falling combination whose sum has a negative constant (`tree.farkas`);
//! - `Lattice`: a modulus `m`; a falling combination `tight` whose sum has a constant that is not positive
//!   (`tree.tight`); and a combination of equalities, of inequalities that have a positive multiplier in `tight`, and
//!   of `x ≥ 0` for variables that have a negative coefficient in the sum of `tight` or a positive multiplier in it
//!   (`tree.equality`), in whose sum all coefficients are multiples of `m` (`tree.modulus`) and the constant is not
//!   (`tree.remainder`). The only multiple of 0 is 0.
//!
//! **Theorem.** If [`check_tree`] accepts, the problem has no solution.
//!
//! **Proof.** Let there be a solution. Say that a node is *reached* if the
//! solution can be extended to integers for the fresh variables on the way to
//! the node such that all facts there hold. The root is reached: the facts are
//! the problem's own equalities and inequalities, there are no fresh
//! variables, and all expressions are over the problem's variables (about
//! another problem nothing is said).
//!
//! *If an inner node is reached, so is one of its children, and it is in the
//! list.* The expression of a `Bound` or `Residue` is over the problem's
//! variables and the fresh ones on the way (`tree.variables`), so it has an
//! integer value `v`. For `Bound`, `v ≤ k` or `v ≥ k + 1`. For `Residue`, `d ≥
//! 1` (`tree.divisor`), so that `v = d·q + r` for an integer `q` and one of the
//! `r`; a value of the fresh variable is not used by the facts on the way, so
//! `q` can be taken. For `Clause`, the clause is one of the problem
//! (`tree.clause`) and one of its literals holds: `e ≥ 0`, which is the fact of
//! its child; or `d` does not divide `e`, with `d ≥ 1` (about another problem
//! nothing is said), and then `e = d·q + r` with an `r` from 1 to `d − 1`. The
//! fresh variable has a number of its own, greater than all on the way. All
//! children are in the list, since a list that ends early is refused
//! (`tree.child`).
//!
//! *A falling combination whose sum has a constant that is not positive*,
//! at a node that is reached: the value of the sum is at least 0, since each
//! fact's expression is 0, or at least 0 with a multiplier that is not
//! negative, and likewise for `x ≥ 0`; the facts are on the way (`tree.fact`).
//! It is at most 0, since it is the constant plus variables that are not
//! negative times coefficients that are not positive. So it is 0, and as a
//! sum of terms of one sign, each term is 0 in both ways of writing it: each
//! inequality with a positive multiplier has the value 0; each variable with a
//! negative coefficient is 0; and the constant is 0.
//!
//! *No leaf is reached.* Not a `Farkas`, as its constant is not 0. Not a
//! `Lattice`: everything in its combination has the value 0, by what was just
//! shown or because it is an equality. So the sum has the value 0; as all
//! variables are integers, it is also a multiple of `m` plus the constant; so
//! the constant is a multiple of `m`, which it is not.
//!
//! So from the root on there is always a reached child. But the tree is
//! finite. ∎
//!
//! All arithmetic is checked, in 128 bits; what does not fit is "too large".
//! Nodes after the end of the tree are refused (`tree.rest`); the theorem
//! does not need it.

use std::{fmt, iter};

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::{Refusal, obtain, require};

use crate::{Linear, Literal, Problem};

/// A proof tree: its nodes in preorder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree {
    /// A node, then its children's trees from first to last.
    pub nodes: Vec<Node>,
}

/// One node of a [`Tree`]. The module says what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<i128>", into = "Vec<i128>")]
pub enum Node {
    /// One of the literals of a clause holds.
    Clause {
        /// The index of the clause.
        clause: u32,
    },
    /// An expression is at most, or more than, a number.
    Bound {
        /// The expression.
        expression: Linear,
        /// The number.
        at_most: i64,
    },
    /// An expression has one of the residues.
    Residue {
        /// The expression.
        expression: Linear,
        /// What it is divided by.
        divisor: u64,
    },
    /// Inequalities that add up to a contradiction.
    Farkas {
        /// What is added up.
        combination: Combination,
    },
    /// Equalities that add up to a contradiction modulo a number.
    Lattice {
        /// The number.
        modulus: i128,
        /// What is added up.
        combination: Combination,
        /// Why some inequalities are equalities.
        tight: Combination,
    },
}

/// Facts with their multipliers.
pub type Combination = Vec<(Reference, i128)>;

/// What a combination can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// A fact on the way to the node, by its number.
    Fact(u32),
    /// That this variable of the problem is at least 0.
    AtLeastZero(u32),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact(index) => write!(f, "fact {index}"),
            Self::AtLeastZero(variable) => write!(f, "variable {variable} ≥ 0"),
        }
    }
}

/// A linear fact, `expression ≥ 0` or `= 0`, in 128 bits: one on the way to the
/// node, or a sum of multiples of these.
#[derive(Default)]
struct Fact {
    is_equality: bool,
    terms: Vec<(u32, i128)>,
    constant: i128,
    /// How many terms there were when they were last brought together.
    collected: usize,
}

/// An inner node whose children are being checked.
struct Frame<'a> {
    node: &'a Node,
    /// How many facts and variables there are at the node itself.
    facts: usize,
    variables: u32,
    /// The literal and the residue of the next child.
    literal: usize,
    residue: u64,
}

struct Checker<'a, 'b> {
    problem: &'a Problem,
    budget: &'b mut Budget,
    facts: Vec<Fact>,
    /// How many variables there are, fresh ones included.
    variables: u32,
    /// The node that is checked.
    at: usize,
}

const TOO_LARGE: Refusal = Refusal::TooLarge { what: "integer bits", limit: 127 };

/// Checks that `tree` shows that `problem` has no solution.
///
/// One tick is spent for each node and for each term that is looked at, before
/// there is memory for it.
pub fn check_tree(problem: &Problem, tree: &Tree, budget: &mut Budget) -> Result<(), Refusal> {
    let mut checker = Checker { problem, budget, facts: Vec::new(), variables: problem.variables, at: 0 };
    checker.state_problem()?;
    let answer = checker.walk(tree);
    answer.map_err(|refusal| refusal.about(None, format!("node {} of the tree", checker.at)))
}

fn ticks(terms: usize) -> u64 {
    u64::try_from(terms).unwrap_or(u64::MAX)
}

impl<'a> Checker<'a, '_> {
    /// The facts at the root.
    fn state_problem(&mut self) -> Result<(), Refusal> {
        let problem = self.problem;
        if !problem.is_well_formed() {
            // No certificate brings this about: the checker makes the problem itself.
            return Err(Refusal::TooLarge { what: "variables, or division by 0", limit: problem.variables.into() });
        }
        for (list, is_equality) in [(&problem.equalities, true), (&problem.inequalities, false)] {
            for linear in list {
                let fact = self.fact(linear, 1, 0, is_equality)?;
                self.facts.push(fact);
            }
        }
        Ok(())
    }

    /// Goes through the tree in preorder, without recursion.
    fn walk(&mut self, tree: &'a Tree) -> Result<(), Refusal> {
        let mut nodes = tree.nodes.iter();
        let mut frames: Vec<Frame<'a>> = Vec::new();
        loop {
            let node = obtain!(Child, nodes.next(), "the list ends where a node is missing");
            self.budget.spend(1)?;
            self.node_of(node, &mut frames)?;
            self.at = self.at.saturating_add(1);
            // To the next child of the innermost split that has one.
            while let Some(frame) = frames.last_mut() {
                self.facts.truncate(frame.facts);
                self.variables = frame.variables;
                if self.next_child(frame)? {
                    break;
                }
                frames.pop();
            }
            if frames.is_empty() {
                break;
            }
        }
        require!(Rest, nodes.next().is_none(), "the tree is complete before this node");
        Ok(())
    }

    /// Checks a leaf, or begins a split.
    fn node_of(&mut self, node: &'a Node, frames: &mut Vec<Frame<'a>>) -> Result<(), Refusal> {
        match node {
            Node::Farkas { combination } => return self.farkas(combination),
            Node::Lattice { modulus, combination, tight } => return self.lattice(*modulus, combination, tight),
            Node::Clause { clause } => {
                let known = self.problem.clauses.get(*clause as usize);
                obtain!(Clause, known, "there is no clause {clause}");
            }
            Node::Bound { expression, .. } | Node::Residue { expression, .. } => {
                let divides = !matches!(node, Node::Residue { divisor: 0, .. });
                require!(Divisor, divides, "division by 0");
                let known = expression.is_over(self.variables);
                require!(Variables, known, "a variable that is not there");
            }
        }
        frames.push(Frame { node, facts: self.facts.len(), variables: self.variables, literal: 0, residue: 0 });
        Ok(())
    }

    /// Adds the fact of the next child of a split, if there is one.
    fn next_child(&mut self, frame: &mut Frame<'a>) -> Result<bool, Refusal> {
        let fact = match frame.node {
            Node::Clause { clause } => loop {
                let literals = self.problem.clauses.get(*clause as usize).map_or(&[][..], Vec::as_slice);
                let Some(literal) = literals.get(frame.literal) else { return Ok(false) };
                // Residues of a literal are counted from 1.
                frame.residue = frame.residue.saturating_add(1);
                match literal {
                    Literal::AtLeastZero(linear) if frame.residue == 1 => break self.fact(linear, 1, 0, false)?,
                    Literal::NotDivisible(linear, divisor) if frame.residue < *divisor => {
                        break self.residue(linear, *divisor, frame.residue)?;
                    }
                    _ => (frame.literal, frame.residue) = (frame.literal.saturating_add(1), 0),
                }
            },
            Node::Bound { expression, at_most } => {
                frame.literal = frame.literal.saturating_add(1);
                match frame.literal {
                    1 => self.fact(expression, -1, i128::from(*at_most), false)?,
                    2 => self.fact(expression, 1, -1 - i128::from(*at_most), false)?,
                    _ => return Ok(false),
                }
            }
            Node::Residue { expression, divisor } if frame.residue < *divisor => {
                frame.residue = frame.residue.saturating_add(1);
                self.residue(expression, *divisor, frame.residue.saturating_sub(1))?
            }
            _ => return Ok(false),
        };
        self.facts.push(fact);
        Ok(true)
    }

    /// The fact `factor · linear + more ≥ 0`, or `= 0`.
    fn fact(&mut self, linear: &Linear, factor: i128, more: i128, is_equality: bool) -> Result<Fact, Refusal> {
        self.budget.spend(ticks(linear.terms().len() + 1))?;
        let mut fact = Fact { is_equality, constant: more, ..Fact::default() };
        let terms = linear.terms().iter().map(|&(variable, coefficient)| (variable, i128::from(coefficient)));
        fact.add(terms, linear.constant().into(), factor)?;
        Ok(fact)
    }

    /// The fact `linear = divisor · q + residue` with a fresh variable `q`.
    fn residue(&mut self, linear: &Linear, divisor: u64, residue: u64) -> Result<Fact, Refusal> {
        let mut fact = self.fact(linear, 1, -i128::from(residue), true)?;
        fact.terms.push((self.variables, -i128::from(divisor)));
        self.variables = self.variables.checked_add(1).ok_or(Refusal::TooLarge { what: "variables", limit: u32::MAX.into() })?;
        Ok(fact)
    }

    fn farkas(&mut self, combination: &Combination) -> Result<(), Refusal> {
        let mut sum = Fact::default();
        self.falling(combination, &mut sum)?;
        require!(Farkas, sum.constant < 0, "the sum has the constant {}, which is not negative", sum.constant);
        Ok(())
    }

    fn lattice(&mut self, modulus: i128, combination: &Combination, tight: &Combination) -> Result<(), Refusal> {
        let mut bound = Fact::default();
        self.falling(tight, &mut bound)?;
        require!(Tight, bound.constant <= 0, "the sum has the constant {}, which is positive", bound.constant);
        let mut positive: Vec<Reference> =
            tight.iter().filter(|(_, multiplier)| *multiplier > 0).map(|&(reference, _)| reference).collect();
        positive
            .extend(bound.terms.iter().filter(|(_, coefficient)| *coefficient < 0).map(|&(variable, _)| Reference::AtLeastZero(variable)));
        positive.sort_unstable();
        let mut sum = Fact::default();
        for &(reference, multiplier) in combination {
            let is_equality = self.is_equality(reference) || positive.binary_search(&reference).is_ok();
            require!(Equality, is_equality, "{reference} is not shown to be an equality");
            self.add(reference, multiplier, &mut sum)?;
        }
        sum.collect()?;
        let divides = |number: i128| number.unsigned_abs().is_multiple_of(modulus.unsigned_abs());
        let multiples = sum.terms.iter().all(|&(_, coefficient)| divides(coefficient));
        require!(Modulus, multiples, "a coefficient is not a multiple of {modulus}");
        require!(Remainder, !divides(sum.constant), "the constant {} is a multiple of {modulus}", sum.constant);
        Ok(())
    }

    /// Adds up a combination and checks that it is falling.
    fn falling(&mut self, combination: &Combination, sum: &mut Fact) -> Result<(), Refusal> {
        for &(reference, multiplier) in combination {
            let signed = multiplier >= 0 || self.is_equality(reference);
            require!(Sign, signed, "{reference} is an inequality with the multiplier {multiplier}");
            self.add(reference, multiplier, sum)?;
        }
        sum.collect()?;
        for &(variable, coefficient) in &sum.terms {
            let is_fresh = variable >= self.problem.variables;
            require!(Fresh, !is_fresh || coefficient == 0, "fresh variable {variable} is left");
            let falls = is_fresh || coefficient <= 0;
            require!(Falling, falls, "variable {variable} has the coefficient {coefficient}");
        }
        Ok(())
    }

    /// Adds a multiple of a fact to a sum.
    fn add(&mut self, reference: Reference, multiplier: i128, sum: &mut Fact) -> Result<(), Refusal> {
        match reference {
            Reference::Fact(index) => {
                let fact = obtain!(Fact, self.facts.get(index as usize), "there is no {reference}");
                self.budget.spend(ticks(fact.terms.len() + 1))?;
                sum.add(fact.terms.iter().copied(), fact.constant, multiplier)?;
            }
            Reference::AtLeastZero(variable) => {
                // A fresh variable may be negative.
                let known = variable < self.problem.variables;
                require!(Fact, known, "{reference} is not said anywhere");
                self.budget.spend(1)?;
                sum.add(iter::once((variable, 1)), 0, multiplier)?;
            }
        }
        Ok(())
    }

    fn is_equality(&self, reference: Reference) -> bool {
        matches!(reference, Reference::Fact(index) if self.facts.get(index as usize).is_some_and(|fact| fact.is_equality))
    }
}

impl Fact {
    /// Adds a multiple of an expression; terms of one variable may stay apart,
    /// but not so many that memory grows with the length of a combination.
    fn add(&mut self, terms: impl Iterator<Item = (u32, i128)>, constant: i128, factor: i128) -> Result<(), Refusal> {
        for (variable, coefficient) in terms {
            self.terms.push((variable, coefficient.checked_mul(factor).ok_or(TOO_LARGE)?));
        }
        let more = constant.checked_mul(factor).ok_or(TOO_LARGE)?;
        self.constant = self.constant.checked_add(more).ok_or(TOO_LARGE)?;
        if self.terms.len() / 2 > self.collected.saturating_add(1_000) { self.collect() } else { Ok(()) }
    }

    /// Brings the terms of each variable together.
    fn collect(&mut self) -> Result<(), Refusal> {
        self.terms.sort_unstable_by_key(|&(variable, _)| variable);
        let mut collected: Vec<(u32, i128)> = Vec::with_capacity(self.terms.len());
        for &(variable, coefficient) in &self.terms {
            match collected.last_mut() {
                Some((last, sum)) if *last == variable => *sum = sum.checked_add(coefficient).ok_or(TOO_LARGE)?,
                _ => collected.push((variable, coefficient)),
            }
        }
        self.collected = collected.len();
        self.terms = collected;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Fact;

    /// Adds an expression in `variables` variables repeatedly, and says how many
    /// terms there were at most and how often they were brought together.
    fn add_up(variables: u32, times: usize) -> (usize, usize) {
        let mut sum = Fact::default();
        let (mut most, mut collected) = (0, 0);
        for _ in 0..times {
            let before = sum.terms.len();
            sum.add((0..variables).map(|variable| (variable, 1)), 0, 1).unwrap();
            collected += usize::from(sum.terms.len() <= before || sum.collected == sum.terms.len());
            most = most.max(sum.terms.len());
        }
        (most, collected)
    }

    #[test]
    fn a_long_sum_stays_small_and_is_rarely_sorted() {
        // After 2,002 terms, and then whenever there are 2,003 more.
        assert_eq!(add_up(1, 10_010), (2_003, 4));
        // At first, and then whenever there are two more of each: once there are 5,000, 2,000 more are no reason.
        assert_eq!(add_up(5_000, 21), (10_000, 11));
    }
}
