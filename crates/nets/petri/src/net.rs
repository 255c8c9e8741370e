//! Nets, markings, firing.
//!
//! ```
//! use serval_petri::Net;
//! let mut net = Net::new("two make one");
//! let (a, b) = (net.add_place("a", 3).unwrap(), net.add_place("b", 0).unwrap());
//! let pair = net.add_transition("pair", [(a, 2)], [(b, 1)]).unwrap();
//! let end = net.replay(&[pair]).unwrap();
//! assert_eq!((end.tokens(a), end.tokens(b)), (1, 1));
//! assert_eq!(
//!     net.replay(&[pair, pair]).unwrap_err().to_string(),
//!     "transition 2 of the sequence: “pair” takes 2 from “a”, which has 1"
//! );
//! ```

use std::fmt;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::ids::{self, PlaceId, TransitionId};
use serval_diagnostic::counted;

type NameTable = IndexSet<String, FxBuildHasher>;

/// One end of an arc and its weight, which is not 0.
pub type Arc = (PlaceId, u64);

/// A net with its initial marking.
///
/// Invariants, checked by [`Net::check_invariants`]: names of places differ
/// from each other, and so do names of transitions (a place and a transition
/// may have the same); the arcs of a transition ascend by place, have a weight
/// of at least 1, and lead to places of the net.
#[derive(Clone, Debug, Default)]
pub struct Net {
    name: String,
    places: NameTable,
    /// The initial marking, by place.
    tokens: Vec<u64>,
    transitions: NameTable,
    inputs: Vec<Vec<Arc>>,
    outputs: Vec<Vec<Arc>>,
}

/// Equal as data: same names in the same order, same arcs, same marking.
impl PartialEq for Net {
    fn eq(&self, other: &Self) -> bool {
        // Sets of names compare without regard to order, hence the iterators.
        self.name == other.name
            && self.places.iter().eq(other.places.iter())
            && self.transitions.iter().eq(other.transitions.iter())
            && self.tokens == other.tokens
            && self.inputs == other.inputs
            && self.outputs == other.outputs
    }
}

impl Eq for Net {}

/// Why something cannot be added to a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetError {
    /// Another place has this name.
    PlaceTwice(String),
    /// Another transition has this name.
    TransitionTwice(String),
    /// An arc leads to a place that the net does not have.
    NoSuchPlace(PlaceId),
    /// The weights of arcs between the same two nodes sum up to more than
    /// 64 bits hold.
    Weight,
    /// There are more places or transitions than ids.
    TooMany,
    /// There would be more places or transitions than are made.
    TooLarge {
        /// How many places there would be.
        places: usize,
        /// How many transitions there would be.
        transitions: usize,
        /// How many of each are made at most.
        most: usize,
    },
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PlaceTwice(name) => write!(f, "two places are called “{name}”"),
            Self::TransitionTwice(name) => write!(f, "two transitions are called “{name}”"),
            Self::NoSuchPlace(place) => write!(f, "an arc leads to place {}, which does not exist", place.index()),
            Self::Weight => f.write_str("the weight of an arc does not fit 64 bits"),
            Self::TooMany => f.write_str("the net has more than 2³² places or transitions"),
            Self::TooLarge { places, transitions, most } => {
                write!(f, "the net has {places} places and {transitions} transitions; the limit is {most} of each")
            }
        }
    }
}

impl std::error::Error for NetError {}

/// Why a transition did not fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FireError {
    /// The net has no such transition.
    NoSuchTransition(TransitionId),
    /// The marking is not one of this net.
    WrongMarking {
        /// For how many places it says something.
        has: usize,
        /// How many places the net has.
        needs: usize,
    },
    /// A place has too few tokens.
    NotEnabled {
        /// The name of the transition.
        transition: String,
        /// The name of the place.
        place: String,
        /// How many tokens are there.
        has: u64,
        /// How many it takes.
        needs: u64,
    },
    /// A place would have more tokens than 64 bits hold.
    Overflow {
        /// The name of the transition.
        transition: String,
        /// The name of the place.
        place: String,
    },
}

impl fmt::Display for FireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchTransition(id) => write!(f, "there is no transition number {}", id.index()),
            Self::WrongMarking { has, needs } => write!(f, "the marking has {}, the net has {needs}", counted(has, "place")),
            Self::NotEnabled { transition, place, has, needs } => {
                write!(f, "“{transition}” takes {needs} from “{place}”, which has {has}")
            }
            Self::Overflow { transition, place } => {
                write!(f, "“{transition}” would put more tokens on “{place}” than 64 bits hold")
            }
        }
    }
}

