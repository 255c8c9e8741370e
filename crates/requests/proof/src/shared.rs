//! Shared letters: a system is proved part by part, where only few letters belong to several parts.
//!
//! Let `N` be the normal form of a component. A *split* says for each request which parts `1 … k` it *touches*, which
//! may be none. The *class* `π_i(g)` of a global state `g` in part `i` is the set of those that `g` is joined with by
//! steps of requests that do not touch `i`, in any direction. Part `i` is the system `N_i` with the classes as global
//! states, `π_i(g0)` as the first, the nodes of the requests that touch `i`, and the step
//! `(n, π_i(g)) → (n', π_i(g'))` for each step `(n, g) → (n', g')` of theirs. A *letter* is shared if its request
//! touches several parts. `Big(r/a, g)` are the global states in which one request `r` can end that runs alone from
//! `g` and answers `a`; the same for parts. Let
//!
//! 1. the graph whose vertices are the parts and the shared letters, with an edge where the request of the letter
//!    touches the part, have no cycle (`shared.forest`);
//! 2. for each global state `g` of a serial run of `N` and each letter `r/a`, if for each part `i` that `r` touches
//!    some `p_i` is in `Big(r/a, π_i(g))` of `N_i`, then there is a `g'` in `Big(r/a, g)` with `π_i(g') = p_i` for all
//!    these `i` (`shared.serial`). If `r` touches no part, this says that `Big(r/a, g)` is not empty.
//!
//! **Theorem.** If every part is serializable, so is `N`.
//!
//! *Proof.* Let a complete run of `N` be given.
//!
//! *It projects to a complete run of each part.* Keep the requests that touch part `i`, and take classes for global
//! states. Steps of the others do not change the class, as it joins what they lead from and to. What is left is a run
//! of `N_i`. Its letters are those letters of the run whose request touches `i`; so every part that a letter belongs
//! to has it as often as the run.
//!
//! *Each part has a word.* `N_i` is serializable, so there is a serial run with the same letters: a sequence `w_i` of
//! letters, and classes of which each is in `Big` of the one before.
//!
//! *One word for all parts.* We look for a word `w` with the letters of the run such that for each `i` the letters in
//! `w` of requests that touch `i` are `w_i`. By the first condition the parts can be ordered such that each has at most
//! one letter in common with all before it together: order each tree of the graph from a root. (If a part had two
//! letters in common with those before, these are in one tree and joined by way of parts before it, and there is a
//! cycle.) Let `u` be the word of the parts so far, and `w_i` the next. Without a common letter `u w_i` will do. Else
//! the letter `c` is in both equally often, namely as often as in the run: `u = u_0 c u_1 … c u_m` and
//! `w_i = v_0 c v_1 … c v_m`. Take `u_0 v_0 c u_1 v_1 … c u_m v_m`. No letter in a `v` belongs to an earlier part, and
//! none in a `u` to part `i`, so each part has its own word. At the end put letters of requests that touch no part
//! anywhere.
//!
//! *It is a serial run of `N`.* Go along `w` from `g0` and keep that the global state `g` has in each part the class in
//! which the serial run of that part is. For the next letter `r/a` each part that `r` touches makes a step of its word,
//! to some `p_i` in `Big(r/a, π_i(g))`. By the second condition there is a `g'` in `Big(r/a, g)` with these classes. In
//! the other parts the class stays, as `r` does not touch them. ∎
//!
//! **Both are needed.** Where two letters belong to the same two parts, the parts may need them in different orders.
//! Where an answer or a test mixes parts, each part has the answer for some value of the other, and both together do
//! not. The checker computes classes and parts for itself; the second condition is looked at in global states that
//! serial runs of `N` reach, which are those that the proof comes to.

use std::collections::{BTreeMap, BTreeSet};

use serval_evidence::require;
use serval_model::{NetworkSystem, Node, NodeStep, NormalForm, RequestId, ResponseId};

pub use crate::certificate::SharedProof;
use crate::{Refusal, TooLarge, Work};

/// What the check of a split ends with, if it ends early.
type Refused = Refusal<std::convert::Infallible>;

