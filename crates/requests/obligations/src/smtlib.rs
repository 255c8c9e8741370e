//! SMT-LIB 2.6 (Barrett, Fontaine, Tinelli 2017) as text: terms, and scripts that ask one question.

use std::fmt::Write;

/// A term or a formula.
pub(crate) type SmtTerm = String;

/// A number; negative ones are written as negations.
pub(crate) fn numeral(number: i64) -> SmtTerm {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}

/// A sum of multiples of variables, and a constant.
pub(crate) fn sum<V: AsRef<str>>(terms: impl IntoIterator<Item = (V, i64)>, constant: i64) -> SmtTerm {
    let mut parts: Vec<SmtTerm> = Vec::new();
    for (variable, factor) in terms {
        match factor {
            0 => {}
            1 => parts.push(variable.as_ref().to_owned()),
            _ => parts.push(format!("(* {} {})", numeral(factor), variable.as_ref())),
        }
    }
    if constant != 0 || parts.is_empty() {
        parts.push(numeral(constant));
    }
    match parts.as_slice() {
        [only] => only.clone(),
        _ => format!("(+ {})", parts.join(" ")),
    }
}

pub(crate) fn equal(left: &str, right: &str) -> SmtTerm {
    format!("(= {left} {right})")
}

/// `left ≤ right`.
pub(crate) fn at_most(left: &str, right: &str) -> SmtTerm {
    format!("(<= {left} {right})")
}

pub(crate) fn not(formula: &str) -> SmtTerm {
    format!("(not {formula})")
}

/// All of these.
pub(crate) fn all(formulas: &[SmtTerm]) -> SmtTerm {
    match formulas {
        [] => "true".to_owned(),
        [only] => only.clone(),
        more => format!("(and {})", more.join(" ")),
    }
}

/// One of these.
pub(crate) fn any(formulas: &[SmtTerm]) -> SmtTerm {
    match formulas {
        [] => "false".to_owned(),
        [only] => only.clone(),
        more => format!("(or {})", more.join(" ")),
    }
}

/// The value of `term` if the formula holds, and 0 otherwise.
pub(crate) fn if_holds(formula: &str, term: &str) -> SmtTerm {
    format!("(ite {formula} {term} 0)")
}

/// A script that asks whether something can be, which it cannot.
pub(crate) struct Script {
    text: String,
}

impl Script {
    /// A script that says at its head what it is about.
    pub(crate) fn new(title: &[String]) -> Self {
        let mut text = String::new();
        for line in title {
            // Names in programs and systems may hold anything, and a comment ends with its line.
            let _ = writeln!(text, "; {}", line.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\""));
        }
        text.push_str("(set-info :smt-lib-version 2.6)\n(set-logic QF_LIA)\n(set-info :status unsat)\n");
        Self { text }
    }

    /// An integer about which nothing is known.
    pub(crate) fn declare(&mut self, variable: &str) {
        let _ = writeln!(self.text, "(declare-const {variable} Int)");
    }

    /// A name for a conjunction, one conjunct per line.
    pub(crate) fn define(&mut self, name: &str, variables: &[String], conjuncts: &[SmtTerm]) {
        let parameters: Vec<String> = variables.iter().map(|variable| format!("({variable} Int)")).collect();
        // `and` needs two arguments at least.
        let _ = write!(self.text, "(define-fun {name} ({}) Bool (and\n  true true", parameters.join(" "));
        for conjunct in conjuncts {
            let _ = write!(self.text, "\n  {conjunct}");
        }
        self.text.push_str("))\n");
    }

    pub(crate) fn assert(&mut self, formula: &str) {
        let _ = writeln!(self.text, "(assert {formula})");
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("(check-sat)\n(exit)\n");
        self.text
    }
}
