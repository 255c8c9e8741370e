//! Random runs against the checker, brute force and themselves.

use serval_budget::Budget;
use serval_compile::{Options, Prepared, compile};
use serval_effort::sweep;
use serval_engine::sample::{SampleOutcome, Sampled, Sampler, shrunk};
use serval_engine::search::run_certificate;
use serval_model::{Named, NetworkSystem, Run, SerialAutomaton, replay};
use serval_proof::{Caps, check_run};
use serval_random::{Behaviours, Kind};
use serval_syntax::analyze;
use serval_testkit::say;

fn prepared(text: &str) -> Prepared {
    Prepared::new(&analyze(text).program.unwrap(), Options::default())
}

fn system(text: &str) -> NetworkSystem {
    let compiled = compile(&analyze(text).program.unwrap(), Options::default(), &Budget::unlimited()).unwrap();
    compiled.components()[0].system().clone()
}

fn family(name: &str, n: usize) -> String {
    serval_families::Family::named(name).unwrap().program(n)
}

fn is_counterexample(system: &NetworkSystem, run: &Run) -> bool {
    let end = replay(system, run.events()).unwrap();
    assert!(end.is_complete());
    let automaton = SerialAutomaton::new(system, &mut Budget::unlimited()).unwrap();
    !automaton.contains(&end.completed, &mut Budget::unlimited()).unwrap()
}

fn size(run: &Run) -> u128 {
    run.configuration().completed.size()
}

fn found<M: Named>(sampler: &mut Sampler<M>, ticks: u64) -> Option<Sampled> {
    match sampler.look(&mut Budget::ticks(ticks)) {
        Ok(SampleOutcome::Found(sampled)) => Some(sampled),
        _ => None,
    }
}

#[test]
fn runs_on_random_systems_are_accepted_by_the_checker() {
    let sweep = sweep("engine.sample", 200, 4_000);
    let each = sweep.map(0, |seed| {
        let system = Kind::ALL[usize::try_from(seed % 4).unwrap()].system(seed / 4);
        let brute = Behaviours::with(&system, 4, 200_000);
        let found = found(&mut Sampler::new(&system, seed), 60_000);
        if let Some(sampled) = &found {
            assert!(is_counterexample(&system, &sampled.run), "{seed}");
            let certificate = run_certificate(&&system, &sampled.run);
            let checked = check_run(&system, &certificate, &Caps::default(), &serval_budget::Cancel::new());
            assert!(checked.is_ok(), "{seed}: {checked:?}");
            let smaller = shrunk(&system, &sampled.run, &Budget::unlimited());
            assert!(is_counterexample(&system, &smaller) && size(&smaller) <= size(&sampled.run), "{seed}");
        }
        let Some(brute) = brute else { return (0, 0, 0) };
        let fewest = brute.fewest();
        let least = found.as_ref().map(|sampled| size(&sampled.run));
        assert!(least.is_none_or(|least| fewest.map_or(least > 4, |fewest| fewest <= least)), "{seed}");
        let is_least = least.is_some() && least == fewest;
        (u64::from(fewest.is_some()), u64::from(fewest.is_some() && least.is_some()), u64::from(is_least))
    });
    let (not_serial, found, least) = each.into_iter().fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
    say(&format!("sample: of {not_serial} systems with a counterexample of up to 4 requests {found} refuted, {least} with the fewest"));
    assert!(!sweep.is_representative() || (found * 100 >= not_serial * 85 && least * 100 >= found * 85));
}

/// Ticks for programs that are found at once, with room.
const TICKS: u64 = 6_000_000;

#[test]
fn deep_counterexamples_are_found_without_making_all_states() {
    for (name, n, requests) in
        [("queue_racy", 4, 9), ("queue_racy", 8, 17), ("ticket_wrap", 12, 14), ("occ_retry", 16, 17), ("watch", 12, 13)]
    {
        let text = family(name, n);
        let prepared = prepared(&text);
        let mut sampler = Sampler::new(prepared.lazy(0), 1);
        let start = std::time::Instant::now();
        let sampled = found(&mut sampler, TICKS).unwrap_or_else(|| panic!("{name} {n}: {} runs", sampler.runs()));
        let certificate = run_certificate(sampler.system(), &sampled.run);
        let checked = check_run(prepared.lazy(0), &certificate, &Caps::default(), &serval_budget::Cancel::new());
        assert!(checked.is_ok(), "{name} {n}");
        say(&format!("{name} {n}: {} requests, {:?}, {} ms", size(&sampled.run), sampled.how, start.elapsed().as_millis()));
        assert!(size(&sampled.run) <= requests + requests / 4, "{name} {n}: {}", size(&sampled.run));
    }
}

#[test]
fn the_same_seed_and_ticks_give_the_same_run_also_in_parts() {
    let system = system(&family("queue_racy", 3));
    let told = |seed: u64, part: u64| {
        let mut sampler = Sampler::new(&system, seed);
        (0..4_000_000 / part).find_map(|_| found(&mut sampler, part)).map(|sampled| (sampled.run.events().to_vec(), sampled.how))
    };
    assert!(told(7, 4_000_000).is_some());
    assert_eq!(told(7, 4_000_000), told(7, 4_000_000));
    assert!(told(7, 40_000).is_some());
    assert_ne!(told(7, 4_000_000), told(8, 4_000_000));
}

#[test]
fn nothing_is_found_where_there_is_nothing() {
    let serializable = system("request add { X := (X + 1) % 3; X }\nrequest get { x := X; yield; 2 }");
    assert!(found(&mut Sampler::new(&serializable, 1), 300_000).is_none());
    let none = NetworkSystem::from_json(r#"{"initial_global": "0", "requests": [], "responses": [], "transitions": []}"#).unwrap();
    assert!(found(&mut Sampler::new(&none, 1), 1_000).is_none());
}
