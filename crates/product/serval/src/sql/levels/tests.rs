//! The search against looking at every allocation, with invented answers.

use std::collections::BTreeSet;

use serval_report::levels::{LevelsCounterexample, LevelsReport, LevelsVerdict};
use serval_sql::Isolation::{self, ReadCommitted, RepeatableRead};

use super::known::Allocation;
use super::{LevelsAnswer, LevelsSearch};

/// Numbers without a pattern: xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).unwrap()).unwrap()
    }
}

/// What refutes, and what stays open: scripts at levels.
struct Invented {
    refuting: Vec<Allocation>,
    open: Vec<Allocation>,
}

fn is_part(one: &Allocation, other: &Allocation) -> bool {
    one.iter().zip(other).all(|(one, other)| one.is_none() || one == other)
}

impl Invented {
    fn drawn(scripts: usize, open: bool, numbers: &mut Numbers) -> Self {
        let mut allocation = |size: usize| {
            let mut drawn = vec![None; scripts];
            for _ in 0..=numbers.below(size) {
                drawn[numbers.below(scripts)] = Some(if numbers.below(4) > 0 { ReadCommitted } else { RepeatableRead });
            }
            drawn
        };
        let refuting = (0..4).map(|_| allocation(3)).collect();
        let open = if open { (0..2).map(|_| allocation(scripts)).collect() } else { Vec::new() };
        Self { refuting, open }
    }

    fn answer(&self, search: &LevelsSearch, allocation: &Allocation) -> LevelsAnswer {
        if self.open.iter().any(|open| is_part(open, allocation)) {
            return LevelsAnswer::Open("too hard".to_owned());
        }
        match self.refuting.iter().find(|run| is_part(run, allocation)) {
            Some(run) => LevelsAnswer::Refuted(Box::new(LevelsCounterexample {
                name: "write skew".to_owned(),
                requests: 2,
                minimal: true,
                scripts: search.named(run),
                story: Vec::new(),
            })),
            None => LevelsAnswer::Proved,
        }
    }

    fn searched(&self, parts: &[Vec<usize>], scripts: usize, subsets: bool, shard: Option<[usize; 2]>) -> LevelsReport {
        let names = (0..scripts).map(|number| format!("s{number}")).collect();
        let mut search = LevelsSearch::of_parts(names, parts, subsets, shard);
        while let Some(question) = search.next_question() {
            let is_top = question.allocation.contains(&Some(Isolation::Serializable));
            let answer = if is_top { LevelsAnswer::Assumed } else { self.answer(&search, &question.allocation) };
            search.answer(&question, answer);
        }
        search.report("w", "0")
    }

    fn is_safe(&self, allocation: &Allocation) -> bool {
        !self.refuting.iter().any(|run| is_part(run, allocation))
    }
}

fn raised(report: &LevelsReport) -> BTreeSet<Vec<String>> {
    report.parts[0].lowest.iter().map(|lowest| lowest.raised.clone()).collect()
}

/// The minimal ones among all allocations that are serializable.
fn minimal(invented: &Invented, scripts: usize) -> BTreeSet<Vec<String>> {
    let at = |bits: usize| -> Allocation {
        (0..scripts).map(|at| Some(if bits >> at & 1 == 1 { RepeatableRead } else { ReadCommitted })).collect()
    };
    let safe: Vec<usize> = (0..1 << scripts).filter(|&bits| invented.is_safe(&at(bits))).collect();
    let is_minimal = |bits: &&usize| !safe.iter().any(|other| *other != **bits && other & **bits == *other);
    let named = |bits: &usize| (0..scripts).filter(|at| bits >> at & 1 == 1).map(|at| format!("s{at}")).collect();
    safe.iter().filter(is_minimal).map(named).collect()
}

#[test]
fn the_walk_finds_the_minimal_allocations() {
    let mut numbers = Numbers(0x9e37_79b9);
    let (mut asked, mut all) = (0, 0);
    for _ in 0..400 {
        let scripts = 2 + numbers.below(5);
        let invented = Invented::drawn(scripts, false, &mut numbers);
        let whole = [(0..scripts).collect::<Vec<usize>>()];
        let report = invented.searched(&whole, scripts, false, None);
        assert_eq!(raised(&report), minimal(&invented, scripts), "{:?}", invented.refuting);
        let lower: Vec<_> = report.parts[0].lowest.iter().flat_map(|lowest| &lowest.lower).collect();
        assert!(lower.iter().all(|lower| lower.counterexample.is_some()), "{lower:?}");
        let none = report.parts[0].lowest.is_empty();
        assert_eq!(report.verdict, if none { LevelsVerdict::Assumed } else { LevelsVerdict::Proved });
        asked += report.decided;
        all += 1_u64 << scripts;
        // Parts of the work find the same.
        let shards: Vec<(String, LevelsReport)> = (1..=3)
            .map(|number| (format!("{number}.json"), invented.searched(&whole, scripts, false, Some([number, 3]))))
            .map(|(name, part)| (name, LevelsReport::of_json(&part.to_json()).unwrap()))
            .collect();
        let merged = LevelsSearch::merged(&shards).unwrap().report("w", "0");
        assert_eq!((raised(&merged), merged.verdict), (raised(&report), report.verdict), "{:?}", invented.refuting);
        assert_eq!(merged.parts[0].undecided, 0);
    }
    assert!(asked * 2 < all, "{asked} of {all}");
}

