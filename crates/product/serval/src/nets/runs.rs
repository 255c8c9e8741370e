//! Runs of nets: shorter ones, and what they do step by step.

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_model::SplitMix64;
use serval_net_engine::shorten::shorten;
use serval_net_proof::{Item, Run};
use serval_petri::{Formula, Marking, Net, TransitionId};
use serval_report::nets::{NetRun, NetStep, NetTrace, TokenChange, TraceStep};

/// Firings up to which a run is written out, and made shorter.
const WRITTEN_OUT: u64 = 5_000;
/// Markings that are looked at to find the shortest run.
const LOOKED_AT: usize = 5_000;

/// A run that is no longer, and whether it is shortest.
pub(super) fn shortened(net: &Net, goal: &Formula, run: Run, budget: &mut Budget) -> (Run, bool) {
    let Some(written) = written_out(&run) else { return (run, false) };
    let short = shorten(net, goal, &written, LOOKED_AT, budget);
    (Run { word: short.run.into_iter().map(Item::Fire).collect() }, short.shortest)
}

/// The transitions one by one, unless there are too many.
fn written_out(run: &Run) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for item in &run.word {
        match item {
            Item::Fire(transition) => all.push(*transition),
            Item::Repeat(times, word) => {
                let length = u64::try_from(word.len()).ok().and_then(|length| length.checked_mul(*times));
                let length = length.filter(|&length| length <= WRITTEN_OUT)?;
                all.extend(word.iter().cycle().take(usize::try_from(length).ok()?));
            }
        }
        if u64::try_from(all.len()).ok()? > WRITTEN_OUT {
            return None;
        }
    }
    Some(all)
}

fn transition(net: &Net, number: u32) -> Option<TransitionId> {
    TransitionId::try_from_index(usize::try_from(number).ok()?).filter(|transition| transition.index() < net.transition_count())
}

/// The run step by step; `None` where it is none.
pub(super) fn told(net: &Net, run: &Run, shortest: bool, end: String) -> Option<NetRun> {
    let mut marking = net.initial();
    let mut steps = Vec::with_capacity(run.word.len());
    for item in &run.word {
        let (word, times): (&[u32], u64) = match item {
            Item::Fire(number) => (std::slice::from_ref(number), 1),
            Item::Repeat(times, word) => (word, *times),
        };
        let word = word.iter().map(|&number| transition(net, number)).collect::<Option<Vec<_>>>()?;
        let after = repeated(net, &marking, &word, times)?;
        steps.push(step(net, &marking, &after, &word, times));
        marking = after;
    }
    let word = serval_report::nets::folded(&steps);
    Some(NetRun { initial: marked(net, &net.initial()), configuration: None, word, steps, shortest, end })
}

fn step(net: &Net, before: &Marking, after: &Marking, word: &[TransitionId], times: u64) -> NetStep {
    let changed = net.places().filter(|&place| before.tokens(place) != after.tokens(place));
    let changes =
        changed.map(|place| TokenChange { place: net.place_name(place).to_owned(), from: before.tokens(place), to: after.tokens(place) });
    NetStep {
        fire: word.iter().map(|&transition| net.transition_name(transition).to_owned()).collect(),
        times,
        changes: changes.collect(),
        configuration: None,
    }
}

/// The marking after `times` times the word. Its effect is the same each time, so that it need not be fired one by one.
fn repeated(net: &Net, marking: &Marking, word: &[TransitionId], times: u64) -> Option<Marking> {
    if times == 0 {
        return Some(marking.clone());
    }
    let mut once = marking.clone();
    word.iter().try_for_each(|&transition| net.fire(&mut once, transition)).ok()?;
    let tokens = net.places().map(|place| {
        let (before, after) = (i128::from(marking.tokens(place)), i128::from(once.tokens(place)));
        let end = before.checked_add((after - before).checked_mul(times.into())?)?;
        u64::try_from(end).ok()
    });
    tokens.collect::<Option<Vec<u64>>>().map(Marking::new)
}

fn marked(net: &Net, marking: &Marking) -> Vec<(String, u64)> {
    marking.marked().map(|(place, tokens)| (net.place_name(place).to_owned(), tokens)).collect()
}

/// A random run of at most `steps` steps, always the same for the same seed.
pub fn walked(net: &Net, steps: u64, seed: u64) -> NetRun {
    let mut random = SplitMix64::new(seed);
    let mut marking = net.initial();
    let mut done = Vec::new();
    let mut end = format!("{} fired", counted(steps, "transition"));
    for _ in 0..steps {
        let enabled: Vec<TransitionId> = net.transitions().filter(|&transition| net.is_enabled(&marking, transition)).collect();
        let Some(chosen) = random.pick(&enabled) else {
            "nothing can fire".clone_into(&mut end);
            break;
        };
        let mut after = marking.clone();
        if let Err(error) = net.fire(&mut after, chosen) {
            end = error.to_string();
            break;
        }
        done.push(step(net, &marking, &after, &[chosen], 1));
        marking = after;
    }
    NetRun { initial: marked(net, &net.initial()), configuration: None, word: None, steps: done, shortest: false, end }
}

/// Fires what a trace says; what is wrong with it, in one line.
pub fn replayed(net: &Net, trace: &NetTrace) -> Result<NetRun, String> {
    let mut run = Run::default();
    let number = |name: &String| {
        let known = net.transition_named(name).and_then(|transition| u32::try_from(transition.index()).ok());
        known.ok_or_else(|| {
            let near = serval_diagnostic::similar(name, net.transitions().map(|transition| net.transition_name(transition)));
            let near = near.map_or_else(String::new, |near| format!("; did you mean “{near}”?"));
            format!("the net has no transition “{name}”{near}")
        })
    };
    for step in &trace.steps {
        run.word.push(match step {
            TraceStep::Fire(name) => Item::Fire(number(name)?),
            TraceStep::Repeat { times, fire } => Item::Repeat(*times, fire.iter().map(number).collect::<Result<_, _>>()?),
        });
    }
    let fires = |length: usize| {
        let part = Run { word: run.word[..length].to_vec() };
        serval_net_proof::run::end(net, &part, &mut Budget::unlimited()).is_ok()
    };
    if !fires(run.word.len()) {
        let bad = (0..run.word.len()).find(|&position| !fires(position + 1)).unwrap_or(0);
        let what = match run.word.get(bad) {
            Some(Item::Fire(number)) => transition(net, *number).map_or_else(String::new, |one| format!("“{}”", net.transition_name(one))),
            _ => "the word".to_owned(),
        };
        return Err(format!("step {} of the trace: {what} cannot fire there", bad + 1));
    }
    told(net, &run, false, "the trace ends".to_owned()).ok_or_else(|| "the trace is no run of this net".to_owned())
}
