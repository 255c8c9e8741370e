//! Closed lists, made by going on until nothing is new: what an engine does, in a few lines.

use std::collections::BTreeSet;

use serval_tso_program::{Program, Question, Thread, ThreadId};

use crate::alike::Symmetry;
use crate::any::{self, AnyRobust, At, Configuration};
use crate::anystates::{self, AnyStates};
use crate::live::Live;
use crate::persistent::Persistent;
use crate::robust::{Attack, Robust};
use crate::state::{Model, State};
use crate::states::{self, States};
use crate::urgent::QuestionView;
use crate::{Certificate, Rows, robust};

/// Everything is live: that is never wrong.
pub(super) fn all_live(program: &Program) -> Vec<Vec<u64>> {
    program.threads.iter().map(|thread| vec![u64::MAX; thread.code.len()]).collect()
}

/// The closed list of a model, with these live registers, whether or not they are right.
pub(super) fn closed(program: &Program, model: Model, live: Vec<Vec<u64>>) -> States {
    closed_in(program, model, live, &[])
}

/// The same, with threads of these groups in one order, whether or not they are alike.
pub(super) fn closed_in(program: &Program, model: Model, live: Vec<Vec<u64>>, groups: &[Vec<usize>]) -> States {
    let alike = Symmetry::unchecked(groups);
    let questions: Vec<&Question> = program.questions.iter().collect();
    let ok = Live::new(program, &questions, &live);
    let fallback = all_live(program);
    // What is not right is taken all the same where a test wants it: the sets are used as they are.
    let sets = ok.unwrap_or_else(|_| Live::unchecked(if live.is_empty() { &fallback } else { &live }));
    let (seen, persistent) = (QuestionView::new(program, &questions), Persistent::new(program));
    let mut list = BTreeSet::new();
    let mut open = vec![State::initial(program)];
    while let Some(mut state) = open.pop() {
        alike.sort(&mut state);
        if list.insert(state.encode(model)) {
            open.extend(
                states::successors(program, model, &state, &sets, &seen, Some(&persistent))
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(_, after)| after),
            );
        }
    }
    States { live, alike: groups.to_vec(), states: list.into_iter().collect() }
}

/// All states, with every step in every order.
pub(super) fn every(program: &Program, model: Model) -> States {
    let live = all_live(program);
    let (sets, seen) = (Live::unchecked(&live), QuestionView::everything(program));
    let mut list = BTreeSet::new();
    let mut open = vec![State::initial(program)];
    while let Some(state) = open.pop() {
        if list.insert(state.encode(model)) {
            let after = states::successors(program, model, &state, &sets, &seen, None).unwrap_or_default();
            open.extend(after.into_iter().map(|(_, after)| after));
        }
    }
    States { live, states: list.into_iter().collect(), ..States::default() }
}

/// Whether an attack succeeds, with every step in every order.
pub(super) fn is_attacked(program: &Program) -> bool {
    let live = all_live(program);
    let (sets, seen) = (Live::unchecked(&live), QuestionView::everything(program));
    (0..program.threads.len()).any(|attacker| {
        let mut list = BTreeSet::new();
        let mut open = vec![Attack::initial(program)];
        while let Some(attack) = open.pop() {
            if attack.is_violation() {
                return true;
            }
            if list.insert(attack.encode()) {
                let after = robust::successors(program, attacker, &attack, &sets, &seen, None).unwrap_or_default();
                open.extend(after.into_iter().map(|(_, after)| after));
            }
        }
        false
    })
}

/// The lists of all attackers; violations are in them where there are some.
pub(super) fn attacks(program: &Program) -> Robust {
    attacks_in(program, &[])
}

/// The same, with threads of these groups in one order, whether or not they are alike.
pub(super) fn attacks_in(program: &Program, groups: &[Vec<usize>]) -> Robust {
    let alike = Symmetry::unchecked(groups);
    let live = all_live(program);
    let sets = Live::unchecked(&live);
    let (seen, persistent) = (QuestionView::new(program, &[]), Persistent::new(program));
    let of = |attacker: usize| {
        if alike.follows(attacker) {
            return Rows::default();
        }
        let others = alike.without(attacker);
        let mut list = BTreeSet::new();
        let mut open = vec![Attack::initial(program)];
        while let Some(mut attack) = open.pop() {
            attack.sort(&others);
            if list.insert(attack.encode()) {
                open.extend(
                    robust::successors(program, attacker, &attack, &sets, &seen, Some(&persistent))
                        .unwrap_or_default()
                        .into_iter()
                        .map(|(_, after)| after),
                );
            }
        }
        list.iter().collect()
    };
    let attackers = (0..program.threads.len()).map(of).collect();
    Robust { live, alike: groups.to_vec(), attackers }
}

