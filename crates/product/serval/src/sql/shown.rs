//! Runs of the program to which a workload is translated, as people see them: sessions, statements and rows.

use std::collections::{BTreeMap, BTreeSet};

use serval_report::{
    Answered, Counterexample, Explanation, FaultNote, LocalValues, RunStatement, StateName, StateValues, TraceAccess, TraceEvent,
};
use serval_sql::{Beyond, Role, Translation};
use serval_syntax::Span;

use super::Workload;

/// How rows and values are bounded, a few words for each table.
pub(super) fn bounds(workload: &serval_sql::Workload, translation: &Translation) -> Vec<String> {
    let mut words = Vec::new();
    for table in &workload.tables {
        let rows: BTreeSet<&str> = translation.roles.keys().filter_map(|name| row_of(name, &table.name)).collect();
        if !rows.is_empty() {
            words.push(format!("{} has no row beyond {}", table.name, rows.into_iter().collect::<Vec<_>>().join(", ")));
        }
        for column in &table.columns {
            let followed =
                translation.roles.keys().any(|name| row_of(name, &table.name).is_some() && name.ends_with(&format!(".{}", column.name)));
            let bounds = column.bounds.or(workload.settings.default_range).filter(|_| followed);
            if let Some(bounds) = bounds.filter(|_| column.kind == serval_sql::Kind::Integer) {
                let beyond = match bounds.beyond {
                    Beyond::Fail => "",
                    Beyond::Wrap => " wrapping",
                    Beyond::Saturate => " saturating",
                };
                words.push(format!("{}.{} is {}..{}{beyond}", table.name, column.name, bounds.low, bounds.high));
            }
        }
    }
    words
}

/// The row of this table that a global is about.
fn row_of<'n>(name: &'n str, table: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(table)?;
    let end = rest.starts_with('(').then(|| rest.find(')'))??;
    Some(&name[..table.len() + end + 1])
}

/// What a run shows of a global: its name for people, if it has one.
fn shown_name(workload: &Workload, variable: &str) -> Option<String> {
    match workload.role(variable) {
        Role::Cell { .. } => Some(variable.to_owned()),
        Role::There { row } => Some(format!("{row} is there")),
        Role::Held { .. } | Role::Inner => None,
    }
}

fn shown_value(workload: &Workload, variable: &str, value: i64) -> Option<String> {
    match workload.role(variable) {
        Role::Cell { kind, null } => {
            let words = workload.translation.answers.value(kind, *null, value);
            (words != value.to_string()).then_some(words)
        }
        Role::There { .. } => Some(if value == 0 { "no" } else { "yes" }.to_owned()),
        Role::Held { .. } | Role::Inner => None,
    }
}

/// Values that are no numbers in SQL, by their names.
fn named_values(run: &Counterexample, workload: &Workload) -> BTreeMap<String, BTreeMap<i64, String>> {
    let mut named: BTreeMap<String, BTreeMap<i64, String>> = BTreeMap::new();
    let seen = run.states.states.values().filter_map(|values| if let StateValues::Global(values) = values { Some(values) } else { None });
    for (shown, &value) in seen.flatten() {
        let variable = workload.translation.roles.keys().find(|variable| shown_name(workload, variable).as_ref() == Some(shown));
        if let Some(words) = variable.and_then(|variable| shown_value(workload, variable, value)) {
            named.entry(shown.clone()).or_default().insert(value, words);
        }
    }
    named
}

/// A counterexample of the program becomes one of the workload.
pub(super) fn counterexample(run: &mut Counterexample, workload: &Workload) {
    let (story, statements) = story(run, workload);
    answers(run, workload);
    let anomaly = anomaly(&run.steps, workload);
    let serial = std::mem::take(&mut run.explanation.serial);
    states(run, workload);
    run.steps.iter_mut().for_each(|event| shown_event(event, workload));
    run.anomaly = anomaly;
    run.explanation = Explanation { serial, ..Explanation::default() };
    (run.story, run.statements) = (story, statements);
    run.never.clear();
    run.constants = named_values(run, workload);
    run.spelled.clear();
}

/// Why a script cannot go on at a place.
pub(super) fn failure(workload: &Workload, place: Span) -> &'static str {
    let line = workload.places().locate(place).and_then(|(_, text, within)| {
        let start = text[..within.start as usize].rfind('\n').map_or(0, |at| at + 1);
        // A statement can go over several lines before the command.
        let end = text[within.end as usize..].find('\n').map_or(text.len(), |at| within.end as usize + at);
        text.get(start..end)
    });
    match line.is_some_and(|line| ["\\gset", "\\aset"].iter().any(|command| line.contains(command))) {
        true => "`\\gset` finds no row, several rows, or NULL",
        false => "a division by zero",
    }
}

