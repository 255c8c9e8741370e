//! Proves programs by reduction: `reduce FILE…` says for each what came out, how long it took and how large the
//! certificate is.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::{Why, prove};
use serval_proof::{Body, Certificate, Claim, Refusal, fingerprint};

fn main() {
    for name in std::env::args().skip(1) {
        // A number and a letter name a random program of the testkit, such as `6L` a looping one.
        let shape = serval_testkit::random::Shape::WITH_EDGES.into_iter().find(|shape| name.ends_with(&format!("{shape:?}")[..1]));
        let text = match (name.get(..name.len().saturating_sub(1)).and_then(|seed| seed.parse().ok()), shape) {
            (Some(seed), Some(shape)) => serval_testkit::random::random_program(seed, shape),
            _ => std::fs::read_to_string(&name).unwrap_or_default(),
        };
        if std::env::var("TEXT").is_ok() {
            println!("{text}");
        }
        let Some(program) = serval_syntax::analyze(&text).program else {
            println!("{name}: no program");
            continue;
        };
        let prepared = Prepared::new(&program, Options::default());
        let start = Instant::now();
        let line = |at: u32| text[..usize::try_from(at).unwrap_or(0).min(text.len())].lines().count().max(1);
        let expected = text.lines().next().unwrap_or_default().to_owned();
        let said = match prove(&prepared, &mut Budget::ticks(2_000_000_000)) {
            Ok(found) => {
                let took = start.elapsed();
                let start = Instant::now();
                let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(&prepared, &found.reduction, &mut Budget::unlimited());
                let checked = checked.map_or_else(|refusal| format!("REFUSED {refusal:?}"), |()| "accepted".to_owned());
                let body = Body::Reduction(Box::new(found.reduction));
                let json = Certificate { input: fingerprint(&text), component: 0, claim: Claim::Serializable, body }.to_json();
                if std::env::var("SHOW").is_ok() {
                    println!("{json}");
                }
                format!("proved in {took:?}, {checked} in {:?}, {} bytes", start.elapsed(), json.len())
            }
            Err(Why::Conflict(conflict)) => {
                let (a, b) = (&conflict.first, &conflict.second);
                let global = &program.globals[conflict.global.index()].name;
                format!(
                    "open: line {} and line {} do not commute on {global} ({:?})",
                    line(a.access.start),
                    line(b.access.start),
                    start.elapsed()
                )
            }
            Err(Why::Error(error)) => format!("open: line {} {}", line(error.span.start), error.what),
            Err(why) => format!("open: {why:?} ({:?})", start.elapsed()),
        };
        println!("{name} [{expected}]: {said}");
    }
}
