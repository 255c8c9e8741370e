//! What is said beside schema and scripts: `serval.toml` and the command line as a file of the bundle, and directives
//! in the schema. Both have the same lines: `range accounts.balance 0..2 wrap`, `rows bookings 2`, `shared 2`,
//! `isolation repeatable read`, `force serializable`, `level repeatable read transfer`, `without audit`,
//! `default-range 0..2`, `observe`, `grow`.

use serval_diagnostic::{Diagnostic, Span};

use crate::codes;
use crate::names::{Lowered, unknown};
use crate::workload::{Beyond, Bounds, ColumnId, Isolation, Settings, Table, TableId};

/// How many holders and statements in the gap are followed unless said.
const SHARED: u32 = 2;

/// The settings of a workload of which nothing is said.
pub(crate) fn settings() -> Settings {
    Settings { shared: SHARED, ..Settings::default() }
}

/// `0..2`
pub(crate) fn range_of(text: &str) -> Option<(i64, i64)> {
    let (low, high) = text.trim().split_once("..")?;
    let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (low <= high).then_some((low, high))
}

fn bounds(text: &str) -> Option<Bounds> {
    let (range, word) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let (low, high) = range_of(range)?;
    let beyond = match word.trim() {
        "" => Beyond::Fail,
        "wrap" => Beyond::Wrap,
        "saturate" => Beyond::Saturate,
        _ => return None,
    };
    Some(Bounds { low, high, beyond })
}

/// Performs one line.
pub(crate) fn apply(line: &str, span: Span, settings: &mut Settings, tables: &mut [Table]) -> Lowered<()> {
    let bad = |expected: &str| {
        let message = format!("`{line}` is not understood");
        Box::new(Diagnostic::error(codes::BAD_DIRECTIVE, span, message).expected(expected).help("mend it, or leave it out"))
    };
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "range" => {
            let (name, range) = rest.split_once(' ').ok_or_else(|| bad("`range TABLE.COLUMN LOW..HIGH [wrap|saturate]`"))?;
            let bounds = bounds(range).ok_or_else(|| bad("`range TABLE.COLUMN LOW..HIGH [wrap|saturate]`"))?;
            let (table, column) = column(name, span, tables)?;
            let column = &mut tables[table.0].columns[column.0];
            column.modelled |= column.bounds.is_none();
            column.bounds = Some(bounds);
        }
        "rows" => {
            let parts = rest.split_once(' ').and_then(|(name, count)| Some((name, count.trim().parse().ok()?)));
            let (name, count): (&str, u32) = parts.ok_or_else(|| bad("`rows TABLE COUNT`"))?;
            let table = table(name, span, tables)?;
            let table = &mut tables[table.0];
            (table.further, table.is_empty) = (count.min(64), count == 0);
            table.further_is_said = count > 0;
        }
        "shared" => {
            settings.shared = rest.parse().ok().filter(|count| (1..=8).contains(count)).ok_or_else(|| bad("`shared 1` to `shared 8`"))?
        }
        "isolation" => {
            settings.isolation =
                Isolation::of(rest).ok_or_else(|| bad("`isolation read committed`, `repeatable read` or `serializable`"))?
        }
        "force" => settings.forced = Some(Isolation::of(rest).ok_or_else(|| bad("a level of isolation"))?),
        "level" => {
            let (level, name) = Isolation::before(rest).ok_or_else(|| bad("`level read committed SCRIPT`, or another level"))?;
            settings.levels.push((name.to_owned(), level, span));
        }
        "without" => settings.without.push((rest.to_owned(), span)),
        "default-range" => settings.default_range = Some(bounds(rest).ok_or_else(|| bad("`default-range LOW..HIGH`"))?),
        "observe" => settings.observe = true,
        "grow" => settings.grow = true,
        "version" => return Err(crate::names::outside(span, "a version column without limit; give the column a range with `wrap`: it")),
        "expect" | "" => {}
        _ => return Err(bad("`range`, `rows`, `shared`, `isolation`, `default-range` or `observe`")),
    }
    Ok(())
}

fn table(name: &str, span: Span, tables: &[Table]) -> Lowered<TableId> {
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    tables.iter().position(|table| table.name == name).map(TableId).ok_or_else(|| unknown(span, "table", name, &names))
}

fn column(name: &str, span: Span, tables: &[Table]) -> Lowered<(TableId, ColumnId)> {
    let (of, column) = name.split_once('.').unwrap_or((name, ""));
    let id = table(of, span, tables)?;
    let names: Vec<&str> = tables[id.0].columns.iter().map(|column| column.name.as_str()).collect();
    tables[id.0].column_named(column).map(|column| (id, column)).ok_or_else(|| unknown(span, "column", column, &names))
}
