//! A script, and expressions of it as SQL, with parameters as the script spells them.

use serval_sql::{ColumnId, Constant, Operation, Scalar, Script, Table, Workload};
use serval_syntax::Span;

use super::super::Places;

/// A script and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Around<'w> {
    pub(super) workload: &'w Workload,
    pub(super) places: &'w Places,
    pub(super) script: &'w Script,
}

impl<'w> Around<'w> {
    /// `book.sql:3`
    pub(super) fn place(self, span: Span) -> String {
        self.places.position(span).map_or_else(String::new, |(file, line, _)| format!("{file}:{line}"))
    }

    pub(super) fn spelling(self, table: &'w Table) -> Spelling<'w> {
        Spelling { around: self, table }
    }
}

/// How a script spells things, with columns of this table.
pub(super) struct Spelling<'w> {
    around: Around<'w>,
    table: &'w Table,
}

/// The parts of a condition that hold together.
pub(super) fn conjuncts(filter: &Scalar) -> Vec<&Scalar> {
    match filter {
        Scalar::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// A name as SQL has it; nothing where it would have to be quoted.
pub(super) fn plain(name: &str) -> Option<&str> {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_');
    (begins && name.chars().all(is_plain)).then_some(name)
}

/// The names of columns, with commas.
pub(super) fn columns(table: &Table, columns: &[ColumnId]) -> Option<String> {
    Some(columns.iter().map(|column| plain(&table.column(*column).name)).collect::<Option<Vec<_>>>()?.join(", "))
}

impl Spelling<'_> {
    /// A parameter, with its sign.
    fn parameter(&self, index: usize) -> Option<String> {
        let parameter = self.around.script.parameters.get(index)?;
        let (_, text, within) = self.around.places.locate(parameter.span)?;
        let written = text.get(within.range())?;
        // A directive or `\set` is where others are first named.
        Some(if written.starts_with([':', '$', '@']) { written.to_owned() } else { format!(":{}", parameter.name) })
    }

    /// An expression; nothing where it has a part that is not spelled here.
    pub(super) fn scalar(&self, scalar: &Scalar) -> Option<String> {
        Some(match scalar {
            Scalar::Constant(Constant::Null) => "NULL".to_owned(),
            Scalar::Constant(Constant::Integer(number)) => number.to_string(),
            Scalar::Constant(Constant::Boolean(value)) => value.to_string(),
            Scalar::Constant(Constant::Text(text)) if !text.contains('\\') => format!("'{}'", text.replace('\'', "''")),
            Scalar::Column(_, column) => plain(&self.table.column(*column).name)?.to_owned(),
            Scalar::Parameter(index) => self.parameter(*index)?,
            Scalar::Variable(index) => format!(":{}", self.around.script.variables.get(*index)?),
            Scalar::Arithmetic(operation, left, right) => {
                let sign = match operation {
                    Operation::Add => "+",
                    Operation::Subtract => "-",
                    Operation::Multiply => "*",
                    Operation::Divide => "/",
                    Operation::Remainder => "%",
                };
                let part = |part: &Scalar| {
                    let text = self.scalar(part)?;
                    Some(if matches!(part, Scalar::Arithmetic(..)) { format!("({text})") } else { text })
                };
                format!("{} {sign} {}", part(left)?, part(right)?)
            }
            Scalar::Not(part) if matches!(**part, Scalar::Column(..)) => format!("NOT {}", self.scalar(part)?),
            _ => return None,
        })
    }
}
