//! Counted things as people say them: `1 request`, `2 requests`.

use std::fmt::Display;

/// A number with what it counts. The noun is given for one of them, and may be a phrase: what is before ` of ` is what
/// is counted.
///
/// ```
/// use serval_diagnostic::counted;
/// assert_eq!(counted(1, "request"), "1 request");
/// assert_eq!(counted(3, "global state"), "3 global states");
/// assert_eq!(counted(0, "entry"), "0 entries");
/// assert_eq!(counted(2, "set of answers"), "2 sets of answers");
/// ```
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let words = plural(&number, noun);
    format!("{number} {words}")
}

/// The noun alone, in the number that goes with `number`.
///
/// ```
/// use serval_diagnostic::plural;
/// assert_eq!(format!("the {} left", plural(2, "class")), "the classes left");
/// ```
pub fn plural(number: impl Display, noun: &str) -> String {
    if number.to_string() == "1" {
        return noun.to_owned();
    }
    match noun.split_once(" of ") {
        Some((counted, whole)) => format!("{} of {whole}", many(counted)),
        None => many(noun),
    }
}

/// The plural of a noun, by the rules of spelling.
fn many(noun: &str) -> String {
    let vowel = |letter: char| "aeiou".contains(letter);
    if let Some(stem) = noun.strip_suffix('y').filter(|stem| !stem.ends_with(vowel)) {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    format!("{noun}{}", if hisses { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_alone_and_all_other_numbers_in_the_plural() {
        let said: Vec<String> = (0_u64..3).map(|number| counted(number, "request")).collect();
        assert_eq!(said, ["0 requests", "1 request", "2 requests"]);
        assert_eq!(counted(-1_i64, "token"), "-1 tokens");
        assert_eq!(counted(1_i64, "token"), "1 token");
    }

    #[test]
    fn nouns_follow_the_rules_of_spelling() {
        let two = |noun| counted(2_usize, noun);
        assert_eq!(two("query"), "2 queries");
        assert_eq!(two("way"), "2 ways");
        assert_eq!(two("box"), "2 boxes");
        assert_eq!(two("switch"), "2 switches");
        assert_eq!(two("class"), "2 classes");
        assert_eq!(two("sum of weights"), "2 sums of weights");
        assert_eq!(plural(1_u32, "set of answers"), "set of answers");
    }
}
