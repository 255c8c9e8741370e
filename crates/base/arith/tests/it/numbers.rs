//! Hybrid numbers against the big ones alone.

use dashu_int::IBig;
use dashu_ratio::RBig;
use proptest::prelude::*;
use serval_arith::{Int, Rational};
use serval_effort::{Sweep, sweep};

/// Numbers of all sizes, many at the edge of a machine word.
fn number() -> impl Strategy<Value = i128> {
    let near = |centre: i128| (-3_i128..=3).prop_map(move |offset| centre + offset);
    prop_oneof![
        4 => -20_i128..=20,
        2 => near(i64::MAX.into()),
        2 => near(i64::MIN.into()),
        1 => near(1 << 62),
        1 => near(-(1 << 32)),
        2 => any::<i64>().prop_map(i128::from),
        1 => any::<i128>().prop_map(|number| number >> 2),
    ]
}

fn int(number: i128) -> (Int, IBig) {
    (Int::from(number), IBig::from(number))
}

fn rational() -> impl Strategy<Value = (Rational, RBig)> {
    (number(), number().prop_filter("not 0", |number| *number != 0)).prop_map(|(numerator, denominator)| {
        let fraction = RBig::from_parts_signed(numerator.into(), denominator.into());
        (Rational::new(&Int::from(numerator), &Int::from(denominator)).unwrap(), fraction)
    })
}

fn same(ours: &Rational, theirs: &RBig) -> bool {
    ours.numerator().to_string() == theirs.numerator().to_string() && ours.denominator().to_string() == theirs.denominator().to_string()
}

fn config(sweep: Sweep) -> ProptestConfig {
    ProptestConfig { cases: u32::try_from(sweep.count()).unwrap(), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(sweep("arith.numbers", 500, 4_000)))]

    #[test]
    fn integers(a in number(), b in number(), c in number()) {
        let ((x, big_x), (y, big_y)) = (int(a), int(b));
        prop_assert_eq!((&x + &y).to_string(), (&big_x + &big_y).to_string());
        prop_assert_eq!((&x - &y).to_string(), (&big_x - &big_y).to_string());
        prop_assert_eq!((&x * &y).to_string(), (&big_x * &big_y).to_string());
        prop_assert_eq!((-&x).to_string(), (-&big_x).to_string());
        prop_assert_eq!(x.cmp(&y), big_x.cmp(&big_y));
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(i128::from(x.signum()), a.signum());
        prop_assert_eq!(x.abs().to_string(), a.unsigned_abs().to_string());
        prop_assert_eq!(x.to_i128(), Some(a));
        prop_assert_eq!(x.to_i64(), i64::try_from(a).ok());
        // Back from big to small, the same value: there is one form of each number.
        let z = Int::from(c);
        prop_assert_eq!(&(&(&x * &z) + &y) - &(&x * &z), y.clone());
        if b != 0 {
            let (quotient, remainder) = x.div_rem_floor(&y).unwrap();
            prop_assert_eq!(&(&quotient * &y) + &remainder, x.clone());
            prop_assert!(remainder.is_zero() || remainder.signum() == y.signum());
            prop_assert!(remainder.abs() < y.abs());
        } else {
            prop_assert_eq!(x.div_rem_floor(&y), None);
        }
        let divisor = x.gcd(&y);
        if a != 0 || b != 0 {
            prop_assert!(divisor.signum() > 0);
            let (p, r) = x.div_rem_floor(&divisor).unwrap();
            let (q, s) = y.div_rem_floor(&divisor).unwrap();
            prop_assert!(r.is_zero() && s.is_zero());
            prop_assert_eq!(p.gcd(&q), Int::ONE);
        } else {
            prop_assert!(divisor.is_zero());
        }
    }

    #[test]
    fn fractions((x, big_x) in rational(), (y, big_y) in rational()) {
        prop_assert!(same(&x, &big_x));
        prop_assert!(same(&(&x + &y), &(&big_x + &big_y)));
        prop_assert!(same(&(&x - &y), &(&big_x - &big_y)));
        prop_assert!(same(&(&x * &y), &(&big_x * &big_y)));
        prop_assert!(same(&-&x, &-&big_x));
        prop_assert_eq!(x.cmp(&y), big_x.cmp(&big_y));
        prop_assert_eq!(x == y, big_x == big_y);
        prop_assert_eq!(x.is_zero(), big_x == RBig::ZERO);
        prop_assert_eq!(x.is_integer(), big_x.is_int());
        prop_assert_eq!(x.signum(), x.numerator().signum());
        prop_assert_eq!(x.floor().to_string(), big_x.floor().to_string());
        prop_assert!(same(&x.fraction(), &(&big_x - RBig::from(big_x.floor()))));
        prop_assert_eq!(&(&x + &y) - &y, x.clone());
        match &x / &y {
            Some(quotient) => prop_assert!(same(&quotient, &(&big_x / &big_y))),
            None => prop_assert!(y.is_zero()),
        }
    }
}
