//! What the published pipeline decides, what its switches are worth, and that it agrees with the other methods.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use serval::ablation::{End, Trial, figures, settings};
use serval_classic_engine::{Options, Stages};
use serval_model::NetworkSystem;
use serval_report::bench::AblationReport;
use serval_soundness::threads::tallied;
use serval_soundness::{Limit, Merge};

use super::{THREADS, progress};
use crate::classic::{Agreement, Outcome, SuiteProgram, compare, decide_program, random, suite, trial};
use crate::page::Page;

/// For one program of the suite.
const LIMIT: Duration = Duration::from_secs(60);
/// For one program with one setting.
const ABLATION_LIMIT: Duration = Duration::from_secs(10);
/// For one random system.
const RANDOM_LIMIT: Duration = Duration::from_secs(5);

/// Decides the programs of a suite, and compares so many random systems; without a suite random systems alone.
pub fn page(directory: Option<&Path>, count: u64, seed: u64) -> Result<Page, String> {
    let mut page = Page::new(
        "The published pipeline",
        "The independent checker accepted every verdict: an invariant where a program is serializable, a run where it is not.\n\
         Times are without that, in milliseconds.",
    );
    if let Some(directory) = directory {
        programs(&suite(directory)?, &mut page)?;
    }
    agreement(count, seed, &mut page);
    Ok(page)
}

fn programs(programs: &[SuiteProgram], page: &mut Page) -> Result<(), String> {
    let ways: [(&str, &str, Systems); 2] = [
        ("As `serval check` compiles it", "A program is refuted if one of its components is, and serializable if all are.", |program| {
            &program.components
        }),
        ("As published", "One system for all of it, without any reduction of states.", |program| &program.plain),
    ];
    for (title, words, systems) in ways {
        page.section(title);
        page.line(format!("{words} The limit is {} s for a program.\n", LIMIT.as_secs()));
        verdicts(programs, systems, page);
    }
    ablation(programs, page)
}

type Systems = fn(&SuiteProgram) -> &Vec<NetworkSystem>;

