//! States that a search found, with the way to each.

use serval_evidence::RowNumber;

use crate::set::StateSet;

/// A set of states, each with the state before it and what led from there. The first state is where the search begins.
///
/// ```
/// use serval_states::Explored;
/// let mut explored = Explored::new(&[0_u64], '.');
/// explored.insert(&[1], 0, 'a');
/// explored.insert(&[2], 1, 'b');
/// explored.insert(&[2], 0, 'c');
/// assert_eq!(explored.way_back(2).map(|step| step.1).collect::<String>(), "ba");
/// ```
#[derive(Clone)]
pub struct Explored<W, Label> {
    states: StateSet<W>,
    /// By state the number of the one before, and what led from there; of the first state this means nothing.
    from: Vec<(u32, Label)>,
}

impl<W: RowNumber, Label: Copy> Explored<W, Label> {
    /// The first state; its label is never seen.
    pub fn new(first: &[W], label: Label) -> Self {
        let mut states = StateSet::default();
        states.insert(first);
        Self { states, from: vec![(0, label)] }
    }

    /// Adds a state that another leads to. Says its number, and whether it is new; nothing where the set is full.
    pub fn insert(&mut self, state: &[W], before: usize, label: Label) -> Option<(usize, bool)> {
        let before = u32::try_from(before).ok()?;
        let (number, is_new) = self.states.insert(state)?;
        if is_new {
            self.from.push((before, label));
        }
        Some((number, is_new))
    }

    /// The steps that lead to a state, from the last to the first: the number of the state before, and what led from
    /// there.
    pub fn way_back(&self, mut number: usize) -> impl Iterator<Item = (usize, Label)> + '_ {
        std::iter::from_fn(move || {
            if number == 0 {
                return None;
            }
            let (before, label) = self.from[number];
            number = before as usize;
            Some((number, label))
        })
    }

    /// The states.
    pub fn states(&self) -> &StateSet<W> {
        &self.states
    }

    /// The states alone.
    pub fn into_states(self) -> StateSet<W> {
        self.states
    }
}
