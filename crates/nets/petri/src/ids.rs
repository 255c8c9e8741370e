//! Typed indices. Each counts from 0 within one net and means nothing outside
//! it.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index, or `None` where the index does not fit.
            pub fn try_from_index(index: usize) -> Option<Self> {
                u32::try_from(index).ok().map(Self)
            }

            /// The index that this id stands for.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A place of a net.
    PlaceId,
    "p"
);
id!(
    /// A transition of a net.
    TransitionId,
    "t"
);

/// The ids below `count`. No table is longer than ids reach, because
/// [`Net`](crate::Net) refuses what would make it so.
pub(crate) fn places(count: usize) -> impl DoubleEndedIterator<Item = PlaceId> {
    (0..u32::try_from(count).unwrap_or(u32::MAX)).map(PlaceId)
}

/// As [`places`], for transitions.
pub(crate) fn transitions(count: usize) -> impl DoubleEndedIterator<Item = TransitionId> {
    (0..u32::try_from(count).unwrap_or(u32::MAX)).map(TransitionId)
}
