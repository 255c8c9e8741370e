//! What a reduction says, by places of the text.

use serval_budget::Budget;
use serval_compile::Prepared;
use serval_proof::{Count, Group, Owner, Reduction, Refusal, Sum, Ticket};
use serval_syntax::{GlobalVar, Span};

use crate::check::{phases, transformed};
use crate::late::Late;
use crate::model::Model;
use crate::path::{Path, Point, PointId};

/// What a reduction says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The points, by number; the first is the end of all requests.
    pub points: Vec<PointWords>,
    /// The steps in which requests commit.
    pub commits: Vec<Commit>,
    /// Where requests own a value of a variable.
    pub sections: Vec<Section>,
    /// Which variables count requests.
    pub counters: Vec<Counter>,
    /// Pairs of sections or counters of which never both are occupied, in words such as `LOCK = 1`.
    pub exclusions: Vec<(String, String)>,
    /// Sums that never change.
    pub sums: Vec<SumWords>,
    /// Locks with tickets.
    pub tickets: Vec<TicketWords>,
    /// Tests that are made again later.
    pub looks: Vec<Look>,
    /// Locks that some requests take only in order to add something. What else is said of them would be said of the
    /// others alone, so that they are no sections and no counters.
    pub additions: Vec<GlobalVar>,
    /// Between which numbers variables stay, where that was proved.
    pub ranges: Vec<(GlobalVar, i64, i64)>,
    /// Whether it is about runs in which unbounded integers do not leave 64 bits.
    pub unbounded: bool,
    /// How many request bodies do the same with other variables, so that nothing is said of them.
    pub others: usize,
}

/// A place where requests wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointWords {
    /// The request bodies that come here, indices into the requests of the program.
    pub bodies: Vec<usize>,
    /// Where the request goes on from here.
    pub span: Span,
    /// Whether the request has committed.
    pub post: bool,
    /// Whether it is where a request begins.
    pub entry: bool,
}

/// A step in which a request commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The request body.
    pub body: usize,
    /// The text that the step runs.
    pub span: Span,
    /// The accesses to shared variables on the way, in order.
    pub accesses: Vec<Span>,
}

/// `global = value` exactly while one request is at one of these points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The global.
    pub global: GlobalVar,
    /// Its value.
    pub value: i64,
    /// The points, by number.
    pub points: Vec<u32>,
    /// Where requests come in: the writes.
    pub enters: Vec<Span>,
    /// Where they leave.
    pub leaves: Vec<Span>,
}

/// A variable that counts the requests at some points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The global.
    pub global: GlobalVar,
    /// Points and their weights.
    pub weights: Vec<(u32, i64)>,
}

/// A sum that never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumWords {
    /// Globals and their factors.
    pub globals: Vec<(GlobalVar, i64)>,
    /// Globals, values, and what is added while the global has the value.
    pub values: Vec<(GlobalVar, i64, i64)>,
    /// What it is.
    pub value: i128,
}

/// A lock with tickets: `called ≤ ticket < next`, and whose ticket is called is inside alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketWords {
    /// The next number.
    pub next: GlobalVar,
    /// The number that is called.
    pub called: GlobalVar,
    /// Where tickets are drawn.
    pub draws: Vec<Span>,
    /// Where who has one looks which number is called.
    pub asks: Vec<Span>,
    /// Where the next number is called.
    pub calls: Vec<Span>,
}

/// A test that need not hold any more when its request goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What is tested.
    pub global: GlobalVar,
    /// Where it is looked at.
    pub first: Vec<Span>,
    /// Where it is looked at again.
    pub again: Vec<Span>,
}

/// What a reduction says about a program, if its numbers mean something. It need not be true: see
/// [`check`](crate::check()).
pub fn words<Stop>(prepared: &Prepared, reduction: &Reduction, budget: &mut Budget) -> Result<Words, Refusal<Stop>> {
    let model = transformed(prepared, reduction, budget)?;
    let post = phases(&model, reduction).unwrap_or_default();
    let mut points = point_words(prepared, &model, &reduction.bodies);
    for (point, post) in points.iter_mut().zip(&post) {
        point.post = *post;
    }
    let is_post = |point: PointId| post.get(point.index()).copied().unwrap_or(false);
    let mut commits: Vec<Commit> = Vec::new();
    for path in model.paths.iter().filter(|path| !is_post(path.from) && is_post(path.to)) {
        for &body in &points[path.from.index()].bodies {
            commits.push(Commit { body, span: path.span, accesses: path.accesses.iter().map(|access| access.2).collect() });
        }
    }
    commits.sort_by_key(|commit| (commit.body, commit.span.start, commit.span.end));
    commits.dedup_by_key(|commit| (commit.body, commit.span));
    let mut additions: Vec<u32> = reduction.additions.iter().map(|addition| addition.lock).collect();
    additions.sort_unstable();
    additions.dedup();
    let speaks = |global: u32| additions.binary_search(&global).is_err();
    let all = |group: Group| match group {
        Group::Owner(index) => reduction.owners.get(index as usize).is_some_and(|owner| speaks(owner.global)),
        Group::Count(index) => reduction.counts.get(index as usize).is_some_and(|count| speaks(count.global)),
    };
    let exclusions = reduction.exclusions.iter().filter(|pair| all(pair.0) && all(pair.1));
    let name = |global: u32| prepared.program().globals.get(global as usize).map_or("?", |global| global.name.as_str());
    let group = |group: Group| match group {
        Group::Owner(index) => {
            reduction.owners.get(index as usize).map_or_else(String::new, |owner| format!("{} = {}", name(owner.global), owner.value))
        }
        Group::Count(index) => {
            let count = reduction.counts.get(index as usize);
            count.map_or_else(String::new, |count| format!("{} counts", name(count.global)))
        }
    };
    Ok(Words {
        commits,
        sections: reduction.owners.iter().filter(|owner| speaks(owner.global)).map(|owner| section(&model, owner)).collect(),
        counters: reduction.counts.iter().filter(|count| speaks(count.global)).map(|count| counter(&model, count)).collect(),
        exclusions: exclusions.map(|&(left, right)| (group(left), group(right))).collect(),
        sums: reduction.sums.iter().filter_map(|sum| summed(&model, sum)).collect(),
        tickets: reduction.tickets.iter().map(|ticket| turns(&model, ticket)).collect(),
        looks: reduction.late.iter().map(|&late| look(&model, late)).collect(),
        additions: additions.iter().copied().map(GlobalVar).collect(),
        ranges: reduction.ranges.iter().map(|&(global, low, high)| (GlobalVar(global), low, high)).collect(),
        unbounded: reduction.unbounded(),
        others: if reduction.stands_for_others() { prepared.program().requests.len().saturating_sub(reduction.bodies.len()) } else { 0 },
        points,
    })
}

