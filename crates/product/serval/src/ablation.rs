//! What each switch is worth: the same programs with everything on, with one
//! switch off, and with everything off.
//!
//! Here is what is tried, and what the trials of one setting come to. Who runs
//! them has the clock; who shows them has the words
//! ([`AblationReport`](serval_report::bench::AblationReport)).
//!
//! ```
//! use std::time::Duration;
//! use serval::ablation::{End, figures, settings, trial};
//! use serval::export::{ExportNames, Systems};
//! use serval::{Cancel, CompileOptions, Input};
//! let input = Input::program("request flip { X := 1 - X; X }").unwrap();
//! let systems = Systems::new(&input, CompileOptions { plain: true, pairs: None }, ExportNames::Given).unwrap();
//! for setting in settings() {
//!     let tried = |system| trial(system, &setting.options, &Cancel::new(), &|| Duration::ZERO);
//!     let trials: Vec<_> = systems.systems().map(tried).collect();
//!     assert_eq!(trials[0].end, End::Serializable);
//!     assert_eq!(figures(&trials).decided, 1);
//! }
//! ```

use std::time::Duration;

use serval_budget::{Cancel, StopReason};
use serval_classic_engine::{ClassicVerdict, Clock, Options, Report, Stages, decide};
use serval_model::NetworkSystem;
use serval_report::bench::Figures;

/// Which switches are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What it is called.
    pub name: &'static str,
    /// The switches and caps.
    pub options: Options,
}

/// All settings of an ablation, everything on first.
pub fn settings() -> Vec<Setting> {
    let all = Options::default;
    let none = Options { order: false, prune: false, factor: false, slice: false, ..all() };
    vec![
        Setting { name: "all on", options: all() },
        Setting { name: "without order", options: Options { order: false, ..all() } },
        Setting { name: "without pruning", options: Options { prune: false, ..all() } },
        Setting { name: "without factoring", options: Options { factor: false, ..all() } },
        Setting { name: "without slicing", options: Options { slice: false, ..all() } },
        Setting { name: "all off", options: none },
    ]
}

/// One program with one setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How it ended.
    pub end: End,
    /// Sizes and times.
    pub stages: Stages,
    /// How long it took, everything included.
    pub time: Duration,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It is serializable.
    Serializable,
    /// It is not.
    Refuted,
    /// There were more components than the cap.
    TooManyComponents,
    /// The flag was raised.
    Cancelled,
    /// Something else, in this stage.
    Unknown(&'static str),
}

impl Trial {
    /// What a report says.
    pub fn new(report: &Report, time: Duration) -> Self {
        let end = match &report.verdict {
            ClassicVerdict::Serializable(_) => End::Serializable,
            ClassicVerdict::Refuted(_) => End::Refuted,
            ClassicVerdict::Unknown(StopReason::Cancelled) => End::Cancelled,
            ClassicVerdict::Unknown(StopReason::TooMany { what: "components", .. }) => End::TooManyComponents,
            ClassicVerdict::Unknown(reason) => End::Unknown(reason.stage().unwrap_or_default()),
        };
        Self { end, stages: report.stages, time }
    }

    /// One that was ended without a report, after this time.
    pub fn cancelled(time: Duration) -> Self {
        Self { end: End::Cancelled, stages: Stages::default(), time }
    }
}

/// Tries one system with one setting; the clock tells the time since the beginning.
pub fn trial(system: &NetworkSystem, options: &Options, cancel: &Cancel, clock: &Clock<'_>) -> Trial {
    let report = decide(system, options, cancel, clock);
    Trial::new(&report, clock())
}

/// What some trials come to.
pub fn figures(trials: &[Trial]) -> Figures {
    let count = |is: &dyn Fn(&Trial) -> bool| trials.iter().filter(|trial| is(trial)).count();
    // A set has a component: no request at all is serial.
    let sets: Vec<&Stages> = trials.iter().map(|trial| &trial.stages).filter(|stages| stages.components > 0).collect();
    let sum = |of: &dyn Fn(&Stages) -> usize| sets.iter().map(|stages| of(stages)).sum::<usize>();
    let most = |of: &dyn Fn(&Stages) -> usize| sets.iter().map(|stages| of(stages)).max().unwrap_or(0);
    let asked: Vec<&Stages> = sets.iter().copied().filter(|stages| stages.disjuncts > 0).collect();
    let kept: Vec<&Stages> = asked.iter().copied().filter(|stages| stages.disjuncts > stages.sliced_away).collect();
    let mut times: Vec<Duration> = trials.iter().map(|trial| trial.time).collect();
    times.sort_unstable();
    let both = |of: &dyn Fn(NetElement) -> usize| (of(|size| size.0), of(|size| size.1));
    let all: fn(&Stages) -> usize = |stages| stages.disjuncts;
    let not_away: fn(&Stages) -> usize = |stages| stages.disjuncts - stages.sliced_away;
    Figures {
        programs: trials.len(),
        decided: count(&|trial| matches!(trial.end, End::Serializable | End::Refuted)),
        capped: count(&|trial| trial.end == End::TooManyComponents),
        cancelled: count(&|trial| trial.end == End::Cancelled),
        with_set: sets.len(),
        components: (average(sum(&|stages| stages.components), sets.len()), most(&|stages| stages.components)),
        constructed: (average(sum(&|stages| stages.constructed), sets.len()), most(&|stages| stages.constructed)),
        most_components: most(&|stages| stages.most_components),
        periods: (average(sum(&|stages| stages.periods), sum(&|stages| stages.components)), most(&|stages| stages.most_periods)),
        with_disjuncts: asked.len(),
        disjuncts: sum(&|stages| stages.disjuncts),
        sliced_away: sum(&|stages| stages.sliced_away),
        net: both(&|part| before(&asked, part)),
        left: both(&|part| left(&asked, part, all)),
        removed: both(&|part| removed(before(&asked, part), left(&asked, part, all))),
        with_kept: kept.len(),
        net_of_kept: both(&|part| before(&kept, part)),
        left_of_kept: both(&|part| left(&kept, part, not_away)),
        removed_of_kept: both(&|part| removed(before(&kept, part), left(&kept, part, not_away))),
        concerned: concerned(&asked),
        removed_of_concerned: (
            removed(concerned(&asked), left(&asked, |size| size.1, all)),
            removed(concerned(&kept), left(&kept, |size| size.1, not_away)),
        ),
        total: times.iter().sum(),
        median: times.get(times.len() / 2).copied().unwrap_or_default(),
    }
}