/// The parts of a system, as systems of their own with the same requests and responses; refused where a condition is
/// not met.
pub fn split(
    named: &NetworkSystem,
    form: &NormalForm,
    touches: &[Vec<u32>],
    parts: usize,
    work: &mut Work,
) -> Result<Vec<NetworkSystem>, Refused> {
    let valid = |list: &Vec<u32>| list.is_sorted_by(|one, next| one < next) && list.iter().all(|&part| (part as usize) < parts);
    let numbers = touches.len() == named.request_count() && touches.iter().all(valid);
    require!(SharedNumbers, numbers, about("the split"), "it does not say for each request which parts it touches, ascending");
    work.spend(parts.saturating_mul(form.steps().len().saturating_add(form.nodes().len())))?;
    let letters = letters(form, touches);
    require!(SharedForest, is_forest(&letters, parts), about("the split"), "some parts and shared letters form a cycle");
    let each: Vec<Projection> = (0..parts).map(|part| Projection::new(form, touches, part)).collect::<Option<_>>().ok_or(TOO_LARGE)?;
    serial(form, &letters, &each, work)?;
    work.spend(each.iter().map(|part| part.form.global_count() as usize + 2 * part.form.steps().len()).sum())?;
    Ok(each.iter().map(|part| part.form.to_system(named)).collect())
}

const TOO_LARGE: TooLarge = TooLarge { what: "steps", limit: u32::MAX as u64 };

/// A letter, and the parts that its request touches.
struct Touching<'a> {
    request: RequestId,
    response: ResponseId,
    parts: &'a [u32],
}

/// All letters.
fn letters<'a>(form: &NormalForm, touches: &'a [Vec<u32>]) -> Vec<Touching<'a>> {
    let letters = form.node_numbers().filter_map(|node| form.letter(node));
    letters.map(|(request, response)| Touching { request, response, parts: parts_of(touches, request) }).collect()
}

fn parts_of(touches: &[Vec<u32>], request: RequestId) -> &[u32] {
    touches.get(request.index()).map_or(&[], Vec::as_slice)
}

/// The first condition.
fn is_forest(letters: &[Touching<'_>], parts: usize) -> bool {
    let shared = letters.iter().filter(|letter| letter.parts.len() > 1);
    let mut trees = Joined::new(parts.saturating_add(letters.len()));
    shared.enumerate().all(|(number, letter)| letter.parts.iter().all(|&part| trees.join(part as usize, parts + number)))
}

/// Sets that are joined.
struct Joined(Vec<usize>);

impl Joined {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// What stands for the set of a member.
    fn root(&mut self, mut member: usize) -> usize {
        while self.0[member] != member {
            self.0[member] = self.0[self.0[member]];
            member = self.0[member];
        }
        member
    }

    /// Joins two sets, the smaller number stands for them; whether they were two.
    fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
        one != other
    }
}

/// A part.
struct Projection {
    /// The class of each global state.
    class: Vec<u32>,
    form: NormalForm,
    /// The initial nodes of each request.
    starts: BTreeMap<RequestId, Vec<Node>>,
}

impl Projection {
    /// A part of a system; `None` if numbers are too large, which they are not where those of the system are not.
    fn new(form: &NormalForm, touches: &[Vec<u32>], part: usize) -> Option<Self> {
        let touched = |node: Node| {
            let request = form.nodes()[node as usize].0;
            parts_of(touches, request).iter().any(|&of| of as usize == part)
        };
        let mut joined = Joined::new(form.global_count() as usize);
        for step in form.steps().iter().filter(|step| !touched(step.node)) {
            joined.join(step.global as usize, step.to_global as usize);
        }
        let (class, count) = classes(&mut joined)?;
        let mut node_of = BTreeMap::new();
        let mut nodes = Vec::new();
        for node in form.node_numbers().filter(|&node| touched(node)) {
            node_of.insert(node, u32::try_from(nodes.len()).ok()?);
            nodes.push(form.nodes()[node as usize]);
        }
        let image = |step: &NodeStep| {
            let (node, to_node) = (*node_of.get(&step.node)?, *node_of.get(&step.to_node)?);
            Some(NodeStep { node, global: class[step.global as usize], to_node, to_global: class[step.to_global as usize] })
        };
        // A step leads from a node of a request to one of the same request, so none is left out but those of others.
        let steps = form.steps().iter().filter_map(image).collect();
        let form = NormalForm::from_parts(count, class[form.initial_global() as usize], nodes, steps);
        let starts = starts(&form);
        Some(Self { class, form, starts })
    }
}

