//! Whether the server answered what was expected.

use crate::answer::{ServerAnswer, SqlRow};
use crate::lexical::Statement;

/// Whether an answer is the expected one: the same rows, in the same order if the statement has one; the same command
/// with the same count; an error of the same SQLSTATE. Names of columns and messages do not count.
pub fn is_same_answer(expected: &ServerAnswer, given: &ServerAnswer, statement: &Statement) -> bool {
    match (expected, given) {
        (ServerAnswer::Rows(expected), ServerAnswer::Rows(given)) => {
            if statement.is_ordered() {
                return expected.rows == given.rows;
            }
            let sorted = |rows: &[SqlRow]| {
                let mut rows = rows.to_vec();
                rows.sort();
                rows
            };
            sorted(&expected.rows) == sorted(&given.rows)
        }
        (ServerAnswer::Command(expected), ServerAnswer::Command(given)) => expected == given,
        (ServerAnswer::Error(expected), ServerAnswer::Error(given)) => expected.state == given.state,
        _ => false,
    }
}
