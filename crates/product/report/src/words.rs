//! The words for verdicts: those that people see, and those of JSON, tables and headers.
//!
//! This is the one table. What reads a verdict, in a header, a table of expectations or on a command line, takes the
//! words of both columns, with blanks or hyphens; what writes one takes its own column.

use crate::parts::Verdict;

/// For each verdict: the words on the screen, and the word in JSON.
pub const VERDICT_WORDS: &[(Verdict, &str, &str)] = &[
    (Verdict::Serializable, "serializable", "serializable"),
    (Verdict::Assumed, "assumed", "assumed"),
    (Verdict::NotSerializable, "not serializable", "not-serializable"),
    (Verdict::Fault, "can fail", "fault"),
    (Verdict::Strict, "strict", "strict"),
    (Verdict::NotStrict, "not strict", "not-strict"),
    (Verdict::Safe, "safe", "safe"),
    (Verdict::Unknown, "undecided", "unknown"),
    (Verdict::Error, "error", "error"),
];

impl Verdict {
    fn words(self) -> (&'static str, &'static str) {
        VERDICT_WORDS.iter().find(|row| row.0 == self).map_or(("", ""), |row| (row.1, row.2))
    }

    /// The words that people see.
    pub fn on_screen(self) -> &'static str {
        self.words().0
    }

    /// The word in JSON, in tables and in headers.
    pub fn in_json(self) -> &'static str {
        self.words().1
    }

    /// The verdict that either word names.
    ///
    /// ```
    /// use serval_report::Verdict;
    /// assert_eq!(Verdict::named("can fail"), Some(Verdict::Fault));
    /// assert_eq!(Verdict::named("fault"), Some(Verdict::Fault));
    /// assert_eq!(Verdict::named("unknown"), Verdict::named("Undecided"));
    /// ```
    pub fn named(word: &str) -> Option<Self> {
        let plain = hyphened(word);
        VERDICT_WORDS.iter().find(|(_, screen, json)| hyphened(screen) == plain || *json == plain).map(|row| row.0)
    }
}

/// A word in small letters, with hyphens for blanks and underscores.
pub(crate) fn hyphened(word: &str) -> String {
    word.split([' ', '_', '-']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_words_are_read_and_each_verdict_has_a_row() {
        for &(verdict, screen, json) in VERDICT_WORDS {
            for word in [screen.to_owned(), json.to_owned(), hyphened(screen), screen.to_uppercase()] {
                assert_eq!(Verdict::named(&word), Some(verdict), "{word}");
            }
            assert_eq!((verdict.on_screen(), verdict.in_json()), (screen, json));
            assert_eq!(serde_json::to_value(verdict).unwrap(), json);
        }
        assert_eq!(Verdict::named("perhaps"), None);
    }
}
