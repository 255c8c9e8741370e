//! Automata whose walks stand for serial runs.

/// A finite automaton. Every state accepts, so that it stands for the walks from
/// its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// How many states there are.
    pub states: u32,
    /// Where walks begin.
    pub start: u32,
    /// From, label, to; sorted, without repetition. Labels are letters (done
    /// nodes), or classes of letters, by number.
    pub edges: Vec<(u32, u32, u32)>,
}
