//! Closed lists, made by going on until nothing is new: what an engine does, in a few lines.

use std::collections::BTreeSet;

use serval_tso::{Program, Question};

use crate::live::Live;
use crate::robust::{Attack, Robust};
use crate::state::{Model, State};
use crate::states::{self, States};
use crate::urgent::Seen;
use crate::{Certificate, robust};

/// Everything is live: that is never wrong.
pub(super) fn all_live(program: &Program) -> Vec<Vec<u64>> {
    program.threads.iter().map(|thread| vec![u64::MAX; thread.code.len()]).collect()
}

/// The closed list of a model, with these live registers, whether or not they are right.
pub(super) fn closed(program: &Program, model: Model, live: Vec<Vec<u64>>) -> States {
    let questions: Vec<&Question> = program.questions.iter().collect();
    let ok = Live::new(program, &questions, &live);
    let fallback = all_live(program);
    // What is not right is taken all the same where a test wants it: the sets are used as they are.
    let sets = ok.unwrap_or_else(|_| Live::unchecked(if live.is_empty() { &fallback } else { &live }));
    let seen = Seen::new(program, &questions);
    let mut list = BTreeSet::new();
    let mut open = vec![State::initial(program)];
    while let Some(state) = open.pop() {
        if list.insert(state.encode(model)) {
            open.extend(states::successors(program, model, &state, &sets, &seen).unwrap_or_default().into_iter().map(|(_, after)| after));
        }
    }
    States { live, states: list.into_iter().collect() }
}

/// The lists of all attackers; violations are in them where there are some.
pub(super) fn attacks(program: &Program) -> Robust {
    let live = all_live(program);
    let sets = Live::unchecked(&live);
    let seen = Seen::new(program, &[]);
    let of = |attacker: usize| {
        let mut list = BTreeSet::new();
        let mut open = vec![Attack::initial(program)];
        while let Some(attack) = open.pop() {
            if list.insert(attack.encode()) {
                open.extend(
                    robust::successors(program, attacker, &attack, &sets, &seen).unwrap_or_default().into_iter().map(|(_, after)| after),
                );
            }
        }
        list.into_iter().collect()
    };
    let attackers = (0..program.threads.len()).map(of).collect();
    Robust { live, attackers }
}

/// A program, and a certificate about it that says nothing yet.
pub(super) fn begun(text: &str) -> (Program, Certificate) {
    let program = serval_tso::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let certificate = Certificate::new(&program);
    (program, certificate)
}
