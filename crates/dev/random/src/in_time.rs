//! The order in time by trying everything: all runs of few requests, and for each complete one all orders.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_model::{Letter, NormalForm};

/// A request: where it is, and which requests had answered when it came.
type RequestPlace = (u32, u32);

/// The fewest requests, up to some number, of a complete run that no order in time explains, with at most so many in
/// flight; nothing where that takes more than so many configurations.
pub fn fewest_out_of_order(form: &NormalForm, requests: usize, in_flight: usize, mut configurations: usize) -> Option<Option<usize>> {
    let mut alone = Alone::new(form);
    for count in 1..=requests {
        let mut seen: FxHashSet<(u32, Vec<RequestPlace>)> = FxHashSet::default();
        let mut to_visit = vec![(form.initial_global(), Vec::<RequestPlace>::new())];
        while let Some((global, places)) = to_visit.pop() {
            configurations = configurations.checked_sub(1)?;
            let answered = |&(node, _): &RequestPlace| form.is_done(node);
            let flying = places.iter().filter(|place| !answered(place)).count();
            if places.len() == count && flying == 0 && !alone.has_order(&places, 0, form.initial_global()) {
                return Some(Some(count));
            }
            let mut next = Vec::new();
            for (index, &(node, before)) in places.iter().enumerate() {
                for step in form.steps_from((node, global)) {
                    let mut places = places.clone();
                    places[index] = (step.to_node, before);
                    next.push((step.to_global, places));
                }
            }
            if places.len() < count && flying < in_flight {
                let done = (0..).zip(&places).filter(|(_, place)| answered(place)).fold(0, |set, (index, _)| set | 1 << index);
                for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
                    for step in form.steps_from((node, global)) {
                        next.push((step.to_global, [&places[..], &[(step.to_node, done)]].concat()));
                    }
                }
            }
            to_visit.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
        }
    }
    Some(None)
}

/// Where a request is, whether it came behind a moment, and whether it answered behind it.
type Divided = (u32, bool, bool);

/// The fewest requests, up to some number, of a complete run with a moment at which no order agrees with the one in
/// time; nothing where that takes more than so many configurations.
pub fn fewest_at_a_moment(form: &NormalForm, requests: usize, mut configurations: usize) -> Option<Option<usize>> {
    let mut alone = Alone::new(form);
    for count in 1..=requests {
        let mut seen: FxHashSet<(u32, bool, Vec<Divided>)> = FxHashSet::default();
        let mut to_visit = vec![(form.initial_global(), false, Vec::<Divided>::new())];
        while let Some((global, over, places)) = to_visit.pop() {
            configurations = configurations.checked_sub(1)?;
            if places.len() == count && places.iter().all(|&(node, ..)| form.is_done(node)) {
                let before = |came| (0..).zip(&places).filter(|(_, one)| came && !one.2).fold(0, |set, (index, _)| set | 1 << index);
                let ordered: Vec<RequestPlace> = places.iter().map(|&(node, came, _)| (node, before(came))).collect();
                if !alone.has_order(&ordered, 0, form.initial_global()) {
                    return Some(Some(count));
                }
            }
            let mut next = if over { Vec::new() } else { vec![(global, true, places.clone())] };
            for (index, &(node, came, _)) in places.iter().enumerate() {
                for step in form.steps_from((node, global)) {
                    let mut places = places.clone();
                    places[index] = (step.to_node, came, over);
                    next.push((step.to_global, over, places));
                }
            }
            for node in form.node_numbers().filter(|&node| places.len() < count && form.is_initial(node)) {
                for step in form.steps_from((node, global)) {
                    next.push((step.to_global, over, [&places[..], &[(step.to_node, over, over)]].concat()));
                }
            }
            to_visit.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
        }
    }
    Some(None)
}

/// What requests do alone, remembered: each run asks for it again.
struct Alone<'a> {
    form: &'a NormalForm,
    behind: FxHashMap<(u32, Letter), Vec<u32>>,
}

impl<'a> Alone<'a> {
    fn new(form: &'a NormalForm) -> Self {
        Alone { form, behind: FxHashMap::default() }
    }

    /// Whether the requests that are not in the set can follow one by one.
    fn has_order(&mut self, places: &[RequestPlace], set: u32, serial: u32) -> bool {
        let mut rest = (0..places.len()).filter(|index| set & 1 << index == 0).peekable();
        rest.peek().is_none()
            || rest.any(|index| {
                let (node, before) = places[index];
                let Some(letter) = self.form.letter(node).filter(|_| before & !set == 0) else { return false };
                let after = self.behind.entry((serial, letter)).or_insert_with(|| left_behind(self.form, serial, letter)).clone();
                after.into_iter().any(|after| self.has_order(places, set | 1 << index, after))
            })
    }
}

/// What a request alone with this letter leaves behind.
fn left_behind(form: &NormalForm, serial: u32, letter: Letter) -> Vec<u32> {
    let mut seen: BTreeSet<(u32, u32)> = form.node_numbers().filter(|&node| form.is_initial(node)).map(|node| (node, serial)).collect();
    let mut to_visit: Vec<(u32, u32)> = seen.iter().copied().collect();
    while let Some(point) = to_visit.pop() {
        to_visit.extend(form.steps_from(point).iter().map(|step| step.target()).filter(|&next| seen.insert(next)));
    }
    let globals: BTreeSet<u32> =
        seen.into_iter().filter(|&(node, _)| form.letter(node) == Some(letter)).map(|(_, global)| global).collect();
    globals.into_iter().collect()
}
