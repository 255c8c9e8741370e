//! A net laid out for firing.

use std::collections::BTreeMap;

use serval_petri::{Net, TransitionId};

/// Arcs as pairs of numbers, and who must be asked again when a place changes.
pub(crate) struct Fast {
    pub(crate) initial: Vec<u64>,
    pub(crate) inputs: Vec<Vec<(usize, u64)>>,
    /// What changes, by transition: place, and by how much.
    pub(crate) effects: Vec<Vec<(usize, i128)>>,
    /// By place the transitions that take from it.
    pub(crate) takers: Vec<Vec<usize>>,
}

impl Fast {
    pub(crate) fn new(net: &Net) -> Self {
        let arcs = |arcs: &[serval_petri::Arc]| arcs.iter().map(|&(place, weight)| (place.index(), weight)).collect::<Vec<_>>();
        let inputs: Vec<Vec<(usize, u64)>> = net.transitions().map(|transition| arcs(net.inputs(transition))).collect();
        let effects: Vec<Vec<(usize, i128)>> = net.transitions().map(|transition| effect(net, transition)).collect();
        let mut takers = vec![Vec::new(); net.place_count()];
        for (transition, inputs) in inputs.iter().enumerate() {
            inputs.iter().for_each(|&(place, _)| takers[place].push(transition));
        }
        Self { initial: net.initial().as_slice().to_vec(), inputs, effects, takers }
    }

    /// The same net, which begins with another marking.
    pub(crate) fn starting(&self, marking: &[u64]) -> Self {
        let Self { initial: _, inputs, effects, takers } = self;
        Self { initial: marking.to_vec(), inputs: inputs.clone(), effects: effects.clone(), takers: takers.clone() }
    }

    /// The net of the first places alone.
    pub(crate) fn first(&self, places: usize) -> Self {
        let initial = self.initial[..places].to_vec();
        let inputs = self.inputs.iter().map(|arcs| arcs.iter().copied().filter(|arc| arc.0 < places).collect()).collect();
        let effects = self.effects.iter().map(|arcs| arcs.iter().copied().filter(|arc| arc.0 < places).collect()).collect();
        Self { initial, inputs, effects, takers: self.takers[..places].to_vec() }
    }

    pub(crate) fn is_enabled(&self, marking: &[u64], transition: usize) -> bool {
        self.inputs[transition].iter().all(|&(place, weight)| marking[place] >= weight)
    }

    /// How often in a row a transition that is enabled can fire.
    pub(crate) fn most(&self, marking: &[u64], transition: usize) -> u64 {
        let takes = |place: usize| self.inputs[transition].iter().find(|input| input.0 == place).map_or(0, |input| input.1);
        let often = |&(place, change): &(usize, i128)| {
            let spare = i128::from(marking[place].saturating_sub(takes(place)));
            u64::try_from(spare / -change).unwrap_or(u64::MAX).saturating_add(1)
        };
        self.effects[transition].iter().filter(|effect| effect.1 < 0).map(often).min().unwrap_or(u64::MAX)
    }

    /// Fires an enabled transition `times` times in a row, as often as it can; false where a number does not fit.
    pub(crate) fn fire_often(&self, marking: &mut [u64], transition: usize, times: u64) -> bool {
        let after = |tokens: u64, change: i128| {
            change
                .checked_mul(times.into())
                .and_then(|change| i128::from(tokens).checked_add(change))
                .and_then(|sum| u64::try_from(sum).ok())
        };
        if self.effects[transition].iter().any(|&(place, change)| after(marking[place], change).is_none()) {
            return false;
        }
        for &(place, change) in &self.effects[transition] {
            marking[place] = after(marking[place], change).unwrap_or_default();
        }
        true
    }

    /// The places that an enabled transition changes, with the tokens that they have then; false where a number does
    /// not fit.
    pub(crate) fn changed(&self, marking: &[u64], transition: usize, into: &mut Vec<(usize, u64)>) -> bool {
        into.clear();
        for &(place, change) in &self.effects[transition] {
            let Ok(tokens) = u64::try_from(i128::from(marking[place]) + change) else { return false };
            into.push((place, tokens));
        }
        true
    }

    /// The marking before a transition fired that led to this one; false where there is none.
    pub(crate) fn unfire(&self, marking: &[u64], transition: usize, into: &mut Vec<u64>) -> bool {
        into.clear();
        into.extend_from_slice(marking);
        self.effects[transition].iter().all(|&(place, change)| {
            let tokens = u64::try_from(i128::from(marking[place]) - change);
            into[place] = tokens.unwrap_or(0);
            tokens.is_ok()
        })
    }