impl std::error::Error for FireError {}

/// Where a sequence of transitions stops to be a run, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The position in the sequence, from 0.
    pub position: usize,
    /// What is wrong there.
    pub error: FireError,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transition {} of the sequence: {}", self.position.saturating_add(1), self.error)
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// How many tokens are on each place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marking(Vec<u64>);

impl Marking {
    /// The marking with these numbers of tokens, by place.
    pub fn new(tokens: Vec<u64>) -> Self {
        Self(tokens)
    }

    /// How many tokens are on `place`; none where the marking says nothing.
    pub fn tokens(&self, place: PlaceId) -> u64 {
        self.0.get(place.index()).copied().unwrap_or(0)
    }

    /// The numbers of tokens, by place.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// The numbers of tokens, by place, as a list that can be filled again.
    pub fn as_mut_vec(&mut self) -> &mut Vec<u64> {
        &mut self.0
    }

    /// The places that have tokens, with how many.
    pub fn marked(&self) -> impl Iterator<Item = Arc> {
        ids::places(self.0.len()).zip(&self.0).filter(|&(_, &tokens)| tokens > 0).map(|(place, &tokens)| (place, tokens))
    }

    /// How many tokens there are.
    pub fn total(&self) -> u128 {
        self.0.iter().map(|&tokens| u128::from(tokens)).sum()
    }
}

/// The weight of the arc between a transition and `place`, 0 where there is none.
pub fn weight(arcs: &[Arc], place: PlaceId) -> u64 {
    arcs.binary_search_by_key(&place, |&(other, _)| other).map_or(0, |index| arcs[index].1)
}

/// Arcs in order, one per place.
fn canonical(arcs: impl IntoIterator<Item = Arc>, places: usize) -> Result<Vec<Arc>, NetError> {
    let mut sorted: Vec<Arc> = arcs.into_iter().filter(|&(_, weight)| weight > 0).collect();
    sorted.sort_unstable_by_key(|&(place, _)| place);
    let mut merged: Vec<Arc> = Vec::with_capacity(sorted.len());
    for (place, weight) in sorted {
        if place.index() >= places {
            return Err(NetError::NoSuchPlace(place));
        }
        match merged.last_mut() {
            Some((last, sum)) if *last == place => *sum = sum.checked_add(weight).ok_or(NetError::Weight)?,
            _ => merged.push((place, weight)),
        }
    }
    Ok(merged)
}

impl Net {
    /// A net without places and transitions.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a place with its number of tokens in the beginning.
    pub fn add_place(&mut self, name: impl Into<String>, tokens: u64) -> Result<PlaceId, NetError> {
        let id = PlaceId::try_from_index(self.places.len()).ok_or(NetError::TooMany)?;
        let name = name.into();
        if self.places.contains(&name) {
            return Err(NetError::PlaceTwice(name));
        }
        self.places.insert(name);
        self.tokens.push(tokens);
        Ok(id)
    }

    /// Adds a transition that takes `inputs` and gives `outputs`. Weights for
    /// the same place add up; a weight of 0 is no arc.
    pub fn add_transition(
        &mut self,
        name: impl Into<String>,
        inputs: impl IntoIterator<Item = Arc>,
        outputs: impl IntoIterator<Item = Arc>,
    ) -> Result<TransitionId, NetError> {
        let id = TransitionId::try_from_index(self.transitions.len()).ok_or(NetError::TooMany)?;
        let name = name.into();
        if self.transitions.contains(&name) {
            return Err(NetError::TransitionTwice(name));
        }
        let (inputs, outputs) = (canonical(inputs, self.places.len())?, canonical(outputs, self.places.len())?);
        self.transitions.insert(name);
        self.inputs.push(inputs);
        self.outputs.push(outputs);
        Ok(id)
    }

    /// The name of the net.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many places there are.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// How many transitions there are.
    pub fn transition_count(&self) -> usize {
        self.transitions.len()
    }

    /// How many arcs there are.
    pub fn arc_count(&self) -> usize {
        self.inputs.iter().chain(&self.outputs).map(Vec::len).sum()
    }

