//! Random systems are of use: many can be answered, and both verdicts occur.

use serval_random::{Behaviours, Kind};

const SYSTEMS: u64 = 120;

#[test]
fn both_verdicts_occur_in_every_kind() {
    for kind in Kind::ALL {
        let (mut serializable, mut not, mut idle) = (0, 0, 0);
        for seed in 0..SYSTEMS {
            let system = kind.system(seed);
            system.check_invariants();
            let Some(all) = Behaviours::with(&system, 3, 20_000) else { continue };
            match (all.interleaved.len(), all.is_serializable()) {
                (1, _) => idle += 1,
                (_, true) => serializable += 1,
                (_, false) => not += 1,
            }
        }
        println!("{kind:?}: {serializable} serializable, {not} not, {idle} idle");
        assert!(serializable > SYSTEMS / 10 && not > SYSTEMS / 10 && idle < SYSTEMS / 3, "{kind:?}: {serializable}, {not}, {idle}");
    }
}

#[test]
fn requests_share_places_and_have_several_starts() {
    let mut shared = 0;
    for seed in 0..SYSTEMS {
        let system = Kind::Shared.system(seed);
        let same = system.starts().iter().any(|(request, local)| system.starts().iter().any(|(other, at)| other != request && at == local));
        shared += u64::from(same && system.starts().len() > system.request_count());
    }
    assert!(shared > SYSTEMS / 2, "{shared}");
}
