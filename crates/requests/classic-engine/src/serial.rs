//! Serial behaviour: from the automaton to a semilinear set, and what is
//! outside of it as questions about a net.

use crate::Places;
use rustc_hash::FxHashSet;
use serval_budget::Budget;
use serval_model::{Letter as Answer, LocalId, NetworkSystem, RequestId, SerialAutomaton, SerialEdge};
use serval_petri::{Constraint, Linear, Target};
use serval_semilinear::{Automaton, Complement, Disjunct, Error, Expression, Image, Letter, Literal, SetWork, StateId, image};

use crate::Options;

/// The local states that requests can get to from their starts along steps,
/// whatever the global state.
fn in_flight(system: &NetworkSystem) -> Vec<(RequestId, LocalId)> {
    let mut found = system.starts().to_vec();
    let mut seen: FxHashSet<(RequestId, LocalId)> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(&(request, local)) = found.get(next) {
        next += 1;
        found.extend(system.steps_of(local).iter().map(|step| (request, step.to_local)).filter(|&to| seen.insert(to)));
    }
    found
}

/// How many transitions the net would have if steps and responses were only
/// those of requests that can get to the local state.
pub(crate) fn concerned(system: &NetworkSystem) -> usize {
    let of_local = |local| system.steps_of(local).len() + system.answers_of(local).len();
    system.starts().len() + in_flight(system).into_iter().map(|(_, local)| of_local(local)).sum::<usize>()
}

/// The language of serial runs: the serial automaton of a system with numbers
/// for answers, as regular expressions and Parikh images are made of it.
#[derive(Clone, Debug)]
pub struct SerialLanguage {
    /// The letters: all answers that a request gives in a local state that it
    /// can get to along steps, whatever the global state; in order. Those that no
    /// serial run gives are among them. The net has places for more pairs, which
    /// never get a token: nothing has to be asked about them.
    pub letters: Vec<Answer>,
    /// The edges of the automaton, in its order.
    pub edges: Vec<SerialEdge>,
    /// The automaton; each edge has a letter.
    pub automaton: Automaton,
}

impl SerialLanguage {
    /// The language of the serial runs of a system.
    pub fn new(system: &NetworkSystem, budget: &mut Budget) -> Result<Self, Error> {
        let serial = SerialAutomaton::new(system, budget).map_err(Error::Stopped)?;
        let answers = |(request, local)| system.answers_of(local).iter().map(move |&(_, response)| (request, response));
        let mut letters: Vec<Answer> = in_flight(system).into_iter().flat_map(answers).collect();
        letters.sort_unstable();
        letters.dedup();
        let missing = |what| Error::OutOfRange { what, index: 0, count: 0 };
        let state = |global| serial.states().binary_search(&global).map(StateId).map_err(|_| missing("state"));
        let letter = |answer| letters.binary_search(&answer).map(Letter).map_err(|_| missing("letter"));
        let edges: Result<Vec<_>, Error> =
            serial.edges().iter().map(|edge| Ok((state(edge.from)?, letter(edge.letter)?, state(edge.to)?))).collect();
        let automaton = Automaton::new(serial.states().len(), state(serial.initial())?, edges?, letters.len())?;
        Ok(Self { letters, edges: serial.edges().to_vec(), automaton })
    }
}

/// The serial behaviour of a system: which answers can be given by one request
/// after the other.
#[derive(Clone, Debug)]
pub struct Serial {
    /// The language of its serial runs.
    pub language: SerialLanguage,
    /// Its regular expression and the counts of its words.
    pub image: Image,
}

impl Serial {
    /// The serial behaviour of a system.
    pub fn new(system: &NetworkSystem, options: &Options, budget: &mut Budget) -> Result<Self, Error> {
        let language = SerialLanguage::new(system, budget)?;
        let image = image(&language.automaton, &options.semilinear(), budget)?;
        Ok(Self { language, image })
    }

    /// What is outside, as a conjunction of clauses.
    pub fn complement(&self, options: &Options, budget: &mut Budget) -> Result<Complement, Error> {
        self.image.small.clauses(&mut SetWork::new(&options.semilinear(), budget))
    }
}

/// No request is in flight, and the answers are in a disjunct. `None` where numbers
/// do not fit.
pub fn query(serial: &Serial, places: &Places, disjunct: &Disjunct) -> Option<Target> {
    let expression = |expression: &Expression| {
        let terms = expression.terms().iter().map(|&(letter, coefficient)| Some((*serial.language.letters.get(letter.0)?, coefficient)));
        Linear::new(terms.collect::<Option<Vec<(Answer, i64)>>>()?, expression.constant())
    };
    let constraints: Option<Vec<Constraint<Answer>>> = disjunct
        .literals()
        .iter()
        .map(|literal| match literal {
            Literal::AtLeastZero(wanted) => expression(wanted).map(Constraint::AtLeastZero),
            Literal::NotDivisible(wanted, divisor) => {
                expression(wanted).map(|expression| Constraint::NotDivisible { divisor: *divisor, expression })
            }
        })
        .collect();
    Some(places.completed(constraints?))
}
