//! Equations between numbers that hold at every moment.
//!
//! A vector with a number for each node, each answer and each global state is
//! an invariant if no step changes its sum: over the requests at nodes, the
//! answers so far, and the global state. These vectors are the solutions of a
//! system of linear equations, one for each step. Requests come in at initial
//! nodes at any time, so that these have the number 0.

use serval_model::{Node, NormalForm};

/// A row of whole numbers.
type IntegerRow = Vec<i128>;

/// What is counted in an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Counted {
    /// Requests that are at a node, or have answered if it is a done one.
    At(Node),
    /// 1 under this global state, 0 under others.
    Global(u32),
}

/// `Σ factor · count = 0`, for all counts at every moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equations {
    columns: Vec<Counted>,
    rows: Vec<IntegerRow>,
    initial_global: u32,
}

/// The most numbers that are looked at; beyond, nothing is said.
const LARGEST: usize = 4_000_000;

impl Equations {
    /// All that the steps leave alone. None where numbers grow too large.
    pub(crate) fn of(form: &NormalForm) -> Self {
        Self::try_of(form).unwrap_or_default()
    }

    fn try_of(form: &NormalForm) -> Option<Self> {
        let mut columns: Vec<Counted> = form.node_numbers().filter(|&node| !form.is_initial(node)).map(Counted::At).collect();
        // The constant is fixed by the initial global state, which has the number 0.
        columns.extend((0..form.global_count()).filter(|&global| global != form.initial_global()).map(Counted::Global));
        columns.sort_unstable();
        if columns.len().saturating_mul(form.steps().len()) > LARGEST {
            return None;
        }
        let column = |counted: Counted| columns.binary_search(&counted).ok();
        let mut conditions: Vec<IntegerRow> = Vec::new();
        for step in form.steps() {
            let mut row = vec![0; columns.len()];
            let changes = [
                (Counted::At(step.to_node), 1),
                (Counted::At(step.node), -1),
                (Counted::Global(step.to_global), 1),
                (Counted::Global(step.global), -1),
            ];
            for (counted, change) in changes {
                if let Some(at) = column(counted) {
                    row[at] += change;
                }
            }
            conditions.push(row);
        }
        let pivots = eliminate(&mut conditions)?;
        let rows = solutions(&conditions, &pivots, columns.len())?;
        Some(Self { columns, rows, initial_global: form.initial_global() })
    }

    /// The equations that hold under one global state, between requests at nodes
    /// of which `is_there` says that one may be there: each a list of nodes
    /// with their factors, and the number that it is equal to.
    pub(crate) fn under(&self, form: &NormalForm, global: u32, is_there: impl Fn(Node) -> bool) -> Vec<(Vec<(Node, i128)>, i128)> {
        // Answers come first, so that elimination leaves equations without them where there are any.
        let mut nodes: Vec<Node> = form.node_numbers().filter(|&node| !form.is_initial(node) && is_there(node)).collect();
        nodes.sort_by_key(|&node| (!form.is_done(node), node));
        let factor = |row: &IntegerRow, counted: Counted| self.columns.binary_search(&counted).map_or(0, |at| row[at]);
        let mut rows: Vec<IntegerRow> = self
            .rows
            .iter()
            .map(|row| {
                let constant = if global == self.initial_global { 0 } else { -factor(row, Counted::Global(global)) };
                nodes.iter().map(|&node| factor(row, Counted::At(node))).chain([constant]).collect()
            })
            .collect();
        let Some(_) = eliminate(&mut rows) else { return Vec::new() };
        let mut equations = Vec::new();
        for row in rows {
            let terms: Vec<(Node, i128)> = nodes.iter().copied().zip(row.iter().copied()).filter(|&(_, factor)| factor != 0).collect();
            let constant = row.last().copied().unwrap_or(0);
            if !terms.is_empty() {
                equations.push((terms, constant));
            }
        }
        equations
    }
}

/// Brings rows into reduced echelon form, with positive leading numbers without
/// a common divisor; rows of zeros go. The columns of the leading numbers.
fn eliminate(rows: &mut Vec<IntegerRow>) -> Option<Vec<usize>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..width {
        let done = pivots.len();
        let Some(pivot) = (done..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(done, pivot);
        normalise(&mut rows[done], column);
        let leading = rows[done].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index == done || row[column] == 0 {
                continue;
            }
            let (own, other) = (leading[column], row[column]);
            for (entry, &lead) in row.iter_mut().zip(&leading) {
                *entry = entry.checked_mul(own)?.checked_sub(lead.checked_mul(other)?)?;
            }
            let first = row.iter().position(|&entry| entry != 0);
            if let Some(first) = first {
                normalise(row, first);
            }
        }
        pivots.push(column);
    }
    rows.truncate(pivots.len());
    Some(pivots)
}

