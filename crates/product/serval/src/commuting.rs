//! What a proof on the text of a program says, in words, and why there is none.
//!
//! The sentences are those that an engineer would say at a review: which value
//! of a variable means that one request is between which lines, what counts
//! requests, who is never there at the same time as whom, and where a request
//! commits. Equal sentences about several variables or requests, such as those
//! of the rows of an array, are said together.

use std::collections::BTreeMap;

use serval_diagnostic::counted;
use serval_lipton_engine::{Conflict, TextPlace, Why};
use serval_lipton_proof::{Commit, Counter, Look, Section, SumWords, TicketWords, Words};
use serval_syntax::{LineIndex, Program, Span};

/// How many names are listed before the rest is only counted.
const LISTED: usize = 3;

/// A sentence for each thing that an accepted proof says.
pub(crate) fn sentences(program: &Program, text: &str, words: &Words) -> Vec<String> {
    let teller = Teller { program, text, lines: LineIndex::new(text) };
    let mut said = Vec::new();
    // What is said of a variable is said of the requests that stand for all: others may hold it as well.
    let alone = "what follows is about some of the requests alone, which stand for all";
    match words.others {
        0 => {}
        1 => said.push(format!("{alone}: one other request does the same with other variables")),
        others => said.push(format!("{alone}: {} do the same with other variables", counted(others, "other request"))),
    }
    said.extend(together(words.sections.iter().map(|section| teller.section(section))));
    said.extend(together(words.counters.iter().map(|counter| teller.counter(counter, words))));
    let pair = |(one, other): &(String, String)| format!("never at the same time: {}, and {}", group(one), group(other));
    said.extend(words.exclusions.iter().take(LISTED).map(pair));
    if let Some(more) = words.exclusions.len().checked_sub(LISTED).filter(|&more| more > 0) {
        said.push(format!("and {}, never at the same time", counted(more, "more pair")));
    }
    said.extend(words.sums.iter().map(|sum| teller.sum(sum)));
    said.extend(words.tickets.iter().flat_map(|ticket| teller.ticket(ticket)));
    said.extend(together(words.looks.iter().map(|look| teller.look(look))));
    said.extend(together(words.additions.iter().map(|&lock| teller.addition(lock))));
    said.extend(together(teller.commits(&words.commits)));
    // The first point is the end.
    if words.points.iter().skip(1).any(|point| !point.entry) {
        said.push("what a request does before its commit point commutes to the right, what it does after it to the left".to_owned());
    }
    said
}

/// What stands beside the lines of the text: where requests commit, what
/// commutes to which side, and whether who waits there has committed.
pub(crate) fn marks(text: &str, words: &Words) -> BTreeMap<u32, &'static str> {
    let lines = LineIndex::new(text);
    let line = |span: Span| lines.position(text, span.start).line;
    let mut marks = BTreeMap::new();
    for commit in &words.commits {
        let spans = if commit.accesses.is_empty() { std::slice::from_ref(&commit.span) } else { &commit.accesses };
        marks.extend(spans.iter().map(|&span| (line(span), "commit point")));
    }
    for section in &words.sections {
        for (spans, mark) in [(&section.enters, "commutes to the right"), (&section.leaves, "commutes to the left")] {
            for &span in spans {
                marks.entry(line(span)).or_insert(mark);
            }
        }
    }
    for (spans, mark) in words
        .tickets
        .iter()
        .map(|ticket| (&ticket.draws, "draws a ticket"))
        .chain(words.looks.iter().map(|look| (&look.first, "looks again later")))
    {
        for &span in spans {
            marks.entry(line(span)).or_insert(mark);
        }
    }
    // Where some have committed and some have not, nothing is said.
    let mut phases: BTreeMap<u32, Option<bool>> = BTreeMap::new();
    for point in words.points.iter().skip(1).filter(|point| !point.entry) {
        let phase = phases.entry(line(point.span)).or_insert(Some(point.post));
        *phase = phase.filter(|&post| post == point.post);
    }
    for (line, post) in phases.into_iter().filter_map(|(line, post)| Some((line, post?))) {
        marks.entry(line).or_insert(if post { "after the commit point" } else { "before the commit point" });
    }
    marks
}

/// Why no proof was found, in one sentence that names the lines.
pub(crate) fn why_not(program: &Program, text: &str, why: &Why) -> String {
    let teller = Teller { program, text, lines: LineIndex::new(text) };
    match why {
        Why::TooLarge { what, limit } => format!("more than {limit} {what}"),
        Why::Stopped(_) => "the ticks are used up".to_owned(),
        Why::Error(error) => format!("it is not excluded that line {} fails: {}", teller.line(error.span), error.what),
        Why::Conflict(conflict) => teller.conflict(conflict),
    }
}

