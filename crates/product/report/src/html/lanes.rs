//! A run as lanes: a lane for each request, time downwards, arrows for the
//! conflicts that no order explains, or from an answer to what came after it where no order agrees with that.
//!
//! Every step has rows of its own, so beside its box all other lanes are empty
//! there. An arrow leaves a box into the channel beside its lane, goes down in
//! it to the row of the other step, and there straight to that box: it
//! crosses no box. In a channel every arrow has a track of its own, with
//! room for its number.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::escape::xml as escaped;

use super::described;
use crate::counterexample::Counterexample;
use crate::screen::Look;
use crate::statements::RunStatement;
use crate::timeline::{Moment, Phrase, accesses_of, moments};
use crate::trace::TraceEvent;
use crate::why::{ConflictSide, OrderEdge};

/// A rectangle of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its left side.
    pub x: usize,
    /// Its top.
    pub y: usize,
    /// How wide it is.
    pub width: usize,
    /// How high it is.
    pub height: usize,
}

impl Area {
    /// Whether two of them have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let apart = |a: usize, length: usize, b: usize| a + length <= b;
        !(apart(self.x, self.width, other.x)
            || apart(other.x, other.width, self.x)
            || apart(self.y, self.height, other.y)
            || apart(other.y, other.height, self.y))
    }
}

/// A box with lines of text in it.
#[derive(Clone, Debug)]
pub struct Boxed {
    /// Where it is.
    pub area: Area,
    /// The lane, counted from 0.
    pub lane: usize,
    /// What stands in it.
    pub lines: Vec<String>,
    /// The number of the step, beside it.
    pub number: Option<usize>,
    /// The lines of the text that it is about.
    pub source: Vec<u32>,
}

/// A conflict, or two moments.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it goes along.
    pub points: Vec<(usize, usize)>,
    /// Its number.
    pub badge: Area,
    /// Which accesses conflict: `ww`, `wr` or `rw`; `time` where what matters is what answered before what came.
    pub kind: &'static str,
    /// What it says.
    pub words: String,
}

/// The drawing as data.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// How wide it is.
    pub width: usize,
    /// How high it is.
    pub height: usize,
    /// The names of the requests, above their lanes.
    pub heads: Vec<Boxed>,
    /// The steps, in order.
    pub steps: Vec<Boxed>,
    /// The answers.
    pub answers: Vec<Boxed>,
    /// What changed, beside the steps.
    pub globals: Vec<Boxed>,
    /// The conflicts.
    pub arrows: Vec<Arrow>,
    /// Where the globals begin.
    globals_left: usize,
    /// What stands above them.
    shared: &'static str,
    /// The same in words.
    description: String,
}

/// Pixels for a letter; the font has all letters equally wide, and none wider.
const LETTER: usize = 8;
const LINE: usize = 17;
const PADDING: usize = 8;
const GAP: usize = 12;
const MARGIN: usize = 8;
/// Left of the lanes stand the numbers of the steps.
const NUMBERS: usize = 34;
const BADGE: usize = 18;
/// Globals so wide stay in sight on a telephone, and on a larger screen.
const SLIM: usize = 170;
const BROAD: usize = 340;
/// Room for one arrow in a channel.
const TRACK: usize = 22;

fn width_of(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) * LETTER + 2 * PADDING
}

fn height_of(lines: usize) -> usize {
    lines.max(1) * LINE + PADDING
}

/// Which accesses conflict.
pub(super) fn kind(edge: &OrderEdge) -> &'static str {
    match (edge.first.writes, edge.second.writes) {
        (true, true) => "ww",
        (true, false) => "wr",
        (false, _) => "rw",
    }
}

/// Lays out the lanes of a run.
pub fn lanes(run: &Counterexample) -> Lanes {
    lanes_of(&run.shown())
}