/// The same for a run after which a step fails.
pub(super) fn fault(note: &mut FaultNote, workload: &Workload) {
    counterexample(&mut note.run, workload);
    let [line, column, last, end] = note.span;
    let start = offset(workload, line, column);
    note.message = failure(workload, Span::new(start, offset(workload, last, end).max(start))).to_owned();
    note.help = Some(match note.message.starts_with("a division") {
        true => "look at the divisor with `\\if` first, or divide by `NULLIF(…, 0)` and store NULL".to_owned(),
        false => "count the rows first and look at the number with `\\if`, or see which script deletes them".to_owned(),
    });
    note.file = workload.places().position(Span::new(start, start)).map(|(file, ..)| file);
    note.span = lines_in_file(workload, note.span);
}

fn words(workload: &Workload, request: &str, response: &str) -> Option<String> {
    workload.translation.answers.words(request, response.parse().ok()?)
}

fn answers(run: &mut Counterexample, workload: &Workload) {
    let requests: BTreeMap<u32, String> = run.requests.iter().map(|answered| (answered.id, answered.request.clone())).collect();
    for Answered { request, response, name, .. } in &mut run.requests {
        if let Some(words) = words(workload, request, response) {
            (*response, *name) = (words, None);
        }
    }
    for event in &mut run.steps {
        if let TraceEvent::Respond { id, response, name, .. } = event
            && let Some(words) = requests.get(id).and_then(|request| words(workload, request, response))
        {
            (*response, *name) = (words, None);
        }
    }
    let names: Vec<&String> = requests.values().collect();
    for answers in run.explanation.serial.iter_mut().flat_map(|order| &mut order.answers) {
        for (answer, request) in answers.iter_mut().zip(&names) {
            if let Some(words) = words(workload, request, answer) {
                *answer = words;
            }
        }
    }
}

/// States get numbers for names, and of their values those that SQL has.
fn states(run: &mut Counterexample, workload: &Workload) {
    let old = std::mem::take(&mut run.states.states);
    let mut numbers: BTreeMap<String, String> = BTreeMap::new();
    let mut renamed = |name: &mut String, letter: &str| {
        let next = numbers.len() + 1;
        *name = numbers.entry(name.clone()).or_insert_with(|| format!("{letter}{next}")).clone();
    };
    let mut both = |StateName { local, global }: &mut StateName| {
        renamed(local, "s");
        renamed(global, "t");
    };
    for event in &mut run.steps {
        match event {
            TraceEvent::Step { from, to, .. } => {
                both(from);
                both(to);
            }
            TraceEvent::Spawn { local, .. } | TraceEvent::Respond { local, .. } => {
                let mut name = StateName { local: std::mem::take(local), global: String::new() };
                both(&mut name);
                *local = name.local;
            }
        }
    }
    for (name, values) in old {
        let Some(number) = numbers.get(&name) else { continue };
        let values = match values {
            StateValues::Global(values) => {
                let shown = values.into_iter().filter_map(|(variable, value)| Some((shown_name(workload, &variable)?, value)));
                StateValues::Global(shown.collect())
            }
            StateValues::Local(LocalValues { .. }) => {
                let (at, vars, names) = Default::default();
                StateValues::Local(LocalValues { at, vars, names })
            }
        };
        run.states.states.insert(number.clone(), values);
    }
}

fn shown_event(event: &mut TraceEvent, workload: &Workload) {
    let TraceEvent::Step { accesses, span, .. } = event else { return };
    if let Some(span) = span {
        *span = lines_in_file(workload, *span);
    }
    if let Some(list) = accesses {
        let shown = |mut access: TraceAccess| {
            let name = shown_name(workload, &access.var)?;
            access.name = shown_value(workload, &access.var, access.value);
            access.var = name;
            access.span = lines_in_file(workload, access.span);
            Some(access)
        };
        *list = std::mem::take(list).into_iter().filter_map(shown).collect();
        list.dedup();
    }
}