/// Divides by the common divisor and makes the number in a column positive.
fn normalise(row: &mut IntegerRow, column: usize) {
    let divisor = row.iter().fold(0_i128, |divisor, &entry| common_divisor(divisor, entry));
    let sign = if row[column] < 0 { -1 } else { 1 };
    if divisor != 0 {
        for entry in row.iter_mut() {
            *entry = *entry / divisor * sign;
        }
    }
}

fn common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

/// A basis of what is orthogonal to rows in reduced echelon form.
fn solutions(rows: &[IntegerRow], pivots: &[usize], width: usize) -> Option<Vec<IntegerRow>> {
    let mut solutions = Vec::new();
    for free in (0..width).filter(|column| pivots.binary_search(column).is_err()) {
        // The common multiple of the leading numbers makes all entries whole.
        let mut scale = 1_i128;
        for (row, &pivot) in rows.iter().zip(pivots).filter(|(row, _)| row[free] != 0) {
            scale = (scale / common_divisor(scale, row[pivot])).checked_mul(row[pivot])?;
        }
        let mut solution = vec![0; width];
        solution[free] = scale;
        for (row, &pivot) in rows.iter().zip(pivots) {
            solution[pivot] = row[free].checked_mul(-(scale / row[pivot]))?;
        }
        normalise(&mut solution, free);
        solutions.push(solution);
    }
    Some(solutions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_model::NetworkSystem;

    /// A lock that is taken, a counter modulo 2 that is changed under it, and released.
    const LOCKED: &str = r#"{"initial_global": "free 0", "requests": [["r", "s"]], "responses": [["a0", "0"], ["a1", "1"]],
        "transitions": [["s", "free 0", "h0", "held 0"], ["s", "free 1", "h1", "held 1"],
            ["h0", "held 0", "a0", "free 1"], ["h1", "held 1", "a1", "free 0"], ["s", "held 0", "w", "held 0"], ["w", "free 0", "s", "free 0"]]}"#;

    fn form() -> NormalForm {
        NormalForm::new(&NetworkSystem::from_json(LOCKED).unwrap()).unwrap().0
    }

    #[test]
    fn a_held_lock_is_held_by_one() {
        let form = form();
        let system = NetworkSystem::from_json(LOCKED).unwrap();
        let global = |name: &str| u32::try_from(system.global_named(name).unwrap().index()).unwrap();
        let equations = Equations::of(&form);
        let of_requests = |name: &str| -> Vec<i128> {
            let all = equations.under(&form, global(name), |_| true);
            all.into_iter().filter(|(terms, _)| terms.iter().all(|&(node, _)| !form.is_done(node))).map(|(_, constant)| constant).collect()
        };
        assert!(of_requests("held 0").contains(&1));
        assert!(of_requests("free 0").iter().all(|&constant| constant == 0));
    }

    /// Whatever happens, in whatever order, the equations hold.
    #[test]
    fn runs_keep_the_equations() {
        let form = form();
        let equations = Equations::of(&form);
        assert!(!equations.rows.is_empty());
        let mut seed = 7_u64;
        let mut checked = 0;
        for _ in 0..200 {
            let mut at = vec![0_i128; form.nodes().len()];
            let mut global = form.initial_global();
            for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
                at[node as usize] = 3;
            }
            for _ in 0..20 {
                let steps: Vec<_> = form.steps().iter().filter(|step| step.global == global && at[step.node as usize] > 0).collect();
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let Some(step) = steps.get(usize::try_from(seed >> 33).unwrap() % steps.len().max(1)) else { break };
                at[step.node as usize] -= 1;
                at[step.to_node as usize] += 1;
                global = step.to_global;
                for (terms, constant) in equations.under(&form, global, |_| true) {
                    let sum: i128 = terms.iter().map(|&(node, factor)| factor * at[node as usize]).sum();
                    assert_eq!(sum, constant, "{terms:?} under {global}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }

    #[test]
    fn elimination_is_exact() {
        let mut rows = vec![vec![2, 4, 6], vec![1, 2, 4], vec![3, 6, 10]];
        assert_eq!(eliminate(&mut rows), Some(vec![0, 2]));
        assert_eq!(rows, vec![vec![1, 2, 0], vec![0, 0, 1]]);
        assert_eq!(solutions(&rows, &[0, 2], 3), Some(vec![vec![-2, 1, 0]]));
        let mut huge = vec![vec![i128::MAX, 1], vec![i128::MAX - 1, 1]];
        assert_eq!(eliminate(&mut huge), None);
    }
}
