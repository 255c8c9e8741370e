//! Finds a flow region around given counts.
//!
//! What a region is, and why its counts are those of walks, is said in
//! [`serval_proof::letters`]; here its data are chosen so that it is large, and
//! such that finitely many regions cover all walks.
//!
//! 1. A walk with these counts that visits few states; a tree of arcs that it uses.
//! 2. More states, one arc away, while labels have no edge inside.
//! 3. A vertex of the flows through the visited states that are left when each
//!    arc of the tree has been used once. Its edges are linearly independent.
//! 4. A *basis* of edges, those of the vertex first: how often these are used
//!    follows from the counts and from how often the other edges are used.
//! 5. A flow in integers in which the edges outside the basis are used as rarely as
//!    possible. How often is part of the region.
//! 6. How often edges of the basis are used, as expressions in the counts.
//!
//! *Why finitely many.* There are finitely many choices of states, tree, last state and
//! basis. For given ones the linear program of step 5 has the least value 0, at the vertex
//! plus the tree; its optimal integer points are within a distance that depends
//! on the matrix alone (Cook, Gerards, Schrijver and Tardos, Sensitivity theorems in integer
//! linear programming, 1986). So the numbers of step 5 are bounded.

use std::collections::{BTreeMap, BTreeSet};

use serval_arith::lp::{Optimum, minimise};
use serval_arith::{Outcome, solve};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Problem};
use serval_proof::letters::{Automaton, Flow, Region, contains, gcd};

use super::walk::{end_of, leading_to, walk, walk_within};
use crate::span::{Span, Vector};

/// A region that contains these counts; `None` if no walk has them, or if numbers
/// do not fit.
pub(super) fn find_region(automaton: &Automaton, classes: u32, counts: &[i64], budget: &mut Budget) -> Result<Option<Region>, Stopped> {
    // A count for each class.
    let counts: Vec<i64> = (0..classes as usize).map(|class| counts.get(class).copied().unwrap_or(0)).collect();
    let counts = counts.as_slice();
    let Some(walk) = short_walk(automaton, counts, budget)? else { return Ok(None) };
    let mut frame = RegionFrame::new(automaton, counts, &walk);
    frame.extend(budget)?;
    let Some(vertex) = frame.vertex(budget)? else { return Ok(None) };
    let (span, basis) = frame.basis(&vertex, budget)?;
    let Some(flow) = frame.least_flow(&basis, &walk, budget)? else { return Ok(None) };
    let region = frame.region(&span, &basis, &flow);
    Ok(region.filter(|region| contains(automaton, classes, region, counts) == Some(true)))
}

/// A walk that visits no state that another one through the same states could do
/// without.
fn short_walk(automaton: &Automaton, counts: &[i64], budget: &mut Budget) -> Result<Option<Vec<i64>>, Stopped> {
    let Some(mut best) = walk(automaton, counts, budget)? else { return Ok(None) };
    let mut visited = visited(automaton, &best);
    for state in visited.clone().into_iter().rev().filter(|&state| state != automaton.start) {
        if visited.contains(&state)
            && let Some(other) = walk_within(automaton, counts, |at| at != state && visited.contains(&at), budget)?
        {
            visited = self::visited(automaton, &other);
            best = other;
        }
    }
    Ok(Some(best))
}

/// The states on a walk.
fn visited(automaton: &Automaton, walk: &[i64]) -> BTreeSet<u32> {
    let used = automaton.edges.iter().zip(walk).filter(|&(_, &used)| used > 0);
    used.flat_map(|(&(from, _, to), _)| [from, to]).chain([automaton.start]).collect()
}

/// What has been chosen so far.
struct RegionFrame<'a> {
    automaton: &'a Automaton,
    counts: &'a [i64],
    last: u32,
    /// The states of the walk.
    visited: BTreeSet<u32>,
    /// Arcs of the tree that the walk uses, each with an edge.
    used: Vec<((u32, u32), usize)>,
    /// The states of the region, and all arcs.
    states: BTreeSet<u32>,
    tree: Vec<(u32, u32)>,
}

