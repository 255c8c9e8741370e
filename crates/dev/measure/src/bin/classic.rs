//! What the published pipeline decides, what its switches are worth, and that
//! it agrees with the other methods: a Markdown page on standard output.
//!
//! `classic DIRECTORY [SYSTEMS]`, with the published suite in the directory;
//! `classic random SYSTEMS [SEED]` compares random systems only. Ends with 1 if
//! a verdict is wrong or the checker refuses evidence.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serval::ablation::{End, Trial, figures, settings};
use serval_classic_engine::{Options, Stages};
use serval_measure::classic::{Agreement, Outcome, Program, compare, decide_program, random, suite, trial};
use serval_model::NetworkSystem;
use serval_report::bench::AblationReport;
use serval_soundness::Limit;

/// For one program of the suite.
const LIMIT: Duration = Duration::from_secs(60);
/// For one program with one setting.
const ABLATION_LIMIT: Duration = Duration::from_secs(10);
/// For one random system.
const RANDOM_LIMIT: Duration = Duration::from_secs(5);
/// Random systems, if nothing else is said.
const RANDOM: u64 = 2_000;
const THREADS: u64 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
    let out = &mut io::stdout().lock();
    let result = match arguments.as_slice() {
        ["random", systems] => number(systems).and_then(|systems| agreement(systems, 1, out)),
        ["random", systems, seed] => number(systems).and_then(|systems| agreement(systems, number(seed)?, out)),
        [directory] if *directory != "random" => page(Path::new(directory), RANDOM, out),
        [directory, systems] => number(systems).and_then(|systems| page(Path::new(directory), systems, out)),
        _ => Err("usage: classic DIRECTORY [SYSTEMS] | classic random SYSTEMS [SEED]".to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn print(out: &mut impl Write, line: &str) -> Result<(), String> {
    writeln!(out, "{line}").map_err(|error| error.to_string())
}

fn page(directory: &Path, systems: u64, out: &mut impl Write) -> Result<bool, String> {
    let programs = suite(directory)?;
    print(out, "# The published pipeline")?;
    print(out, "")?;
    print(out, "Written by `scripts/measure classic SUITE`. Every verdict was checked by the independent checker: an invariant where")?;
    print(out, "a program is serializable, a run where it is not. Times are without that, in milliseconds.")?;
    let ways: [(&str, &str, Systems); 2] = [
        ("As `serval check` compiles it", "A program is refuted if one of its components is, and serializable if all are.", |program| {
            &program.components
        }),
        ("As published", "One system for all of it, without any reduction of states.", |program| &program.plain),
    ];
    let mut fine = true;
    for (title, words, systems) in ways {
        print(out, "")?;
        print(out, &format!("## {title}"))?;
        print(out, "")?;
        print(out, &format!("{words} The limit is {} s for a program.", LIMIT.as_secs()))?;
        print(out, "")?;
        fine &= verdicts(&programs, systems, out)?;
    }
    fine &= ablation(&programs, out)?;
    Ok(agreement(systems, 1, out)? && fine)
}

type Systems = fn(&Program) -> &Vec<NetworkSystem>;

fn milliseconds(time: Duration) -> String {
    let tenths = (time.as_micros() + 50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn verdicts(programs: &[Program], systems: Systems, out: &mut impl Write) -> Result<bool, String> {
    print(out, "| program | verdict | components | periods | disjuncts | sliced away | refinements | clauses | trees | ms | check ms |")?;
    print(out, "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    let (mut right, mut wrong, mut unknown) = (0, Vec::new(), 0);
    for program in programs {
        let outcome = match decide_program(systems(program), &Options::default(), Limit::Time(LIMIT)) {
            Ok(outcome) => outcome,
            Err(why) => {
                wrong.push(format!("{}: {why}", program.name));
                continue;
            }
        };
        match outcome.verdict {
            "unknown" => unknown += 1,
            verdict if verdict == program.expected => right += 1,
            verdict => wrong.push(format!("{}: called {verdict}", program.name)),
        }
        print(out, &row(&program.name, &outcome))?;
    }
    print(out, "")?;
    let total = programs.len();
    print(out, &format!("Of {total} programs {right} are decided as expected, {unknown} undecided, {} wrongly.", wrong.len()))?;
    wrong.iter().try_for_each(|line| print(out, &format!("- {line}")))?;
    Ok(wrong.is_empty())
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

fn ablation(programs: &[Program], out: &mut impl Write) -> Result<bool, String> {
    print(out, "")?;
    print(out, "## What the switches are worth")?;
    print(out, "")?;
    let limit = ABLATION_LIMIT.as_secs();
    let words = [
        format!("The systems as published, each with all switches on, one off, and all off; at most {limit} s for a program. Figures"),
        "about sets are of programs with a set, and those about nets of programs with a disjunct that was looked at, averaged over"
            .to_owned(),
        "its disjuncts first: nothing is left of one that is sliced away. “Not sliced away” is about the others alone.".to_owned(),
        String::new(),
        "The net is the published one, with a place for every request and local state or response, and every step and response".to_owned(),
        "for every request. “Removed” compares the averages before and after. So does the publication: from 23.9 / 37.3 down to".to_owned(),
        "12.8 / 12.6, which is 46.5 % / 66.2 %. A sentence of it can be read such that steps and responses are only those of".to_owned(),
        "requests that can get to the local state; “transitions of requests that get there” are the transitions of that net, which"
            .to_owned(),
        "has the same places, and of which slicing leaves the same. Nothing is asked about answers that a request never gives:".to_owned(),
        "such disjuncts, which the publication has, would all be sliced away, and are in no figure.".to_owned(),
        String::new(),
        "A set “as constructed” is what unions, sums and stars make. With pruning and factoring it is then reduced: that puts".to_owned(),
        "together afterwards what stars left apart, as factoring does before, and the publication has nothing like it.".to_owned(),
        String::new(),
    ];
    words.iter().try_for_each(|line| print(out, line))?;
    let mut wrong = Vec::new();
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
                wrong.push(format!("{} {}: called {verdict}", program.name, setting.name));
            }
            trials.push(trial);
        }
        table.settings.push((setting.name, figures(&trials)));
    }
    write!(out, "{}", table.to_markdown()).map_err(|error| error.to_string())?;
    print(out, "")?;
    print(out, &format!("Of all these verdicts {} are wrong.", wrong.len()))?;
    wrong.iter().try_for_each(|line| print(out, &format!("- {line}")))?;
    Ok(wrong.is_empty())
}

fn agreement(systems: u64, seed: u64, out: &mut impl Write) -> Result<bool, String> {
    let parts: Vec<(Agreement, Vec<String>)> = std::thread::scope(|scope| {
        let part = |thread: u64| {
            let (mut agreement, mut wrong) = (Agreement::default(), Vec::new());
            for number in (0..systems).filter(|number| number / 2 % THREADS == thread) {
                for system in random(seed, number) {
                    match compare(&system, Limit::Time(RANDOM_LIMIT), &mut agreement) {
                        Err(why) => wrong.push(format!("number {number}: {why}: `{}`", system.to_json().replace(['\n', ' '], ""))),
                        Ok(Outcome { stop: Some(stop), .. }) if std::env::var_os("SHOW_UNKNOWN").is_some() => {
                            let _ = writeln!(io::stderr(), "unknown: number {number}: {stop:?}\n{}", system.to_json());
                        }
                        Ok(_) => {}
                    }
                }
            }
            (agreement, wrong)
        };
        let workers: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || part(thread))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    if parts.len() as u64 != THREADS {
        return Err("a thread panicked".to_owned());
    }
    let (mut agreement, mut wrong) = (Agreement::default(), Vec::new());
    for (part, lines) in parts {
        agreement.add(&part);
        wrong.extend(lines);
    }
    print(out, "")?;
    print(out, "## Random systems and programs")?;
    print(out, "")?;
    let (total, decided) = (agreement.total(), agreement.decided());
    print(
        out,
        &format!(
            "Of {systems} numbers (seed {seed}), half random systems and half random programs, {total} systems; {} s for each. The other",
            RANDOM_LIMIT.as_secs()
        ),
    )?;
    print(out, "verdict is that of all other methods together.")?;
    print(out, "")?;
    print(out, "| this method | the others | systems |")?;
    print(out, "|---|---|---:|")?;
    agreement.verdicts.iter().try_for_each(|((ours, others), count)| print(out, &format!("| {ours} | {others} | {count} |")))?;
    print(out, "")?;
    if !agreement.stops.is_empty() {
        print(out, "| stopped in | because | systems |")?;
        print(out, "|---|---|---:|")?;
        agreement.stops.iter().try_for_each(|((stage, why), count)| print(out, &format!("| {stage} | {why} | {count} |")))?;
        print(out, "")?;
    }
    let tenths = decided.saturating_mul(1_000).checked_div(total).unwrap_or(0);
    let share = format!("{}.{} %", tenths / 10, tenths % 10);
    print(
        out,
        &format!(
            "{decided} of {total} ({share}) are decided; {} disagree or have evidence that is refused; the slowest took {} ms.",
            wrong.len(),
            milliseconds(agreement.slowest)
        ),
    )?;
    wrong.iter().try_for_each(|line| print(out, &format!("- {line}")))?;
    Ok(wrong.is_empty())
}
