//! Formulas that hold at every moment: in the beginning, and after each step if
//! before it.

use std::collections::BTreeMap;

use crate::Obligation;
use crate::smtlib::{Script, SmtTerm, all, not};

/// A formula about a state, and what is known about all states anyway.
pub(crate) struct Inductive {
    /// What it is, for the head of each script.
    pub(crate) title: Vec<String>,
    /// The first part of the names of the scripts.
    pub(crate) name: String,
    /// What a state consists of.
    pub(crate) variables: Vec<String>,
    /// What holds at every moment.
    pub(crate) holds: Vec<SmtTerm>,
    /// What has been shown to hold at every moment before.
    pub(crate) known: Vec<SmtTerm>,
}

/// What a step needs, and the values that it changes.
pub(crate) struct StepChange {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) needs: Vec<SmtTerm>,
    pub(crate) new: BTreeMap<String, SmtTerm>,
}

impl Inductive {
    /// It holds where these hold.
    pub(crate) fn initially(&self, conditions: &[SmtTerm]) -> Obligation {
        let mut script = self.script("it holds in the beginning");
        for condition in conditions {
            script.assert(condition);
        }
        self.assert_known(&mut script, &self.variables);
        script.assert(&not(&apply("holds", &self.variables)));
        Obligation { name: format!("{}initial", self.name), text: script.finish() }
    }

    /// It holds after a step if it did before.
    pub(crate) fn after(&self, change: &StepChange) -> Obligation {
        let mut script = self.script(&format!("it holds after {}", change.says));
        script.assert(&apply("holds", &self.variables));
        for need in &change.needs {
            script.assert(need);
        }
        let new = self.state_after(change);
        self.assert_known(&mut script, &self.variables);
        self.assert_known(&mut script, &new);
        script.assert(&not(&apply("holds", &new)));
        Obligation { name: format!("{}{}", self.name, change.name), text: script.finish() }
    }

    /// A step that is never made.
    pub(crate) fn never(&self, change: &StepChange) -> Obligation {
        let mut script = self.script(&format!("so never {}", change.says));
        script.assert(&apply("holds", &self.variables));
        script.assert(&apply("holds", &self.state_after(change)));
        script.assert(&all(&change.needs));
        Obligation { name: format!("{}never-{}", self.name, change.name), text: script.finish() }
    }

    /// A script about a state.
    pub(crate) fn script(&self, what: &str) -> Script {
        let mut title = self.title.clone();
        title.push(format!("Obligation: {what}."));
        let mut script = Script::new(&title);
        for variable in &self.variables {
            script.declare(variable);
        }
        if !self.known.is_empty() {
            script.define("known", &self.variables, &self.known);
        }
        script.define("holds", &self.variables, &self.holds);
        script
    }

    fn assert_known(&self, script: &mut Script, state: &[SmtTerm]) {
        if !self.known.is_empty() {
            script.assert(&apply("known", state));
        }
    }

    /// The state after a step.
    fn state_after(&self, change: &StepChange) -> Vec<SmtTerm> {
        self.variables.iter().map(|variable| change.new.get(variable).unwrap_or(variable).clone()).collect()
    }
}

/// A defined formula about a state.
pub(crate) fn apply(name: &str, state: &[SmtTerm]) -> SmtTerm {
    format!("({name} {})", state.join(" "))
}