impl<'a> RegionFrame<'a> {
    /// The states of a walk, and a tree of shortest ways along it.
    fn new(automaton: &'a Automaton, counts: &'a [i64], walk: &[i64]) -> Self {
        let mut reached = vec![automaton.start];
        let mut used: Vec<((u32, u32), usize)> = Vec::new();
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            next += 1;
            for (edge, &(from, _, to)) in automaton.edges.iter().enumerate() {
                if from == state && walk[edge] > 0 && !reached.contains(&to) {
                    reached.push(to);
                    used.push(((from, to), edge));
                }
            }
        }
        let visited: BTreeSet<u32> = reached.into_iter().collect();
        let tree = used.iter().map(|&(arc, _)| arc).collect();
        Self { automaton, counts, last: end_of(automaton, walk), states: visited.clone(), visited, used, tree }
    }

    fn count(&self, class: u32) -> i64 {
        self.counts.get(class as usize).copied().unwrap_or(0)
    }

    /// Whether an edge begins and ends in these states.
    fn is_inside(&self, states: &BTreeSet<u32>, edge: usize) -> bool {
        let (from, _, to) = self.automaton.edges[edge];
        states.contains(&from) && states.contains(&to)
    }

    /// Adds states while that brings edges with new labels: first those with new
    /// loops, then those with most labels. From there one can come back.
    fn extend(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let edges = &self.automaton.edges;
        loop {
            budget.spend(1 + edges.len() as u64)?;
            let here: BTreeSet<u32> =
                edges.iter().filter(|(from, _, to)| self.states.contains(from) && self.states.contains(to)).map(|edge| edge.1).collect();
            let back = leading_to(self.automaton, self.states.clone());
            let next = edges.iter().filter(|(from, _, to)| self.states.contains(from) && !self.states.contains(to) && back.contains(to));
            let mut arcs: BTreeMap<u32, u32> = BTreeMap::new();
            for &(from, _, to) in next {
                arcs.entry(to).or_insert(from);
            }
            let new = |state: u32| {
                let comes = |&&(from, label, to): &&(u32, u32, u32)| {
                    let inside = |at: u32| at == state || self.states.contains(&at);
                    (from == state || to == state) && inside(from) && inside(to) && !here.contains(&label)
                };
                let labels: BTreeSet<u32> = edges.iter().filter(comes).map(|edge| edge.1).collect();
                let loops: BTreeSet<u32> = edges.iter().filter(comes).filter(|edge| edge.0 == edge.2).map(|edge| edge.1).collect();
                (loops.len(), labels.len())
            };
            budget.spend(arcs.len() as u64 * edges.len() as u64)?;
            let best = arcs.iter().map(|(&to, &from)| (new(to), from, to)).filter(|((_, labels), ..)| *labels > 0);
            let Some((_, from, to)) = best.max_by_key(|&(gain, _, to)| (gain, std::cmp::Reverse(to))) else { return Ok(()) };
            self.states.insert(to);
            self.tree.push((from, to));
        }
    }

    /// Where a label's equation is in the columns of edges: at its number; and where
    /// that of a state is.
    fn state_row(&self, state: u32) -> Option<u32> {
        u32::try_from(self.counts.len()).ok()?.checked_add(state)
    }

    /// The column of an edge: 1 at its label, −1 where it begins, 1 where it ends.
    fn column(&self, edge: usize) -> Option<Vector> {
        let (from, label, to) = self.automaton.edges[edge];
        let mut column = Vector::from([(label, 1)]);
        if from != to {
            column.extend([(self.state_row(from)?, -1), (self.state_row(to)?, 1)]);
        }
        Some(column)
    }

    /// What enters a state must exceed what leaves it by.
    fn excess(&self, state: u32) -> i64 {
        i64::from(state == self.last) - i64::from(state == self.automaton.start)
    }

    /// The equations of flows along edges through the visited states with labels that occur,
    /// where each edge has been used so often already.
    fn equations(&self, before: &BTreeMap<usize, i64>) -> Option<(Vec<usize>, Problem)> {
        let inside = |edge: &usize| self.is_inside(&self.visited, *edge) && self.count(self.automaton.edges[*edge].1) > 0;
        let edges: Vec<usize> = (0..self.automaton.edges.len()).filter(inside).collect();
        let mut rows: BTreeMap<u32, (Vec<(u32, i64)>, i64)> = BTreeMap::new();
        for (class, &count) in (0..).zip(self.counts) {
            rows.insert(class, (Vec::new(), -count));
        }
        for &state in &self.visited {
            rows.insert(self.state_row(state)?, (Vec::new(), -self.excess(state)));
        }
        for (variable, &edge) in (0..).zip(&edges) {
            let times = before.get(&edge).copied().unwrap_or(0);
            for (row, entry) in self.column(edge)? {
                let (terms, constant) = rows.get_mut(&row)?;
                terms.push((variable, entry));
                *constant = constant.checked_add(entry.checked_mul(times)?)?;
            }
        }
        let equalities = rows.into_values().map(|(terms, constant)| Linear::new(terms, constant)).collect::<Option<_>>()?;
        let problem = Problem { variables: u32::try_from(edges.len()).ok()?, equalities, ..Problem::default() };
        Some((edges, problem))
    }

    /// The edges that a vertex uses.
    fn vertex(&self, budget: &mut Budget) -> Result<Option<Vec<usize>>, Stopped> {
        let tree: BTreeMap<usize, i64> = self.used.iter().map(|&(_, edge)| (edge, 1)).collect();
        let Some((edges, problem)) = self.equations(&tree) else { return Ok(None) };
        let Optimum::Vertex(values, _) = minimise(&problem, &Linear::default(), budget)? else { return Ok(None) };
        Ok(Some(edges.into_iter().zip(values).filter(|(_, value)| !value.is_zero()).map(|(edge, _)| edge).collect()))
    }

    /// Edges whose columns are independent, beginning with these; then those of the tree,
    /// those beside it, loops, and others.
    fn basis(&self, vertex: &[usize], budget: &mut Budget) -> Result<(Span, Vec<usize>), Stopped> {
        let inside = || (0..self.automaton.edges.len()).filter(|&edge| self.is_inside(&self.states, edge));
        let ends = |edge: usize| (self.automaton.edges[edge].0, self.automaton.edges[edge].2);
        let beside = inside().filter(|&edge| self.tree.contains(&ends(edge)));
        let loops = inside().filter(|&edge| ends(edge).0 == ends(edge).1);
        let order = vertex.iter().copied().chain(self.used.iter().map(|&(_, edge)| edge)).chain(beside).chain(loops).chain(inside());
        let (mut span, mut basis) = (Span::default(), Vec::new());
        let mut seen = BTreeSet::new();
        for edge in order {
            if !seen.insert(edge) {
                continue;
            }
            let size = basis.len() as u64;
            budget.spend(1 + 3 * size)?;
            if let Some(column) = self.column(edge)
                && span.add(column)
            {
                // Every pivot is changed.
                budget.spend(size * size)?;
                basis.push(edge);
            }
        }
        Ok((span, basis))
    }

    /// A flow that uses each arc of the tree, and edges outside the basis as rarely
    /// as possible.
    fn least_flow(&self, basis: &[usize], walk: &[i64], budget: &mut Budget) -> Result<Option<BTreeMap<usize, i64>>, Stopped> {
        let Some((edges, mut problem)) = self.equations(&BTreeMap::new()) else { return Ok(None) };
        let basis: BTreeSet<usize> = basis.iter().copied().collect();
        for &(arc, _) in &self.used {
            let along = |edge: usize| (self.automaton.edges[edge].0, self.automaton.edges[edge].2) == arc;
            let terms = (0..).zip(&edges).filter(|&(_, &edge)| along(edge)).map(|(variable, _)| (variable, 1));
            problem.inequalities.extend(Linear::new(terms, -1));
        }
        let outside: Vec<(u32, i64)> =
            (0..).zip(&edges).filter(|&(_, edge)| !basis.contains(edge)).map(|(variable, _)| (variable, -1)).collect();
        let mut best: Vec<i64> = edges.iter().map(|&edge| walk[edge]).collect();
        let total = |flow: &[i64]| edges.iter().zip(flow).filter(|(edge, _)| !basis.contains(edge)).map(|(_, &used)| used).sum::<i64>();
        // The least total is at least `low`, and at most that of the best. Mostly it is 0.
        let (mut low, mut tried) = (0, 0);
        while low < total(&best) {
            let Some(few) = Linear::new(outside.iter().copied(), tried) else { return Ok(None) };
            let mut problem = problem.clone();
            problem.inequalities.push(few);
            match solve(problem, budget) {
                Outcome::Satisfiable(found) => best = found,
                Outcome::Refuted(_) => low = tried + 1,
                Outcome::Stopped(stopped) => return Err(stopped),
            }
            tried = low + (total(&best) - low) / 2;
        }
        Ok(Some(edges.into_iter().zip(best).collect()))
    }

    /// The region: expressions for the basis, constants for the rest, and the
    /// arcs that lead to states that these touch.
    fn region(&self, span: &Span, basis: &[usize], flow: &BTreeMap<usize, i64>) -> Option<Region> {
        let mut offset = Vector::new();
        let mut flows: Vec<Flow> = Vec::new();
        for (&edge, &times) in flow.iter().filter(|&(edge, &times)| times > 0 && !basis.contains(edge)) {
            for (row, entry) in self.column(edge)? {
                let sum = offset.entry(row).or_default();
                *sum = sum.checked_add(entry.checked_mul(times)?)?;
            }
            flows.push(Flow { edge: u32::try_from(edge).ok()?, divisor: 1, constant: times, terms: Vec::new() });
        }
        let classes = u32::try_from(self.counts.len()).ok()?;
        for (&edge, (divisor, mut constant, terms)) in basis.iter().zip(span.forms(&offset)?) {
            // The counts are variables; what is said of states is known.
            for &(row, coefficient) in terms.iter().filter(|&&(row, _)| row >= classes) {
                constant = constant.checked_add(coefficient.checked_mul(self.excess(row - classes))?)?;
            }
            let terms: Vec<(u32, i64)> = terms.into_iter().filter(|&(row, _)| row < classes).collect();
            if constant != 0 || !terms.is_empty() {
                let common = terms.iter().fold(gcd(divisor, constant.unsigned_abs()), |common, term| gcd(common, term.1.unsigned_abs()));
                let divided = i64::try_from(common).ok()?;
                let terms = terms.into_iter().map(|(class, coefficient)| (class, coefficient / divided)).collect();
                flows.push(Flow { edge: u32::try_from(edge).ok()?, divisor: divisor / common, constant: constant / divided, terms });
            }
        }
        flows.sort_unstable_by_key(|flow| flow.edge);
        let mut needed: BTreeSet<u32> = BTreeSet::new();
        for flow in &flows {
            let (from, _, to) = *self.automaton.edges.get(flow.edge as usize)?;
            needed.extend([from, to]);
        }
        let mut tree = Vec::new();
        for &(from, to) in self.tree.iter().rev() {
            if needed.contains(&to) {
                needed.insert(from);
                tree.push((from, to));
            }
        }
        tree.reverse();
        Some(Region { last: self.last, flows, tree })
    }
}

