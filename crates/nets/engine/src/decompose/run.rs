//! Runs of perfect marked graph-transition sequences (Lambert 1992).
//!
//! For each piece let `σ` be a cycle at its entry that can fire from its first label and adds to each place that has a
//! number there and ω in the label of the entry; `ρ` the same at its exit, against time. Let `s` solve the
//! characteristic system with each arc used at least once, and `h` the homogeneous one with each arc used at least once
//! more than by `σ` and `ρ` together, with `h_in ≥ 1` and `h_in + e(σ) ≥ 1` where the first label has ω, and with
//! `h_out ≥ 1` and `h_out − e(ρ) ≥ 1` where the last has. Both exist, since all unknowns are free and homogeneous
//! solutions can be added and multiplied. Let `π` be an Euler path of `s` from entry to exit, and `τ` an Euler circuit
//! of `h − σ − ρ` at the exit: each arc is used, and the graph is strongly connected.
//!
//! **Theorem (Lambert).** For all large `k` the word that has `σ^k π τ^k ρ^k` for each piece, joined by the joints, is
//! a run of the sequence. **Proof.** It adds up to `s + k·h`, so the parts begin and end under the labels, and joints
//! have what they take. Places with a number in the labels of vertices have it along every path, and each arc can fire
//! there. Take another place. Where it has a number in the first label, `h_in = 0`, the first `σ` can fire, and each
//! adds at least 1; where it has ω, there are `s_in + k·h_in + i·e(σ)` tokens after `i` rounds, which is at least `k`
//! for `i = 0` and `i = k`, so in between. So before each round there are enough if `k` is large, and after `σ^k` there
//! are at least `k`. From the end, the same holds for `ρ^k`. Before `τ^k` there are at least `k` tokens less what `π`
//! takes, and after it at least `k`; rounds are on the line between them. `π` and a round of `τ` take a number that
//! does not depend on `k`. ∎
//!
//! Rows of the goal are in both systems, so that `s + k·h` meets them, too; where they say that a number does not
//! divide, `k` is a multiple of all these numbers.
//!
//! Without `h_in ≥ 1` it may be that `h_in = 0` and `e(σ) ≥ 1`, and the first `σ` cannot fire, however large `k` is.
//!
//! No proof is needed that the answer is right: the first `k` of 0, 1, 2, 4, … whose word the checker replays into the
//! goal is it.

use rustc_hash::FxHashMap;
use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_linear::Linear;
use serval_net_proof::decomposition::sequence::{Label, Piece, Sequence, fired};
use serval_net_proof::decomposition::system::System;
use serval_net_proof::{Item, Refusal, Run};
use serval_petri::{Constraint, Formula, Net};

use crate::decompose::covering::{arcs_from, is_at_most};
use crate::decompose::{NUMBERS, ended};

/// How long a word is at most that is written out.
pub const MOST_STEPS: usize = 1_000_000;

/// How many doublings of the number of rounds there are at most.
const MOST_DOUBLINGS: u32 = 48;

/// How large the product of all numbers is at most that are not to divide something.
const MOST_UNIT: u64 = 1 << 12;

const TOO_LONG: Refusal = Refusal::TooLarge { what: "steps of a run", limit: MOST_STEPS as u64 };

/// A vertex with its tokens, and from where by which arc it was met.
type Met = (usize, Label, Option<(usize, usize)>);

/// A shortest cycle at the entry of a piece, as numbers of arcs, that can fire from its first label and adds to each
/// place that is to be pumped; or the same at its exit, against time, read forwards. Breadth first; what is at most as
/// large as something that was met before at the same vertex leads to nothing more.
pub fn pumping(net: &Net, piece: &Piece, forward: bool, budget: &mut Budget) -> Result<Vec<usize>, Refusal> {
    let (begin, first) = if forward { (piece.entry, &piece.first) } else { (piece.exit, &piece.last) };
    let wanted: Vec<usize> = (0..first.len()).filter(|&place| first[place].is_some() && piece.labels[begin][place].is_none()).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let from = arcs_from(piece, forward);
    let mut met: Vec<Met> = vec![(begin, first.clone(), None)];
    let mut largest: FxHashMap<usize, Vec<Label>> = FxHashMap::default();
    largest.insert(begin, vec![first.clone()]);
    let mut at = 0;
    while at < met.len() {
        let (vertex, label) = (met[at].0, met[at].1.clone());
        for (number, arc) in &from[vertex] {
            budget.spend(1)?;
            let Some(next) = fired(net, &label, arc.transition, forward)? else { continue };
            let end = if forward { arc.to } else { arc.from };
            if end == begin && wanted.iter().all(|&place| next[place] > first[place]) {
                let (mut word, mut back) = (vec![*number], at);
                while let Some((before, arc)) = met[back].2 {
                    word.push(arc);
                    back = before;
                }
                if forward {
                    word.reverse();
                }
                return Ok(word);
            }
            let known = largest.entry(end).or_default();
            budget.spend(u64::try_from(known.len() / 8).unwrap_or(u64::MAX))?;
            if known.iter().any(|larger| is_at_most(&next, larger)) {
                continue;
            }
            known.retain(|smaller| !is_at_most(smaller, &next));
            known.push(next.clone());
            met.push((end, next, Some((at, *number))));
        }
        at += 1;
    }
    // A piece that is pumpable has such a cycle.
    Err(Refusal::TooLarge { what: "steps of a cycle", limit: 0 })
}

