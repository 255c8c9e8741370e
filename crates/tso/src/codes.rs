//! Every code of a diagnostic about a `.tso` program, in one place. A code never changes its meaning.

use serval_syntax::{Code, CodeInfo, Severity};

/// The code of a value that leaves its range, which is found where programs are run.
pub const VALUE_LEAVES_RANGE: Code = LEAVES_RANGE;

/// Every code that this crate can report, in the order of their numbers.
///
/// ```
/// let missing = serval_tso::codes().iter().find(|info| info.code.0 == "E0602").unwrap();
/// assert_eq!(missing.title, "missing `;` in a program on shared memory");
/// ```
pub fn codes() -> &'static [CodeInfo] {
    ALL
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub(crate) const $name: Code = Code($code);)*

        static ALL: &[CodeInfo] = &[$(CodeInfo { code: $name, severity: Severity::Error, title: $title },)*];
    };
}

codes! {
    UNEXPECTED = "E0601", "something that cannot stand here in a program on shared memory";
    MISSING_SEMICOLON = "E0602", "missing `;` in a program on shared memory";
    UNKNOWN_NAME = "E0603", "name that nothing has in a program on shared memory";
    TAKEN_NAME = "E0604", "name that is taken in a program on shared memory";
    TWO_ACCESSES = "E0605", "more than one memory access in a statement";
    MEMORY_IN_QUESTION = "E0606", "memory in a question that is not about final states";
    BAD_LABEL = "E0607", "label that there is not, or that cannot stand here";
    BAD_VALUES = "E0608", "values that make no sense";
    MISPLACED = "E0609", "statement that cannot stand here";
    TOO_MUCH = "E0610", "more than a program on shared memory may have";
    LEAVES_RANGE = "E0611", "value that leaves its range";
}
