//! Every code of a diagnostic about SQL, in one place. A number is used once, whatever the letter.

use serval_diagnostic::CodeInfo;

/// Every code that this crate can report, in the order of their numbers.
///
/// ```
/// let range = serval_sql::codes().iter().find(|info| info.code.0 == "E0704").unwrap();
/// assert_eq!(range.title, "column without a range");
/// ```
pub fn codes() -> &'static [CodeInfo] {
    ALL
}

serval_diagnostic::codes! {
    pub const;
    NO_SQL = "E0701", Error, "text that is no SQL";
    OUTSIDE = "E0702", Error, "SQL that is not modelled";
    UNKNOWN_NAME = "E0703", Error, "unknown table or column";
    NO_RANGE = "E0704", Error, "column without a range";
    BAD_TRANSACTION = "E0705", Error, "transaction that does not begin or end as it should";
    BAD_DIRECTIVE = "E0706", Error, "directive that is not understood";
    BAD_CLIENT = "E0707", Error, "command of the client that is not understood";
    BAD_SCHEMA = "E0708", Error, "schema that makes no sense";
    BAD_TYPE = "E0709", Error, "values that do not go together";
    TOO_LARGE = "E0710", Error, "workload too large";
    NO_WORKLOAD = "E0711", Error, "files that are no workload";
    NOT_FOLLOWED = "N0712", Note, "columns that are not followed";
    BOUNDED = "N0713", Note, "bound of the model";
    NO_ROWS = "E0714", Error, "table without rows";
}
