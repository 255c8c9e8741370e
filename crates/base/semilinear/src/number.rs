//! Checked arithmetic on `i128`, and rows of numbers.

use crate::Error;

/// `a · b`.
pub(crate) fn times(a: i128, b: i128) -> Result<i128, Error> {
    a.checked_mul(b).ok_or(Error::Overflow)
}

/// `a − b`.
pub(crate) fn minus(a: i128, b: i128) -> Result<i128, Error> {
    a.checked_sub(b).ok_or(Error::Overflow)
}

/// `−a`.
pub(crate) fn negative(a: i128) -> Result<i128, Error> {
    a.checked_neg().ok_or(Error::Overflow)
}

/// The greatest common divisor, which is not negative; that of two zeros is zero.
pub(crate) fn gcd(a: i128, b: i128) -> Result<i128, Error> {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).map_err(|_| Error::Overflow)
}

/// The greatest common divisor of all numbers, zero if all are zero.
pub(crate) fn content(numbers: impl IntoIterator<Item = i128>) -> Result<i128, Error> {
    let mut divisor = 0;
    for number in numbers {
        divisor = gcd(divisor, number)?;
        if divisor == 1 {
            break;
        }
    }
    Ok(divisor)
}

/// The number of entries as ticks.
pub(crate) fn ticks(entries: usize) -> u64 {
    u64::try_from(entries).unwrap_or(u64::MAX)
}

/// Adds a multiple of `pivot` to a multiple of `row` so that entry `column` of
/// `row` becomes zero, and divides what comes out by its content.
///
/// `row` is multiplied by something other than zero, so that the rational span
/// of both rows stays the same. Does nothing where `pivot` has a zero there.
pub(crate) fn clear(row: &mut [i128], pivot: &[i128], column: usize) -> Result<(), Error> {
    let (Some(&a), Some(&b)) = (pivot.get(column), row.get(column)) else { return Ok(()) };
    if a == 0 || b == 0 {
        return Ok(());
    }
    let divisor = gcd(a, b)?;
    let (a, b) = (a / divisor, b / divisor);
    for (entry, &other) in row.iter_mut().zip(pivot) {
        *entry = minus(times(*entry, a)?, times(other, b)?)?;
    }
    let divisor = content(row.iter().copied())?;
    if divisor > 1 {
        row.iter_mut().for_each(|entry| *entry /= divisor);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors() {
        assert_eq!(gcd(0, 0), Ok(0));
        assert_eq!(gcd(-12, 18), Ok(6));
        assert_eq!(gcd(i128::MIN, 0), Err(Error::Overflow));
        assert_eq!(content([0, -4, 6]), Ok(2));
    }

    #[test]
    fn clearing() {
        let mut row = [4, 6, 2];
        clear(&mut row, &[6, 3, 9], 0).unwrap();
        assert_eq!(row, [0, 3, -3].map(|entry| entry / 3));
        assert_eq!(clear(&mut [i128::MAX, 2], &[2, i128::MAX], 0), Err(Error::Overflow));
    }
}
