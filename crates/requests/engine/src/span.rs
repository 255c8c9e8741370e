//! Which vectors of integers depend on which, in exact numbers.

use std::collections::BTreeMap;

use serval_arith::Rational;
use serval_proof::flow::lcm;

/// A vector: its entry at each place where it is not 0.
pub(crate) type Vector = BTreeMap<u32, i64>;

/// A positive number, and the given ones times it, which are whole.
pub(crate) fn whole(numbers: &[Rational]) -> Option<(i64, Vec<i64>)> {
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
pub(crate) struct Span {
    /// The vectors.
    vectors: Vec<Vector>,
    /// For each, a place, and the multiples of the vectors whose sum has 1 at
    /// that place and 0 at the places of the others.
    pivots: Vec<(u32, Vec<Rational>)>,
}

impl Span {
    /// The numbers `n` with which the vectors add up to `vector` at all pivots.
    pub(crate) fn numbers(&self, vector: &Vector) -> Vec<Rational> {
        let mut numbers = vec![Rational::from(0); self.vectors.len()];
        for (place, multiples) in &self.pivots {
            let Some(&value) = vector.get(place) else { continue };
            for (number, multiple) in numbers.iter_mut().zip(multiples) {
                *number = &*number + &(multiple * &Rational::from(value));
            }
        }
        numbers
    }

    /// What is left of a vector at each place.
    fn rest(&self, vector: &Vector, numbers: &[Rational]) -> BTreeMap<u32, Rational> {
        let mut rest: BTreeMap<u32, Rational> = vector.iter().map(|(&node, &value)| (node, Rational::from(value))).collect();
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
    pub(crate) fn add(&mut self, vector: Vector) -> bool {
        let numbers = self.numbers(&vector);
        let rest = self.rest(&vector, &numbers);
        let Some((&place, value)) = rest.iter().next() else { return false };
        let Some(scale) = &Rational::from(1) / value else { return false };
        // (vector − Σ numbers·vectors)/value has 1 at the new place, 0 at the other pivots.
        let new: Vec<Rational> = numbers.iter().map(|number| &-number * &scale).chain([scale.clone()]).collect();
        for (_, multiples) in &mut self.pivots {
            multiples.push(Rational::from(0));
        }
        self.vectors.push(vector);
        for index in 0..self.pivots.len() {
            // What the old pivot's combination has at the new place goes.
            let at = self.value_at(&self.pivots[index].1, place);
            for (multiple, more) in self.pivots[index].1.iter_mut().zip(&new) {
                *multiple = &*multiple - &(&at * more);
            }
        }
        self.pivots.push((place, new));
        true
    }

    fn value_at(&self, multiples: &[Rational], place: u32) -> Rational {
        let mut sum = Rational::from(0);
        for (vector, multiple) in self.vectors.iter().zip(multiples) {
            if let Some(&value) = vector.get(&place) {
                sum = &sum + &(multiple * &Rational::from(value));
            }
        }
        sum
    }

    /// For each vector a divisor, a constant and coefficients such that the
    /// expression in the entries divided by the divisor is the vector's number.
    pub(crate) fn forms(&self, offset: &Vector) -> Option<Vec<SpanForm>> {
        (0..self.vectors.len())
            .map(|index| {
                let coefficients: Vec<(u32, Rational)> = self
                    .pivots
                    .iter()
                    .map(|(place, multiples)| (*place, multiples[index].clone()))
                    .filter(|(_, value)| !value.is_zero())
                    .collect();
                let divisor = coefficients.iter().try_fold(1_i64, |divisor, (_, value)| lcm(divisor, value.denominator().to_i64()?))?;
                let mut terms: Vec<(u32, i64)> = Vec::new();
                let mut constant: i64 = 0;
                for (place, value) in coefficients {
                    let coefficient = value.numerator().to_i64()?.checked_mul(divisor / value.denominator().to_i64()?)?;
                    terms.push((place, coefficient));
                    constant = constant.checked_sub(coefficient.checked_mul(offset.get(&place).copied().unwrap_or(0))?)?;
                }
                terms.sort_unstable();
                Some((u64::try_from(divisor).ok()?, constant, terms))
            })
            .collect()
    }
}

/// A divisor, a constant, and coefficients by place.
pub(crate) type SpanForm = (u64, i64, Vec<(u32, i64)>);
