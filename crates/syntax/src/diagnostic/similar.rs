//! Which name was meant: similar words by edit distance.

/// Words longer than this are not compared.
const LONGEST: usize = 64;

/// The candidate nearest to `word`, where one is near enough to suggest: a
/// change for three letters or more, two changes for six or more. A different
/// case counts for nothing, so `Yield` is near `yield`.
pub(crate) fn similar<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.len();
    let allowed = match length {
        0..=2 => 0,
        3..=5 => 1,
        6..=LONGEST => 2,
        _ => return None,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == word || candidate.len().abs_diff(length) > allowed {
            continue;
        }
        let distance = edit_distance(word.as_bytes(), candidate.as_bytes());
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many letters to insert, delete, replace or swap with their neighbour,
/// where both words are at most [`LONGEST`] and two letters long. A different
/// case counts for nothing. Nothing is allocated: a large file may have a
/// million words to compare.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let equal = |x: u8, y: u8| x.eq_ignore_ascii_case(&y);
    // Three rows of the table, each one longer than `b`.
    let (mut before, mut last, mut row) = ([0; LONGEST + 3], [0; LONGEST + 3], [0; LONGEST + 3]);
    for (j, cell) in last.iter_mut().enumerate().take(b.len() + 1) {
        *cell = j;
    }
    for i in 0..a.len() {
        row[0] = i + 1;
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(!equal(a[i], b[j]));
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && equal(a[i], b[j - 1]) && equal(a[i - 1], b[j]) {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        (before, last, row) = (last, row, before);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, distance) in [("", "", 0), ("yeild", "Yield", 1), ("requst", "request", 1), ("els", "else", 1), ("abc", "xyz", 3)] {
            assert_eq!(edit_distance(a.as_bytes(), b.as_bytes()), distance, "{a} {b}");
        }
    }

    #[test]
    fn suggests_only_near_words() {
        let words = ["request", "yield", "x"];
        assert_eq!(similar("Request", words), Some("request"));
        assert_eq!(similar("reqeust", words), Some("request"));
        assert_eq!(similar("y", words), None);
        assert_eq!(similar("transfer", words), None);
        let (long, longer) = ("a".repeat(LONGEST), "a".repeat(LONGEST + 2));
        assert_eq!(similar(&long, [longer.as_str()]), Some(longer.as_str()));
        assert_eq!(similar(&longer, [long.as_str()]), None);
    }
}
