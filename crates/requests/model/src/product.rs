//! The product of independent systems: all of them side by side in one.
//!
//! A global state of the product holds one global state of each component; a
//! request of one component moves as it does there and leaves the parts of
//! the others alone. Runs of the product are therefore the interleavings of
//! runs of the components, and
//!
//! ```text
//! Int(A × B) = Int(A) + Int(B)        Ser(A × B) = Ser(A) + Ser(B)
//! ```
//!
//! where `+` takes one multiset from each side and sums them: reordering the
//! events of different components changes nothing, since none looks at what
//! the other changes. That is why components are decided one by one, and the
//! product, whose size is the product of their sizes, is made only for those
//! who ask for it.
//!
//! Names are joined so that they stay apart: a global state is named by the
//! components' names with `|` between them, where `|` and `\` in a name are
//! written `\|` and `\\`; local state `L` of the second component is `2:L`.
//! Requests and responses keep their names. Components of a program share no
//! request; where systems do share one, a request of that name runs in either
//! of them, and the equations above still hold.
//!
//! ```
//! use serval_model::{NetworkSystem, product};
//! let one = r#"{"initial_global": "G", "requests": [["a", "L"]], "responses": [["M", "ok"]],
//!     "transitions": [["L", "G", "M", "H"]]}"#;
//! let other = one.replace("\"a\"", "\"b\"");
//! let (a, b) = (NetworkSystem::from_json(one).unwrap(), NetworkSystem::from_json(&other).unwrap());
//! let both = product(&[&a, &b], 1000).unwrap();
//! assert_eq!(both.global_name(both.initial_global()), "G|G");
//! assert_eq!((both.global_count(), both.local_count(), both.steps().len()), (4, 4, 4));
//! assert_eq!(product(&[&a, &b], 3).unwrap_err().to_string(), "the product has 4 global states; the limit is 3");
//! ```

use std::fmt;

use crate::{GlobalId, NetworkSystem, SystemBuilder};

/// A product is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there is too much of, in the plural.
    pub what: &'static str,
    /// How many the product would have; `u128::MAX` stands for that many or more.
    pub needed: u128,
    /// How many are allowed.
    pub limit: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.needed == u128::MAX { "at least " } else { "" };
        write!(f, "the product has {more}{} {}; the limit is {}", self.needed, self.what, self.limit)
    }
}

impl std::error::Error for TooLarge {}

/// The product of `components`, if it has at most `limit` global states, at
/// most `limit` local states and at most `limit` steps. The product of one
/// system is that system.
///
/// Sizes are computed and compared before anything is built.
pub fn product(components: &[&NetworkSystem], limit: usize) -> Result<NetworkSystem, TooLarge> {
    let wide = |count: usize| u128::try_from(count).unwrap_or(u128::MAX);
    // Ids have 32 bits, whatever the caller allows.
    let limit = limit.min(usize::try_from(u32::MAX).unwrap_or(usize::MAX));
    let within = |what: &'static str, needed: u128| if needed > wide(limit) { Err(TooLarge { what, needed, limit }) } else { Ok(()) };
    let globals = components.iter().fold(1u128, |product, system| product.saturating_mul(wide(system.global_count())));
    within("global states", globals)?;
    within("local states", components.iter().fold(0u128, |sum, system| sum.saturating_add(wide(system.local_count()))))?;
    // A step of a component is there once for each way in which the others
    // can be. Every system has a global state, so this divides without rest.
    let steps = components.iter().fold(0u128, |sum, system| {
        let others = globals / wide(system.global_count()).max(1);
        sum.saturating_add(others.saturating_mul(wide(system.steps().len())))
    });
    within("steps", steps)?;

    if let [only] = components {
        return Ok((*only).clone());
    }
    Ok(build(components))
}

fn build(components: &[&NetworkSystem]) -> NetworkSystem {
    // The index of a global state of the product is a number whose digits are
    // the indices of its parts, the first component's digit most significant:
    // with 2 and 3 global states, (1, 2) is 1·3 + 2. `weight[k]` is the value
    // of digit k.
    let mut weight = vec![1; components.len()];
    for k in (1..components.len()).rev() {
        weight[k - 1] = weight[k] * components[k].global_count();
    }
    let total = components.iter().map(|system| system.global_count()).product::<usize>();

    let mut builder = SystemBuilder::new();
    // Joined names differ where the parts differ, so the builder hands out
    // ids in the order of the indices.
    let globals: Vec<GlobalId> = (0..total)
        .map(|index| {
            let parts = components.iter().zip(&weight);
            let names = parts.map(|(system, weight)| {
                let part = GlobalId::from_index(index / weight % system.global_count());
                system.global_name(part).replace('\\', "\\\\").replace('|', "\\|")
            });
            builder.global(&names.collect::<Vec<_>>().join("|"))
        })
        .collect();
    for (k, system) in components.iter().enumerate() {
        add_component(&mut builder, &globals, k + 1, system, weight[k]);
    }
    let initial: usize = components.iter().zip(&weight).map(|(system, weight)| system.initial_global().index() * weight).sum();
    builder.finish(globals[initial])
}

/// Adds what component `number`, whose digit has this `weight`, can do.
fn add_component(builder: &mut SystemBuilder, globals: &[GlobalId], number: usize, system: &NetworkSystem, weight: usize) {
    let locals: Vec<_> = system.locals().map(|local| builder.local(&format!("{number}:{}", system.local_name(local)))).collect();
    for &(request, local) in system.starts() {
        let request = builder.request(system.request_name(request));
        builder.start(request, locals[local.index()]);
    }
    for &(local, response) in system.answers() {
        let response = builder.response(system.response_name(response));
        builder.answer(locals[local.index()], response);
    }
    // The global states of the product in which this component's digit is 0
    // are `high · base + low` with `low < weight`.
    let base = weight * system.global_count();
    for step in system.steps() {
        for high in (0..globals.len()).step_by(base) {
            for low in 0..weight {
                let at = |part: GlobalId| globals[high + low + part.index() * weight];
                builder.step(locals[step.local.index()], at(step.global), locals[step.to_local.index()], at(step.to_global));
            }
        }
    }
}
