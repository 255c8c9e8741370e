//! The table of a run, laid out for the width of a screen.
//!
//! From 60 columns on there is always a table, and no row of it is broken. The
//! layouts are tried in this order, each with shorter and shorter names: a
//! column for each request, the globals beside; the same with the globals
//! below; a column for each kind of request, twice again; and in the end one
//! column for all, in which every row says whose it is.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{LinePiece, Moment, Phrase, moments};
use crate::counterexample::Counterexample;
use crate::screen::{Ink, Look};

/// More requests than these share columns, one for each kind.
const MOST_COLUMNS: usize = 6;
/// How long names may be, one limit after the other.
const NAMES: [usize; 5] = [usize::MAX, 24, 16, 11, 8];
/// Names are not shortened so much for the sake of a column of their own.
const SHORT: usize = 11;

/// The table; `None` where it does not fit.
pub(crate) fn table(run: &Counterexample, look: Look) -> Option<String> {
    let moments = moments(run, look);
    let mut kinds = vec![columns_of_kinds(run), one_column(run)];
    if run.requests.len() <= MOST_COLUMNS {
        kinds.insert(0, columns_of_requests(run));
    }
    for columns in &kinds {
        for limit in NAMES.into_iter().filter(|&limit| columns.layout == Layout::Stacked || limit >= SHORT) {
            let names = ShortNames::new(columns, &moments, limit, look);
            for beside in [true, false] {
                let title = if run.in_time.is_some() { "time" } else { "step" };
                let drawing = Drawing { columns, names: &names, beside, title, shared: run.shared_word(), look };
                let drawn = drawing.draw(&moments);
                if drawn.is_some() {
                    return drawn;
                }
            }
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// A column for each request.
    Single,
    /// A column for each kind of request: a cell says whose it is.
    Shared,
    /// One column for all: a second one says whose a row is.
    Stacked,
}

/// Which column a request has, and what stands above it.
struct Columns {
    layout: Layout,
    heads: Vec<Phrase>,
    column: BTreeMap<u32, usize>,
    /// What a request is called, for the column that says so.
    who: BTreeMap<u32, Phrase>,
}

/// `withdraw #1`
fn title(request: &str, id: u32) -> Phrase {
    Phrase { ink: Ink::Title, pieces: vec![LinePiece::Name(request.to_owned()), LinePiece::Text(format!(" #{id}"))] }
}

fn columns_of_requests(run: &Counterexample) -> Columns {
    Columns {
        layout: Layout::Single,
        heads: run.requests.iter().map(|request| title(&request.request, request.id)).collect(),
        column: run.requests.iter().enumerate().map(|(index, request)| (request.id, index)).collect(),
        who: BTreeMap::new(),
    }
}

fn columns_of_kinds(run: &Counterexample) -> Columns {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    let mut column = BTreeMap::new();
    for answered in &run.requests {
        let index = kinds.iter().position(|(kind, _)| *kind == answered.request).unwrap_or_else(|| {
            kinds.push((&answered.request, 0));
            kinds.len() - 1
        });
        kinds[index].1 += 1;
        column.insert(answered.id, index);
    }
    let head = |(kind, count): (&str, usize)| {
        let times = if count == 1 { String::new() } else { format!(" × {count}") };
        Phrase { ink: Ink::Title, pieces: vec![LinePiece::Name(kind.to_owned()), LinePiece::Text(times)] }
    };
    Columns { layout: Layout::Shared, heads: kinds.into_iter().map(head).collect(), column, who: BTreeMap::new() }
}

fn one_column(run: &Counterexample) -> Columns {
    Columns {
        layout: Layout::Stacked,
        heads: vec![Phrase { ink: Ink::Title, pieces: vec![LinePiece::Text("does".to_owned())] }],
        column: run.requests.iter().map(|request| (request.id, 0)).collect(),
        who: run.requests.iter().map(|request| (request.id, title(&request.request, request.id))).collect(),
    }
}

/// Short forms of names, no two the same.
struct ShortNames {
    short: BTreeMap<String, String>,
}

impl ShortNames {
    fn new(columns: &Columns, moments: &[Moment], limit: usize, look: Look) -> Self {
        let mut long: Vec<&String> = Vec::new();
        let phrases = moments.iter().flat_map(|moment| moment.lines.iter().chain(&moment.globals));
        for phrase in columns.heads.iter().chain(columns.who.values()).chain(phrases) {
            for piece in &phrase.pieces {
                match piece {
                    LinePiece::Name(name) if name.chars().count() > limit && !long.contains(&name) => long.push(name),
                    _ => {}
                }
            }
        }
        let mut short: BTreeMap<String, String> = BTreeMap::new();
        for name in long {
            let (mut number, mut form) = (1, shortened(name, limit, "", look));
            while short.values().any(|known| *known == form) {
                number += 1;
                form = shortened(name, limit, &number.to_string(), look);
            }
            short.insert(name.clone(), form);
        }
        Self { short }
    }

    fn text(&self, phrase: &Phrase) -> String {
        let piece = |piece: &LinePiece| match piece {
            LinePiece::Name(name) => self.short.get(name).cloned().unwrap_or_else(|| name.clone()),
            LinePiece::Text(text) => text.clone(),
        };
        phrase.pieces.iter().map(piece).collect()
    }
}

/// The beginning of a name; of an element of an array or of a request with
/// parameters also its end, which tells it from the others.
fn shortened(name: &str, limit: usize, number: &str, look: Look) -> String {
    let gone = look.ellipsis();
    let tail = name.find(['[', '(']).map_or("", |at| &name[at..]);
    let tail = if tail.chars().count() <= limit / 2 { tail } else { "" };
    let room = limit.saturating_sub(gone.chars().count() + number.len() + tail.chars().count()).max(1);
    let head: String = name.chars().take(room).collect();
    format!("{head}{gone}{number}{tail}")
}

struct TimelineRow {
    /// The first and the last step that it tells of; none for what goes with
    /// the step before it.
    steps: Option<(usize, usize)>,
    /// Whose steps.
    ids: Vec<u32>,
    column: usize,
    cell: Vec<Phrase>,
    globals: Vec<Phrase>,
}

impl TimelineRow {
    /// Whether one more step of the same kind can be told in this row.
    fn takes(&self, column: usize, moment: &Moment) -> bool {
        let same = self.column == column && self.steps.is_some() == moment.number.is_some();
        same && self.cell == moment.lines && moment.globals.is_empty()
    }

    fn number(&self) -> String {
        match self.steps {
            Some((first, last)) if first < last => format!("{first}–{last}"),
            Some((first, _)) => first.to_string(),
            None => String::new(),
        }
    }
}

/// `#3`, `#1 #2 #5`, `#1 to #9`
fn numbers(ids: &[u32]) -> String {
    let in_a_row = ids.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    match ids {
        [first, .., last] if in_a_row && ids.len() > 2 => format!("#{first} to #{last}"),
        _ => ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(" "),
    }
}

fn rows(columns: &Columns, moments: &[Moment]) -> Option<Vec<TimelineRow>> {
    let mut rows: Vec<TimelineRow> = Vec::new();
    for moment in moments {
        let column = *columns.column.get(&moment.id)?;
        // Where many do the same one after the other, one row tells it.
        match rows.last_mut().filter(|last| columns.layout == Layout::Shared && last.takes(column, moment)) {
            Some(last) => {
                last.ids.push(moment.id);
                last.steps = last.steps.zip(moment.number).map(|((first, _), now)| (first, now));
            }
            None => rows.push(TimelineRow {
                steps: moment.number.map(|number| (number, number)),
                ids: vec![moment.id],
                column,
                cell: moment.lines.clone(),
                globals: moment.globals.clone(),
            }),
        }
    }
    if columns.layout == Layout::Shared {
        for row in &mut rows {
            let who = LinePiece::Text(format!("{} ", numbers(&row.ids)));
            match row.cell.first_mut() {
                Some(first) => first.pieces.insert(0, who),
                None => row.cell.push(Phrase { ink: Ink::Plain, pieces: vec![who] }),
            }
        }
    }
    Some(rows)
}

/// A way to draw a table.
struct Drawing<'a> {
    columns: &'a Columns,
    names: &'a ShortNames,
    /// Whether the globals stand beside, or below.
    beside: bool,
    /// What stands above the numbers.
    title: &'static str,
    /// What stands above what the requests share.
    shared: &'static str,
    look: Look,
}

/// Text in its colour.
type Inked = (String, Ink);

impl Drawing<'_> {
    fn inked(&self, phrase: &Phrase) -> Inked {
        (self.names.text(phrase), phrase.ink)
    }

    /// The table, if it fits.
    fn draw(&self, moments: &[Moment]) -> Option<String> {
        let rows = rows(self.columns, moments)?;
        let mut lines: Vec<Vec<Inked>> = Vec::new();
        let stacked = self.columns.layout == Layout::Stacked;
        let plain = |text: &str| (text.to_owned(), Ink::Title);
        let mut head = vec![plain(self.title)];
        head.extend(stacked.then(|| plain("request")));
        head.extend(self.columns.heads.iter().map(|head| self.inked(head)));
        head.extend(self.beside.then(|| plain(self.shared)));
        for row in &rows {
            let height = row.cell.len().max(if self.beside { row.globals.len() } else { 0 }).max(1);
            for index in 0..height {
                let first = index == 0;
                let mut line = vec![(if first { row.number() } else { String::new() }, Ink::Faint)];
                if stacked {
                    let who = row.ids.first().and_then(|id| self.columns.who.get(id)).filter(|_| first);
                    line.push(who.map_or_else(|| plain(""), |who| self.inked(who)));
                }
                for column in 0..self.columns.heads.len() {
                    let cell = row.cell.get(index).filter(|_| column == row.column);
                    line.push(cell.map_or_else(|| plain(""), |cell| self.inked(cell)));
                }
                if self.beside {
                    line.push(row.globals.get(index).map_or_else(|| plain(""), |global| self.inked(global)));
                }
                lines.push(line);
            }
        }
        let width_of = |column: usize| {
            let all = lines.iter().chain([&head]).filter_map(|line| line.get(column));
            all.map(|(text, _)| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width_of).collect();
        let total = 2 + widths.iter().sum::<usize>() + 3 * widths.len().saturating_sub(1);
        if total > self.look.width {
            return None;
        }
        let mut out = String::new();
        self.line(&mut out, &head, &widths);
        self.rule(&mut out, &widths);
        for line in &lines {
            self.line(&mut out, line, &widths);
        }
        self.below(&mut out, &rows)?;
        self.legend(&mut out);
        Some(out)
    }

    fn line(&self, out: &mut String, cells: &[Inked], widths: &[usize]) {
        let cell = |(index, ((text, ink), width)): (usize, (&Inked, &usize))| {
            let gap = " ".repeat(width.saturating_sub(text.chars().count()));
            let text = self.look.paint(text, *ink);
            // Numbers stand to the right.
            if index == 0 { format!("{gap}{text}") } else { format!("{text}{gap}") }
        };
        let cells: Vec<String> = cells.iter().zip(widths).enumerate().map(cell).collect();
        let _ = writeln!(out, "  {}", cells.join(" | ").trim_end());
    }

    fn rule(&self, out: &mut String, widths: &[usize]) {
        let last = widths.len().saturating_sub(1);
        let part = |(index, width): (usize, &usize)| {
            let more = if index == 0 || index == last { 1 } else { 2 };
            "-".repeat(width + more)
        };
        let rule: Vec<String> = widths.iter().enumerate().map(part).collect();
        let _ = writeln!(out, "  {}", self.look.paint(&rule.join("+"), Ink::Faint));
    }

    /// The globals, where they do not stand beside.
    fn below(&self, out: &mut String, rows: &[TimelineRow]) -> Option<()> {
        if self.beside {
            return Some(());
        }
        let mut first = true;
        for row in rows.iter().filter(|row| !row.globals.is_empty()) {
            let title = if first { self.shared } else { "" };
            let mut line = format!("  {title:<7}  step {:<4}", row.number());
            let indent = line.chars().count();
            let mut used = indent;
            for (position, global) in row.globals.iter().enumerate() {
                let (text, ink) = self.inked(global);
                let length = text.chars().count();
                if indent + length > self.look.width {
                    return None;
                }
                if position > 0 && used + 2 + length > self.look.width {
                    line.push_str(&format!(",\n{}", " ".repeat(indent)));
                    used = indent;
                } else if position > 0 {
                    line.push_str(", ");
                    used += 2;
                }
                line.push_str(&self.look.paint(&text, ink));
                used += length + 1;
            }
            if first {
                out.push('\n');
            }
            first = false;
            let _ = writeln!(out, "{line}");
        }
        Some(())
    }

    /// What short names stand for.
    fn legend(&self, out: &mut String) {
        let short = &self.names.short;
        let width = short.values().map(|name| name.chars().count()).max().unwrap_or(0);
        for (position, (name, form)) in short.iter().enumerate() {
            let title = if position == 0 { "names" } else { "" };
            let gap = " ".repeat(width - form.chars().count());
            let mut line = format!("  {title:<7}  {form}{gap}  {name}");
            if line.chars().count() > self.look.width {
                line = format!("  {title:<7}  {form}\n             {name}");
            }
            out.push_str(if position == 0 { "\n" } else { "" });
            for line in line.lines() {
                let _ = writeln!(out, "{}", self.look.paint(line, Ink::Faint));
            }
        }
    }
}
