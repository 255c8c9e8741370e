//! What can be changed in a workload: levels, locks, and statements that become one (module `rewrites`).

use serval_report::sql_fix::{SqlChange, SqlChangeKind};
use serval_sql::{
    Comparison, Delete, Insert, Isolation, Item, ItemKind, Scalar, Select, Statement, StatementKind, TableId, Update, Workload,
};
use serval_syntax::Span;

use super::super::Places;
use super::rewrites;
use super::spelled::{Around, columns, conjuncts, plain};
use super::text::{FileEdit, Stretch};

/// A change of a script.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) kind: SqlChangeKind,
    pub(super) script: usize,
    pub(super) what: String,
    pub(super) edits: Vec<FileEdit>,
}

impl Change {
    /// Whether both can be made.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let one_level = self.kind == SqlChangeKind::Level && other.kind == self.kind && other.script == self.script;
        !one_level && self.edits.iter().all(|edit| other.edits.iter().all(|other| edit.goes_with(other)))
    }

    pub(super) fn said(&self, names: &[String]) -> SqlChange {
        SqlChange { kind: self.kind, script: names.get(self.script).cloned().unwrap_or_default(), what: self.what.clone() }
    }
}

/// All changes. Levels are the last ones: where scripts run at several, a decision takes longest.
pub(super) fn changes(workload: &Workload, places: &Places) -> Vec<Change> {
    let mut found = Vec::new();
    for (index, script) in workload.scripts.iter().enumerate().filter(|(_, script)| !script.left_out) {
        let around = Around { workload, places, script };
        let mut finder = ScriptChanges { around, index, begins: Vec::new(), found: Vec::new() };
        finder.items(&script.body, &mut None);
        finder.levels();
        found.append(&mut finder.found);
    }
    found.sort_by_key(|change| change.kind);
    found
}

/// Looks for changes of one script.
struct ScriptChanges<'w> {
    around: Around<'w>,
    index: usize,
    /// What names the levels of its transactions: where it stands, and the level that it names.
    begins: Vec<(Span, Option<Isolation>)>,
    found: Vec<Change>,
}

