//! What a certificate says of points, each saying kept once.
//!
//! Of locks in a row as much is said as there are pairs of locks, and mostly the same. So a point has, for each global
//! of which something is said there, the number of what is said. Equal sayings have equal numbers: points about which
//! the same is said are found by comparing numbers.

use rustc_hash::FxHashMap;
use serval_proof::Group;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::path::PointId;

/// A number in a certificate that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaningless(pub String);

/// What is said of a global at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct AtPoint {
    /// The owner, by position.
    pub(crate) owner: Option<u32>,
    /// What a request here adds to the global.
    pub(crate) weight: i64,
    /// Values that it does not have; ascending.
    pub(crate) doomed: Vec<i64>,
    /// Where it lies.
    pub(crate) known: Option<Domain>,
}

/// What is said of all points of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    /// Globals, ascending, and the numbers of what is said of them.
    pub(crate) globals: Vec<(GlobalVar, u32)>,
    /// Those that exclude others, ascending.
    pub(crate) groups: Vec<Group>,
    /// The locks of which requests here have a ticket, and whether it is called; ascending.
    pub(crate) tickets: Vec<(u32, bool)>,
}

impl Class {
    /// The number of what is said of a global.
    pub(crate) fn of(&self, global: GlobalVar) -> Option<u32> {
        self.globals.binary_search_by_key(&global, |entry| entry.0).ok().map(|at| self.globals[at].1)
    }
}

/// Everything that is said somewhere, while it is collected.
#[derive(Default)]
pub(crate) struct Sayings {
    list: Vec<AtPoint>,
    numbers: FxHashMap<AtPoint, u32>,
}

impl Sayings {
    /// All of them, by their numbers.
    pub(crate) fn into_list(self) -> Vec<AtPoint> {
        self.list
    }

    fn number(&mut self, said: AtPoint) -> u32 {
        // There are at most as many as points in a certificate.
        let new = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(said).or_insert_with_key(|said| {
            self.list.push(said.clone());
            new
        })
    }

    /// Says more of a global at some points. The first point is returned where `more` does not go with what is said
    /// already.
    pub(crate) fn add(
        &mut self,
        classes: &mut [Class],
        points: &[PointId],
        global: GlobalVar,
        more: impl Fn(&mut AtPoint) -> bool,
    ) -> Result<(), PointId> {
        // Points next to each other mostly had the same said of them.
        let mut last: Option<(Option<u32>, u32)> = None;
        for &point in points {
            let globals = &mut classes[point.index()].globals;
            // Certificates mostly speak of globals in their order.
            let is_last = globals.last().is_none_or(|entry| entry.0 < global);
            let at = if is_last { Err(globals.len()) } else { globals.binary_search_by_key(&global, |entry| entry.0) };
            let old = at.ok().map(|at| globals[at].1);
            let new = match last {
                Some((before, after)) if before == old => after,
                _ => {
                    let mut said = old.map_or_else(AtPoint::default, |old| self.list[old as usize].clone());
                    if !more(&mut said) {
                        return Err(point);
                    }
                    self.number(said)
                }
            };
            last = Some((old, new));
            match at {
                Ok(at) => globals[at].1 = new,
                Err(at) => globals.insert(at, (global, new)),
            }
        }
        Ok(())
    }
}
