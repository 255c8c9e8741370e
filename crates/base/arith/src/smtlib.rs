//! Problems as SMT-LIB 2 text, for other solvers to decide.

use std::fmt::Write;

use serval_linear::{Linear, Literal, Problem};

/// The problem as a script in the logic of linear integer arithmetic, which
/// asks for satisfiability. `status` is what the answer is known to be, if it
/// is: `sat` or `unsat`.
///
/// ```
/// use serval_arith::smtlib::script;
/// use serval_linear::{Linear, Problem};
/// let problem = Problem { variables: 1, equalities: vec![Linear::new([(0, 2)], -94).unwrap()], ..Problem::default() };
/// assert!(script(&problem, Some("sat")).contains("(assert (= 0 (+ (* 2 x0) (- 94))))"));
/// ```
pub fn script(problem: &Problem, status: Option<&str>) -> String {
    let mut out = String::from("(set-logic QF_LIA)\n");
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    if let Some(status) = status {
        line(format!("(set-info :status {status})"));
    }
    for variable in 0..problem.variables {
        line(format!("(declare-const x{variable} Int)"));
        line(format!("(assert (<= 0 x{variable}))"));
    }
    for linear in &problem.equalities {
        line(format!("(assert (= 0 {}))", expression(linear)));
    }
    for linear in &problem.inequalities {
        line(format!("(assert (<= 0 {}))", expression(linear)));
    }
    for clause in &problem.clauses {
        let literals: Vec<String> = clause.iter().map(formula).collect();
        line(match literals.as_slice() {
            [] => String::from("(assert false)"),
            [one] => format!("(assert {one})"),
            more => format!("(assert (or {}))", more.join(" ")),
        });
    }
    line(String::from("(check-sat)"));
    out
}

fn formula(literal: &Literal) -> String {
    match literal {
        Literal::AtLeastZero(linear) => format!("(<= 0 {})", expression(linear)),
        Literal::NotDivisible(linear, divisor) => format!("(not (= 0 (mod {} {divisor})))", expression(linear)),
    }
}

fn expression(linear: &Linear) -> String {
    if linear.terms().is_empty() {
        return numeral(linear.constant());
    }
    let mut out = String::from("(+");
    for &(variable, coefficient) in linear.terms() {
        // Writing to a string does not fail.
        let _ = match coefficient {
            1 => write!(out, " x{variable}"),
            _ => write!(out, " (* {} x{variable})", numeral(coefficient)),
        };
    }
    let _ = write!(out, " {})", numeral(linear.constant()));
    out
}

/// Negative numbers are written as negations.
fn numeral(number: i64) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}
