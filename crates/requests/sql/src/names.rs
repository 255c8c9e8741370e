//! Names in SQL, and what is said of those that are unknown and of what is outside of the subset.

use serval_diagnostic::{Diagnostic, Span};
use sqlparser::ast::{Ident, ObjectName};

use crate::codes;
use crate::workload::{Table, TableId};

/// What reading gives, or what is wrong.
pub(crate) type Lowered<T> = Result<T, Box<Diagnostic>>;

/// SQL that is not modelled.
pub(crate) fn outside(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(codes::OUTSIDE, span, format!("{what} is not modelled"))
            .expected("SQL of the subset that `serval explain E0702` lists")
            .help("leave it out, or write what it does with statements over one table"),
    )
}

/// The name of a table without its schema, and as SQL folds it.
pub(crate) fn plain_name(name: &ObjectName) -> String {
    name.0.last().and_then(|part| part.as_ident()).map(folded).unwrap_or_default()
}

pub(crate) fn folded(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}

/// The table of this name.
pub(crate) fn table_named(tables: &[Table], name: &ObjectName, span: Span) -> Lowered<TableId> {
    let plain = plain_name(name);
    tables.iter().position(|table| table.name == plain).map(TableId).ok_or_else(|| {
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        unknown(span, "table", &plain, &names)
    })
}

/// A name that nothing has.
pub(crate) fn unknown(span: Span, what: &str, name: &str, known: &[&str]) -> Box<Diagnostic> {
    let help = match serval_diagnostic::similar(name, known.iter().copied()) {
        Some(near) => format!("`{near}` is meant?"),
        None => format!("create it in the schema, or name one that is there: {}", known.join(", ")),
    };
    let message = format!("there is no {what} `{name}`");
    Box::new(Diagnostic::error(codes::UNKNOWN_NAME, span, message).expected(format!("a {what} of the schema")).help(help))
}