/// The same for a run as it is shown.
pub(super) fn lanes_of(run: &Counterexample) -> Lanes {
    let look = Look::default();
    let lane: BTreeMap<u32, usize> = run.requests.iter().enumerate().map(|(index, request)| (request.id, index)).collect();
    let titles: Vec<String> = run.requests.iter().map(|request| format!("{} #{}", request.request, request.id)).collect();
    let rows: Vec<LaneRow> = moments(run, look).into_iter().map(|moment| LaneRow::new(moment, run)).collect();
    let mut widths: Vec<usize> = titles.iter().map(|title| width_of(std::slice::from_ref(title))).collect();
    for row in &rows {
        if let Some(&lane) = lane.get(&row.id) {
            widths[lane] = widths[lane].max(width_of(&row.lines));
        }
    }
    let edges: Vec<&OrderEdge> = run.explanation.why.iter().flat_map(|why| &why.edges).collect();
    let in_time: &[[u32; 2]] = run.in_time.as_ref().map_or(&[], |orders| &orders.needed);
    let pairs: Vec<[u32; 2]> = edges.iter().map(|edge| [edge.from, edge.to]).chain(in_time.iter().copied()).collect();
    let channels = channels(&pairs, &lane, widths.len());
    let mut lefts = Vec::with_capacity(widths.len());
    let mut x = NUMBERS + MARGIN;
    for (width, channel) in widths.iter().zip(&channels) {
        lefts.push(x);
        x += width + channel.max(&1) * TRACK + GAP;
    }
    let globals_left = x;
    let head = |(index, title): (usize, &String)| Boxed {
        area: Area { x: lefts[index], y: MARGIN, width: widths[index], height: height_of(1) },
        lane: index,
        lines: vec![title.clone()],
        number: None,
        source: Vec::new(),
    };
    let mut drawn = Lanes {
        width: 0,
        height: 0,
        heads: titles.iter().enumerate().map(head).collect(),
        steps: Vec::new(),
        answers: Vec::new(),
        globals: Vec::new(),
        arrows: Vec::new(),
        globals_left,
        shared: run.shared_word(),
        description: described(run),
    };
    let mut y = MARGIN + height_of(1) + GAP;
    let mut boxes: BTreeMap<usize, Area> = BTreeMap::new();
    for row in &rows {
        let Some(&lane) = lane.get(&row.id) else { continue };
        let changed = &row.globals;
        let height = height_of(row.lines.len().max(changed.len()));
        let area = Area { x: lefts[lane], y, width: widths[lane], height: height_of(row.lines.len()) };
        let boxed = Boxed { area, lane, lines: row.lines.clone(), number: row.number, source: row.source.clone() };
        if !row.answers {
            boxes.insert(row.position, area);
            if !changed.is_empty() {
                let area = Area { x: globals_left, y, width: width_of(changed), height: height_of(changed.len()) };
                drawn.globals.push(Boxed { area, lane: widths.len(), lines: changed.clone(), number: None, source: Vec::new() });
            }
            drawn.steps.push(boxed);
        } else {
            drawn.answers.push(boxed);
        }
        y += height + GAP;
    }
    drawn.height = y + MARGIN;
    let globals_width =
        drawn.globals.iter().map(|globals| globals.area.width).max().unwrap_or(0).max(width_of(&[run.shared_word().to_owned()]));
    drawn.width = globals_left + globals_width + MARGIN;
    let conflicts = edges.iter().filter_map(|edge| conflict(edge, &boxes, run));
    let moments: Vec<Link> = conflicts.chain(in_time.iter().filter_map(|&pair| moments_of(pair, &lane, &drawn))).collect();
    drawn.arrows = arrows(moments, &lane, &lefts, &widths);
    drawn
}

struct LaneRow {
    id: u32,
    /// Where in the run.
    position: usize,
    /// The number beside it.
    number: Option<usize>,
    answers: bool,
    lines: Vec<String>,
    /// What changed.
    globals: Vec<String>,
    /// The lines of the text that it is about.
    source: Vec<u32>,
}

