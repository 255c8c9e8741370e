//! Requests at some nodes are counted in the global state: `track`.
//!
//! # Track
//!
//! **Statement.** Let `S₁ … Sₘ` be sets of nodes that are neither initial nor done (`track.inner`), and `κ ≥ 1`
//! (`track.most`). The new global states are pairs `(g, n)` with `n ∈ {0 … κ}ᵐ`; the first is `(g₀, 0)`. For each step
//! `(l, g) → (l', g')` there are the steps `(l, (g, n)) → (l', (g', n'))` where for each `i`
//!
//! * `l, l' ∈ Sᵢ`: `nᵢ ≥ 1` and `n'ᵢ = nᵢ`;
//! * `l ∈ Sᵢ` alone: `nᵢ ≥ 1` and `n'ᵢ = nᵢ − 1`, or `n'ᵢ = κ` if `nᵢ = κ`;
//! * `l' ∈ Sᵢ` alone: `n'ᵢ = min(nᵢ + 1, κ)`;
//! * neither: `n'ᵢ = nᵢ`.
//!
//! Left out is what cannot be reached from `(g₀, 0)`, and what leads to no `(g, 0)`. `Int` and `Ser` stay as they are.
//!
//! *Proof.* Take a complete run, serial or not, and at each moment let `nᵢ` be the number of requests at nodes of `Sᵢ`,
//! or `κ` if that is more. At first all requests are at initial nodes and at the end all are at done nodes, so `n` is 0
//! then. If a request leaves a node of `Sᵢ` then `nᵢ ≥ 1`, and the number, if it falls by one, becomes `nᵢ − 1` where
//! it was below `κ`, and where it was `κ` or more it becomes `κ − 1` or stays at least `κ`. So each step is one of the
//! new system, and all of its global states are kept: they come from `(g₀, 0)` and lead to the last. Conversely, forget
//! `n`: each step of the new system is one of the old, by the same request. ∎
//!
//! What is known about pairs is forgotten.
//!
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): each step is followed by one of the same request, in
//! its place.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::require;
use serval_model::{Node, NodeStep, NormalForm};

use super::Reduced;
use super::rule::{Range, Rule};
use crate::{Checked, Work};

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Track {
    /// Sets of nodes; the requests at nodes of one set are counted together.
    pub groups: Vec<Vec<Node>>,
    /// The number from which on requests are not counted apart.
    pub most: u8,
}

/// A global state and how many requests are in each group.
type TrackedState = (u32, Box<[u8]>);

impl Rule for Track {
    fn in_range(&self, range: &Range) -> bool {
        self.groups.iter().flatten().all(|node| range.node(node))
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        require!(TrackMost, self.most >= 1, "nothing would be counted");
        for &node in self.groups.iter().flatten() {
            work.spend(1)?;
            let inner = !reduced.form.is_initial(node) && !reduced.form.is_done(node);
            require!(TrackInner, inner, "node {node} is initial or done");
        }
        Ok(())
    }

    fn apply(&self, reduced: &mut Reduced, budget: &mut Budget) -> Result<(), Stopped> {
        let form = &reduced.form;
        let (states, edges) = self.reach(form, budget)?;
        let number = numbers_of_leading_home(&states, &edges, budget)?;
        let kept = |(step, from, to): &(NodeStep, u32, u32)| {
            Some(NodeStep { global: number[*from as usize]?, to_global: number[*to as usize]?, ..*step })
        };
        let steps = edges.iter().filter_map(kept).collect();
        let count = number.iter().flatten().max().map_or(1, |last| last + 1);
        *reduced = Reduced::new(NormalForm::from_parts(count, 0, form.nodes().to_vec(), steps));
        Ok(())
    }
}

/// A step with the positions of the states before and after it.
type TrackedStep = (NodeStep, u32, u32);

impl Track {
    /// The states that can be reached, the first one first, and the steps between them.
    fn reach(&self, form: &NormalForm, budget: &mut Budget) -> Result<(Vec<TrackedState>, Vec<TrackedStep>), Stopped> {
        let mut inside = vec![vec![false; self.groups.len()]; form.nodes().len()];
        for (group, nodes) in self.groups.iter().enumerate() {
            for &node in nodes {
                inside[node as usize][group] = true;
            }
        }
        let mut under: Vec<Vec<NodeStep>> = vec![Vec::new(); form.global_count() as usize];
        for &step in form.steps() {
            under[step.global as usize].push(step);
        }
        let cost = 1 + self.groups.len() as u64 / 4;
        let first: TrackedState = (form.initial_global(), vec![0; self.groups.len()].into());
        let mut numbers: FxHashMap<TrackedState, u32> = FxHashMap::default();
        numbers.insert(first.clone(), 0);
        let (mut states, mut edges) = (vec![first], Vec::new());
        let mut from = 0;
        while let Some((global, counts)) = states.get(from as usize).cloned() {
            for &step in &under[global as usize] {
                budget.spend(cost)?;
                for after in self.after(&counts, &inside[step.node as usize], &inside[step.to_node as usize]) {
                    budget.spend(cost)?;
                    let state = (step.to_global, after);
                    // More states than 32 bits number are too many.
                    let new = u32::try_from(states.len()).map_err(|_| Stopped::OutOfTicks)?;
                    let to = *numbers.entry(state).or_insert_with_key(|state| {
                        states.push(state.clone());
                        new
                    });
                    edges.push((step, from, to));
                }
            }
            from += 1;
        }
        Ok((states, edges))
    }

    /// What the counts may be after a step between nodes of which these groups hold the first and the second; nothing
    /// if the step cannot be made.
    fn after(&self, counts: &[u8], from: &[bool], to: &[bool]) -> Vec<Box<[u8]>> {
        let mut all = vec![Vec::with_capacity(counts.len())];
        for (&count, (&leaves, &comes)) in counts.iter().zip(from.iter().zip(to)) {
            let next: &[u8] = match (leaves, comes) {
                (true, _) if count == 0 => return Vec::new(),
                (true, false) if count == self.most => &[count - 1, count],
                (true, false) => &[count - 1],
                (false, true) => &[(count + 1).min(self.most)],
                _ => &[count],
            };
            all = all.into_iter().flat_map(|before| next.iter().map(move |&n| [before.as_slice(), &[n]].concat())).collect();
        }
        all.into_iter().map(Vec::into_boxed_slice).collect()
    }
}

/// For each state its number among those that lead to one in which no request is counted, in their order.
fn numbers_of_leading_home(states: &[TrackedState], edges: &[TrackedStep], budget: &mut Budget) -> Result<Vec<Option<u32>>, Stopped> {
    budget.spend(states.len() as u64 + edges.len() as u64)?;
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); states.len()];
    for &(_, from, to) in edges {
        before[to as usize].push(from);
    }
    let mut home: Vec<bool> = states.iter().map(|(_, counts)| counts.iter().all(|&count| count == 0)).collect();
    let mut list: Vec<usize> = (0..home.len()).filter(|&state| home[state]).collect();
    while let Some(state) = list.pop() {
        for &from in &before[state] {
            if !std::mem::replace(&mut home[from as usize], true) {
                list.push(from as usize);
            }
        }
    }
    let mut next = 0;
    let number = |home: bool| {
        home.then(|| {
            next += 1;
            next - 1
        })
    };
    Ok(home.into_iter().map(number).collect())
}