#[cfg(test)]
mod tests {
    use serval_testkit::random::SplitMix64;

    use super::super::sample::{counts_up_to, draw, walks};
    use super::*;

    fn enough() -> Budget {
        Budget::ticks(50_000_000)
    }

    #[test]
    fn regions_contain_their_counts_and_walks_alone() {
        let sweep = serval_effort::sweep("engine.regions", 50, 200);
        let random = &mut SplitMix64::new(sweep.seed(3));
        let drawn: Vec<(usize, Automaton)> = (0..sweep.count())
            .map(|_| {
                let classes = 1 + random.below(3);
                (classes, draw(random, classes))
            })
            .collect();
        let each = serval_effort::side_by_side(&drawn, |&(classes, ref automaton)| {
            let mut members = 0;
            let number = u32::try_from(classes).unwrap();
            let (walks, all) = (walks(automaton, classes, 7), counts_up_to(classes, 7));
            let mut regions: Vec<Region> = Vec::new();
            for counts in &all {
                let inside = |region: &Region, counts: &[i64]| contains(automaton, number, region, counts).unwrap();
                if regions.iter().any(|region| inside(region, counts)) {
                    continue;
                }
                let found = find_region(automaton, number, counts, &mut enough()).unwrap();
                assert_eq!(found.is_some(), walks.contains(counts), "{automaton:?} {counts:?}");
                let Some(region) = found else { continue };
                assert!(inside(&region, counts), "{automaton:?} {counts:?} {region:?}");
                for other in all.iter().filter(|other| inside(&region, other)) {
                    assert!(walks.contains(other), "{automaton:?} {region:?} {other:?}");
                    members += 1;
                }
                regions.push(region);
            }
            assert!(regions.len() <= 30, "{} regions: {automaton:?}", regions.len());
            members
        });
        let members: u64 = each.into_iter().sum();
        assert!(!sweep.is_representative() || members > 8 * sweep.count(), "{members}");
    }
}
