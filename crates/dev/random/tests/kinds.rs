//! Random systems are of use: many can be answered, and both verdicts occur.

use serval_effort::sweep;
use serval_random::{Behaviours, Kind};

#[test]
fn both_verdicts_occur_in_every_kind() {
    let sweep = sweep("random.kinds", 120, 480);
    let systems = sweep.count();
    for kind in Kind::ALL {
        let each = sweep.map(0, |seed| {
            let system = kind.system(seed);
            system.check_invariants();
            Behaviours::with(&system, 3, 20_000).map(|all| (all.interleaved.len() == 1, all.is_serializable()))
        });
        let (mut serializable, mut not, mut idle) = (0, 0, 0);
        for known in each.into_iter().flatten() {
            match known {
                (true, _) => idle += 1,
                (_, true) => serializable += 1,
                (_, false) => not += 1,
            }
        }
        println!("{kind:?}: {serializable} serializable, {not} not, {idle} idle");
        let both = serializable > systems / 10 && not > systems / 10 && idle < systems / 3;
        assert!(!sweep.is_representative() || both, "{kind:?}: {serializable}, {not}, {idle}");
    }
}

#[test]
fn requests_share_places_and_have_several_starts() {
    let (systems, mut shared) = (120, 0);
    for seed in 0..systems {
        let system = Kind::Shared.system(seed);
        let same = system.starts().iter().any(|(request, local)| system.starts().iter().any(|(other, at)| other != request && at == local));
        shared += u64::from(same && system.starts().len() > system.request_count());
    }
    assert!(shared > systems / 2, "{shared}");
}
