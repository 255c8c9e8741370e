//! A run that no serial order explains, and what helps to understand it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};
use serval_diagnostic::counted;

use crate::in_time::stale::Course;
use crate::nearest::NearestOrder;
use crate::statements::RunStatement;
use crate::trace::TraceEvent;
use crate::why::{OrderEdge, Why};

/// Of orders that give the same answers, each to another request, these are shown.
const MOST_ALIKE: usize = 2;

/// A run that no serial order explains.
#[derive(Clone, Debug, Serialize)]
pub struct Counterexample {
    /// Who took part and what they were told.
    pub requests: Vec<Answered>,
    /// Whether it is proved that fewer requests do not suffice.
    pub minimal: bool,
    /// The name of the anomaly, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anomaly: Option<&'static str>,
    /// Answers of this run that no serial run of any length gives, as far as that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<NeverSerial>,
    /// The component that the run lives in, where there are several.
    #[serde(skip_serializing_if = "is_zero")]
    pub component: usize,
    /// The complete run.
    pub steps: Vec<TraceEvent>,
    /// What the names of states stand for.
    #[serde(flatten)]
    pub states: StatesField,
    /// The globals whose values are members of an `enum`, and these members, from that of 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub enums: BTreeMap<String, Vec<String>>,
    /// The globals of which some values are constants with a name, and these names.
    #[serde(skip)]
    pub constants: BTreeMap<String, BTreeMap<i64, String>>,
    /// How people see elements of arrays that have another name in the network system.
    #[serde(skip)]
    pub spelled: BTreeMap<String, String>,
    /// Where what matters is the order in time: pairs of requests of which the first answered before the second came,
    /// as few as say it all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub precedence: Vec<[u32; 2]>,
    /// Why no order agrees with them.
    #[serde(skip)]
    pub in_time: Option<TimeOrders>,
    /// The run in words, for the text report.
    #[serde(skip)]
    pub story: Vec<String>,
    /// Of a workload of SQL: the statements of the run, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<RunStatement>,
    /// Why there is no serial order, and what the text report says besides.
    #[serde(rename = "why", skip_serializing_if = "Explanation::says_nothing", serialize_with = "reasons")]
    pub explanation: Explanation,
}

/// Why there is no serial order, as machines have it.
#[derive(Serialize)]
struct Reasons<'a> {
    #[serde(skip_serializing_if = "<[OrderEdge]>::is_empty")]
    circle: &'a [OrderEdge],
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<&'a NearestOrder>,
    words: Vec<String>,
}

fn reasons<S: Serializer>(explanation: &Explanation, serializer: S) -> Result<S::Ok, S::Error> {
    let circle = explanation.why.as_ref().map_or(&[][..], |why| &why.edges);
    Reasons { circle, nearest: explanation.nearest.as_ref(), words: explanation.reasons() }.serialize(serializer)
}

impl Explanation {
    fn says_nothing(&self) -> bool {
        self.why.is_none() && self.nearest.is_none()
    }

    /// Why there is no serial order, a sentence or a part of one each.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.nearest.iter().map(|nearest| capital(&nearest.lines().join(" "))).collect();
        lines.extend(self.why.iter().flat_map(Why::lines));
        lines
    }
}

/// A sentence that begins as sentences do.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Counterexample {
    /// The statements of a step.
    pub(crate) fn issued(&self, position: usize) -> impl Iterator<Item = &RunStatement> {
        self.statements.iter().filter(move |statement| statement.step == position)
    }

    /// What all requests share: rows of tables, or globals of a program.
    pub(crate) fn shared_word(&self) -> &'static str {
        if self.statements.is_empty() { "globals" } else { "rows" }
    }

    /// The last statement that sets something: without it the requests would have an order.
    pub(crate) fn decisive_statement(&self) -> Option<&RunStatement> {
        let sets = |statement: &&RunStatement| statement.shows.iter().any(|shown| shown.contains(" := "));
        self.statements.iter().rev().find(sets).or(self.statements.last())
    }

    /// The value of a global as people see it.
    pub(crate) fn value(&self, variable: &str, value: i64) -> String {
        let member = usize::try_from(value).ok().and_then(|value| self.enums.get(variable)?.get(value));
        let constant = || self.constants.get(variable)?.get(&value);
        member.or_else(constant).cloned().unwrap_or_else(|| value.to_string())
    }
}

impl LocalValues {
    /// The value of a local as people see it; nothing where it is not known.
    pub(crate) fn value(&self, variable: &str) -> String {
        let number = || self.vars.get(variable).map(i64::to_string);
        self.names.get(variable).cloned().or_else(number).unwrap_or_default()
    }
}

