//! Random questions about nets whose places have at most one token: what is true of several places at once.

use serval_model::SplitMix64;
use serval_petri::{Net, words};

/// So many questions that the name of the net draws, as on the command line: whether places have tokens together.
pub fn formulas(net: &Net, count: usize) -> Vec<String> {
    let seed = net.name().bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let draw = &mut SplitMix64::new(seed);
    let names: Vec<String> = net.places().map(|place| words::quoted(net.place_name(place))).collect();
    let ask = |number: usize| {
        let [one, other] = [(); 2].map(|()| clause(draw, &names));
        match number % 4 {
            0 | 1 => format!("reachable: {one}"),
            2 => format!("reachable: ({one}) or ({other})"),
            _ => format!("invariant: not ({one}) and not ({other})"),
        }
    };
    (0..count).map(ask).collect()
}

/// Two or three places have a token; and perhaps two of three others, or another has none.
fn clause(draw: &mut SplitMix64, names: &[String]) -> String {
    let count = 2 + draw.index(2);
    let parts: Vec<String> = (0..count).map(|_| format!("{} = 1", names[draw.index(names.len())])).collect();
    let [first, second, third] = [(); 3].map(|()| &names[draw.index(names.len())]);
    let more = match draw.index(4) {
        0 => format!(" and {first} + {second} + {third} >= 2"),
        1 => format!(" and {first} = 0"),
        _ => String::new(),
    };
    parts.join(" and ") + &more
}