impl ScriptChanges<'_> {
    /// Looks at statements; `begin` is what begins their transaction, behind which locks can be taken.
    fn items(&mut self, items: &[Item], begin: &mut Option<Span>) {
        for (at, item) in items.iter().enumerate() {
            match &item.kind {
                ItemKind::Begin(level) => {
                    *begin = Some(item.span);
                    self.begins.push((item.span, *level));
                }
                ItemKind::Commit | ItemKind::Rollback => *begin = None,
                ItemKind::Statement(Statement { kind: StatementKind::Level(level), .. }) => {
                    *begin = Some(item.span);
                    self.begins.pop();
                    self.begins.push((item.span, Some(*level)));
                }
                ItemKind::Statement(statement) => self.statement(item, statement, *begin),
                ItemKind::Set { .. } => {}
                ItemKind::If { arms, otherwise } => {
                    let before = *begin;
                    for (_, inner) in arms {
                        *begin = before;
                        self.items(inner, begin);
                    }
                    let after = *begin;
                    *begin = before;
                    self.items(otherwise, begin);
                    *begin = begin.and(after);
                }
            }
            if let Some(next) = items.get(at + 1) {
                let rewrite = rewrites::of_two(self.around, item, next);
                rewrite.into_iter().for_each(|(kind, what, edit)| self.keep(kind, what, vec![edit]));
            }
        }
    }

    /// Keeps a change, once.
    fn keep(&mut self, kind: SqlChangeKind, what: String, edits: Vec<FileEdit>) {
        if !edits.is_empty() && !self.found.iter().any(|known| known.kind == kind && known.edits == edits) {
            self.found.push(Change { kind, script: self.index, what, edits });
        }
    }

    fn statement(&mut self, item: &Item, statement: &Statement, begin: Option<Span>) {
        // A lock of a statement outside of a transaction is gone with the statement.
        let Some(begin) = begin else { return };
        match &statement.kind {
            StatementKind::Select(select) => {
                self.for_update(item, select);
                self.row_locks(select, begin);
                self.parents(select.table, select.filter.as_ref(), begin);
            }
            StatementKind::Update(Update { table, filter, .. }) | StatementKind::Delete(Delete { table, filter, .. }) => {
                self.parents(Some(*table), filter.as_ref(), begin);
            }
            StatementKind::Insert(insert) => self.parents_of_row(insert, begin),
            _ => {}
        }
    }

    /// FOR UPDATE on a SELECT of rows.
    fn for_update(&mut self, item: &Item, select: &Select) {
        let Some(stretch) = Stretch::of(self.around.places, item.span) else { return };
        if select.table.is_none() || select.lock.is_some() || select.aggregates() {
            return;
        }
        let text = match (stretch.ends_in_comment(), is_lower(stretch.text())) {
            (true, _) => format!("{}  FOR UPDATE", stretch.line_end()),
            (false, true) => " for update".to_owned(),
            (false, false) => " FOR UPDATE".to_owned(),
        };
        let what = format!("FOR UPDATE on the SELECT of {}", self.around.place(item.span));
        self.keep(SqlChangeKind::ForUpdate, what, vec![stretch.behind(text)]);
    }

    /// The rows of a table that are counted or summed up are locked first. All of them: in the order of the key, so
    /// that two scripts that do so never wait for each other.
    fn row_locks(&mut self, select: &Select, begin: Span) {
        let Some(id) = select.table.filter(|_| select.aggregates()) else { return };
        let table = self.around.workload.table(id);
        let key = table.primary.as_ref().and_then(|key| columns(table, key));
        let (Some(key), Some(name)) = (key, plain(&table.name)) else { return };
        let lock = format!("SELECT {key} FROM {name} ORDER BY {key} FOR UPDATE;");
        let what = format!("{} locks the rows of {name} before it looks at them together", self.around.script.name);
        self.first(SqlChangeKind::RowLocks, what, &lock, begin);
    }

    /// A statement comes first in a transaction.
    fn first(&mut self, kind: SqlChangeKind, what: String, statement: &str, begin: Span) {
        let Some(begin) = Stretch::of(self.around.places, begin) else { return };
        let text = format!("{}{}{statement}", begin.line_end(), begin.indent());
        self.keep(kind, what, vec![begin.with_end().behind(text)]);
    }

    /// Rows that the children of a condition refer to.
    fn parents(&mut self, table: Option<TableId>, filter: Option<&Scalar>, begin: Span) {
        let Some(table) = table else { return };
        for part in filter.into_iter().flat_map(conjuncts) {
            let Scalar::Compare(Comparison::Equal, left, right) = part else { continue };
            for (column, value) in [(left, right), (right, left)] {
                if let Scalar::Column(_, column) = **column {
                    self.parent(table, column, value, begin);
                }
            }
        }
    }

    fn parents_of_row(&mut self, insert: &Insert, begin: Span) {
        let [row] = insert.rows.as_slice() else { return };
        for (column, value) in row.iter().enumerate() {
            self.parent(insert.table, serval_sql::ColumnId(column), value, begin);
        }
    }

    /// The row that a column with this value refers to is locked first. FOR NO KEY UPDATE is enough among those who
    /// take it, and does not keep others from adding children.
    fn parent(&mut self, child: TableId, column: serval_sql::ColumnId, value: &Scalar, begin: Span) {
        if !matches!(value, Scalar::Constant(_) | Scalar::Parameter(_)) {
            return;
        }
        for key in self.around.workload.table(child).foreign.iter().filter(|key| key.columns == [column]) {
            let parent = self.around.workload.table(key.parent);
            let spelled = self.around.spelling(parent).scalar(value);
            let (Some(value), Some(referred), Some(name)) = (spelled, columns(parent, &key.referred), plain(&parent.name)) else {
                continue;
            };
            let lock = format!("SELECT {referred} FROM {name} WHERE {referred} = {value} FOR NO KEY UPDATE;");
            let what = format!("{} locks the row of {name} first", self.around.script.name);
            self.first(SqlChangeKind::ParentLock, what, &lock, begin);
        }
    }

    /// Each level that its transactions do not have.
    fn levels(&mut self) {
        if self.around.script.isolation.is_some() || self.around.workload.settings.forced.is_some() {
            return;
        }
        let named: Vec<Isolation> = match self.begins.as_slice() {
            [] => vec![self.around.workload.level_of(self.around.script, None)],
            begins => begins.iter().map(|(_, level)| self.around.workload.level_of(self.around.script, *level)).collect(),
        };
        for level in [Isolation::RepeatableRead, Isolation::ReadCommitted] {
            // What is at SERIALIZABLE has its reason.
            if named.iter().all(|known| *known == level) || named.contains(&Isolation::Serializable) {
                continue;
            }
            let edits = if self.begins.is_empty() { self.wrapped(level) } else { self.levelled(level, &named) };
            let what = format!("{} runs at {}", self.around.script.name, level.name());
            self.keep(SqlChangeKind::Level, what, edits.unwrap_or_default());
        }
    }

    /// The level is named where transactions begin.
    fn levelled(&self, level: Isolation, named: &[Isolation]) -> Option<Vec<FileEdit>> {
        let other = self.begins.iter().zip(named).filter(|(_, known)| **known != level);
        other.map(|((span, _), _)| at_level(Stretch::of(self.around.places, *span)?, level)).collect()
    }

    /// A script without BEGIN becomes one transaction.
    fn wrapped(&self, level: Isolation) -> Option<Vec<FileEdit>> {
        let is_set = |item: &&Item| matches!(item.kind, ItemKind::Set { .. });
        let first = Stretch::of(self.around.places, self.around.script.body.iter().find(|item| !is_set(item))?.span)?;
        let (_, _, whole) = self.around.places.locate(self.around.script.span)?;
        let last = Stretch { to: whole.end as usize, ..first }.with_command();
        let end = first.line_end();
        let begin = format!("BEGIN ISOLATION LEVEL {};{end}{}", level.name(), first.indent());
        // A statement without its end gets one.
        let close = if last.text().ends_with(';') || last.text().lines().next_back()?.contains('\\') { "" } else { ";" };
        Some(vec![first.before(begin), last.behind(format!("{close}{end}{}COMMIT;", first.indent()))])
    }
}

