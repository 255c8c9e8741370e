//! Which name was meant: similar words by edit distance.

use strsim::osa_distance;

/// Words longer than this are not compared.
const LONGEST: usize = 64;

/// The candidate nearest to `word`, where one is near enough to suggest: a
/// change for three letters or more, two changes for six or more. To insert, to
/// delete, to replace a letter and to swap two neighbours are a change each. A
/// different case counts for nothing, so `Yield` is near `yield`; nor do blanks
/// and underscores in the place of hyphens.
///
/// ```
/// assert_eq!(serval_diagnostic::similar("tiemout", ["memory", "timeout"]), Some("timeout"));
/// ```
pub fn similar<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match word.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=LONGEST => 2,
        _ => return None,
    };
    let wanted = plain(word);
    let possible = candidates.into_iter().filter(|&known| known != word && known.len().abs_diff(word.len()) <= allowed);
    let near = possible.map(|known| (osa_distance(&wanted, &plain(known)), known)).filter(|&(distance, _)| distance <= allowed);
    near.min_by_key(|&(distance, _)| distance).map(|(_, known)| known)
}

fn plain(word: &str) -> String {
    word.chars().map(|c| if c == ' ' || c == '_' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_near_words() {
        let words = ["request", "yield", "x", "exit-zero"];
        for near in ["Request", "reqeust", "requst", "requests"] {
            assert_eq!(similar(near, words), Some("request"));
        }
        assert_eq!(similar("yeild", words), Some("yield"));
        assert_eq!(similar("Exit_Zero", words), Some("exit-zero"));
        for far in ["y", "yield", "transfer", "xyz"] {
            assert_eq!(similar(far, words), None);
        }
        let (long, longer) = ("a".repeat(LONGEST), "a".repeat(LONGEST + 2));
        assert_eq!(similar(&long, [longer.as_str()]), Some(longer.as_str()));
        assert_eq!(similar(&longer, [long.as_str()]), None);
    }
}
