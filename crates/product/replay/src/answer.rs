//! What the server answers to a statement, read from what `psql` prints.

/// The values of a row as the server writes them; `None` is NULL.
pub type SqlRow = Vec<Option<String>>;

/// What a statement gave.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerAnswer {
    /// Rows, of a SELECT or a RETURNING.
    Rows(SqlTable),
    /// A command that gives no rows, in lower case and with its count: `update 1`, `commit`.
    Command(String),
    /// An error: its SQLSTATE.
    Error(SqlError),
}

/// Rows and the names of their columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SqlTable {
    /// The columns, as the server names them.
    pub columns: Vec<String>,
    /// The rows, in the order in which they came.
    pub rows: Vec<SqlRow>,
}

/// Why a statement failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SqlError {
    /// Five letters or digits.
    pub state: String,
    /// In the words of the server.
    pub message: String,
}

impl ServerAnswer {
    /// The rows, where there are some.
    pub fn rows(&self) -> Option<&[SqlRow]> {
        match self {
            Self::Rows(table) => Some(&table.rows),
            _ => None,
        }
    }

    /// The SQLSTATE of an error.
    pub fn state(&self) -> Option<&str> {
        match self {
            Self::Error(error) => Some(&error.state),
            _ => None,
        }
    }

    /// In a few words: `1, 10; 2, 20`, `no row`, `update 1`, `40001`.
    pub fn words(&self) -> String {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
        let row = |row: &SqlRow| row.iter().map(value).collect::<Vec<_>>().join(", ");
        match self {
            Self::Rows(table) if table.rows.is_empty() => "no row".to_owned(),
            Self::Rows(table) => table.rows.iter().map(row).collect::<Vec<_>>().join("; "),
            Self::Command(tag) => tag.clone(),
            Self::Error(error) => error.state.clone(),
        }
    }
}

/// What `psql` printed for a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    /// Rows as CSV with a line of names, and the tag of the command.
    pub(crate) lines: Vec<String>,
    pub(crate) state: String,
    pub(crate) message: String,
}

/// How `psql` says that there was no error.
const FINE: &str = "00000";

impl Printed {
    /// The answer. `null` is how NULL is printed, and `has_tag` says whether the command names itself at the end.
    pub(crate) fn answer(self, null: &str, has_tag: bool) -> ServerAnswer {
        if self.state != FINE {
            return ServerAnswer::Error(SqlError { state: self.state, message: self.message });
        }
        let mut lines = self.lines;
        let tag = if has_tag { lines.pop() } else { None };
        if lines.is_empty() {
            return ServerAnswer::Command(short(&tag.unwrap_or_default()));
        }
        let mut rows = records(&lines.join("\n"), null).into_iter();
        let columns = rows.next().unwrap_or_default().into_iter().map(Option::unwrap_or_default).collect();
        ServerAnswer::Rows(SqlTable { columns, rows: rows.collect() })
    }
}

/// A tag in lower case; that of an INSERT has a number that is always 0.
fn short(tag: &str) -> String {
    let tag = tag.to_lowercase();
    tag.strip_prefix("insert 0 ").map(|count| format!("insert {count}")).unwrap_or(tag)
}

/// The records of a text in CSV, whose values may have quotes and ends of lines in them.
fn records(text: &str, null: &str) -> Vec<SqlRow> {
    let (mut records, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let value = |field: &mut String| {
        let text = std::mem::take(field);
        (text != null).then_some(text)
    };
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(value(&mut field)),
            '\n' if !quoted => {
                row.push(value(&mut field));
                records.push(std::mem::take(&mut row));
            }
            _ => field.push(letter),
        }
    }
    row.push(value(&mut field));
    records.push(row);
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(lines: &[&str]) -> Printed {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        Printed { lines, state: FINE.to_owned(), message: String::new() }
    }

    #[test]
    fn rows_are_read_as_they_were_printed() {
        let answer = printed(&["a,b", "1,NIL", "\"x,\"\"y\"\"", "z\",", "UPDATE 2"]).answer("NIL", true);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(answer.rows().unwrap(), [vec![text("1"), None], vec![text("x,\"y\"\nz"), text("")]]);
        assert_eq!(answer.words(), "1, null; x,\"y\"\nz, ");
        assert_eq!(printed(&["a"]).answer("NIL", false).words(), "no row");
        assert_eq!(printed(&["INSERT 0 3"]).answer("NIL", true).words(), "insert 3");
    }
}