fn milliseconds(time: Duration) -> String {
    let tenths = (time.as_micros() + 50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn verdicts(programs: &[SuiteProgram], systems: Systems, page: &mut Page) {
    page.table(&[
        "program",
        "verdict",
        ">components",
        ">periods",
        ">disjuncts",
        ">sliced away",
        ">refinements",
        ">clauses",
        ">trees",
        ">ms",
        ">check ms",
    ]);
    let (mut right, mut wrong, mut unknown) = (0, 0, 0);
    for program in programs {
        let outcome = match decide_program(systems(program), &Options::default(), Limit::Time(LIMIT)) {
            Ok(outcome) => outcome,
            Err(why) => {
                wrong += 1;
                page.fail(format!("{}: {why}", program.name));
                continue;
            }
        };
        match outcome.verdict {
            "unknown" => unknown += 1,
            verdict if verdict == program.expected => right += 1,
            verdict => {
                wrong += 1;
                page.fail(format!("{}: called {verdict}", program.name));
            }
        }
        page.line(row(&program.name, &outcome));
    }
    page.line(format!("\nOf {} programs {right} are decided as expected, {unknown} undecided, {wrong} wrongly.", programs.len()));
}

fn row(name: &str, outcome: &Outcome) -> String {
    let sum = |of: fn(&Stages) -> usize| outcome.stages.iter().map(of).sum::<usize>().to_string();
    let verdict = match &outcome.stop {
        Some((stage, why)) => format!("unknown ({stage}: {why})"),
        None => outcome.verdict.to_owned(),
    };
    let cells = [
        name.to_owned(),
        verdict,
        sum(|stages| stages.components),
        sum(|stages| stages.periods),
        sum(|stages| stages.disjuncts),
        sum(|stages| stages.sliced_away),
        sum(|stages| stages.refinements),
        sum(|stages| stages.invariant.0),
        sum(|stages| stages.invariant.1),
        milliseconds(outcome.time),
        milliseconds(outcome.check_time),
    ];
    format!("| {} |", cells.join(" | "))
}

const SWITCHES: &str = "\
Figures about sets are of programs with a set, and those about nets of programs with a disjunct that was looked at,
averaged over its disjuncts first: nothing is left of one that is sliced away. “Not sliced away” is about the others alone.

The net is the published one, with a place for every request and local state or response, and every step and response for
every request. “Removed” compares the averages before and after. So does the publication: from 23.9 / 37.3 down to
12.8 / 12.6, which is 46.5 % / 66.2 %. A sentence of it can be read such that steps and responses are only those of
requests that can get to the local state; “transitions of requests that get there” are the transitions of that net, which
has the same places, and of which slicing leaves the same. Nothing is asked about answers that a request never gives: such
disjuncts, which the publication has, would all be sliced away, and are in no figure.

A set “as constructed” is what unions, sums and stars make. With pruning and factoring it is then reduced: that puts
together afterwards what stars left apart, as factoring does before, and the publication has nothing like it.
";

fn ablation(programs: &[SuiteProgram], page: &mut Page) -> Result<(), String> {
    page.section("What the switches are worth");
    page.line(format!(
        "The systems as published, each with all switches on, one off, and all off; at most {} s for a program.",
        ABLATION_LIMIT.as_secs()
    ));
    page.line(SWITCHES);
    let mut wrong = 0;
    let mut table = AblationReport { times: true, cap: Options::default().max_components, ..AblationReport::default() };
    for setting in settings() {
        let mut trials: Vec<Trial> = Vec::new();
        for program in programs {
            let [system] = program.plain.as_slice() else { return Err(format!("{} is not one system", program.name)) };
            let trial = trial(system, &setting.options, Limit::Time(ABLATION_LIMIT)).1;
            let verdict = match trial.end {
                End::Serializable => "serializable",
                End::Refuted => "not-serializable",
                _ => program.expected.as_str(),
            };
            if verdict != program.expected {
                wrong += 1;
                page.fail(format!("{} {}: called {verdict}", program.name, setting.name));
            }
            trials.push(trial);
        }
        table.settings.push((setting.name, figures(&trials)));
    }
    page.line(table.to_markdown());
    page.line(format!("Of all these verdicts {wrong} are wrong."));
    Ok(())
}

/// The counts of one thread, and what is wrong.
#[derive(Default)]
struct Compared(Agreement, Vec<String>);

impl Merge for Compared {
    fn absorb(&mut self, other: Self) {
        self.0.absorb(other.0);
        self.1.extend(other.1);
    }
}

fn agreement(count: u64, seed: u64, page: &mut Page) {
    let shows_unknown = std::env::var_os("SHOW_UNKNOWN").is_some();
    let Ok(Compared(agreement, mut wrong)) = tallied(THREADS, count, |number, compared: &mut Compared| -> Result<(), Infallible> {
        for system in random(seed, number) {
            match compare(&system, Limit::Time(RANDOM_LIMIT), &mut compared.0) {
                Err(why) => compared.1.push(format!("number {number}: {why}: `{}`", system.to_json().replace(['\n', ' '], ""))),
                Ok(Outcome { stop: Some(stop), .. }) if shows_unknown => {
                    progress(&format!("unknown: number {number}: {stop:?}\n{}", system.to_json()));
                }
                Ok(_) => {}
            }
        }
        Ok(())
    });
    let (total, decided) = (agreement.total(), agreement.decided());
    page.section("Random systems and programs");
    page.line(format!(
        "Of {count} numbers (seed {seed}), half random systems and half random programs, {total} systems; {} s for each. The other\n\
         verdict is that of all other methods together.\n",
        RANDOM_LIMIT.as_secs()
    ));
    page.table(&["this method", "the others", ">systems"]);
    agreement.verdicts.iter().for_each(|((ours, others), count)| page.line(format!("| {ours} | {others} | {count} |")));
    page.line("");
    if !agreement.stops.is_empty() {
        page.table(&["stopped in", "because", ">systems"]);
        agreement.stops.iter().for_each(|((stage, why), count)| page.line(format!("| {stage} | {why} | {count} |")));
        page.line("");
    }
    let tenths = decided.saturating_mul(1_000).checked_div(total).unwrap_or(0);
    page.line(format!(
        "{decided} of {total} ({}.{} %) are decided; {} disagree or have evidence that is refused; the slowest took {} ms.",
        tenths / 10,
        tenths % 10,
        wrong.len(),
        milliseconds(agreement.slowest)
    ));
    wrong.sort_unstable();
    wrong.into_iter().for_each(|why| page.fail(why));
}
