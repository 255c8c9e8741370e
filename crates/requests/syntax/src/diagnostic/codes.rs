//! Every code of a diagnostic, in one place.
//!
//! `E01xx` are mistakes in the letters and the grammar, `E02xx` mistakes in
//! the program as a whole, `W02xx` warnings and `N02xx` notes. A number is
//! used once, whatever the letter, and a code never changes its meaning.

use super::CodeInfo;

/// Every code that this crate can report, in the order of their numbers.
///
/// ```
/// let missing = serval_syntax::codes().iter().find(|info| info.code.0 == "E0111").unwrap();
/// assert_eq!(missing.title, "missing `;` between statements");
/// ```
pub fn codes() -> &'static [CodeInfo] {
    ALL
}

serval_diagnostic::codes! {
    pub const;
    UNKNOWN_CHARACTER = "E0101", Error, "unknown character";
    LOOK_ALIKE = "E0102", Error, "character that only looks like a known one";
    OPEN_COMMENT = "E0103", Error, "comment that is never closed";
    FOREIGN_NAME = "E0104", Error, "name with characters other than ASCII letters, digits and `_`";
    NUMBER_TOO_LARGE = "E0105", Error, "number too large";
    BAD_NUMBER = "E0106", Error, "malformed number";
    TEXT_LITERAL = "E0107", Error, "text in quotes";
    EXPECTED_EXPRESSION = "E0110", Error, "expected an expression";
    MISSING_SEMICOLON = "E0111", Error, "missing `;` between statements";
    SINGLE_EQUAL = "E0112", Error, "`=` or `:` where `:=` or `==` is meant";
    SINGLE_AND_OR = "E0113", Error, "`&` or `|` where `&&` or `||` is meant";
    FOREIGN_OPERATOR = "E0114", Error, "operator of another language";
    MISSING_PAREN = "E0115", Error, "missing `)`";
    MISSING_BRACE = "E0116", Error, "missing `}`";
    MISSING_OPEN_BRACE = "E0117", Error, "missing `{`";
    BARE_CONDITION = "E0118", Error, "condition without parentheses";
    STRAY_CLOSER = "E0119", Error, "`}`, `)` or `]` that closes nothing";
    STRAY_ELSE = "E0120", Error, "`else` without `if`";
    BAD_TARGET = "E0121", Error, "assignment to something that is not a variable";
    ASSIGN_IN_OPERAND = "E0122", Error, "assignment or `return` inside an operand without parentheses";
    CHAINED_COMPARISON = "E0123", Error, "chained comparison";
    EMPTY_BLOCK = "E0124", Error, "empty block";
    UNKNOWN_WORD = "E0125", Error, "unknown word where a keyword is expected";
    REQUEST_WITHOUT_NAME = "E0126", Error, "request without a name";
    REQUEST_WITHOUT_BODY = "E0127", Error, "request without a body";
    EXPECTED_REQUEST = "E0128", Error, "text outside of any request";
    UNSUPPORTED_FORM = "E0129", Error, "form that is not supported";
    TOO_DEEP = "E0130", Error, "nesting too deep";
    TOO_LARGE = "E0131", Error, "file too large";
    LATE_INITIAL = "E0132", Error, "initial value after a request";
    INCOMPLETE_FORM = "E0133", Error, "form that is not complete";
    TOO_MANY_ERRORS = "E0199", Error, "too many errors";
    UNWRITTEN = "W0201", Warning, "variable that is read and never written";
    UNREAD_GLOBAL = "N0202", Note, "global that is never read";
    UNREACHABLE = "W0203", Warning, "code that never runs";
    LETTER_CASE = "W0204", Warning, "names that differ only in the case of the first letter";
    SAME_NAME = "W0205", Warning, "several requests with one name";
    BAD_EXPECTATION = "W0206", Warning, "`expect` comment that is not read";
    MORE_FINDINGS = "N0207", Note, "more warnings than are shown";
    BAD_ALLOWANCE = "W0208", Warning, "`allow` comment that silences nothing";
    READ_FIRST = "W0209", Warning, "local that is read before it is assigned";
    NO_REQUEST = "E0210", Error, "file without a request";
    INITIAL_LOCAL = "E0211", Error, "initial value of a local variable";
    INITIAL_TWICE = "E0212", Error, "second initial value of one global";
    INITIAL_NOT_CONSTANT = "E0213", Error, "initial value that is not constant";
    INITIAL_UNDEFINED = "E0214", Error, "initial value that overflows or divides by zero";
    UNKNOWN_FUNCTION = "E0215", Error, "call of a function that there is not";
    WRONG_ARGUMENTS = "E0216", Error, "wrong number of arguments";
    RECURSION = "E0217", Error, "function that calls itself";
    DECLARED_TWICE = "E0218", Error, "name that is taken";
    ASSIGN_CONSTANT = "E0219", Error, "assignment to a constant";
    BAD_INDEX = "E0220", Error, "array and index that do not go together";
    BAD_RANGE = "E0221", Error, "range that makes no sense";
    YIELD_IN_ATOMIC = "E0222", Error, "`yield` inside of `atomic`";
    EARLY_RETURN = "E0223", Error, "`return` in the middle of a function";
    BAD_LOCK = "E0224", Error, "lock that is no global variable";
    TOO_MUCH = "E0225", Error, "program too large once it is written out";
    BAD_NAME = "E0226", Error, "name that has no value";
    NOTHING_SHARED = "W0227", Warning, "local that several requests read as if it were shared";
    BAD_VERSION = "E0228", Error, "version that is used as a number";
    STRAY_EXIT = "E0235", Error, "`break` or `continue` outside of a loop";
    BAD_VALUE_SET = "E0240", Error, "set of values that makes no sense";
    BAD_LOCAL_ARRAY = "E0241", Error, "array of a request that has a global's name";
    BAD_MEMBER = "E0242", Error, "member that its `enum` does not have";
    EFFECT_IN_CONDITION = "E0250", Error, "condition that does more than look";
    BAD_INVARIANT = "E0251", Error, "invariant that speaks of more than globals and constants";
    NOT_AT_FIRST = "E0252", Error, "invariant that does not hold at first";
}