/// What helps people to understand a counterexample.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The circle of conflicts, if the variables are known.
    pub why: Option<Why>,
    /// Where the nearest serial order parts from the run, if that is known.
    pub nearest: Option<NearestOrder>,
    /// The lines of the text that matter.
    pub excerpt: Vec<ExcerptLine>,
    /// What there is to say about them, by their numbers.
    pub notes: BTreeMap<u32, &'static str>,
    /// What each serial order gives, if there are few.
    pub serial: Vec<SerialOrder>,
    /// Where there are many: how many states serial runs of these requests with
    /// these answers can be in, none of which has all of them.
    pub serial_states: Option<usize>,
    /// Where there are many: the serial order that gives most of the answers.
    pub closest: Option<Closest>,
}

/// A serial order that gives as many of the answers as any, and where it departs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closest {
    /// Requests one at a time, and what they answer as in the run.
    pub order: Vec<(String, String)>,
    /// A request that comes next and answers something else.
    pub request: String,
    /// What it answered in the run.
    pub wanted: String,
    /// What it can answer here.
    pub given: Vec<String>,
}

impl Closest {
    /// The order in words, the same in a row counted.
    pub(crate) fn order_words(&self) -> String {
        let mut parts: Vec<(String, usize)> = Vec::new();
        for (request, response) in &self.order {
            let told = format!("{request} → {response}");
            match parts.last_mut().filter(|(known, _)| *known == told) {
                Some((_, count)) => *count += 1,
                None => parts.push((told, 1)),
            }
        }
        let told = parts.into_iter().map(|(told, count)| if count > 1 { format!("{told} (× {count})") } else { told });
        told.collect::<Vec<_>>().join(", then ")
    }

    /// Where it departs.
    pub(crate) fn departure(&self) -> String {
        let Self { request, wanted, given, .. } = self;
        let gives = if given.is_empty() { "never ends".to_owned() } else { format!("answers {}", given.join(" or ")) };
        format!("{request} {gives}, not {wanted}")
    }
}

/// A line of the text that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptLine {
    /// Its number.
    pub line: u32,
    /// The line, as it is shown.
    pub code: String,
    /// What there is to say about it.
    pub note: &'static str,
}

/// One serial order and what it can give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialOrder {
    /// The requests in this order.
    pub order: Vec<u32>,
    /// What they can answer, in the order of their numbers.
    pub answers: Vec<Vec<String>>,
}

impl SerialOrder {
    pub(crate) fn line(&self) -> String {
        let numbers: Vec<String> = self.order.iter().map(|id| format!("#{id}")).collect();
        let answers: Vec<String> = self.answers.iter().map(|answers| answers.join(", ")).collect();
        let given = if answers.is_empty() { "never ends".to_owned() } else { format!("gives {}", answers.join(" or ")) };
        format!("{} {given}", numbers.join(" then "))
    }
}

/// Why no order agrees with the one in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeOrders {
    /// Pairs of requests of which the first had answered when the second came, as few as leave no order.
    pub needed: Vec<[u32; 2]>,
    /// Whether the second of each changes nothing.
    pub only_reads: bool,
    /// What the orders give that agree with these pairs, if there are few.
    pub left: Vec<SerialOrder>,
    /// An order that does not, and gives the answers of the run.
    pub without: Vec<u32>,
    /// How it came to that, as far as reads and writes tell.
    pub(crate) courses: Vec<Course>,
}

impl TimeOrders {
    /// These pairs; whether the second of each `only_reads`; the orders that are left, and the one without the clock.
    pub fn new(needed: Vec<[u32; 2]>, only_reads: bool, left: Vec<SerialOrder>, without: Vec<u32>) -> Self {
        Self { needed, only_reads, left, without, courses: Vec::new() }
    }
}

fn is_zero(component: &usize) -> bool {
    *component == 0
}

/// An answer that no serial run gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NeverSerial {
    /// The request.
    pub request: String,
    /// What it is never told.
    pub response: String,
    /// What that is called, where it is a member of an `enum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether serial runs give this answer to other requests.
    #[serde(skip)]
    pub elsewhere: bool,
    /// Whether the text names it as an answer, as in `return 409`: then it says that others were there. An answer that
    /// is computed may just be wrong.
    #[serde(skip)]
    pub written: bool,
}

impl NeverSerial {
    /// A sentence without a full stop.
    pub(crate) fn line(&self) -> String {
        let Self { request, response, name, elsewhere, .. } = self;
        let answer = name.as_ref().unwrap_or(response);
        if *elsewhere {
            format!("no serial run ever answers {answer} to {request}")
        } else {
            format!("no serial run ever answers {answer}")
        }
    }
}