/// Of places and transitions, one.
type NetElement = fn((usize, usize)) -> usize;

/// An average in hundredths, rounded; 0 of nothing.
fn average(sum: usize, count: usize) -> usize {
    sum.saturating_mul(200).checked_div(count).map_or(0, |twice| twice.div_ceil(2))
}

/// Places or transitions of a net, in hundredths.
fn before(stages: &[&Stages], part: NetElement) -> usize {
    average(stages.iter().map(|stages| part(stages.net)).sum(), stages.len())
}

/// What is left for a disjunct, in hundredths, where `disjuncts` says how many of them count.
fn left(stages: &[&Stages], part: NetElement, disjuncts: fn(&Stages) -> usize) -> usize {
    let each = stages.iter().map(|stages| average(part(stages.left), disjuncts(stages)));
    rounded(each.sum(), stages.len())
}

/// Transitions of a net that concern requests that can get there, in hundredths.
fn concerned(stages: &[&Stages]) -> usize {
    average(stages.iter().map(|stages| stages.concerned).sum(), stages.len())
}

/// Which part is removed, in thousandths.
fn removed(before: usize, left: usize) -> usize {
    rounded(before.saturating_sub(left).saturating_mul(1_000), before)
}

/// A quotient, rounded; 0 of nothing.
fn rounded(sum: usize, count: usize) -> usize {
    sum.saturating_mul(2).saturating_add(count).checked_div(count.saturating_mul(2)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(end: End, stages: Stages, millis: u64) -> Trial {
        Trial { end, stages, time: Duration::from_millis(millis) }
    }

    #[test]
    fn averages() {
        let first = Stages {
            components: 1,
            constructed: 2,
            most_components: 4,
            periods: 5,
            most_periods: 5,
            net: (10, 20),
            concerned: 15,
            disjuncts: 2,
            ..Stages::default()
        };
        let second =
            Stages { components: 3, most_components: 3, periods: 3, most_periods: 2, net: (20, 50), concerned: 25, ..Stages::default() };
        let trials = [
            // One of two is sliced away, the other by half.
            trial(End::Serializable, Stages { sliced_away: 1, left: (5, 10), ..first }, 5),
            trial(End::Refuted, Stages { disjuncts: 1, left: (20, 25), ..second }, 7),
            trial(End::TooManyComponents, Stages::default(), 30),
            // Without disjuncts nothing is said about slices.
            trial(End::Cancelled, Stages { components: 1, periods: 1, most_periods: 1, ..Stages::default() }, 1),
        ];
        let figures = figures(&trials);
        assert_eq!((figures.programs, figures.decided, figures.capped, figures.cancelled), (4, 2, 1, 1));
        assert_eq!((figures.with_set, figures.components, figures.most_components), (3, (167, 3), 4));
        assert_eq!(figures.periods, (180, 5));
        assert_eq!((figures.with_disjuncts, figures.disjuncts, figures.sliced_away, figures.with_kept), (2, 3, 1, 2));
        assert_eq!((figures.net, figures.left), ((1_500, 3_500), (1_125, 1_500)));
        // 11.25 of 15, and 15 of 35.
        assert_eq!(figures.removed, (250, 571));
        // Of those that are not sliced away 5 and 20 places are left, 10 and 25 transitions.
        assert_eq!((figures.net_of_kept, figures.left_of_kept), ((1_500, 3_500), (1_250, 1_750)));
        assert_eq!(figures.removed_of_kept, (167, 500));
        // 15 of 20 transitions, and 17.5 of 20.
        assert_eq!((figures.concerned, figures.removed_of_concerned), (2_000, (250, 125)));
        assert_eq!(figures.constructed, (67, 2));
        assert_eq!((figures.total, figures.median), (Duration::from_millis(43), Duration::from_millis(7)));
    }

    #[test]
    fn nothing() {
        assert_eq!(figures(&[]), Figures::default());
    }

    #[test]
    fn ends_are_told_apart() {
        let end = |reason: StopReason| {
            let report = Report { verdict: ClassicVerdict::Unknown(reason), stages: Stages::default() };
            Trial::new(&report, Duration::ZERO).end
        };
        let too_many = |what| StopReason::TooMany { stage: "semilinear set", what, cap: 7 };
        assert_eq!(end(too_many("components")), End::TooManyComponents);
        assert_eq!(end(too_many("disjuncts")), End::Unknown("semilinear set"));
        assert_eq!(end(StopReason::Cancelled), End::Cancelled);
        assert_eq!(end(StopReason::Inconclusive { stage: "reachability", what: "neither".to_owned() }), End::Unknown("reachability"));
    }

    #[test]
    fn each_switch_is_off_once() {
        let settings = settings();
        let off = |options: &Options| [options.order, options.prune, options.factor, options.slice].iter().filter(|&&on| !on).count();
        assert_eq!(settings.iter().map(|setting| off(&setting.options)).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 4]);
    }
}