/// The byte of the bundle at this line and column.
pub(super) fn offset(workload: &Workload, line: u32, column: u32) -> u32 {
    let mut at = 0_usize;
    for (number, text) in (1..).zip(workload.bundle().split_inclusive('\n')) {
        if number == line {
            let within = text.char_indices().nth(column.saturating_sub(1) as usize).map_or(text.len(), |(within, _)| within);
            return u32::try_from(at + within).unwrap_or(u32::MAX);
        }
        at += text.len();
    }
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn lines_in_file(workload: &Workload, span: [u32; 4]) -> [u32; 4] {
    let [first, from, last, to] = span;
    let begin = offset(workload, first, from);
    let end = offset(workload, last, to);
    let position = |at: u32| workload.places().position(Span::new(at, at)).map_or((0, 0), |(_, line, column)| (line, column));
    let ((first, from), (last, to)) = (position(begin), position(end));
    [first, from, last, to]
}

/// The statement that stands at a place, without whose it is.
fn statement(workload: &Workload, span: [u32; 4]) -> Option<RunStatement> {
    let [first, from, last, to] = span;
    let start = offset(workload, first, from);
    let place = Span::new(start, offset(workload, last, to).max(start));
    let (file, ..) = workload.places().position(place)?;
    let (_, text, within) = workload.places().locate(place)?;
    let text: Vec<&str> = text[within.range()].split_whitespace().collect();
    // One who looks at all tables stands where they are created.
    let observed = workload.parts().0.tables.iter().find(|table| table.span.start == place.start);
    let statement = observed.map_or_else(|| text.join(" "), |table| format!("SELECT * FROM {}", table.name));
    let span = lines_in_file(workload, span);
    let above = workload.files().take_while(|(name, _)| *name != file).map(|(_, text)| text.lines().count());
    let row = u32::try_from(above.sum::<usize>()).unwrap_or(u32::MAX).saturating_add(span[0]);
    Some(RunStatement { id: 0, step: 0, file, span, row, statement, shows: Vec::new() })
}

/// The run in words, and its statements: what they read and set, and what they wait for.
fn story(run: &Counterexample, workload: &Workload) -> (Vec<String>, Vec<RunStatement>) {
    let (mut lines, mut statements) = (Vec::new(), Vec::new());
    let mut holders: BTreeMap<String, u32> = BTreeMap::new();
    for (step, event) in run.steps.iter().enumerate() {
        match event {
            TraceEvent::Spawn { id, request, .. } => lines.push(format!("#{id} {} comes", request.clone().unwrap_or_default())),
            TraceEvent::Respond { id, response, .. } => {
                let request = run.requests.iter().find(|answered| answered.id == *id);
                let told = request.and_then(|answered| words(workload, &answered.request, response));
                lines.push(format!("#{id} gets: {}", told.unwrap_or_else(|| response.clone())));
            }
            TraceEvent::Step { id, accesses, .. } => {
                for told in issued(*id, step, accesses.as_deref().unwrap_or_default(), workload, &mut holders) {
                    let shows = if told.shows.is_empty() { String::new() } else { format!("   {}", told.shows.join(", ")) };
                    lines.push(format!("#{id} {}:{}  {}{shows}", told.file, told.span[0], told.statement));
                    statements.push(told);
                }
            }
        }
    }
    (lines, statements)
}

/// The statements of a step, with what each of them shows.
fn issued(id: u32, step: usize, accesses: &[TraceAccess], workload: &Workload, holders: &mut BTreeMap<String, u32>) -> Vec<RunStatement> {
    let mut issued: Vec<RunStatement> = Vec::new();
    let writes = accesses.iter().any(|access| access.op == "write");
    for access in accesses {
        let Some(found) = statement(workload, access.span) else { continue };
        let said = match (workload.role(&access.var), access.op.as_str()) {
            (Role::Held { row }, "write") => {
                if access.value == 0 {
                    holders.remove(row)
                } else {
                    holders.insert(row.clone(), id)
                };
                None
            }
            (Role::Held { row }, _) => {
                let holder = holders.get(row).filter(|holder| access.value != 0 && **holder != id && !writes);
                holder.map(|holder| format!("waits for {row}, held by #{holder}"))
            }
            (Role::Inner, _) => None,
            (_, op) => shown_name(workload, &access.var).map(|name| {
                let value = shown_value(workload, &access.var, access.value).unwrap_or_else(|| access.value.to_string());
                let sign = if op == "write" { ":=" } else { "=" };
                format!("{name} {sign} {value}")
            }),
        };
        match issued.last_mut().filter(|known| (&known.file, known.span[0]) == (&found.file, found.span[0])) {
            Some(known) => known.shows.extend(said.filter(|said| known.shows.last() != Some(said))),
            None => issued.push(RunStatement { id, step, shows: said.into_iter().collect(), ..found }),
        }
    }
    issued
}

/// What kind of wrong it is, by reads and writes of columns and presence.
fn anomaly(steps: &[TraceEvent], workload: &Workload) -> Option<&'static str> {
    let mut reads: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    let mut writes: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    // Who read something before whom another set it.
    let mut before: BTreeSet<(u32, u32, &str)> = BTreeSet::new();
    for event in steps {
        let TraceEvent::Step { id, accesses: Some(accesses), .. } = event else { continue };
        for access in accesses.iter().filter(|access| matches!(workload.role(&access.var), Role::Cell { .. } | Role::There { .. })) {
            if access.op == "write" {
                for (&other, seen) in reads.iter().filter(|(other, _)| *other != id) {
                    if seen.contains(access.var.as_str()) {
                        before.insert((other, *id, &access.var));
                    }
                }
                writes.entry(*id).or_default().insert(&access.var);
            } else {
                reads.entry(*id).or_default().insert(&access.var);
            }
        }
    }
    let none = BTreeSet::new();
    let written = |id: &u32| writes.get(id).unwrap_or(&none);
    // Each read it before the other set it.
    let mutual = |one: &u32, other: &u32, what: &&str| before.contains(&(*other, *one, *what));
    if before.iter().any(|(one, other, what)| mutual(one, other, what) && written(one).contains(what) && written(other).contains(what)) {
        return Some("lost-update");
    }
    if before.iter().any(|(_, _, what)| matches!(workload.role(what), Role::There { .. })) {
        return Some("phantom");
    }
    let crossed = before.iter().any(|(one, other, _)| before.iter().any(|(third, fourth, _)| one == fourth && other == third));
    match (crossed, before.is_empty()) {
        (true, _) => Some("write-skew"),
        (false, false) => Some("read-skew"),
        (false, true) => None,
    }
}