impl Counterexample {
    /// What is said of answers that no serial run gives, each sentence once: it may be true of several requests.
    pub(crate) fn never_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.never.iter().map(NeverSerial::line) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// What serial orders give, a line each. Of more than two orders those that say the same are counted: the same
    /// answers, or the same to requests of the same name.
    pub(crate) fn serial_lines(&self) -> Vec<String> {
        let serial = &self.explanation.serial;
        let mut lines = Vec::new();
        let mut told = vec![false; serial.len()];
        for first in 0..serial.len() {
            if told[first] {
                continue;
            }
            let alike: Vec<usize> = (first..serial.len()).filter(|&other| self.given_by(other) == self.given_by(first)).collect();
            let (mut shown, mut rest) = (0, 0);
            for &order in &alike {
                if told[order] {
                    continue;
                }
                let equal: Vec<usize> = alike.iter().copied().filter(|&other| serial[other].answers == serial[order].answers).collect();
                let equal = if serial.len() > 2 { equal } else { vec![order] };
                equal.iter().for_each(|&other| told[other] = true);
                if shown == MOST_ALIKE {
                    rest += equal.len();
                    continue;
                }
                shown += 1;
                let more = match equal.len() - 1 {
                    0 => String::new(),
                    1 => "; so does 1 other order".to_owned(),
                    count => format!("; so do {}", counted(count, "other order")),
                };
                lines.push(serial[order].line() + &more);
            }
            if rest > 0 {
                let (plural, give) = if rest == 1 { ("", "gives") } else { ("s", "give") };
                lines.push(format!("{rest} other order{plural} {give} the same answers, each to another request"));
            }
        }
        lines
    }

    /// Who is given what in an order, for each way it can go, whatever the numbers of the requests are.
    fn given_by(&self, order: usize) -> BTreeSet<Vec<(&str, &str)>> {
        let answers = self.explanation.serial.get(order).map_or(&[][..], |order| &order.answers);
        let mut ways = BTreeSet::new();
        for answers in answers {
            let requests = self.requests.iter().map(|one| one.request.as_str());
            let mut way: Vec<(&str, &str)> = requests.zip(answers.iter().map(String::as_str)).collect();
            way.sort_unstable();
            ways.insert(way);
        }
        ways
    }

    /// Takes down what is known of answers that no serial run gives. Where one is written in the text for the case that
    /// others are there, and no other request in the cycle has read anything, no read is to blame for it.
    pub fn set_never(&mut self, never: Vec<NeverSerial>) {
        self.never = never;
        let names_a_read = matches!(self.anomaly, Some("dirty-read" | "intermediate-read" | "read-skew"));
        if names_a_read && self.only_they_read() {
            self.anomaly = None;
            if let Some(why) = &mut self.explanation.why {
                why.anomaly = None;
            }
        }
    }

    /// Whether all reads in the cycle are of requests whose answer says that others were there.
    fn only_they_read(&self) -> bool {
        let tells = |id: u32| {
            let answer = self.requests.iter().find(|one| one.id == id);
            answer.is_some_and(|one| {
                self.never.iter().any(|never| never.written && never.request == one.request && never.response == one.response)
            })
        };
        self.explanation.why.iter().flat_map(|why| &why.edges).all(|edge| match (edge.first.writes, edge.second.writes) {
            (false, _) => tells(edge.from),
            (true, false) => tells(edge.to),
            (true, true) => true,
        })
    }

    /// Whether an answer says that others were there.
    pub fn is_about_others(&self) -> bool {
        self.never.iter().any(|answer| answer.written)
    }
}

/// One request of a counterexample.
#[derive(Clone, Debug, Serialize)]
pub struct Answered {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub request: String,
    /// Its response.
    pub response: String,
    /// What that is called, where it is a member of an `enum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The field `states`, which holds global and local states side by side.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StatesField {
    /// Values by the name of the state.
    pub states: BTreeMap<String, StateValues>,
}

/// What one state is.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum StateValues {
    /// Global variables.
    Global(BTreeMap<String, i64>),
    /// A place and local variables.
    Local(LocalValues),
}

/// Where a request is and what it remembers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocalValues {
    /// Line and column.
    pub at: [u32; 2],
    /// Its variables.
    pub vars: BTreeMap<String, i64>,
    /// What their values are called, where they are members of an `enum`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
}

/// Real values behind the names of states.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// By global state.
    pub globals: BTreeMap<String, BTreeMap<String, i64>>,
    /// By local state.
    pub locals: BTreeMap<String, LocalValues>,
}

impl From<States> for StatesField {
    fn from(states: States) -> Self {
        let globals = states.globals.into_iter().map(|(name, values)| (name, StateValues::Global(values)));
        let locals = states.locals.into_iter().map(|(name, values)| (name, StateValues::Local(values)));
        Self { states: globals.chain(locals).collect() }
    }
}
