//! Trees as JSON: a list of nodes in preorder, each a list of whole numbers.
//!
//! | node | is written |
//! |---|---|
//! | `Clause` | `[0, clause]` |
//! | `Bound` | `[1, at_most, constant, variable, coefficient, variable, coefficient, …]` |
//! | `Residue` | `[2, divisor, constant, variable, coefficient, …]` |
//! | `Farkas` | `[3, reference, multiplier, reference, multiplier, …]` |
//! | `Lattice` | `[4, modulus, n, reference, multiplier, …]`: `n` pairs of the combination, then those of `tight` |
//!
//! A fact is referred to by its number, and that variable `v` is at least 0
//! by `-1 - v`. Reading is strict: variables are sorted, coefficients are not
//! 0, numbers fit, and nothing is left over. Nothing is nested, so that
//! reading needs no deep stack, however deep the tree.

use crate::{Combination, Linear, Node, Reference};

impl From<Node> for Vec<i128> {
    fn from(node: Node) -> Self {
        let terms = |linear: &Linear| -> Self {
            linear.terms().iter().flat_map(|&(variable, coefficient)| [variable.into(), coefficient.into()]).collect()
        };
        let pairs = |combination: &Combination| -> Self {
            combination.iter().flat_map(|&(reference, multiplier)| [reference.number(), multiplier]).collect()
        };
        match &node {
            Node::Clause { clause } => vec![0, (*clause).into()],
            Node::Bound { expression, at_most } => [vec![1, (*at_most).into(), expression.constant().into()], terms(expression)].concat(),
            Node::Residue { expression, divisor } => [vec![2, (*divisor).into(), expression.constant().into()], terms(expression)].concat(),
            Node::Farkas { combination } => [vec![3], pairs(combination)].concat(),
            Node::Lattice { modulus, combination, tight } => {
                let count = i128::try_from(combination.len()).unwrap_or(i128::MAX);
                [vec![4, *modulus, count], pairs(combination), pairs(tight)].concat()
            }
        }
    }
}

impl TryFrom<Vec<i128>> for Node {
    type Error = &'static str;

    fn try_from(numbers: Vec<i128>) -> Result<Self, &'static str> {
        node(&numbers).ok_or("these numbers are no node of a tree")
    }
}

impl Reference {
    fn number(self) -> i128 {
        match self {
            Self::Fact(index) => index.into(),
            Self::AtLeastZero(variable) => -1 - i128::from(variable),
        }
    }
}

fn node(numbers: &[i128]) -> Option<Node> {
    Some(match *numbers {
        [0, clause] => Node::Clause { clause: clause.try_into().ok()? },
        [1, at_most, constant, ref rest @ ..] => Node::Bound { expression: linear(rest, constant)?, at_most: at_most.try_into().ok()? },
        [2, divisor, constant, ref rest @ ..] => Node::Residue { expression: linear(rest, constant)?, divisor: divisor.try_into().ok()? },
        [3, ref rest @ ..] => Node::Farkas { combination: combination(rest)? },
        [4, modulus, count, ref rest @ ..] => {
            let (first, second) = rest.split_at_checked(usize::try_from(count).ok()?.checked_mul(2)?)?;
            Node::Lattice { modulus, combination: combination(first)?, tight: combination(second)? }
        }
        _ => return None,
    })
}

fn linear(numbers: &[i128], constant: i128) -> Option<Linear> {
    let (pairs, rest) = numbers.as_chunks();
    let terms = pairs.iter().map(|&[variable, coefficient]| Some((variable.try_into().ok()?, coefficient.try_into().ok()?)));
    if rest.is_empty() { Linear::from_sorted(terms.collect::<Option<_>>()?, constant.try_into().ok()?) } else { None }
}

fn combination(numbers: &[i128]) -> Option<Combination> {
    let (pairs, rest) = numbers.as_chunks();
    let pairs = pairs.iter().map(|&[number, multiplier]| {
        let reference = match u32::try_from(number) {
            Ok(index) => Reference::Fact(index),
            Err(_) => Reference::AtLeastZero(number.checked_neg()?.checked_sub(1)?.try_into().ok()?),
        };
        Some((reference, multiplier))
    });
    if rest.is_empty() { pairs.collect() } else { None }
}
