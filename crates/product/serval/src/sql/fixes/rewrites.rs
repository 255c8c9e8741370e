//! Two statements that become one.
//!
//! **One UPDATE.** `SELECT n AS seen FROM t WHERE C \gset` followed by `UPDATE t SET n = :seen + k, … WHERE C` becomes
//! `UPDATE t SET n = n + k, … WHERE C RETURNING n - k AS seen \gset`. *Alone it does the same:* C does not mention what
//! was read, so both statements find the same row, exactly one, as `\gset` wants; the UPDATE stores n + k of the value
//! that the SELECT would have read, and what it returns less k is that value. (Where n wraps it is that value up to
//! the wrap; the proof is about the text as it is.)
//!
//! **ON CONFLICT.** `SELECT count(*) … WHERE key = k \gset`, and `INSERT` of that key where it is 0, becomes
//! `INSERT … ON CONFLICT (key) DO NOTHING RETURNING key`. *Alone it does the same:* the row is inserted exactly if
//! there was none, and the caller gets the key where the count was 0 and no row where it was 1. What was counted is
//! used nowhere else. `DELETE … WHERE key = k` followed by INSERT of that key becomes `INSERT … ON CONFLICT (key)
//! DO UPDATE SET …` of all other columns: afterwards the row is the inserted one, whether there was one or not, as
//! no other key can be in the way and no row refers to it.

use serval_report::sql_fix::SqlChangeKind;
use serval_sql::{
    ColumnId, Comparison, Conflict, Constant, Delete, Insert, Item, ItemKind, Operation, Scalar, Select, Statement, StatementKind, Table,
    Update,
};

use super::spelled::{Around, columns, conjuncts, plain};
use super::text::{FileEdit, Stretch};

/// What two statements can become: the kind, in words, and the edit.
pub(super) type Rewrite = (SqlChangeKind, String, FileEdit);

/// Looks at two statements one behind the other.
pub(super) fn of_two(of: Around<'_>, first: &Item, second: &Item) -> Option<Rewrite> {
    let ItemKind::Statement(one) = &first.kind else { return None };
    match (&one.kind, &second.kind) {
        (StatementKind::Select(select), ItemKind::Statement(Statement { kind: StatementKind::Update(update), into: None, .. })) => {
            one_update(of, (first, one, select), (second, update))
        }
        (StatementKind::Select(select), ItemKind::If { arms, otherwise }) if otherwise.is_empty() => {
            look_then_insert(of, (first, one, select), arms)
        }
        (StatementKind::Delete(delete), ItemKind::Statement(Statement { kind: StatementKind::Insert(insert), .. })) => {
            delete_then_insert(of, (first, delete), (second, insert))
        }
        _ => None,
    }
}

fn one_update(of: Around<'_>, (first, read, select): (&Item, &Statement, &Select), (second, update): (&Item, &Update)) -> Option<Rewrite> {
    let (Some(&[variable]), [(alias, Scalar::Column(table, column))]) = (read.into.as_deref(), select.list.as_slice()) else { return None };
    let is_plain = select.order.is_empty() && select.limit.is_none() && update.returning.is_empty() && plain(alias).is_some();
    let same = *table == update.table && select.filter.is_some() && select.filter == update.filter;
    let mentions = |scalar: &Scalar| {
        let mut found = false;
        scalar.visit(&mut |part| found |= *part == Scalar::Variable(variable));
        found
    };
    if !is_plain || !same || update.filter.as_ref().is_some_and(mentions) {
        return None;
    }
    let (_, stored) = update.set.iter().find(|(set, _)| set == column)?;
    let table = of.workload.table(*table);
    let spelling = of.spelling(table);
    let back = plain(&table.column(*column).name).zip(step(stored, variable)).and_then(|(name, (operation, by))| {
        let sign = if operation == Operation::Add { "-" } else { "+" };
        Some((name, format!("{name} {sign} {} AS {alias}", spelling.scalar(by)?)))
    });
    let (Some((name, back)), Some(variable)) = (back, of.script.variables.get(variable)) else { return None };
    let (Some(from), Some(to)) = (Stretch::of(of.places, first.span), Stretch::of(of.places, second.span)) else { return None };
    let text = with_column(to.text(), variable, name)?;
    let text = format!("{text} RETURNING {back} {}", from.command());
    let what = format!("the SELECT of {} and the UPDATE behind it become one UPDATE", of.place(first.span));
    let edit = Stretch { to: to.with_end().to, ..from }.replaced(text);
    Some((SqlChangeKind::OneUpdate, what, edit))
}

