//! What must hold of `compile` for every program, however small its limits.

use serval_budget::Budget;
use serval_compile::{CompileError, Limits, Mode, Options, StepLimits, codes, compile};

use serval_model::{systems_from_json, systems_to_json};
use serval_syntax::{LineIndex, Program};

use super::syntax::check_diagnostic;

/// So small that a bad program costs milliseconds.
pub(crate) const TINY: Limits = Limits { pairs: 300, step: StepLimits { operations: 2_000, loop_states: 200 } };

/// Compiles in both modes; a system or an error that can be shown comes out.
pub(crate) fn check(text: &str, program: &Program) {
    for mode in [Mode::Optimised, Mode::Plain] {
        check_mode(text, program, mode);
    }
}

/// As [`check`], in one mode.
pub(crate) fn check_mode(text: &str, program: &Program, mode: Mode) {
    match compile(program, Options { mode, limits: TINY }, &Budget::unlimited()) {
        Ok(compiled) => {
            let mut bodies: Vec<usize> = Vec::new();
            for component in compiled.components() {
                let system = component.system();
                system.check_invariants();
                assert!(!component.bodies().is_empty(), "a component has a request");
                bodies.extend(component.bodies());
                for local in system.locals() {
                    assert!(text.get(component.local_span(local).range()).is_some(), "a local state stands in the text");
                    component.local_values(local);
                }
                for position in 0..system.steps().len() {
                    assert!(text.get(component.step_span(position).range()).is_some(), "a step stands in the text");
                }
                for global in system.globals() {
                    assert_eq!(component.global_values(global).len(), component.globals().len());
                }
            }
            bodies.sort_unstable();
            assert_eq!(bodies, (0..program.requests.len()).collect::<Vec<_>>(), "each body is in exactly one component");
            let systems: Vec<_> = compiled.components().iter().map(|component| component.system().clone()).collect();
            let written = systems_to_json(&systems);
            let read = systems_from_json(&written).unwrap_or_else(|error| panic!("an exported system is not read: {error}\n{written}"));
            assert_eq!(systems_to_json(&read), written);
        }
        Err(error) => {
            let Some(diagnostic) = error.diagnostic(text) else {
                panic!("no flag stopped the compiler: {error:?}");
            };
            assert!(!matches!(error, CompileError::Stopped(_)));
            assert!(codes().iter().any(|info| info.code == diagnostic.code), "{diagnostic:?}");
            check_diagnostic(text, &LineIndex::new(text), &diagnostic);
        }
    }
}
