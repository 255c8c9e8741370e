//! Every code of a diagnostic about a `.tso` program or a litmus test, in one place. A code never changes its meaning.

use serval_diagnostic::{Code, CodeInfo};

/// The code of a value that leaves its range, which is found where programs are run.
pub const VALUE_LEAVES_RANGE: Code = LEAVES_RANGE;
/// The code of a statement that no run under sequential consistency reaches.
pub const NOT_REACHED: Code = UNREACHED;
/// The code of a condition that a thread waits for in vain.
pub const ASSUMES_NEVER: Code = NEVER_HOLDS;
/// The code of a fence without which the program is robust as well.
pub const FENCE_IN_VAIN: Code = NEEDLESS_FENCE;

/// Every code that this crate can report, in the order of their numbers.
///
/// ```
/// let missing = serval_tso_program::codes().iter().find(|info| info.code.0 == "E0602").unwrap();
/// assert_eq!(missing.title, "missing `;` in a program on shared memory");
/// ```
pub fn codes() -> &'static [CodeInfo] {
    ALL
}

serval_diagnostic::codes! {
    pub(crate) const;
    UNEXPECTED = "E0601", Error, "something that cannot stand here in a program on shared memory";
    MISSING_SEMICOLON = "E0602", Error, "missing `;` in a program on shared memory";
    UNKNOWN_NAME = "E0603", Error, "name that nothing has in a program on shared memory";
    TAKEN_NAME = "E0604", Error, "name that is taken in a program on shared memory";
    TWO_ACCESSES = "E0605", Error, "more than one memory access in a statement";
    MEMORY_IN_QUESTION = "E0606", Error, "memory in a question that is not about final states";
    BAD_LABEL = "E0607", Error, "label that there is not, or that cannot stand here";
    BAD_VALUES = "E0608", Error, "values that make no sense";
    MISPLACED = "E0609", Error, "statement that cannot stand here";
    TOO_MUCH = "E0610", Error, "more than a program on shared memory may have";
    LEAVES_RANGE = "E0611", Error, "value that leaves its range";
    OTHER_MACHINE = "E0620", Error, "litmus test of a machine that is not known";
    OTHER_INSTRUCTION = "E0621", Error, "instruction of a litmus test that is not read";
    BAD_LITMUS = "E0622", Error, "something that cannot stand here in a litmus test";
    UNREACHED = "W0621", Warning, "statement that no run under sequential consistency reaches";
    NEVER_HOLDS = "W0622", Warning, "condition that a thread waits for in vain";
    NEEDLESS_FENCE = "W0623", Warning, "fence without which the program is robust as well";
}