/// What is added to the variable, or taken from it.
fn step(stored: &Scalar, variable: usize) -> Option<(Operation, &Scalar)> {
    let Scalar::Arithmetic(operation, left, right) = stored else { return None };
    let is_variable = |scalar: &Scalar| *scalar == Scalar::Variable(variable);
    let by = match operation {
        Operation::Add | Operation::Subtract if is_variable(left) => right,
        Operation::Add if is_variable(right) => left,
        _ => return None,
    };
    matches!(**by, Scalar::Constant(Constant::Integer(0..)) | Scalar::Parameter(_)).then_some((*operation, &**by))
}

/// The text of a statement with a column in the place of a variable; nothing where it has quotes or comments, in which
/// the same letters could stand.
fn with_column(text: &str, variable: &str, column: &str) -> Option<String> {
    if ["'", "\"", "--", "/*", "$"].iter().any(|quote| text.contains(quote)) {
        return None;
    }
    let hole = format!(":{variable}");
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(&hole) {
        let after = &rest[at + hole.len()..];
        let ends = !after.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let is_hole = ends && !rest[..at].ends_with(':');
        out.push_str(&rest[..at]);
        out.push_str(if is_hole { column } else { &hole });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Whether a condition says exactly that the key has the values that a row has there.
fn is_key_of(filter: Option<&Scalar>, row: &[Scalar], table: &Table) -> bool {
    let (Some(filter), Some(key)) = (filter, &table.primary) else { return false };
    let parts = conjuncts(filter);
    let says = |column: &ColumnId, part: &Scalar| {
        let Scalar::Compare(Comparison::Equal, left, right) = part else { return false };
        let is = |one: &Scalar, other: &Scalar| matches!(one, Scalar::Column(_, known) if known == column) && *other == row[column.0];
        let fixed = matches!(row[column.0], Scalar::Constant(Constant::Integer(_) | Constant::Text(_)) | Scalar::Parameter(_));
        fixed && (is(left, right) || is(right, left))
    };
    parts.len() == key.len() && key.iter().all(|column| parts.iter().any(|part| says(column, part)))
}

fn look_then_insert(of: Around<'_>, (first, look, select): (&Item, &Statement, &Select), arms: &[(Scalar, Vec<Item>)]) -> Option<Rewrite> {
    let (Some(&[variable]), [(condition, inner)]) = (look.into.as_deref(), arms) else { return None };
    let [Item { kind: ItemKind::Statement(Statement { kind: StatementKind::Insert(insert), into: None, .. }), span, .. }] =
        inner.as_slice()
    else {
        return None;
    };
    let counts = matches!(select.list.as_slice(), [(_, Scalar::Aggregate(serval_sql::Aggregate::Count, None))]);
    let zero = Scalar::Compare(Comparison::Equal, Box::new(Scalar::Variable(variable)), Box::new(Scalar::Constant(Constant::Integer(0))));
    let [row] = insert.rows.as_slice() else { return None };
    let table = of.workload.table(insert.table);
    let is_look = counts && *condition == zero && select.table == Some(insert.table) && select.lock.is_none();
    let is_plain = insert.conflict == Conflict::Fail && insert.returning.is_empty() && table.uniques.is_empty();
    if !is_look || !is_plain || !is_key_of(select.filter.as_ref(), row, table) || mentioned(of, variable) > 1 {
        return None;
    }
    let key = columns(table, table.primary.as_ref()?)?;
    let returning = if of.script.answer.is_none() { format!(" RETURNING {key}") } else { String::new() };
    let text = |insert: &str| format!("{insert} ON CONFLICT ({key}) DO NOTHING{returning};");
    let what = format!("ON CONFLICT in the INSERT of {}, without the look before it", of.place(*span));
    let (Some(from), Some(to)) = (Stretch::of(of.places, first.span), Stretch::of(of.places, *span)) else { return None };
    if to.text().contains("--") {
        return None;
    }
    let length = to.whole.get(to.to..)?.find("\\endif")?;
    let edit = Stretch { to: to.to + length + "\\endif".len(), ..from }.replaced(text(to.text()));
    Some((SqlChangeKind::OnConflict, what, edit))
}

/// How often a variable is mentioned in a script.
fn mentioned(of: Around<'_>, variable: usize) -> usize {
    let mut count = 0;
    let mut look = |scalar: &Scalar| scalar.visit(&mut |part| count += usize::from(*part == Scalar::Variable(variable)));
    of.script.answer.iter().flatten().chain(&of.script.until).for_each(&mut look);
    let mut open: Vec<&Item> = of.script.body.iter().collect();
    let mut in_statements = 0;
    while let Some(item) = open.pop() {
        match &item.kind {
            ItemKind::Set { value, .. } => look(value),
            ItemKind::If { arms, otherwise } => {
                arms.iter().for_each(|(condition, _)| look(condition));
                open.extend(arms.iter().flat_map(|(_, inner)| inner).chain(otherwise));
            }
            // Their text has all variables, wherever they stand.
            ItemKind::Statement(statement) => {
                let is_it = |piece: &&serval_sql::Piece| **piece == serval_sql::Piece::Variable(variable);
                in_statements += statement.text.iter().filter(is_it).count();
            }
            ItemKind::Begin(_) | ItemKind::Commit | ItemKind::Rollback => {}
        }
    }
    count + in_statements
}

fn delete_then_insert(of: Around<'_>, (first, delete): (&Item, &Delete), (second, insert): (&Item, &Insert)) -> Option<Rewrite> {
    let table = of.workload.table(insert.table);
    let [row] = insert.rows.as_slice() else { return None };
    let counts_rows = row.iter().any(|value| {
        let mut found = false;
        value.visit(&mut |part| found |= *part == Scalar::RowCount);
        found
    });
    let referred = of.workload.tables.iter().flat_map(|table| &table.foreign).any(|key| key.parent == insert.table);
    let is_plain = delete.returning.is_empty() && insert.conflict == Conflict::Fail && insert.returning.is_empty();
    let same = delete.table == insert.table && is_key_of(delete.filter.as_ref(), row, table);
    if !is_plain || !same || counts_rows || referred || !table.uniques.is_empty() {
        return None;
    }
    let primary = table.primary.as_ref()?;
    let key = columns(table, primary)?;
    let others = (0..table.columns.len()).map(ColumnId).filter(|column| !primary.contains(column));
    let set = others.map(|column| plain(&table.column(column).name).map(|name| format!("{name} = EXCLUDED.{name}")));
    let set = set.collect::<Option<Vec<_>>>()?;
    let (Some(from), Some(to)) = (Stretch::of(of.places, first.span), Stretch::of(of.places, second.span)) else { return None };
    if to.text().contains("--") {
        return None;
    }
    let action = if set.is_empty() { "NOTHING".to_owned() } else { format!("UPDATE SET {}", set.join(", ")) };
    let text = format!("{} ON CONFLICT ({key}) DO {action}", to.text());
    let what = format!("ON CONFLICT in the INSERT of {}, without the DELETE before it", of.place(second.span));
    Some((SqlChangeKind::OnConflict, what, Stretch { to: to.to, ..from }.replaced(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_variable_becomes_the_column() {
        let with = |text: &str| with_column(text, "n", "c");
        assert_eq!(with("UPDATE t SET c = :n + 1, d = :name, e = :n").as_deref(), Some("UPDATE t SET c = c + 1, d = :name, e = c"));
        assert_eq!(with("UPDATE t SET c = '1'::n"), None);
        assert_eq!(with("UPDATE t SET c = d::n").as_deref(), Some("UPDATE t SET c = d::n"));
    }
}
