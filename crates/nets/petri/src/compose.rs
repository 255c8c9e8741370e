//! Several nets as one.

use rustc_hash::FxHashMap;

use crate::{Arc, Net, NetError, PlaceId};

/// The nets side by side, in which transitions with the same name are one transition: it takes what all of them take
/// and gives what all of them give, so that it fires where all of them can. Transitions of one net have different
/// names, so none is joined with another of its own net.
///
/// Places remain apart. One whose name another net has as well is called by the name of its net, a colon and its own;
/// where two nets are called alike, by the position of its net, from 1.
///
/// ```
/// use serval_petri::{compose, tina};
/// let left = tina::read("net left\npl idle (1)\ntr meet idle -> done").unwrap();
/// let right = tina::read("net right\npl idle (1)\ntr come -> idle\ntr meet idle ->").unwrap();
/// let both = compose(&[left, right]).unwrap();
/// assert_eq!(
///     tina::write(&both),
///     "net {left || right}\npl {left:idle} (1)\npl done (0)\npl {right:idle} (1)\n\
///      tr meet {left:idle} {right:idle} -> done\ntr come -> {right:idle}\n"
/// );
/// ```
pub fn compose(nets: &[Net]) -> Result<Net, NetError> {
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    let mut titles: FxHashMap<&str, usize> = FxHashMap::default();
    for net in nets {
        *titles.entry(net.name()).or_default() += 1;
        for place in net.places() {
            *count.entry(net.place_name(place)).or_default() += 1;
        }
    }
    let names: Vec<&str> = nets.iter().map(Net::name).collect();
    let mut whole = Net::new(names.join(" || "));
    let mut order: Vec<&str> = Vec::new();
    let mut arcs: FxHashMap<&str, [Vec<Arc>; 2]> = FxHashMap::default();
    for (position, net) in nets.iter().enumerate() {
        let title = if titles[net.name()] > 1 { (position + 1).to_string() } else { net.name().to_owned() };
        let mut places: Vec<PlaceId> = Vec::with_capacity(net.place_count());
        for place in net.places() {
            let name = net.place_name(place);
            let name = if count[name] > 1 { format!("{title}:{name}") } else { name.to_owned() };
            places.push(whole.add_place(name, net.initial_tokens(place))?);
        }
        for transition in net.transitions() {
            let joined = arcs.entry(net.transition_name(transition)).or_insert_with(|| {
                order.push(net.transition_name(transition));
                Default::default()
            });
            for (all, own) in joined.iter_mut().zip([net.inputs(transition), net.outputs(transition)]) {
                all.extend(own.iter().map(|&(place, weight)| (places[place.index()], weight)));
            }
        }
    }
    for name in order {
        let [inputs, outputs] = arcs.remove(name).unwrap_or_default();
        whole.add_transition(name, inputs, outputs)?;
    }
    Ok(whole)
}
