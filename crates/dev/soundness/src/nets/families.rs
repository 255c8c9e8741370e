//! Nets whose answers are known by construction.

use std::time::{Duration, Instant};

use serval_budget::Budget;
use serval_families::covering::{hopcroft_pansiot, lipton, lipton_size, multiplication};
use serval_net_engine::decompose::DecompositionRule;
use serval_net_engine::{GoalOutcome, decide};
use serval_net_proof::Claim;
use serval_petri::{Formula, Net, Property, mist, vass};

use crate::nets::alone::decided;
use crate::{Limit, within};

/// A question with its answer.
pub struct KnownAnswer {
    /// The net, and what is asked.
    pub name: String,
    /// The net.
    pub net: Net,
    /// That the marking is reached.
    pub goal: Formula,
    /// Whether it is.
    pub reachable: bool,
}

/// What became of a question.
pub struct FamilyRow {
    /// The net, and what is asked.
    pub name: String,
    /// The answer that is right.
    pub reachable: bool,
    /// Who was asked.
    pub asked: &'static str,
    /// The answer, and who gave it.
    pub answer: Option<(bool, String)>,
    /// How long it took.
    pub time: Duration,
}

fn known(name: String, net: &Net, property: &str, reachable: bool) -> Result<KnownAnswer, String> {
    let goals = Property::parse(property, net).map_err(|error| error.message)?.goals(net);
    let goal = goals.and_then(|mut goals| goals.pop()).ok_or("a number does not fit")?;
    Ok(KnownAnswer { name, net: net.clone(), goal, reachable })
}

/// Weak doubling of `z` rounds: `2^z`, and one more.
pub fn doubling(z: u32, free: bool) -> Result<Vec<KnownAnswer>, String> {
    let made = hopcroft_pansiot(z, free);
    let net = vass::read(&made.text).map_err(|error| error.to_string())?.net;
    let name = |tokens: &str| format!("hopcroft-pansiot:{z}{}, {tokens}", if free { " with a free counter" } else { "" });
    Ok(vec![known(name("2^z"), &net, &made.reachable, true)?, known(name("2^z + 1"), &net, &made.unreachable, false)?])
}

/// Weak multiplication: the product, and one more.
pub fn multiplied(n: usize) -> Result<Vec<KnownAnswer>, String> {
    let net = vass::read(&multiplication(n, n)).map_err(|error| error.to_string())?.net;
    let property = |product: usize| format!("reaches:back = 1, c2 = {n}, c3 = {product}");
    let name = |what: &str| format!("weak-multiplication:{n}, {what}");
    let product = n * n;
    Ok(vec![known(name("n·n"), &net, &property(product), true)?, known(name("n·n + 1"), &net, &property(product + 1), false)?])
}

/// Lipton's counter: it halts with all counters full, and with a mistake it does not. What an interpreter of the
/// program says is compared where these nets are tested.
pub fn tested(n: u32) -> Result<Vec<KnownAnswer>, String> {
    let mut all = Vec::new();
    for mistake in [false, true] {
        let net = mist::read(&lipton(n, mistake)).map_err(|error| error.to_string())?.net;
        let full = |level: u32| format!(", y{level} = {0}, z{level} = {0}", lipton_size(level));
        let below: String = (0..n).map(full).collect();
        let property = format!("reaches:halt = 1, x = {}{below}", lipton_size(n));
        let name = format!("lipton:{n}{}, halted", if mistake { " with a mistake" } else { "" });
        all.push(known(name, &net, &property, !mistake)?);
    }
    Ok(all)
}

/// Asks all methods together, within a time.
pub fn together(known: &KnownAnswer, limit: Duration) -> FamilyRow {
    let start = Instant::now();
    let found =
        within(Limit::Time(limit), |cancel| decide(&known.net, std::slice::from_ref(&known.goal), 40, cancel).pop().unwrap_or_default());
    let answer = match found {
        GoalOutcome::Answer(answer) => Some((answer.claim == Claim::Reachable, answer.method.to_owned())),
        GoalOutcome::Refused(answer, rejection) => Some((!known.reachable, format!("{}, refused: {rejection}", answer.method))),
        GoalOutcome::Nothing | GoalOutcome::TooLarge { .. } => None,
    };
    FamilyRow { name: known.name.clone(), reachable: known.reachable, asked: "all", answer, time: start.elapsed() }
}

/// Asks the decomposition alone, within a time.
pub fn alone(known: &KnownAnswer, limit: Duration) -> FamilyRow {
    let start = Instant::now();
    let said = within(Limit::Time(limit), |cancel| {
        decided(&known.net, &known.goal, DecompositionRule::ORDER, &mut Budget::new(u64::MAX, cancel.clone()))
    });
    let answer = match said {
        Ok(Some((reached, _, counts))) => Some((reached, format!("decompose, {} sequences", counts.nodes))),
        Ok(None) => None,
        Err(wrong) => Some((!known.reachable, wrong)),
    };
    FamilyRow { name: known.name.clone(), reachable: known.reachable, asked: "decompose", answer, time: start.elapsed() }
}

/// All rows: what is asked together and what is asked of the decomposition alone.
pub fn rows(limit: Duration) -> Result<Vec<FamilyRow>, String> {
    let mut rows = Vec::new();
    for z in 1..=4 {
        for known in doubling(z, false)? {
            rows.extend([together(&known, limit), alone(&known, limit)]);
        }
    }
    for known in (1..=2).map(|z| doubling(z, true)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        rows.extend([together(&known, limit), alone(&known, limit)]);
    }
    for known in (0..=4).map(multiplied).chain((0..=1).map(tested)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        rows.push(together(&known, limit));
    }
    Ok(rows)
}
