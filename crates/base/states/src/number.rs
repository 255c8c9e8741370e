//! The greatest common divisor.

/// The greatest number that divides both, with 0 for two zeros.
///
/// ```
/// use serval_states::gcd;
/// assert_eq!((gcd(12, 18), gcd(0, 5), gcd(0, 0)), (6, 5, 0));
/// ```
pub fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
