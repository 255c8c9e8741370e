//! Which vectors of answers depend on which, in exact numbers.

use std::collections::BTreeMap;

use serval_arith::Rational;
use serval_model::Node;
use serval_proof::flow::lcm;

use super::Answers;

/// A positive number, and the given ones times it, which are whole.
pub(super) fn whole(numbers: &[Rational]) -> Option<(i64, Vec<i64>)> {
    let divisor = numbers.iter().try_fold(1_i64, |divisor, number| lcm(divisor, number.denominator().to_i64()?))?;
    let times = |number: &Rational| {
        let whole = number.numerator().to_i64()?.checked_mul(divisor / number.denominator().to_i64()?)?;
        // So that it can be negated.
        (whole > i64::MIN).then_some(whole)
    };
    Some((divisor, numbers.iter().map(times).collect::<Option<_>>()?))
}

/// Vectors that are independent, brought into a form in which it is easy to
/// find out how a vector is made of them.
#[derive(Default)]
pub(super) struct Span {
    /// The vectors.
    vectors: Vec<Answers>,
    /// For each, a letter, and the multiples of the vectors whose sum has 1 at
    /// that letter and 0 at the letters of the others.
    pivots: Vec<(Node, Vec<Rational>)>,
}

impl Span {
    /// The numbers `n` with which the vectors add up to `vector` at all pivots.
    pub(super) fn numbers(&self, vector: &Answers) -> Vec<Rational> {
        let mut numbers = vec![Rational::from(0); self.vectors.len()];
        for (letter, multiples) in &self.pivots {
            let Some(&value) = vector.get(letter) else { continue };
            for (number, multiple) in numbers.iter_mut().zip(multiples) {
                *number = &*number + &(multiple * &Rational::from(value));
            }
        }
        numbers
    }

    /// What is left of a vector at each letter.
    fn rest(&self, vector: &Answers, numbers: &[Rational]) -> BTreeMap<Node, Rational> {
        let mut rest: BTreeMap<Node, Rational> = vector.iter().map(|(&node, &value)| (node, Rational::from(value))).collect();
        for (other, number) in self.vectors.iter().zip(numbers) {
            for (&node, &value) in other {
                let entry = rest.entry(node).or_insert_with(|| Rational::from(0));
                *entry = &*entry - &(number * &Rational::from(value));
            }
        }
        rest.retain(|_, value| !value.is_zero());
        rest
    }

    /// Adds a vector unless it depends on those that are there.
    pub(super) fn add(&mut self, vector: Answers) -> bool {
        let numbers = self.numbers(&vector);
        let rest = self.rest(&vector, &numbers);
        let Some((&letter, value)) = rest.iter().next() else { return false };
        let Some(scale) = &Rational::from(1) / value else { return false };
        // (vector − Σ numbers·vectors)/value has 1 at the new letter, 0 at the other pivots.
        let new: Vec<Rational> = numbers.iter().map(|number| &-number * &scale).chain([scale.clone()]).collect();
        for (_, multiples) in &mut self.pivots {
            multiples.push(Rational::from(0));
        }
        self.vectors.push(vector);
        for index in 0..self.pivots.len() {
            // What the old pivot's combination has at the new letter goes.
            let at = self.value_at(&self.pivots[index].1, letter);
            for (multiple, more) in self.pivots[index].1.iter_mut().zip(&new) {
                *multiple = &*multiple - &(&at * more);
            }
        }
        self.pivots.push((letter, new));
        true
    }

    fn value_at(&self, multiples: &[Rational], letter: Node) -> Rational {
        let mut sum = Rational::from(0);
        for (vector, multiple) in self.vectors.iter().zip(multiples) {
            if let Some(&value) = vector.get(&letter) {
                sum = &sum + &(multiple * &Rational::from(value));
            }
        }
        sum
    }

    /// For each vector a divisor, a constant and coefficients such that the
    /// expression in the answers divided by the divisor is the vector's number.
    pub(super) fn forms(&self, offset: &Answers) -> Option<Vec<Form>> {
        (0..self.vectors.len())
            .map(|index| {
                let coefficients: Vec<(Node, Rational)> = self
                    .pivots
                    .iter()
                    .map(|(letter, multiples)| (*letter, multiples[index].clone()))
                    .filter(|(_, value)| !value.is_zero())
                    .collect();
                let divisor = coefficients.iter().try_fold(1_i64, |divisor, (_, value)| lcm(divisor, value.denominator().to_i64()?))?;
                let mut terms: Vec<(Node, i64)> = Vec::new();
                let mut constant: i64 = 0;
                for (letter, value) in coefficients {
                    let coefficient = value.numerator().to_i64()?.checked_mul(divisor / value.denominator().to_i64()?)?;
                    terms.push((letter, coefficient));
                    constant = constant.checked_sub(coefficient.checked_mul(offset.get(&letter).copied().unwrap_or(0))?)?;
                }
                terms.sort_unstable();
                Some((u64::try_from(divisor).ok()?, constant, terms))
            })
            .collect()
    }
}

/// A divisor, a constant, and coefficients by letter.
pub(super) type Form = (u64, i64, Vec<(Node, i64)>);
