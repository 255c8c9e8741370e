//! `serval net check NET`.

use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval::nets::export::{NetLanguage, net_text};
use serval::nets::{Certificate, NetAnswer, NetDecision, NetInput, NetQuestion, NetSession, Property, decide_net};
use serval_report::escape;
use serval_report::nets::{Contest, MarkingShown, NetReport, NetTrace, TextStyle, net_sarif};

use super::ended::{Decided, until_the_end};
use super::read::Asked;
use super::saving::{Kept, Saving};
use super::{assumed, read};
use crate::args::{NetCheck, NetFormat};
use crate::commands::check::progress::ProgressLine;
use crate::commands::check::{Status, millis, watch};
use crate::failure::Failure;
use crate::input::{Messages, name_of, shown};
use crate::limits::{self, Deadline, Lost, Time, Times, watched};
use crate::output::{say, write_file, write_to};

/// What is asked by default.
const USUAL: [&str; 4] = ["deadlock-free", "one-safe", "quasi-live", "no-dead-places"];
/// How wide the column of questions is at most.
const WIDEST: usize = 48;

pub(super) fn run(args: &NetCheck, messages: Messages) -> Result<ExitCode, Failure> {
    if !args.watch {
        return round(args, messages);
    }
    let files: Vec<PathBuf> = [&args.net.file].into_iter().chain(&args.queries).cloned().collect();
    if let Some(directory) = files.iter().find(|path| path.is_dir()) {
        return Err(Failure::message(format!("{} is a directory; give a file", shown(directory))));
    }
    watch::run(&files, messages, |_, _| round(args, messages))
}

/// Asks everything once.
fn round(args: &NetCheck, messages: Messages) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.limits.memory);
    let file = name_of(&args.net.file);
    let read = asked(args).and_then(|(input, asked)| Ok((assumed::proposed(args, &input)?, input, asked)));
    let (proposed, input, Asked { questions, mistakes }) = match read {
        Ok(asked) => asked,
        Err(failure) => return unusable(args, &file, failure),
    };
    let input = Arc::new(input);
    let certificates = assumed::certificates(args, &input)?;
    let width =
        proposed.iter().chain(&questions).map(|question| escape::name(&question.name).chars().count()).max().unwrap_or(0).min(WIDEST);
    let whole = args.trace.iter().any(|path| path == Path::new("all"));
    let style = TextStyle { verbose: args.verbose, markings: if whole { MarkingShown::Whole } else { MarkingShown::Changes }, width };
    let mut saving = Saving::new(args.certificate.as_deref(), &args.trace)?;
    let (mut worst, mut reports) = (Status::Fine, Vec::new());
    // What cannot be read costs its own answer.
    for mistake in &mistakes {
        say(mistake);
        let report = unreadable(&file, mistake);
        if args.format == NetFormat::Json {
            told(args, messages, style, &report)?;
        }
        worst = worst.max(Status::Input);
        reports.push(report);
    }
    let events = args.progress && args.format == NetFormat::Json;
    let line = !events && !messages.quiet && std::io::stderr().is_terminal();
    let progress = ProgressLine { file: file.clone(), events, line };
    let start = Instant::now();
    let all = args.timeout_all.map(|all| Duration::try_from_secs_f64(all).unwrap_or(Duration::MAX));
    let times = Times::start(args.limits.time(), all);
    let session = begun(args, times.next(), &input, &questions, certificates);
    if let Ok(Err(reason)) = &session {
        return Err(Failure::message(format!("--assume: {reason}")));
    }
    let session = session.and_then(|session| session.map_err(|_| Lost::Panicked));
    for question in &proposed {
        let time = times.next();
        let until = time.end();
        let decision = assumed::decided(time, &input, question);
        let (report, status) = answered(args, &file, &input, question, decision, (&mut saving, &until))?;
        told(args, messages, style, &report)?;
        worst = worst.max(status);
        reports.push(report);
    }
    // What serves all questions is counted with the first.
    let mut shared = start.elapsed();
    // As many at a time as there are threads, each with the whole time.
    let at_a_time = if questions.len() < 2 { 1 } else { serval_budget::threads(args.limits.jobs.unwrap_or(0)).max(1) };
    for (batch, asked) in questions.chunks(at_a_time).enumerate() {
        let first = batch.saturating_mul(at_a_time);
        for (number, question) in (first + 1..).zip(asked) {
            progress.asks(&question.name, number, questions.len());
        }
        let time = times.next();
        let until = time.end();
        let decided = decided_together(args, time, &input, &session, first..first.saturating_add(asked.len()));
        progress.done();
        for (question, mut decision) in asked.iter().zip(decided) {
            if let Ok((_, time)) = &mut decision {
                *time += std::mem::take(&mut shared);
            }
            let (report, status) = answered(args, &file, &input, question, decision, (&mut saving, &until))?;
            told(args, messages, style, &report)?;
            worst = worst.max(status);
            reports.push(report);
        }
        if limits::is_interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    if args.format == NetFormat::Sarif {
        write_to(None, &net_sarif(&reports, env!("CARGO_PKG_VERSION")))?;
    }
    Ok(worst.exit_code(args.exit_zero))
}

