//! Typed indices. Each counts from 0 within one network system and means
//! nothing outside it.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index, or `None` where the index does not fit.
            pub fn try_from_index(index: usize) -> Option<Self> {
                u32::try_from(index).ok().map(Self)
            }

            /// The id with this index.
            ///
            /// # Panics
            /// When the index exceeds `u32::MAX`. Every table in this project
            /// is held below that by the state limits.
            pub fn from_index(index: usize) -> Self {
                match Self::try_from_index(index) {
                    Some(id) => id,
                    None => panic!("{} {index} does not fit 32 bits", stringify!($name)),
                }
            }

            /// The index that this id stands for.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

id!(
    /// A global state: what all requests share.
    GlobalId
);
id!(
    /// A local state: how far one request has come and what it remembers.
    LocalId
);
id!(
    /// A request name.
    RequestId
);
id!(
    /// A response.
    ResponseId
);
