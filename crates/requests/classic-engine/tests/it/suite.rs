//! The nets of all programs of the published suite.

use serval_budget::Budget;
use serval_classic_engine::interleaving;
use serval_effort::{side_by_side, skips};
use serval_model::{NetworkSystem, PlaceKind};
use serval_net_slice::{Slice, slice};
use serval_petri::{Constraint, Linear, Net, Target, mcc, mcc_reads_back, pnml, pnml_reads_back, tina, tina_reads_back};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::support::plain_system;

fn check_round_trips(net: &Net, target: &Target) {
    assert!(tina_reads_back(&tina::write(net), net) && pnml_reads_back(&pnml::write(net), net));
    let questions = [("question", target)];
    assert!(mcc_reads_back(&mcc::write(&questions).unwrap(), net, &questions));
}

#[test]
fn nets_of_the_suite_are_read_back() {
    if skips("classic.nets_of_the_suite_are_read_back") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    let mut files: Vec<_> = std::fs::read_dir(suite).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let each = side_by_side(&files, |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let system = match path.extension().and_then(|extension| extension.to_str()) {
            Some("ser") => plain_system(&std::fs::read_to_string(path).unwrap()),
            Some("json") => NetworkSystem::from_json(&std::fs::read_to_string(path).unwrap()).unwrap(),
            _ => return None,
        };
        let (mut questions, mut away, mut totals) = (0, 0, [0_usize; 4]);
        let (net, places) = interleaving(&system).unwrap();
        net.check_invariants();
        // For each answer: can it be given twice?
        for place in places.answers() {
            let Some(PlaceKind::Answer(request, response)) = places.kind(place) else { panic!("{place:?} is no answer") };
            let twice = Constraint::AtLeastZero(Linear::new([((request, response), 1)], -2).unwrap());
            let target = places.completed([twice]);
            questions += 1;
            match slice(&net, &target, &mut Budget::unlimited()).unwrap() {
                Slice::Unreachable(_) => away += 1,
                Slice::Kept(sliced) => {
                    let sizes = [net.place_count(), net.transition_count(), sliced.net.place_count(), sliced.net.transition_count()];
                    totals.iter_mut().zip(sizes).for_each(|(total, size)| *total += size);
                    check_round_trips(&sliced.net, &sliced.target);
                }
            }
            // Whole nets are written now and then: they are large.
            if questions % 7 == 0 {
                check_round_trips(&net, &target);
            }
        }
        check_round_trips(&net, &places.completed([]));
        Some(((net.place_count(), net.transition_count(), name), questions, away, totals))
    });
    let (mut nets, mut largest, mut questions, mut away, mut totals) = (0, (0, 0, String::new()), 0, 0, [0_usize; 4]);
    for (size, asked, gone, sums) in each.into_iter().flatten() {
        nets += 1;
        largest = largest.max(size);
        questions += asked;
        away += gone;
        totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    let [places, transitions, left_places, left_transitions] = totals;
    say(&format!(
        "suite: {nets} nets read back from all formats, the largest {} places and {} transitions ({})",
        largest.0, largest.1, largest.2
    ));
    say(&format!(
        "suite: {questions} questions, {away} sliced away; of the others {left_places} of {places} places and {left_transitions} of {transitions} transitions are left"
    ));
    assert!(nets > 0);
}