/// Arcs, each with the number of its repetitions.
type Blocks = Vec<(usize, i64)>;

/// A path of arcs from a vertex, each used so often (Hierholzer); they are connected, and what enters a vertex leaves
/// it, but for the ends. A loop is used as often as it is to be when its vertex is first come to, so that what is to be
/// used very often may be short all the same.
fn euler(piece: &Piece, from: usize, mut times: Vec<i64>, budget: &mut Budget) -> Result<Blocks, Refusal> {
    let mut loops: FxHashMap<usize, Blocks> = FxHashMap::default();
    for (number, arc) in piece.arcs.iter().enumerate().filter(|(_, arc)| arc.from == arc.to) {
        loops.entry(arc.from).or_default().push((number, std::mem::take(&mut times[number])));
    }
    let steps = times.iter().try_fold(0_i64, |sum, &times| sum.checked_add(times)).and_then(|sum| usize::try_from(sum).ok());
    let steps = steps.filter(|&steps| steps <= MOST_STEPS).ok_or(TOO_LONG)?;
    budget.spend(u64::try_from(steps).unwrap_or(u64::MAX))?;
    let arcs = arcs_from(piece, true);
    let mut next = vec![0; arcs.len()];
    let (mut way, mut path) = (vec![(from, None)], Vec::with_capacity(steps));
    while let Some(&(vertex, arc)) = way.last() {
        match arcs[vertex].get(next[vertex]) {
            Some(&(number, edge)) if times[number] > 0 => {
                times[number] = times[number].saturating_sub(1);
                way.push((edge.to, Some(number)));
            }
            Some(_) => next[vertex] += 1,
            None => {
                path.extend(arc);
                way.pop();
            }
        }
    }
    path.reverse();
    let mut blocks = loops.remove(&from).unwrap_or_default();
    for arc in path {
        blocks.push((arc, 1));
        blocks.extend(loops.remove(&piece.arcs[arc].to).into_iter().flatten());
    }
    Ok(blocks)
}

/// Blocks written out.
fn written_out(blocks: &Blocks) -> Result<Vec<usize>, Refusal> {
    let mut word = Vec::new();
    for &(arc, times) in blocks {
        let more = usize::try_from(times.max(0)).ok().filter(|more| word.len().saturating_add(*more) <= MOST_STEPS).ok_or(TOO_LONG)?;
        word.extend(std::iter::repeat_n(arc, more));
    }
    Ok(word)
}

/// Blocks as parts of a run.
fn items(piece: &Piece, blocks: &Blocks) -> Vec<Item> {
    let item = |&(arc, times): &(usize, i64)| {
        let word = fire(piece, &[arc]);
        match (times, word.first()) {
            (1, Some(&transition)) => Item::Fire(transition),
            _ => Item::Repeat(u64::try_from(times).unwrap_or(0), word),
        }
    };
    blocks.iter().filter(|block| block.1 > 0).map(item).collect()
}

/// How often each arc of a piece is used.
fn counts(piece: &Piece, word: &[usize]) -> Vec<i64> {
    let mut counts = vec![0; piece.arcs.len()];
    word.iter().for_each(|&arc| counts[arc] = i64::saturating_add(counts[arc], 1));
    counts
}

/// What a word adds to each place.
fn effect(net: &Net, piece: &Piece, word: &[usize]) -> Vec<i128> {
    let mut effect = vec![0_i128; net.place_count()];
    for &arc in word {
        let transition = piece.arcs[arc].transition;
        net.outputs(transition).iter().for_each(|&(place, weight)| effect[place.index()] += i128::from(weight));
        net.inputs(transition).iter().for_each(|&(place, weight)| effect[place.index()] -= i128::from(weight));
    }
    effect
}

fn solved(system: System, budget: &mut Budget) -> Result<Vec<i64>, Refusal> {
    match Solver::new(system.problem).solve(budget) {
        Outcome::Satisfiable(values) => Ok(values),
        Outcome::Stopped(stopped) => Err(ended(stopped, budget)),
        Outcome::Refuted(_) => Err(Refusal::TooLarge { what: "solutions of a perfect sequence", limit: 0 }),
    }
}

/// Transitions by number.
fn fire(piece: &Piece, word: &[usize]) -> Vec<u32> {
    word.iter().map(|&arc| u32::try_from(piece.arcs[arc].transition.index()).unwrap_or(u32::MAX)).collect()
}