/// A group of requests: those that a variable counts, or the one of a value.
fn group(words: &str) -> String {
    words.strip_suffix(" counts").map_or_else(|| words.to_owned(), |name| format!("a request that {name} counts"))
}

/// Something about a variable or a request: its name, and what is said with the
/// names of all of which it is said.
type NamedClaim = (String, String);

/// One sentence for all names of which the same is said, in the order of the
/// first; `@` in a sentence stands for the names.
fn together(sentences: impl IntoIterator<Item = NamedClaim>) -> Vec<String> {
    let mut order: Vec<(String, Vec<String>)> = Vec::new();
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    for (name, sentence) in sentences {
        let at = *place.entry(sentence.clone()).or_insert(order.len());
        match order.get_mut(at) {
            Some((_, names)) => names.push(name),
            None => order.push((sentence, vec![name])),
        }
    }
    let said = |(sentence, names): (String, Vec<String>)| {
        let each = if names.len() > 1 && sentence.starts_with('@') { "each of " } else { "" };
        format!("{each}{}", sentence.replacen('@', &listed(&names), 1))
    };
    order.into_iter().map(said).collect()
}

/// "A", "A and B", "A, B and C", "A, B, C and 4 more".
fn listed(names: &[String]) -> String {
    let (shown, more) = (&names[..names.len().min(LISTED)], names.len().saturating_sub(LISTED));
    match (more, shown.split_last()) {
        (0, Some((only, []))) => only.clone(),
        (0, Some((last, before))) => format!("{} and {last}", before.join(", ")),
        (more, _) => format!("{} and {more} more", shown.join(", ")),
    }
}

struct Teller<'a> {
    program: &'a Program,
    text: &'a str,
    lines: LineIndex,
}