    /// All places, in order.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = PlaceId> + use<> {
        ids::places(self.places.len())
    }

    /// All transitions, in order.
    pub fn transitions(&self) -> impl DoubleEndedIterator<Item = TransitionId> + use<> {
        ids::transitions(self.transitions.len())
    }

    /// The name of a place of this net.
    pub fn place_name(&self, place: PlaceId) -> &str {
        &self.places[place.index()]
    }

    /// The name of a transition of this net.
    pub fn transition_name(&self, transition: TransitionId) -> &str {
        &self.transitions[transition.index()]
    }

    /// The place with this name.
    pub fn place_named(&self, name: &str) -> Option<PlaceId> {
        self.places.get_index_of(name).and_then(PlaceId::try_from_index)
    }

    /// The transition with this name.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transitions.get_index_of(name).and_then(TransitionId::try_from_index)
    }

    /// How many tokens a place of this net has in the beginning.
    pub fn initial_tokens(&self, place: PlaceId) -> u64 {
        self.tokens[place.index()]
    }

    /// What a transition of this net takes, in the order of places.
    pub fn inputs(&self, transition: TransitionId) -> &[Arc] {
        &self.inputs[transition.index()]
    }

    /// What a transition of this net gives, in the order of places.
    pub fn outputs(&self, transition: TransitionId) -> &[Arc] {
        &self.outputs[transition.index()]
    }

    /// The same net with another initial marking, which has a number for each place; places beyond its end have none.
    #[must_use]
    pub fn with_initial(mut self, marking: &Marking) -> Self {
        let tokens = self.places().map(|place| marking.as_slice().get(place.index()).copied().unwrap_or(0)).collect();
        self.tokens = tokens;
        self
    }

    /// The initial marking.
    pub fn initial(&self) -> Marking {
        Marking(self.tokens.clone())
    }

    /// Whether `transition` exists and `marking` has what it takes.
    pub fn is_enabled(&self, marking: &Marking, transition: TransitionId) -> bool {
        self.inputs.get(transition.index()).is_some_and(|arcs| arcs.iter().all(|&(place, weight)| marking.tokens(place) >= weight))
    }

    /// Fires `transition`. Where it cannot, `marking` stays as it is.
    pub fn fire(&self, marking: &mut Marking, transition: TransitionId) -> Result<(), FireError> {
        let (Some(inputs), Some(outputs)) = (self.inputs.get(transition.index()), self.outputs.get(transition.index())) else {
            return Err(FireError::NoSuchTransition(transition));
        };
        if marking.0.len() != self.places.len() {
            return Err(FireError::WrongMarking { has: marking.0.len(), needs: self.places.len() });
        }
        let name = |place: PlaceId| (self.transition_name(transition).to_owned(), self.place_name(place).to_owned());
        for &(place, needs) in inputs {
            let has = marking.tokens(place);
            if has < needs {
                let (transition, place) = name(place);
                return Err(FireError::NotEnabled { transition, place, has, needs });
            }
        }
        for &(place, more) in outputs {
            // What is taken makes room first.
            let left = marking.tokens(place).checked_sub(weight(inputs, place));
            if left.and_then(|left| left.checked_add(more)).is_none() {
                let (transition, place) = name(place);
                return Err(FireError::Overflow { transition, place });
            }
        }
        // It was looked at that all of it fits.
        for &(place, less) in inputs {
            let tokens = &mut marking.0[place.index()];
            *tokens = tokens.saturating_sub(less);
        }
        for &(place, more) in outputs {
            let tokens = &mut marking.0[place.index()];
            *tokens = tokens.saturating_add(more);
        }
        Ok(())
    }

    /// The marking after `sequence`, fired from the initial marking.
    pub fn replay(&self, sequence: &[TransitionId]) -> Result<Marking, ReplayError> {
        let mut marking = self.initial();
        for (position, &transition) in sequence.iter().enumerate() {
            self.fire(&mut marking, transition).map_err(|error| ReplayError { position, error })?;
        }
        Ok(marking)
    }

    /// Checks from scratch what the type promises.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check_invariants(&self) {
        assert_eq!(self.places.len(), self.tokens.len());
        assert_eq!(self.transitions.len(), self.inputs.len());
        assert_eq!(self.transitions.len(), self.outputs.len());
        for arcs in self.inputs.iter().chain(&self.outputs) {
            assert!(arcs.is_sorted_by(|a, b| a.0 < b.0));
            assert!(arcs.iter().all(|&(place, weight)| weight > 0 && place.index() < self.places.len()));
        }
    }
}