/// What a piece repeats and what it does once.
struct PieceWords {
    up: Vec<u32>,
    once: Vec<Item>,
    round: Vec<u32>,
    down: Vec<u32>,
}

/// The numbers of the arcs of a piece.
fn of_piece(values: &[i64], system: &[u32], piece: usize, arcs: usize) -> Vec<i64> {
    let offset = usize::try_from(system[piece]).unwrap_or(usize::MAX);
    (offset..offset.saturating_add(arcs)).map(|variable| values.get(variable).copied().unwrap_or(0)).collect()
}

/// The words of all pieces.
fn words(net: &Net, sequence: &Sequence, budget: &mut Budget) -> Result<Vec<PieceWords>, Refusal> {
    let mut system = System::new(net, sequence, false, budget)?;
    let offsets = system.offsets.clone();
    for variable in 0..system.problem.variables {
        system.problem.inequalities.push(Linear::new([(variable, 1)], -1).ok_or(NUMBERS)?);
    }
    let once = solved(system, budget)?;
    let mut system = System::new(net, sequence, true, budget)?;
    let mut pumps = Vec::with_capacity(sequence.pieces.len());
    for (number, piece) in sequence.pieces.iter().enumerate() {
        let (up, down) = (pumping(net, piece, true, budget)?, pumping(net, piece, false, budget)?);
        let used: Vec<i64> = counts(piece, &up).iter().zip(counts(piece, &down)).map(|(up, down)| up.saturating_add(down)).collect();
        for (variable, used) in (offsets[number]..).zip(&used) {
            system.problem.inequalities.push(Linear::new([(variable, 1)], (-1_i64).saturating_sub(*used)).ok_or(NUMBERS)?);
        }
        let (rises, falls) = (effect(net, piece, &up), effect(net, piece, &down));
        for place in 0..net.place_count() {
            for (label, tokens, more) in
                [(&piece.first, &system.entries[number][place], rises[place]), (&piece.last, &system.exits[number][place], -falls[place])]
            {
                if label[place].is_none() {
                    let terms = tokens.terms().iter().map(|&(variable, factor)| (variable, i128::from(factor)));
                    // At both ends of the rounds.
                    for more in [0, more] {
                        system.problem.inequalities.push(Linear::from_wide(terms.clone(), more - 1).ok_or(NUMBERS)?);
                    }
                }
            }
        }
        pumps.push((up, down, used));
    }
    let rounds = solved(system, budget)?;
    let mut words = Vec::with_capacity(pumps.len());
    for ((number, piece), (up, down, used)) in sequence.pieces.iter().enumerate().zip(pumps) {
        let once = euler(piece, piece.entry, of_piece(&once, &offsets, number, piece.arcs.len()), budget)?;
        let rest =
            of_piece(&rounds, &offsets, number, piece.arcs.len()).iter().zip(&used).map(|(all, used)| all.saturating_sub(*used)).collect();
        let round = written_out(&euler(piece, piece.exit, rest, budget)?)?;
        words.push(PieceWords { up: fire(piece, &up), once: items(piece, &once), round: fire(piece, &round), down: fire(piece, &down) });
    }
    Ok(words)
}

/// A run of a perfect sequence, and how often it pumps; `None` where the goal says that numbers do not divide that are
/// too large.
pub fn run(net: &Net, goal: &Formula, sequence: &Sequence, budget: &mut Budget) -> Result<Option<(Run, u64)>, Refusal> {
    let words = words(net, sequence, budget)?;
    let Some(unit) = sequence.rows.iter().try_fold(1_u64, |unit, row| match row {
        Constraint::NotDivisible { divisor, .. } => unit.checked_mul(divisor.get()).filter(|&unit| unit <= MOST_UNIT),
        Constraint::AtLeastZero(_) | Constraint::Zero(_) => Some(unit),
    }) else {
        return Ok(None);
    };
    for times in std::iter::once(0).chain((0..MOST_DOUBLINGS).map(|exponent| unit << exponent)) {
        let mut word = Vec::new();
        for (number, piece) in words.iter().enumerate() {
            let repeat = |part: &Vec<u32>| (times > 0 && !part.is_empty()).then(|| Item::Repeat(times, part.clone()));
            word.extend(repeat(&piece.up));
            word.extend(piece.once.iter().cloned());
            word.extend([&piece.round, &piece.down].into_iter().filter_map(repeat));
            word.extend(sequence.joints.get(number).map(|joint| Item::Fire(u32::try_from(joint.index()).unwrap_or(u32::MAX))));
        }
        let run = Run { word };
        match serval_net_proof::run::end(net, &run, budget) {
            Ok(end) => return Ok(goal.holds(&end).then_some((run, times))),
            Err(Refusal::Invalid(_)) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Err(Refusal::TooLarge { what: "rounds of a run", limit: 1 << MOST_DOUBLINGS })
}
