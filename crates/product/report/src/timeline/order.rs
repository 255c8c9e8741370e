//! In which order variables are listed: as they are counted, `A[2]` before `A[10]`.

use std::cmp::Ordering;

/// A piece of a name that is compared as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamePiece<'n> {
    /// What an index is that is a number.
    Number(i64),
    Text(&'n str),
}

/// Compares two names of variables; elements of one array by their indices, the first of these first.
pub(super) fn by_index(left: &str, right: &str) -> Ordering {
    pieces(left).cmp(pieces(right)).then_with(|| left.cmp(right))
}

fn pieces(name: &str) -> impl Iterator<Item = NamePiece<'_>> {
    name.split(['[', ']']).map(|piece| piece.parse().map_or(NamePiece::Text(piece), NamePiece::Number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_compared_as_numbers() {
        let mut names = ["Seat[1][0]", "B", "A[10]", "Seat[0][10]", "A[-1]", "A[2]", "Seat[0][9]", "A", "A[Idle]", "Seat[-1][11]"];
        names.sort_by(|left, right| by_index(left, right));
        assert_eq!(names, ["A", "A[-1]", "A[2]", "A[10]", "A[Idle]", "B", "Seat[-1][11]", "Seat[0][9]", "Seat[0][10]", "Seat[1][0]"]);
    }
}
