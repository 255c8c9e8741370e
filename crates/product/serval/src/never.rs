//! Answers that no serial run gives, of whatever length.
//!
//! All global states in which serial runs can be between two requests are
//! gone through, and each request is run alone from each. If that ends within
//! its budget, an answer that was not met is one that no serial run ever gives.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_model::{GlobalId, Named, RequestId, SerialExplorer};
use serval_report::{Answered, NeverSerial};
use serval_syntax::{Expr, ExprKind, Program};

/// Which of these answers no serial run gives; nothing where that is not known. Without the program, or where an answer
/// is computed, it is not known that the answer is meant to tell of others.
pub(crate) fn never_serial<M: Named>(
    explorer: &mut SerialExplorer<M>,
    requests: &[Answered],
    program: Option<&Program>,
    mut budget: Budget,
) -> Vec<NeverSerial> {
    let asked = requests.iter().map(|Answered { request, response, .. }| (request.clone(), response.clone())).collect();
    let Some(given) = serial_answers(explorer, asked, &mut budget) else { return Vec::new() };
    let mut never: Vec<NeverSerial> = Vec::new();
    for Answered { request, response, name, .. } in requests {
        let told = given.contains(&(request.clone(), response.clone()));
        if told || never.iter().any(|known| known.request == *request && known.response == *response) {
            continue;
        }
        let elsewhere = given.iter().any(|(_, known)| known == response);
        let written = program.is_some_and(|program| is_written(program, request, response));
        never.push(NeverSerial { request: request.clone(), response: response.clone(), name: name.clone(), elsewhere, written });
    }
    never
}

/// All answers of all serial runs, by name; none where all that is asked about are among them, which is mostly soon
/// seen.
fn serial_answers<M: Named>(
    explorer: &mut SerialExplorer<M>,
    mut asked: BTreeSet<(String, String)>,
    budget: &mut Budget,
) -> Option<BTreeSet<(String, String)>> {
    let kinds: BTreeSet<RequestId> = explorer.system().starts().iter().map(|&(request, _)| request).collect();
    let mut given = BTreeSet::new();
    let initial = explorer.system().initial_global();
    let mut seen: BTreeSet<GlobalId> = BTreeSet::from([initial]);
    let mut open = vec![initial];
    while let Some(global) = open.pop() {
        for &request in &kinds {
            let results = explorer.alone(request, global, budget).ok()?.to_vec();
            for (response, after) in results {
                if given.insert((request, response)) {
                    let system = explorer.system();
                    asked.remove(&(system.request_name(request), system.response_name(response)));
                    if asked.is_empty() {
                        return None;
                    }
                }
                if seen.insert(after) {
                    open.push(after);
                }
            }
        }
    }
    let system = explorer.system();
    Some(given.into_iter().map(|(request, response)| (system.request_name(request), system.response_name(response))).collect())
}

/// Whether the text of a request names this answer as a number or by a name.
fn is_written(program: &Program, request: &str, response: &str) -> bool {
    let Ok(value) = response.parse::<i64>() else { return false };
    program.requests.iter().filter(|one| one.name == request).any(|one| {
        let mut found = ends_with(&one.body, value);
        one.body.visit(&mut |part| {
            if let ExprKind::Return(answer) = &part.kind {
                found |= ends_with(answer, value);
            }
        });
        found
    })
}

/// Whether the value of an expression may be this number, as it is written there.
fn ends_with(expr: &Expr, value: i64) -> bool {
    match &expr.kind {
        ExprKind::Number(number) | ExprKind::Constant(number) => *number == value,
        ExprKind::Negate(operand) => value.checked_neg().is_some_and(|value| ends_with(operand, value)),
        ExprKind::Sequence(parts) => parts.last().is_some_and(|last| ends_with(last, value)),
        ExprKind::If { arms, otherwise } => {
            arms.iter().any(|arm| ends_with(&arm.body, value)) || otherwise.as_deref().is_some_and(|other| ends_with(other, value))
        }
        _ => false,
    }
}