/// Whether words are written in lower case.
fn is_lower(text: &str) -> bool {
    !text.contains(|letter: char| letter.is_ascii_uppercase())
}

/// BEGIN, or SET TRANSACTION, with another level.
fn at_level(begin: Stretch<'_>, level: Isolation) -> Option<FileEdit> {
    const WORDS: &str = "isolation level";
    let written = begin.text();
    let cased = |words: &str| if is_lower(written) { words.to_ascii_lowercase() } else { words.to_ascii_uppercase() };
    let Some(at) = written.to_ascii_lowercase().find(WORDS) else {
        return Some(begin.behind(format!(" {} {}", cased(WORDS), cased(level.name()))));
    };
    let rest = &written[at + WORDS.len()..];
    let named = rest.trim_start();
    let names = ["read committed", "read uncommitted", "repeatable read", "serializable"];
    let name = names.into_iter().find(|name| named.get(..name.len()).is_some_and(|named| named.eq_ignore_ascii_case(name)))?;
    let from = begin.from + at + WORDS.len() + (rest.len() - named.len());
    Some(Stretch { from, to: from + name.len(), ..begin }.replaced(cased(level.name())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_written_as_the_words_around_it() {
        let level = |whole: &'static str| {
            let begin = Stretch { file: "a", whole, from: 0, to: whole.len() };
            at_level(begin, Isolation::RepeatableRead).map(|edit| super::super::text::edited(whole, &[&edit]))
        };
        assert_eq!(level("BEGIN").as_deref(), Some("BEGIN ISOLATION LEVEL REPEATABLE READ"));
        assert_eq!(level("begin").as_deref(), Some("begin isolation level repeatable read"));
        let read_only = "START TRANSACTION ISOLATION LEVEL  read committed, READ ONLY";
        assert_eq!(level(read_only).as_deref(), Some("START TRANSACTION ISOLATION LEVEL  REPEATABLE READ, READ ONLY"));
        assert_eq!(level("SET TRANSACTION ISOLATION LEVEL /* x */ READ COMMITTED"), None);
    }
}