/// The lines on which a step reads and writes; where it does neither, those that it runs.
fn source(event: &TraceEvent) -> Vec<u32> {
    let TraceEvent::Step { span, accesses, .. } = event else { return Vec::new() };
    let mut lines: Vec<u32> = accesses.iter().flatten().map(|access| access.span[0]).collect();
    if let ([], Some([first, _, last, _])) = (lines.as_slice(), span) {
        lines.extend(*first..=*last);
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

impl LaneRow {
    fn new(moment: Moment, run: &Counterexample) -> Self {
        let texts = |phrases: &[Phrase]| phrases.iter().map(Phrase::text).collect::<Vec<_>>();
        let issued: Vec<String> = run.issued(moment.position).flat_map(RunStatement::boxed).collect();
        let rows: Vec<u32> = run.issued(moment.position).map(|statement| statement.row).collect();
        let is_issued = !issued.is_empty() && !moment.answers;
        Self {
            id: moment.id,
            position: moment.position,
            number: moment.number,
            answers: moment.answers,
            lines: if is_issued { issued } else { texts(&moment.lines) },
            globals: texts(&moment.globals),
            source: if is_issued { rows } else { run.steps.get(moment.position).map(source).unwrap_or_default() },
        }
    }
}

/// The channel of an arrow from one request to another: that behind this lane.
fn channel([from, to]: [u32; 2], lane: &BTreeMap<u32, usize>) -> Option<usize> {
    let (from, to) = (*lane.get(&from)?, *lane.get(&to)?);
    Some(if from < to { from } else { from.checked_sub(1)? })
}

/// How many arrows there are in the channel behind each lane.
fn channels(pairs: &[[u32; 2]], lane: &BTreeMap<u32, usize>, lanes: usize) -> Vec<usize> {
    let mut counts = vec![0; lanes];
    for &pair in pairs {
        if let Some(count) = channel(pair, lane).and_then(|channel| counts.get_mut(channel)) {
            *count += 1;
        }
    }
    counts
}

/// What an arrow joins: two boxes, each at some height.
struct Link {
    requests: [u32; 2],
    from: (Area, usize),
    to: (Area, usize),
    kind: &'static str,
    words: String,
}

/// Two accesses that conflict.
fn conflict(edge: &OrderEdge, boxes: &BTreeMap<usize, Area>, run: &Counterexample) -> Option<Link> {
    let at = |side: &ConflictSide| boxes.get(&side.step).map(|area| (*area, line_of(area, side, edge, run)));
    let words = format!("#{} comes before #{}, because of {}", edge.from, edge.to, edge.var);
    Some(Link { requests: [edge.from, edge.to], from: at(&edge.first)?, to: at(&edge.second)?, kind: kind(edge), words })
}

/// The answer of a request and the first step of one that came after it.
fn moments_of([first, second]: [u32; 2], lane: &BTreeMap<u32, usize>, drawn: &Lanes) -> Option<Link> {
    let of = |id: u32| {
        let lane = lane.get(&id).copied();
        drawn.steps.iter().chain(&drawn.answers).filter(move |boxed| Some(boxed.lane) == lane).map(|boxed| boxed.area)
    };
    let top = |area: Area| (area, area.y + PADDING / 2 + LINE / 2);
    Some(Link {
        requests: [first, second],
        from: top(of(first).max_by_key(|area| area.y)?),
        to: top(of(second).min_by_key(|area| area.y)?),
        kind: "time",
        words: format!("#{first} had answered when #{second} came"),
    })
}

fn arrows(links: Vec<Link>, lane: &BTreeMap<u32, usize>, lefts: &[usize], widths: &[usize]) -> Vec<Arrow> {
    let mut used = vec![0; lefts.len()];
    let mut drawn = Vec::new();
    for Link { requests, from: (from, start), to: (to, end), kind, words } in links {
        let Some(channel) = channel(requests, lane) else { continue };
        let track = lefts[channel] + widths[channel] + GAP / 2 + TRACK / 2 + used[channel] * TRACK;
        used[channel] += 1;
        let leaves = if from.x < to.x { from.x + from.width } else { from.x };
        let arrives = if from.x < to.x { to.x } else { to.x + to.width };
        let middle = usize::midpoint(start, end).saturating_sub(BADGE / 2);
        drawn.push(Arrow {
            points: vec![(leaves, start), (track, start), (track, end), (arrives, end)],
            badge: Area { x: track - BADGE / 2, y: middle, width: BADGE, height: BADGE },
            kind,
            words,
        });
    }
    drawn
}

/// The height of the line in a box that tells of this access.
fn line_of(area: &Area, side: &ConflictSide, edge: &OrderEdge, run: &Counterexample) -> usize {
    let lines = run.steps.get(side.step).map(|event| accesses_of(event, Look::default())).unwrap_or_default();
    let sign = if side.writes { "=" } else { "➜" };
    let wanted = format!("{} {sign} {}", edge.var, side.value);
    let line = lines.iter().position(|line| *line == wanted).unwrap_or(0);
    area.y + PADDING / 2 + line * LINE + LINE / 2
}

/// How a drawing that is a file of its own looks.
const STYLE: &str = include_str!("lanes.css");
/// The same for arrows from an answer to what came after it.
const STYLE_IN_TIME: &str = include_str!("in_time.css");

impl Lanes {
    /// The drawing as elements of a page: numbers, lanes and globals apart, so
    /// that numbers and globals stay in sight where the lanes are moved. The step
    /// of this number is chosen.
    pub(super) fn svg(&self, chosen: Option<usize>) -> String {
        let lanes = self.globals_left - NUMBERS;
        let side = |class: &str, x: usize, width: usize, body: &str| {
            let height = self.height;
            format!(
                "<svg class=\"run-side {class}\" width=\"{width}\" height=\"{height}\" viewBox=\"{x} 0 {width} {height}\" aria-hidden=\"true\">\n{body}</svg>\n"
            )
        };
        let numbers = side("numbers", 0, NUMBERS, &self.numbers());
        let room = self.width - self.globals_left;
        // What is wide would leave no room for the lanes.
        let stays = match room {
            0..=SLIM => "globals stays",
            _ if room <= BROAD => "globals stays-beside",
            _ => "globals",
        };
        let globals = side(stays, self.globals_left, room, &self.globals());
        let mut out = numbers;
        self.opened(&mut out, "", "group", (NUMBERS, lanes));
        self.lanes(&mut out, Some(chosen));
        out.push_str("</svg>\n");
        out.push_str(&globals);
        out
    }

    /// The drawing as a file of its own, with its style, light and dark.
    pub fn file(&self) -> String {
        let mut out = String::new();
        let (width, height) = (self.width, self.height);
        self.opened(&mut out, "xmlns=\"http://www.w3.org/2000/svg\" ", "img", (0, width));
        let style = if self.in_time() { STYLE_IN_TIME } else { "" };
        let _ = write!(out, "<style>\n{STYLE}{style}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n");
        out.push_str(&self.numbers());
        self.lanes(&mut out, None);
        out.push_str(&self.globals());
        out.push_str("</svg>\n");
        out
    }

    /// The beginning of a drawing of this part.
    fn opened(&self, out: &mut String, space: &str, role: &str, (x, width): (usize, usize)) {
        let height = self.height;
        let _ = write!(
            out,
            "<svg {space}class=\"run\" width=\"{width}\" height=\"{height}\" viewBox=\"{x} 0 {width} {height}\" role=\"{role}\" aria-labelledby=\"run-drawing-title\">\n\
             <title id=\"run-drawing-title\">The run, step by step</title>\n<desc>{}</desc>\n",
            escaped(&self.description)
        );
    }

    /// Whether some arrow is about the order in time.
    fn in_time(&self) -> bool {
        self.arrows.iter().any(|arrow| arrow.kind == "time")
    }

    fn numbers(&self) -> String {
        let mut out = String::new();
        self.steps.iter().chain(&self.answers).for_each(|step| numbered(&mut out, step));
        out
    }

    fn globals(&self) -> String {
        let mut out = String::new();
        if let Some(first) = self.globals.first() {
            let _ = writeln!(out, "<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>", first.area.x + PADDING, MARGIN + LINE, self.shared);
        }
        for globals in &self.globals {
            for (line, text) in globals.lines.iter().enumerate() {
                let class = if text.ends_with('*') { "value changed" } else { "value" };
                let y = globals.area.y + PADDING / 2 + line * LINE + LINE - 5;
                let _ = writeln!(out, "<text class=\"{class}\" x=\"{}\" y=\"{y}\">{}</text>", globals.area.x + PADDING, escaped(text));
            }
        }
        out
    }

    /// The lanes. In a page the steps can be chosen, and one of them may be; a
    /// file is one picture.
    fn lanes(&self, out: &mut String, choice: Option<Option<usize>>) {
        out.push_str("<defs>\n");
        for kind in ["ww", "wr", "rw"].into_iter().chain(self.in_time().then_some("time")) {
            let _ = writeln!(
                out,
                "<marker id=\"head-{kind}\" class=\"{kind}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker>"
            );
        }
        out.push_str("</defs>\n");
        for head in &self.heads {
            let x = head.area.x + head.area.width / 2;
            let all = self.steps.iter().chain(&self.answers).filter(|boxed| boxed.lane == head.lane);
            let end = all.map(|boxed| boxed.area.y).max().unwrap_or(head.area.y);
            let _ = writeln!(out, "<line class=\"life\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{end}\"/>", head.area.y + head.area.height);
            boxed(out, head, "head", None);
        }
        for step in &self.steps {
            let chosen = choice.flatten().is_some() && choice.flatten() == step.number;
            boxed(out, step, if chosen { "step chosen" } else { "step" }, step.number.filter(|_| choice.is_some()));
        }
        for answer in &self.answers {
            boxed(out, answer, "answer", None);
        }
        for (number, arrow) in (1_usize..).zip(&self.arrows) {
            let path: Vec<String> = arrow.points.iter().map(|(x, y)| format!("{x} {y}")).collect();
            let (x, y) = (arrow.badge.x + BADGE / 2, arrow.badge.y + BADGE / 2);
            let _ = writeln!(
                out,
                "<g class=\"arrow {}\"><title>{}</title><path d=\"M{}\" marker-end=\"url(#head-{})\"/><circle cx=\"{x}\" cy=\"{y}\" r=\"{}\"/><text x=\"{x}\" y=\"{}\">{number}</text></g>",
                arrow.kind,
                escaped(&arrow.words),
                path.join(" L"),
                arrow.kind,
                BADGE / 2,
                y + 4
            );
        }
    }
}

/// The number of a step, left of the lanes.
fn numbered(out: &mut String, step: &Boxed) {
    let Some(number) = step.number else { return };
    let y = step.area.y + PADDING / 2 + LINE - 5;
    let _ = writeln!(out, "<text class=\"number\" x=\"{}\" y=\"{y}\">{number}</text>", NUMBERS - 6);
}

/// A box; one with a number can be chosen.
fn boxed(out: &mut String, boxed: &Boxed, class: &str, number: Option<usize>) {
    let Area { x, y, width, height } = boxed.area;
    match number {
        Some(number) => {
            let _ = write!(
                out,
                "<g class=\"{class}\" tabindex=\"0\" role=\"button\" data-detail=\"detail-{number}\" data-lines=\"{}\" aria-label=\"step {number}: {}\">",
                boxed.source.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
                escaped(&boxed.lines.join(", "))
            );
        }
        None => {
            let _ = write!(out, "<g class=\"{class}\">");
        }
    }
    let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"/>");
    for (line, text) in boxed.lines.iter().enumerate() {
        let _ = write!(out, "<text x=\"{}\" y=\"{}\">{}</text>", x + PADDING, y + PADDING / 2 + line * LINE + LINE - 5, escaped(text));
    }
    out.push_str("</g>\n");
}
