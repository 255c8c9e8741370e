//! A run that no serial order explains, and what helps to understand it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::trace::TraceEvent;
use crate::why::Why;

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
    /// The run in words, for the text report.
    #[serde(skip)]
    pub story: Vec<String>,
    /// What the text report says besides.
    #[serde(skip)]
    pub explanation: Explanation,
}

/// What helps people to understand a counterexample.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The cycle of conflicts, if the variables are known.
    pub why: Option<Why>,
    /// The lines of the text that matter.
    pub excerpt: Vec<String>,
    /// What there is to say about them, by their numbers.
    pub notes: BTreeMap<u32, &'static str>,
    /// What each serial order gives, if there are few.
    pub serial: Vec<SerialOrder>,
    /// Where there are many: how many states serial runs of these requests with
    /// these answers can be in, none of which has all of them.
    pub serial_states: Option<usize>,
}

/// One serial order and what it can give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialOrder {
    /// The requests in this order.
    pub order: Vec<u32>,
    /// What they can answer, in the order of their numbers.
    pub answers: Vec<Vec<String>>,
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
    /// Whether serial runs give this answer to other requests.
    #[serde(skip)]
    pub elsewhere: bool,
    /// Whether the text names it as an answer, as in `return 409`: then it says that others were there. An answer that is computed may
    /// just be wrong.
    #[serde(skip)]
    pub written: bool,
}

impl NeverSerial {
    /// A sentence without a full stop.
    pub(crate) fn line(&self) -> String {
        let Self { request, response, elsewhere, .. } = self;
        if *elsewhere {
            format!("no serial run ever answers {response} to {request}")
        } else {
            format!("no serial run ever answers {response}")
        }
    }
}

impl Counterexample {
    /// Takes down what is known of answers that no serial run gives. Where one is written in the text for the case that others are
    /// there, and nobody else in the cycle has read anything, no read is to blame for it.
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