#[test]
fn what_stays_open_is_never_said_to_be_refuted_or_proved() {
    let mut numbers = Numbers(77);
    for _ in 0..200 {
        let scripts = 2 + numbers.below(4);
        let invented = Invented::drawn(scripts, true, &mut numbers);
        let report = invented.searched(&[(0..scripts).collect()], scripts, false, None);
        for lowest in &report.parts[0].lowest {
            let level = |name: String| if lowest.raised.contains(&name) { RepeatableRead } else { ReadCommitted };
            let allocation: Allocation = (0..scripts).map(|at| Some(level(format!("s{at}")))).collect();
            assert!(invented.is_safe(&allocation) && !invented.open.iter().any(|open| is_part(open, &allocation)));
        }
        // What is not said to be refuted is said to be undecided.
        let open = report.sentence.ends_with("; whether a lower choice is enough is undecided");
        assert_eq!(open, report.parts[0].undecided > 0, "{}", report.sentence);
        assert_eq!(report.verdict == LevelsVerdict::Assumed, report.parts[0].lowest.is_empty());
    }
}

#[test]
fn the_largest_safe_sets_are_found() {
    let mut numbers = Numbers(5);
    for _ in 0..200 {
        let scripts = 2 + numbers.below(4);
        let invented = Invented::drawn(scripts, false, &mut numbers);
        let report = invented.searched(&[(0..scripts).collect()], scripts, true, None);
        for (sets, level) in report.subsets.iter().zip([ReadCommitted, RepeatableRead]) {
            let of = |bits: usize| -> Allocation { (0..scripts).map(|at| (bits >> at & 1 == 1).then_some(level)).collect() };
            let safe: Vec<usize> = (1..1 << scripts).filter(|&bits| invented.is_safe(&of(bits))).collect();
            let is_largest = |bits: &&usize| !safe.iter().any(|other| other != *bits && other & **bits == **bits);
            let named = |bits: &usize| (0..scripts).filter(|at| bits >> at & 1 == 1).map(|at| format!("s{at}")).collect::<Vec<_>>();
            let mut expected: Vec<Vec<String>> = safe.iter().filter(is_largest).map(named).collect();
            expected.sort();
            assert_eq!((&sets.sets, sets.level.as_str()), (&expected, level.name()), "{:?}", invented.refuting);
        }
    }
}

#[test]
fn parts_of_a_workload_are_asked_about_one_by_one() {
    let refuting = vec![vec![Some(ReadCommitted), None, None, None], vec![None, None, None, Some(RepeatableRead)]];
    let invented = Invented { refuting, open: Vec::new() };
    let report = invented.searched(&[vec![0, 2], vec![1, 3]], 4, false, None);
    let levels: Vec<&str> = report.scripts.iter().map(|one| one.level.as_str()).collect();
    assert_eq!(levels, ["REPEATABLE READ", "READ COMMITTED", "READ COMMITTED", "READ COMMITTED"]);
    assert_eq!(report.sentence, "READ COMMITTED is enough for all but s0: REPEATABLE READ there (proved)");
    assert_eq!((report.allocations.as_str(), report.decided), ("16", 3));
}

#[test]
fn parts_of_other_work_are_not_merged() {
    let invented = Invented { refuting: Vec::new(), open: Vec::new() };
    let part = |number: usize| (format!("{number}.json"), invented.searched(&[vec![0, 1]], 2, false, Some([number, 2])));
    let whole = ("all.json".to_owned(), invented.searched(&[vec![0, 1]], 2, false, None));
    let refused = |parts: &[(String, LevelsReport)]| LevelsSearch::merged(parts).err().unwrap();
    assert_eq!(refused(&[part(1)]), "part 2 of 2 is missing");
    assert_eq!(refused(&[part(1), part(1)]), "part 1 is given twice");
    assert!(refused(&[whole]).contains("without --shard"));
    let (mut other, mut strange) = (part(2), part(2));
    other.1.fingerprint = "else".to_owned();
    assert!(refused(&[part(1), other]).contains("about other files"));
    strange.1.proofs.push(vec![serval_report::levels::ScriptLevel { script: "x".to_owned(), level: "READ COMMITTED".to_owned() }]);
    assert!(refused(&[part(1), strange]).contains("a script or a level that is not there"));
}
