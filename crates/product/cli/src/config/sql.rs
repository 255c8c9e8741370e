//! The table `[sql]` of `serval.toml`: bounds and levels of a workload, as lines of its settings.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// What the table says, a line each; or a place and what is wrong there.
pub(super) fn lines(table: &DeTable<'_>) -> Result<Vec<String>, (Range<usize>, String)> {
    let mut lines = Vec::new();
    for (name, value) in table {
        let wrong = || (value.span(), format!("`{}` of `[sql]` cannot be this", name.get_ref()));
        match (name.get_ref().as_ref(), value.get_ref()) {
            ("isolation", DeValue::String(level)) => lines.push(format!("isolation {}", plain(level))),
            ("shared", DeValue::Integer(number)) => lines.push(format!("shared {}", number.as_str())),
            ("range", DeValue::Table(columns)) => {
                for (column, range) in columns {
                    let range = range.get_ref().as_str().ok_or_else(wrong)?;
                    lines.push(format!("range {} {}", plain(column.get_ref()), plain(range)));
                }
            }
            ("rows", DeValue::Table(tables)) => {
                for (table, count) in tables {
                    let DeValue::Integer(count) = count.get_ref() else { return Err(wrong()) };
                    lines.push(format!("rows {} {}", plain(table.get_ref()), count.as_str()));
                }
            }
            ("level", DeValue::Table(scripts)) => {
                for (script, level) in scripts {
                    let level = level.get_ref().as_str().ok_or_else(wrong)?;
                    lines.push(format!("level {} {}", plain(level).to_ascii_lowercase(), plain(script.get_ref())));
                }
            }
            ("isolation" | "shared" | "range" | "rows" | "level", _) => return Err(wrong()),
            (other, _) => return Err((name.span(), format!("there is no setting `{other}` below `[sql]`"))),
        }
    }
    lines.sort();
    Ok(lines)
}

/// On one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
