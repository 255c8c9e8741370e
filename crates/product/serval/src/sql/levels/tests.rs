//! The search against looking at every allocation, with invented answers.

use std::collections::BTreeSet;

use serval_report::levels::{LevelsCounterexample, LevelsReport, LevelsVerdict};
use serval_sql::Isolation::{self, ReadCommitted, RepeatableRead};

use super::groups::Groups;
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
        self.of(LevelsSearch::of_parts(names(scripts), parts, subsets, shard))
    }

    /// The same with questions about groups of these pairs first.
    fn grouped(&self, meet: BTreeSet<[usize; 2]>, scripts: usize, shard: Option<[usize; 2]>) -> LevelsReport {
        let mut search = LevelsSearch::of_parts(names(scripts), &[(0..scripts).collect()], true, shard);
        search.groups = Groups::new(meet);
        self.of(search.with_pairs_from(3))
    }

    fn of(&self, mut search: LevelsSearch) -> LevelsReport {
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

fn names(scripts: usize) -> Vec<String> {
    (0..scripts).map(|number| format!("s{number}")).collect()
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
fn groups_that_are_asked_about_first_change_no_answer_but_open_ones() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for round in 0..400 {
        let scripts = 3 + numbers.below(6);
        let invented = Invented::drawn(scripts, round % 2 == 1, &mut numbers);
        let pairs = (0..scripts).flat_map(|one| (one + 1..scripts).map(move |other| [one, other]));
        let meet: BTreeSet<[usize; 2]> = pairs.filter(|_| numbers.below(4) > 0).collect();
        let plain = invented.searched(&[(0..scripts).collect()], scripts, true, None);
        let grouped = invented.grouped(meet.clone(), scripts, None);
        let is_open = |raised: &[String]| {
            let level = |name: String| if raised.contains(&name) { RepeatableRead } else { ReadCommitted };
            let allocation: Allocation = names(scripts).into_iter().map(|name| Some(level(name))).collect();
            invented.open.iter().any(|open| is_part(open, &allocation))
        };
        // What is proved is safe, and what is minimal and can be decided is found.
        let minimal: BTreeSet<Vec<String>> = minimal(&invented, scripts).into_iter().filter(|raised| !is_open(raised)).collect();
        let found = raised(&grouped);
        assert!(minimal.is_subset(&found), "{:?} {:?}", invented.refuting, invented.open);
        if invented.open.is_empty() {
            assert_eq!((&found, &grouped.subsets), (&minimal, &plain.subsets), "{:?}", invented.refuting);
        }
        assert_eq!(found, raised(&plain), "{:?} {:?}", invented.refuting, invented.open);
        assert_eq!((grouped.verdict, grouped.parts[0].lowest.len()), (plain.verdict, plain.parts[0].lowest.len()));
        assert!(grouped.parts[0].undecided <= plain.parts[0].undecided, "{:?} {:?}", invented.refuting, invented.open);
        let shards: Vec<(String, LevelsReport)> =
            (1..=2).map(|number| (format!("{number}.json"), invented.grouped(meet.clone(), scripts, Some([number, 2])))).collect();
        let merged = LevelsSearch::merged(&shards).unwrap().report("w", "0");
        assert_eq!((raised(&merged), merged.verdict), (found, grouped.verdict), "{:?} {:?}", invented.refuting, invented.open);
    }
}

/// All scripts together are too hard, and a pair refutes them at each level: with groups nothing stays open.
#[test]
fn a_pair_decides_what_is_too_hard_for_all_together() {
    let scripts = 4;
    let both = |first: Isolation, second: Isolation| {
        let mut pair = vec![None; scripts];
        (pair[0], pair[1]) = (Some(first), Some(second));
        pair
    };
    let levels = [ReadCommitted, RepeatableRead];
    let refuting = levels.iter().flat_map(|&first| levels.map(|second| both(first, second))).collect();
    let third = levels.map(|level| vec![None, None, Some(level), None]);
    let invented = Invented { refuting, open: Vec::new() };
    // What has the third script beside both others is open.
    let hard = invented.refuting.iter().flat_map(|pair: &Allocation| {
        third.iter().map(|third| pair.iter().zip(third).map(|(one, other)| one.or(*other)).collect::<Allocation>()).collect::<Vec<_>>()
    });
    let invented = Invented { open: hard.collect(), ..invented };
    let plain = invented.searched(&[(0..scripts).collect()], scripts, true, None);
    let grouped = invented.grouped([[0, 1]].into(), scripts, None);
    assert!(plain.parts[0].undecided > 0);
    assert_eq!(grouped.parts[0].undecided, 0);
    assert_eq!(raised(&plain), raised(&grouped));
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
