//! Planning: things are moved one by one.

use super::{MadeNet, Steps, at_most_one};

/// Blocks on a table, in the beginning in one tower with the first on top. The top of a tower goes onto the table or
/// onto the top of another.
pub fn blocks(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    let on = |block: usize, below: usize| format!("on{block}_{below}");
    let (table, clear) = (|block: usize| format!("table{block}"), |block: usize| format!("clear{block}"));
    (1..n).for_each(|block| steps.begins(&on(block, block + 1)));
    steps.begins(&table(n));
    steps.begins(&clear(1));
    for block in 1..=n {
        let others = || (1..=n).filter(move |&other| other != block);
        for from in others() {
            let [held, other, up] = [on(block, from), clear(from), clear(block)];
            steps.transition(&format!("down{block}_{from}"), &[held.as_str(), &up], &[table(block).as_str(), &up, &other]);
            steps.transition(&format!("up{block}_{from}"), &[table(block).as_str(), &up, &other], &[held.as_str(), &up]);
            for to in others().filter(|&to| to != from) {
                steps.transition(
                    &format!("move{block}_{from}_{to}"),
                    &[held.as_str(), &up, &clear(to)],
                    &[on(block, to).as_str(), &up, &other],
                );
            }
        }
    }
    let exclusion: Vec<String> = (1..=n)
        .map(|below| at_most_one(&(1..=n).filter(|&block| block != below).map(|block| on(block, below)).collect::<Vec<_>>()))
        .collect();
    steps.made(&format!("blocks_{n}"), &format!("{n} blocks on a table"), &exclusion)
}

/// Tiles in a frame of two rows of n, with one place free, the last one in the beginning. A tile goes to the free place
/// beside, above or below it.
pub fn tiles(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    let places = 2 * n;
    let at = |tile: usize, place: usize| format!("tile{tile}_{place}");
    let free = |place: usize| format!("free_{place}");
    (0..places - 1).for_each(|place| steps.begins(&at(place + 1, place)));
    steps.begins(&free(places - 1));
    for tile in 1..places {
        for from in 0..places {
            for to in (0..places).filter(|&to| from / n != to / n && from % n == to % n || from / n == to / n && from.abs_diff(to) == 1) {
                steps.transition(&format!("move{tile}"), &[at(tile, from), free(to)], &[at(tile, to), free(from)]);
            }
        }
    }
    let exclusion: Vec<String> =
        (0..places).map(|place| at_most_one(&(1..places).map(|tile| at(tile, place)).chain([free(place)]).collect::<Vec<_>>())).collect();
    steps.made(&format!("tiles_{n}"), &format!("{} tiles in a frame of two rows of {n}", places - 1), &exclusion)
}
