//! What must hold of reading questions of the contest, whatever the text is.

use serval_petri::{FormatError, mcc, pnml};

use super::formula::{check_formula, markings, subject};
use super::net::check_error;

/// Targets beyond which a formula is not taken apart.
const TARGETS: usize = 20;

/// Checks one text; says how many questions it has.
pub(crate) fn check(text: &str) -> Result<usize, FormatError> {
    let net = subject();
    let ids = pnml::Ids::written(&net);
    // The command reads questions as properties, among them global ones that are no questions about one formula.
    if let Err(error) = mcc::properties(text, &net, &ids) {
        check_error(text, error);
    }
    let questions = mcc::read(text, &net, &ids).map_err(|error| check_error(text, error))?;
    for question in &questions {
        let formula = &question.formula;
        check_formula(formula, &net);
        let Some(targets) = formula.targets(TARGETS) else { continue };
        for marking in markings(&net) {
            assert_eq!(targets.iter().any(|target| target.holds(&marking)), formula.holds(&marking), "{}", question.id);
        }
        for target in &targets {
            let asked = [(question.id.as_str(), target)];
            match mcc::write(&asked) {
                Ok(written) => assert!(serval_petri::mcc_reads_back(&written, &net, &asked), "{written}"),
                Err(error) => assert!(matches!(error, mcc::NotWritten::Id { .. }), "{error}"),
            }
        }
    }
    Ok(questions.len())
}