    /// Fires an enabled transition; false where a number does not fit, and then nothing has changed.
    pub(crate) fn fire(&self, marking: &mut [u64], transition: usize) -> bool {
        self.fire_often(marking, transition, 1)
    }
}

/// Transitions that fire one after the other, again and again.
pub(crate) struct Circle {
    /// By place how many tokens are needed to go round once.
    needs: Vec<(usize, i128)>,
    effects: Vec<(usize, i128)>,
}

impl Circle {
    pub(crate) fn new(fast: &Fast, word: &[usize]) -> Self {
        let mut places: BTreeMap<usize, (i128, i128)> = BTreeMap::new();
        for &transition in word {
            for &(place, weight) in &fast.inputs[transition] {
                let (need, effect) = places.entry(place).or_default();
                *need = (*need).max(i128::from(weight) - *effect);
            }
            for &(place, change) in &fast.effects[transition] {
                places.entry(place).or_default().1 += change;
            }
        }
        let needs = places.iter().map(|(&place, one)| (place, one.0)).collect();
        Self { needs, effects: places.into_iter().map(|(place, one)| (place, one.1)).filter(|one| one.1 != 0).collect() }
    }

    /// How often one can go round from here.
    pub(crate) fn most(&self, marking: &[u64]) -> u64 {
        let spare = |place: usize| {
            let need = self.needs.iter().find(|one| one.0 == place).map_or(0, |one| one.1);
            i128::from(marking[place]) - need
        };
        if self.needs.iter().any(|&(place, _)| spare(place) < 0) {
            return 0;
        }
        let often = |&(place, change): &(usize, i128)| {
            let times = if change < 0 { spare(place) / -change + 1 } else { i128::from(!marking[place]) / change };
            u64::try_from(times).unwrap_or(u64::MAX)
        };
        self.effects.iter().map(often).min().unwrap_or(u64::MAX)
    }

    /// Goes round `times` times, which can be done.
    pub(crate) fn go(&self, marking: &mut [u64], times: u64) {
        for &(place, change) in &self.effects {
            let after = change.checked_mul(times.into()).and_then(|change| change.checked_add(marking[place].into()));
            marking[place] = after.and_then(|after| u64::try_from(after).ok()).unwrap_or(marking[place]);
        }
    }

    pub(crate) fn effects(&self) -> &[(usize, i128)] {
        &self.effects
    }

    /// What is needed to go round once.
    pub(crate) fn needs(&self) -> &[(usize, i128)] {
        &self.needs
    }
}

fn effect(net: &Net, transition: TransitionId) -> Vec<(usize, i128)> {
    let mut changes: Vec<(usize, i128)> =
        net.inputs(transition).iter().map(|&(place, weight)| (place.index(), -i128::from(weight))).collect();
    changes.extend(net.outputs(transition).iter().map(|&(place, weight)| (place.index(), i128::from(weight))));
    changes.sort_unstable_by_key(|change| change.0);
    changes.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    changes.retain(|change| change.1 != 0);
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_petri::tina;

    /// To go round in one step is to fire one by one, and once more cannot be done.
    #[test]
    fn circles_are_gone_at_once() {
        let net = tina::read("pl a (50)\npl b (3)\ntr t a*2 b -> c\ntr u c -> b d\ntr v c -> b a*2\n").unwrap();
        let fast = Fast::new(&net);
        for (word, most) in [(vec![0, 1], 25), (vec![0, 0, 1, 1, 0, 1], 8), (vec![1], 0), (vec![0, 0, 0, 0, 1], 0)] {
            let circle = Circle::new(&fast, &word);
            assert_eq!(circle.most(&fast.initial), most, "{word:?}");
            let (mut at_once, mut one_by_one) = (fast.initial.clone(), fast.initial.clone());
            circle.go(&mut at_once, most);
            for &transition in word.iter().cycle().take(word.len() * usize::try_from(most).unwrap()) {
                assert!(fast.is_enabled(&one_by_one, transition) && fast.fire(&mut one_by_one, transition), "{word:?}");
            }
            assert_eq!(at_once, one_by_one, "{word:?}");
            assert_eq!(circle.most(&at_once), 0, "{word:?}");
        }
        // What only changes nothing, or only gives, has no end but that of the numbers.
        assert_eq!(Circle::new(&fast, &[0, 2]).most(&fast.initial), u64::MAX);
        let giving = Fast::new(&tina::read("tr t -> a*3\n").unwrap());
        assert_eq!(Circle::new(&giving, &[0]).most(&giving.initial), u64::MAX / 3);
    }
}