/// Tells what became of a question; SARIF tells it at the end.
fn told(args: &NetCheck, messages: Messages, style: TextStyle, report: &NetReport) -> Result<(), Failure> {
    let text = match args.format {
        NetFormat::Text if messages.quiet => report.to_line(style.width),
        NetFormat::Text => report.to_text(style),
        NetFormat::Json => report.to_json(),
        NetFormat::Mcc => report.to_mcc(),
        NetFormat::Markdown => report.to_markdown(),
        NetFormat::Sarif => String::new(),
    };
    write_to(None, &text)
}

/// The net, and all questions about it.
fn asked(args: &NetCheck) -> Result<(NetInput, Asked), Failure> {
    let input = read::net(&args.net)?;
    let Asked { mut questions, mistakes } = read::questions(&input, &args.property, &args.queries, &args.query)?;
    if args.property.is_empty() && args.queries.is_empty() && args.invariant.is_empty() {
        questions = input.own_questions();
        // A file that asks something itself is not asked more.
        for property in USUAL.iter().filter(|_| input.own_questions().is_empty()) {
            // What is no question about such a file is not asked.
            questions.extend(input.question(property));
        }
    }
    Ok((input, Asked { questions, mistakes }))
}

/// The report on a file or a question that cannot be read.
fn unreadable(file: &str, mistake: &str) -> NetReport {
    let mut report = NetReport::new(file, "", NetAnswer::Error);
    report.reason = Some(mistake.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned());
    report
}

/// Tells machines what people read about an input that cannot be used.
fn unusable(args: &NetCheck, file: &str, failure: Failure) -> Result<ExitCode, Failure> {
    let reason = match &failure {
        Failure::Input(text) | Failure::Message(text) => text.clone(),
        Failure::ClosedPipe | Failure::Interrupted | Failure::Internal => return Err(failure),
    };
    let report = unreadable(file, &reason);
    match args.format {
        NetFormat::Json => write_to(None, &report.to_json())?,
        NetFormat::Sarif => write_to(None, &net_sarif(&[report], env!("CARGO_PKG_VERSION")))?,
        NetFormat::Text | NetFormat::Mcc | NetFormat::Markdown => {}
    }
    Err(failure)
}

/// What can be found out about all questions at once, within the time for one, with what is taken for granted. The
/// inner error says why that is of no use.
fn begun(
    args: &NetCheck,
    time: Time,
    input: &Arc<NetInput>,
    questions: &[NetQuestion],
    certificates: Vec<Certificate>,
) -> Result<Result<Arc<NetSession>, String>, Lost> {
    let (input, questions, is_alone, rules) = (Arc::clone(input), questions.to_vec(), args.method.is_some(), args.reductions.rules());
    let is_whole = args.no_stubborn;
    watched(time, move |watch| {
        // Nothing is begun when the time is over.
        watch.glance();
        let mut session = match is_alone {
            true => NetSession::without_beginning(&input, &questions, &watch.cancel()),
            false => NetSession::begin(&input, &questions, &watch.cancel()),
        };
        session = session.reducing_by(&rules);
        if is_whole {
            session = session.without_stubborn_sets();
        }
        certificates.iter().try_for_each(|certificate| session.assume(&input, certificate))?;
        Ok(Arc::new(session))
    })
}

/// Decides some of the questions, each on a thread.
fn decided_together(
    args: &NetCheck,
    time: Time,
    input: &Arc<NetInput>,
    session: &Result<Arc<NetSession>, Lost>,
    numbers: Range<usize>,
) -> Vec<Decided> {
    let session = match session {
        Ok(session) => Arc::clone(session),
        Err(lost) => return numbers.map(|_| Err(lost.clone())).collect(),
    };
    let (input, asked, method) = (Arc::clone(input), numbers.clone(), args.method);
    let outcome = watched(time, move |watch| {
        let decide = |number: usize| {
            let start = Instant::now();
            let decision = until_the_end(watch, method, |options| session.decide(&input, number, options));
            (decision, start.elapsed())
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = asked.clone().skip(1).map(|number| scope.spawn(move || decide(number))).collect();
            let first = asked.start;
            let mut decided = vec![Ok(decide(first))];
            decided.extend(others.into_iter().map(|other| other.join().map_err(|_| Lost::Panicked)));
            decided
        })
    });
    match outcome {
        Ok(decided) => decided,
        Err(lost) => numbers.map(|_| Err(lost.clone())).collect(),
    }
}