/// Who comes to each point, and where it stands.
fn point_words(prepared: &Prepared, model: &Model, bodies: &[u32]) -> Vec<PointWords> {
    let control = prepared.control();
    let span = |point: &Point| point.node.map_or_else(Span::default, |node| control.span(node));
    let mut points: Vec<PointWords> = model.points.iter().map(|point| PointWords { span: span(point), ..PointWords::default() }).collect();
    for (at, &entry) in model.entries.iter().enumerate() {
        let body = bodies.get(at).map_or(at, |&body| body as usize);
        points[entry.index()].entry = true;
        let mut list = vec![entry];
        while let Some(point) = list.pop() {
            // A point is seen once for each body: the last one there is this one then.
            if points[point.index()].bodies.last() != Some(&body) {
                points[point.index()].bodies.push(body);
                list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to).filter(|&to| to != PointId::END));
            }
        }
    }
    points
}

fn section(model: &Model, owner: &Owner) -> Section {
    let points: Vec<u32> = owner.points.iter().flat_map(|&(first, last)| first..=last.min(most(model))).collect();
    let global = GlobalVar(owner.global);
    let inside = |point: PointId| points.binary_search(&point.0).is_ok();
    let (mut enters, mut leaves) = (Vec::new(), Vec::new());
    for path in points
        .iter()
        .flat_map(|&point| model.entering[point as usize].iter().chain(&model.leaving[point as usize]))
        .map(|&id| model.path(id))
    {
        let write = path.accesses.iter().find(|access| access.0 == global && access.1).map_or(path.span, |access| access.2);
        match (inside(path.from), inside(path.to)) {
            (false, true) => enters.push(write),
            (true, false) => leaves.push(write),
            _ => {}
        }
    }
    for spans in [&mut enters, &mut leaves] {
        spans.sort_unstable();
        spans.dedup();
    }
    Section { global, value: owner.value, points, enters, leaves }
}

/// The greatest number of a point.
fn most(model: &Model) -> u32 {
    u32::try_from(model.points.len()).unwrap_or(u32::MAX).saturating_sub(1)
}

fn counter(model: &Model, count: &Count) -> Counter {
    let most = most(model);
    let weights = count.weights.iter().flat_map(|&(first, last, weight)| (first..=last.min(most)).map(move |point| (point, weight)));
    Counter { global: GlobalVar(count.global), weights: weights.collect() }
}

fn summed(model: &Model, sum: &Sum) -> Option<SumWords> {
    Some(SumWords {
        globals: sum.globals.iter().map(|&(global, factor)| (GlobalVar(global), factor)).collect(),
        values: sum.values.iter().map(|&(global, value, factor)| (GlobalVar(global), value, factor)).collect(),
        value: model.value_of(sum)?,
    })
}

/// Where paths read or write a global, ascending.
fn places<'a>(paths: impl Iterator<Item = &'a Path>, global: GlobalVar, writes: bool) -> Vec<Span> {
    let accesses = paths.flat_map(|path| &path.accesses).filter(|access| access.0 == global && access.1 == writes);
    let mut spans: Vec<Span> = accesses.map(|access| access.2).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

fn turns(model: &Model, ticket: &Ticket) -> TicketWords {
    let (next, called) = (GlobalVar(ticket.next), GlobalVar(ticket.called));
    let inside = |point: PointId| ticket.inside.iter().any(|&(first, last)| (first..=last).contains(&point.0));
    let holds = |point: PointId| ticket.holders.iter().any(|holder| holder.0 == point.0);
    let has = |point: PointId| inside(point) || holds(point);
    let from = |had: bool| model.paths.iter().filter(move |path| has(path.from) == had);
    TicketWords {
        next,
        called,
        draws: places(from(false).filter(|path| has(path.to)), next, true),
        asks: places(from(true).filter(|path| !inside(path.from)), called, false),
        calls: places(from(true).filter(|path| !has(path.to)), called, true),
    }
}

fn look(model: &Model, (from, to, global): Late) -> Look {
    let global = GlobalVar(global);
    let first = model.paths.iter().filter(|path| path.from.0 == from && path.to.0 == to);
    let mut after = vec![false; model.points.len()];
    let mut list = vec![PointId(to)];
    while let Some(point) = list.pop() {
        let new = after.get_mut(point.index()).is_some_and(|seen| !std::mem::replace(seen, true));
        if new && point.0 != from {
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to));
        }
    }
    let again = model.paths.iter().filter(|path| path.from.0 != from && after[path.from.index()]);
    Look { global, first: places(first, global, false), again: places(again, global, false) }
}