/// The number of the class of each member, in the order of their first ones, and how many there are.
fn classes(joined: &mut Joined) -> Option<(Vec<u32>, u32)> {
    let (mut class, mut count) = (vec![0; joined.0.len()], 0_u32);
    for member in 0..class.len() {
        let root = joined.root(member);
        if root == member {
            class[member] = count;
            count = count.checked_add(1)?;
        } else {
            // What stands for a set is its smallest member.
            class[member] = class[root];
        }
    }
    Some((class, count))
}

fn starts(form: &NormalForm) -> BTreeMap<RequestId, Vec<Node>> {
    let mut starts: BTreeMap<RequestId, Vec<Node>> = BTreeMap::new();
    for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
        starts.entry(form.nodes()[node as usize].0).or_default().push(node);
    }
    starts
}

/// Answers of a request that runs alone, and the global state that it leaves.
type Ends = BTreeSet<(ResponseId, u32)>;

/// How a request can end that runs alone.
fn alone(form: &NormalForm, starts: &[Node], global: u32, work: &mut Work) -> Result<Ends, Refused> {
    let mut ends = Ends::new();
    let mut to_visit: Vec<(Node, u32)> = starts.iter().map(|&node| (node, global)).collect();
    let mut seen: rustc_hash::FxHashSet<(Node, u32)> = to_visit.iter().copied().collect();
    while let Some(point) = to_visit.pop() {
        let steps = form.steps_from(point);
        work.spend(steps.len().saturating_add(1))?;
        for step in steps {
            match form.letter(step.to_node) {
                Some((_, response)) => _ = ends.insert((response, step.to_global)),
                None if seen.insert(step.target()) => to_visit.push(step.target()),
                None => {}
            }
        }
    }
    Ok(ends)
}

/// The second condition.
fn serial(form: &NormalForm, letters: &[Touching<'_>], parts: &[Projection], work: &mut Work) -> Result<(), Refused> {
    let starts = starts(form);
    let none: &[Node] = &[];
    let mut of_parts: BTreeMap<(u32, RequestId, u32), Ends> = BTreeMap::new();
    let mut to_visit = vec![form.initial_global()];
    let mut seen: BTreeSet<u32> = to_visit.iter().copied().collect();
    while let Some(global) = to_visit.pop() {
        for of_request in letters.chunk_by(|one, next| one.request == next.request) {
            let (request, touched) = (of_request[0].request, of_request[0].parts);
            let ends = alone(form, starts.get(&request).map_or(none, Vec::as_slice), global, work)?;
            for &number in touched {
                let part = &parts[number as usize];
                let class = part.class[global as usize];
                if let std::collections::btree_map::Entry::Vacant(entry) = of_parts.entry((number, request, class)) {
                    entry.insert(alone(&part.form, part.starts.get(&request).map_or(none, Vec::as_slice), class, work)?);
                }
            }
            for letter in of_request {
                let of_letter = |ends: &Ends| ends.iter().filter(|end| end.0 == letter.response).count();
                let together = touched.iter().fold(1_usize, |product, &number| {
                    let class = parts[number as usize].class[global as usize];
                    product.saturating_mul(of_parts.get(&(number, request, class)).map_or(0, of_letter))
                });
                let classes = |end: u32| touched.iter().map(|&number| parts[number as usize].class[end as usize]).collect::<Vec<u32>>();
                let there: BTreeSet<Vec<u32>> = ends.iter().filter(|end| end.0 == letter.response).map(|end| classes(end.1)).collect();
                work.spend(there.len().saturating_add(touched.len()))?;
                // What the system can do, each of its parts can; so there are as many exactly if there are all.
                let all = there.len() == together;
                let object = || format!("letter {}/{}", request.index(), letter.response.index());
                require!(SharedSerial, all, about(object()), "in global state {global} its parts can do more together than it can");
            }
            for &(_, end) in &ends {
                if seen.insert(end) {
                    to_visit.push(end);
                }
            }
        }
    }
    Ok(())
}