/// The answer to a question, after what is to be kept has been saved.
fn answered(
    args: &NetCheck,
    file: &str,
    input: &NetInput,
    question: &NetQuestion,
    decision: Decided,
    (saving, until): (&mut Saving, &Deadline),
) -> Result<(NetReport, Status), Failure> {
    let (decision, time) = match decision {
        Ok(decided) => decided,
        Err(lost) => {
            let answer = if lost == Lost::Panicked { NetAnswer::Error } else { NetAnswer::Undecided };
            let mut report = NetReport::new(file, &question.name, answer);
            report.reason = Some(lost.reason());
            return Ok((report, if answer == NetAnswer::Error { Status::Internal } else { Status::Undecided }));
        }
    };
    let status = match decision.answer {
        NetAnswer::Holds => Status::Fine,
        NetAnswer::DoesNotHold => Status::NotSerializable,
        NetAnswer::Undecided => Status::Undecided,
        NetAnswer::Error => Status::Internal,
    };
    if decision.answer == NetAnswer::Error {
        reproduce(file, input, &decision);
    }
    let slug = saving.slug(&question.name);
    let certificate = decision.certificate.as_ref().filter(|_| status != Status::Internal);
    let saved = match certificate.map(|certificate| saving.certificate(&slug, certificate, until)).transpose()? {
        Some(Kept::At(path)) => Some(path),
        Some(Kept::OutOfTime) => {
            let mut report = NetReport::new(file, &question.name, NetAnswer::Undecided);
            report.reason = Some(format!("{}, while the certificate was written", until.reason()));
            report.time_ms = (!args.no_times).then(|| millis(time));
            return Ok((report, Status::Undecided));
        }
        Some(Kept::Nowhere) | None => None,
    };
    let trace = decision.run.as_ref().map(|run| NetTrace::new(run).to_json());
    let mut report = decision.into_report(file, question);
    report.contest = Some(contest(question));
    if let Some(note) = &mut report.certificate {
        note.path = saved;
    }
    report.trace = saving.trace(&slug, trace.as_deref())?;
    report.time_ms = (!args.no_times).then(|| millis(time));
    Ok((report, status))
}

/// Decides a question within a time.
pub(in crate::commands) fn decided(time: Duration, input: &Arc<NetInput>, question: &NetQuestion) -> Result<NetDecision, Lost> {
    let (input, question) = (Arc::clone(input), question.clone());
    watched(time, move |watch| until_the_end(watch, None, |options| decide_net(&input, &question, options)))
}

/// What the contest calls a question.
fn contest(question: &NetQuestion) -> Contest {
    let named = |id: &str, is_opposite| Contest { id: id.to_owned(), is_opposite };
    match &question.property {
        _ if question.is_query => named(&question.name, false),
        Property::DeadlockFree => named("ReachabilityDeadlock", true),
        Property::Safe(1) => named("OneSafe", false),
        Property::QuasiLive => named("QuasiLiveness", false),
        Property::StableMarking => named("StableMarking", false),
        Property::Live => named("Liveness", false),
        // The id is one word.
        _ => named(&question.name.replace(char::is_whitespace, "_"), false),
    }
}

/// Saves what is needed to find a bug, and says so.
fn reproduce(file: &str, input: &NetInput, decision: &NetDecision) {
    let Some(certificate) = &decision.certificate else { return };
    let reason = decision.reason.as_deref().unwrap_or_default();
    let path = PathBuf::from(format!("serval-bug-{}.txt", certificate.net));
    let version = env!("CARGO_PKG_VERSION");
    let net = net_text(input.net(), NetLanguage::Tina).unwrap_or_else(|error| error.to_string());
    let text = format!("serval {version}\n{reason}\n\n--- net {}\n{net}\n--- certificate\n{}", escape::name(file), certificate.to_json());
    let saved = match write_file(&path, &text) {
        Ok(()) => format!("a reproduction is saved in {}", shown(&path)),
        Err(_) => "a reproduction could not be saved".to_owned(),
    };
    say(&format!("{}\nthis is a bug in serval; {saved}\n", escape::line(reason)));
}