impl Teller<'_> {
    fn line(&self, span: Span) -> u32 {
        self.lines.position(self.text, span.start).line
    }

    fn global(&self, global: serval_syntax::GlobalVar) -> String {
        self.program.globals.get(global.index()).map_or_else(String::new, |global| global.name.clone())
    }

    fn request(&self, body: usize) -> String {
        self.program.requests.get(body).map_or_else(String::new, |request| request.name.clone())
    }

    /// "line 4", "lines 4 and 7".
    fn lines(&self, spans: impl IntoIterator<Item = Span>) -> String {
        let mut numbers: Vec<u32> = spans.into_iter().map(|span| self.line(span)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let plural = if numbers.len() == 1 { "" } else { "s" };
        format!("line{plural} {}", listed(&numbers.iter().map(u32::to_string).collect::<Vec<_>>()))
    }

    /// The request in whose text a place stands, by where its text begins:
    /// requests with other parameters have the same.
    fn text_of(&self, span: Span) -> u32 {
        let starts = self.program.requests.iter().map(|request| request.name_span.start);
        starts.filter(|&start| start <= span.start).max().unwrap_or(0)
    }

    /// Where it is entered and left, for each text of a request.
    fn section(&self, section: &Section) -> NamedClaim {
        let mut ends: BTreeMap<u32, [Vec<Span>; 2]> = BTreeMap::new();
        for (side, spans) in [&section.enters, &section.leaves].into_iter().enumerate() {
            for &span in spans {
                ends.entry(self.text_of(span)).or_default()[side].push(span);
            }
        }
        let between = ends.values().map(|[enters, leaves]| match (enters.is_empty(), leaves.is_empty()) {
            (false, true) => format!("after {}", self.lines(enters.iter().copied())),
            (true, _) => format!("before {}", self.lines(leaves.iter().copied())),
            (false, false) => format!("between {} and {}", self.lines(enters.iter().copied()), self.lines(leaves.iter().copied())),
        });
        let between = between.collect::<Vec<_>>().join(", or ");
        (self.global(section.global), format!("@ = {} iff one request is {between}", section.value))
    }

    /// What a variable counts, or what adds up to the same at every moment.
    fn sum(&self, SumWords { globals, values, value }: &SumWords) -> String {
        let holds: Vec<String> = values.iter().map(|&(global, value, _)| format!("{} = {value}", self.global(global))).collect();
        let factors: Vec<i64> = values.iter().map(|part| part.2).collect();
        if let ([(global, 1)], [-1, rest @ ..]) = (globals.as_slice(), factors.as_slice())
            && rest.iter().all(|&factor| factor == -1)
        {
            let more = if *value == 0 { String::new() } else { format!("{value} plus ") };
            return format!("{} is always {more}the number of those that hold of {}", self.global(*global), listed(&holds));
        }
        let globals = globals.iter().map(|&(global, factor)| (factor, self.global(global)));
        let holds = holds.into_iter().zip(factors).map(|(holds, factor)| (factor, format!("[{holds}]")));
        let mut sum = String::new();
        for (factor, what) in globals.chain(holds) {
            let sign = match (sum.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let times = if factor.unsigned_abs() == 1 { String::new() } else { format!("{}*", factor.unsigned_abs()) };
            sum += &format!("{sign}{times}{what}");
        }
        format!("{sum} is always {value}{}", if values.is_empty() { "" } else { ", where [ ] is 1 if it holds" })
    }

    /// What the numbers are between, who is inside, and in which order.
    fn ticket(&self, ticket: &TicketWords) -> [String; 2] {
        let (next, called) = (self.global(ticket.next), self.global(ticket.called));
        let [draws, asks, calls] = [&ticket.draws, &ticket.asks, &ticket.calls].map(|spans| self.lines(spans.iter().copied()));
        [
            format!(
                "tickets are distinct, and {called} ≤ ticket < {next}: drawn on {draws}, awaited on {asks}, the next one called on {calls}"
            ),
            format!("the request that draws from {next} first commits first"),
        ]
    }

    /// What was seen need not have stayed, as it is looked at again.
    fn look(&self, look: &Look) -> NamedClaim {
        let first = self.lines(look.first.iter().copied());
        let sentence = match look.again.as_slice() {
            [] => format!("what {first} saw of @ need not have stayed: who goes on does the same in the end"),
            again => format!("@ is looked at again on {}, so what {first} saw need not have stayed", self.lines(again.iter().copied())),
        };
        (self.global(look.global), sentence)
    }

    fn addition(&self, lock: serval_syntax::GlobalVar) -> NamedClaim {
        (self.global(lock), "a request that takes @ only in order to add something could do without, as sums have no order".to_owned())
    }

    fn counter(&self, counter: &Counter, words: &Words) -> NamedClaim {
        let name = self.global(counter.global);
        let initial = self.program.globals.get(counter.global.index()).map_or(0, |global| global.initial);
        let spans = |weight: i64| {
            let points = counter.weights.iter().filter(move |&&(_, of)| of == weight);
            points.filter_map(|&(point, _)| words.points.get(usize::try_from(point).ok()?)).map(|point| point.span)
        };
        let mut weights: Vec<i64> = counter.weights.iter().map(|&(_, weight)| weight).collect();
        weights.sort_unstable();
        weights.dedup();
        let terms = weights.iter().map(|&weight| {
            let (sign, size) = (if weight < 0 { "−" } else { "+" }, weight.unsigned_abs());
            let times = if size == 1 { String::new() } else { format!("{size} × ") };
            format!(" {sign} {times}the requests that wait before {}", self.lines(spans(weight)))
        });
        let sum = format!("{initial}{}", terms.collect::<String>());
        (name, format!("@ = {}", sum.strip_prefix("0 + ").unwrap_or(&sum)))
    }

    /// Where each request commits: the lines of the accesses in these steps.
    fn commits(&self, commits: &[Commit]) -> Vec<NamedClaim> {
        let mut of: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
        for commit in commits {
            let spans = of.entry(commit.body).or_default();
            match commit.accesses.is_empty() {
                true => spans.push(commit.span),
                false => spans.extend(&commit.accesses),
            }
        }
        let said = |(body, spans): (usize, Vec<Span>)| (self.request(body), format!("the commit point of @ is {}", self.span_of(&spans)));
        of.into_iter().map(said).collect()
    }

    /// "line 13", or from the first to the last.
    fn span_of(&self, spans: &[Span]) -> String {
        let numbers = spans.iter().map(|&span| self.line(span));
        match (numbers.clone().min(), numbers.max()) {
            (Some(first), Some(last)) if first != last => format!("lines {first} to {last}"),
            (first, _) => format!("line {}", first.unwrap_or(0)),
        }
    }

    fn conflict(&self, Conflict { first, second, global }: &Conflict) -> String {
        let name = self.global(*global);
        let place = |place: &TextPlace| {
            let does = if place.writes { "writes" } else { "reads" };
            format!("{} on line {} ({does} {name})", self.request(place.body), self.line(place.access))
        };
        format!("no commit point: {}, then {}, cannot change places", place(first), place(second))
    }
}

#[cfg(test)]
mod tests {
    use serval_lipton_engine::PossibleError;
    use serval_lipton_proof::PointWords;
    use serval_syntax::{GlobalVar, analyze};

    use super::*;

    const TEXT: &str = "var L[0..1]: 0..1\nrequest r(i: 0..1) {\n  lock(L[i]);\n  yield;\n  X := 1 - X;\n  unlock(L[i]);\n  0\n}\n";

    fn program() -> Program {
        analyze(TEXT).program.unwrap_or_else(|| panic!("{TEXT}"))
    }

    /// The first place of a part of the text.
    fn at(part: &str) -> Span {
        let start = u32::try_from(TEXT.find(part).unwrap_or_else(|| panic!("{part}"))).unwrap_or(0);
        Span { start, end: start + 1 }
    }

    fn words() -> Words {
        let section = |global: u32| Section {
            global: GlobalVar(global),
            value: 1,
            points: vec![2],
            enters: vec![at("lock(L")],
            leaves: vec![at("unlock")],
        };
        let commit = |body: usize| Commit { body, span: at("X :="), accesses: vec![at("X :="), at("unlock")] };
        let point = |part: &str, post: bool| PointWords { bodies: vec![0], span: at(part), post, entry: false };
        Words {
            points: vec![PointWords::default(), point("yield", false)],
            commits: vec![commit(0), commit(1)],
            sections: vec![section(0), section(1)],
            unbounded: true,
            ..Words::default()
        }
    }

    #[test]
    fn those_who_do_the_same_are_counted() {
        let said = |others: usize| sentences(&program(), TEXT, &Words { others, ..words() });
        let same = |sentence: &&String| sentence.ends_with("with other variables");
        assert_eq!(said(0).iter().find(same), None);
        let alone = "what follows is about some of the requests alone, which stand for all";
        assert_eq!(said(1)[0], format!("{alone}: one other request does the same with other variables"));
        assert_eq!(said(7)[0], format!("{alone}: 7 other requests do the same with other variables"));
    }

    #[test]
    fn rows_are_told_together() {
        let said = sentences(&program(), TEXT, &words());
        assert_eq!(
            said,
            [
                "each of L[0] and L[1] = 1 iff one request is between line 3 and line 6",
                "the commit point of r(0) and r(1) is lines 5 to 6",
                "what a request does before its commit point commutes to the right, what it does after it to the left",
            ]
        );
    }

    #[test]
    fn lines_are_marked_once() {
        let marks: Vec<(u32, &str)> = marks(TEXT, &words()).into_iter().collect();
        assert_eq!(marks, [(3, "commutes to the right"), (4, "before the commit point"), (5, "commit point"), (6, "commit point")]);
    }

    #[test]
    fn tickets_and_looks_are_told() {
        let ticket = TicketWords {
            next: GlobalVar(2),
            called: GlobalVar(0),
            draws: vec![at("lock(L")],
            asks: vec![at("yield"), at("X :=")],
            calls: vec![at("unlock")],
        };
        let look = |again: Vec<Span>| Look { global: GlobalVar(2), first: vec![at("lock(L")], again };
        let words = Words { tickets: vec![ticket], looks: vec![look(vec![at("X :=")]), look(Vec::new())], ..Words::default() };
        assert_eq!(
            sentences(&program(), TEXT, &words),
            [
                "tickets are distinct, and L[0] ≤ ticket < X: drawn on line 3, awaited on lines 4 and 5, the next one called on line 6",
                "the request that draws from X first commits first",
                "X is looked at again on line 5, so what line 3 saw need not have stayed",
                "what line 3 saw of X need not have stayed: who goes on does the same in the end",
            ]
        );
        assert_eq!(marks(TEXT, &words).into_iter().collect::<Vec<_>>(), [(3, "draws a ticket")]);
    }

    #[test]
    fn what_stands_against_a_proof_is_named_by_its_line() {
        let place = |part: &str, writes: bool| TextPlace { body: 0, span: at("lock(L"), access: at(part), writes };
        let conflict = Conflict { first: place("X :=", true), second: place("unlock", false), global: GlobalVar(2) };
        assert_eq!(
            why_not(&program(), TEXT, &Why::Conflict(Box::new(conflict))),
            "no commit point: r(0) on line 5 (writes X), then r(0) on line 6 (reads X), cannot change places"
        );
        let error = PossibleError { span: at("X :="), what: "may leave 64 bits" };
        assert_eq!(why_not(&program(), TEXT, &Why::Error(error)), "it is not excluded that line 5 fails: may leave 64 bits");
    }
}
