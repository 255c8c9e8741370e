//! Folds of any two nodes, the same one twice included, against brute force.

use serval_budget::Cancel;
use serval_model::{NetworkSystem, NormalForm, SplitMix64, completed_multisets, serial_multisets};
use serval_random::with_identities;

use super::support::enough;
use crate::script::{Entry, check_script};
use crate::{Caps, Work};

#[test]
fn folds_keep_the_answers() {
    // Of different nodes, and of one.
    let sweep = serval_effort::sweep("proof.folds", 80, 300);
    let (mut different, mut same) = (0, 0);
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let system = with_identities(random);
        // A rule before may have left a node on which no step lands.
        let (form, _) = NormalForm::new(&system).unwrap();
        let left = form.steps().iter().copied().filter(|_| random.below(4) > 0).collect();
        let form = form.with_steps(left);
        let system = form.to_system(&system);
        let answers = |system: &NetworkSystem| (completed_multisets(system, 3, &mut enough()), serial_multisets(system, 3, &mut enough()));
        for l in form.node_numbers() {
            for x in form.node_numbers() {
                let work = &mut Work::new(&Caps { ticks: 1_000_000, ..Caps::default() }, &Cancel::new());
                let Ok(reduced) = check_script(form.clone(), &[Entry::IdentityElimination(vec![(l, x)])], work) else { continue };
                if l == x {
                    // The condition asks for steps that change nothing, of which there are none.
                    assert!(form.steps().iter().all(|step| step.to_node != l), "{l}\n{form:?}");
                    assert_eq!(*reduced.form(), form);
                    same += 1;
                } else if *reduced.form() != form {
                    assert_eq!(answers(&reduced.form().to_system(&system)), answers(&system), "{l} {x}\n{form:?}");
                    different += 1;
                }
            }
        }
    }
    let many = different * 8 > sweep.count() && same * 40 > sweep.count();
    assert!(!sweep.is_representative() || many, "{different}, {same}");
}