/// A program, and a certificate about it that says nothing yet.
pub(super) fn begun(text: &str) -> (Program, Certificate) {
    let program = serval_tso_program::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let certificate = Certificate::new(&program);
    (program, certificate)
}

/// Places with ω copies at each.
type Places = BTreeSet<At>;

fn configuration((core, places): (Vec<i64>, Places)) -> Configuration {
    Configuration { core, copies: places.into_iter().map(|(kind, numbers)| (kind, numbers, None)).collect() }
}

/// Configurations of attacks, with ω copies wherever a copy comes: that is more than there is, and closed.
pub(super) fn any_attacks(program: &Program) -> AnyRobust {
    let fixed = |threads: &[Thread]| threads.iter().filter(|thread| !thread.many).count();
    let of = |attacker: ThreadId| {
        let own: Vec<ThreadId> = program.threads[attacker.index()].many.then_some(attacker).into_iter().collect();
        let number = if own.is_empty() { fixed(&program.threads[..attacker.index()]) } else { fixed(&program.threads) };
        let steps = |program: &Program, attack: &Attack| {
            let (live, seen) = (all_live(program), QuestionView::everything(program));
            robust::successors(program, number, attack, &Live::unchecked(&live), &seen, None).unwrap_or_default()
        };
        let alone = program.fixed_with(&own);
        let beginning: Places = program.many().iter().map(|id| (id.0, vec![0; program.threads[id.index()].registers.len() + 2])).collect();
        let mut list: BTreeSet<(Vec<i64>, Places)> = BTreeSet::new();
        let mut open = vec![(Attack::initial(&alone), beginning)];
        while let Some((attack, places)) = open.pop() {
            if !list.insert((attack.encode(), places.clone())) {
                continue;
            }
            open.extend(steps(&alone, &attack).into_iter().map(|(_, after)| (after, places.clone())));
            for at in &places {
                let joint = program.fixed_with(&[own.clone(), vec![ThreadId(at.0)]].concat());
                let own = steps(&joint, &any::joined(&attack, at).unwrap());
                for (_, after) in own.into_iter().filter(|(thread, _)| thread + 1 == joint.threads.len()) {
                    let (core, to) = any::parted(after, at.0).unwrap();
                    open.push((core, places.iter().cloned().chain([to]).collect()));
                }
            }
        }
        list.into_iter().map(configuration).collect()
    };
    AnyRobust { live: all_live(program), attackers: program.thread_ids().map(of).collect() }
}

/// Configurations under sequential consistency, in the same way.
pub(super) fn any_states(program: &Program) -> AnyStates {
    let steps = |program: &Program, state: &State| {
        let (live, seen) = (all_live(program), QuestionView::everything(program));
        states::successors(program, Model::Sc, state, &Live::unchecked(&live), &seen, None).unwrap_or_default()
    };
    let core = program.observed_with(None);
    let beginning: Places = program.many().iter().map(|id| (id.0, vec![0; program.threads[id.index()].registers.len() + 1])).collect();
    let mut list: BTreeSet<(Vec<i64>, Places)> = BTreeSet::new();
    let mut open = vec![(State::initial(&core), beginning)];
    while let Some((state, places)) = open.pop() {
        if !list.insert((state.encode(Model::Sc), places.clone())) {
            continue;
        }
        open.extend(steps(&core, &state).into_iter().map(|(_, after)| (after, places.clone())));
        for at in &places {
            let joint = program.observed_with(Some(ThreadId(at.0)));
            let own = steps(&joint, &anystates::joined(&state, at).unwrap());
            for (_, after) in own.into_iter().filter(|(thread, _)| thread + 1 == joint.threads.len()) {
                let (state, to) = anystates::parted(after, at.0).unwrap();
                open.push((state, places.iter().cloned().chain([to]).collect()));
            }
        }
    }
    AnyStates { live: all_live(program), configurations: list.into_iter().map(configuration).collect() }
}

/// Leaves out the configurations that are below others.
pub(super) fn leave_largest(list: &mut Vec<Configuration>) {
    let all = list.clone();
    let is_below = |one: &Configuration, other: &Configuration| {
        one != other && one.core == other.core && one.copies.iter().all(|copies| other.copies.contains(copies))
    };
    list.retain(|one| !all.iter().any(|other| is_below(one, other)));
}
