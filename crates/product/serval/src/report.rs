//! A decision as `serval check` reports it.

use std::time::Duration;

use serval_classic_engine::Stages;
use serval_report::{CertificateNote, FileReport, HOLLOW, StageReport, StageTimes, notes};

use crate::decide::{Decision, Verdict};
use crate::evidence::Undecided;
use crate::input::{Content, Input, Mistakes};
use crate::value_names::ValueNames;
use crate::versions::{assumptions, in_words};

impl Decision {
    /// The report on a file of this name, to be shown as text, JSON, SARIF or a page. Times are those of the stages of
    /// the published method, if they are wanted.
    pub fn into_report(self, name: &str, input: &Input, times: bool) -> FileReport {
        let mut report = FileReport::new(name, serval_report::Verdict::Unknown);
        report.notes = notes(&input.warnings, input.text());
        // What a verdict does not say is nothing where there is none.
        let has_verdict = !matches!(self.verdict, Verdict::Unusable(_));
        let findings = self.findings.into_iter().filter(|finding| has_verdict || !HOLLOW.contains(&finding.code.0));
        report.notes.extend(notes(&findings.collect::<Vec<_>>(), input.text()));
        report.notes.extend(self.also_fails.as_ref().map(|fault| fault.note()));
        report.also_fails = self.also_fails.map(|fault| *fault);
        report.sizes = self.sizes;
        report.stuck = self.stuck;
        report.words = self.invariants;
        report.proof = self.proof;
        let mut open = self.open;
        let mut assumes = Vec::new();
        if let Content::Program(program) = input.content() {
            assumes = assumptions(program);
            let names = ValueNames::new(program, input.text());
            let facts = report.proof.iter_mut().flat_map(|note| &mut note.facts);
            facts.chain(&mut report.words).for_each(|words| *words = names.in_words(program, words));
            for answer in &mut open {
                let request = program.requests.iter().position(|request| request.name == answer.request);
                answer.name = request.zip(answer.response.parse().ok()).and_then(|(request, value)| names.answer(request, value));
            }
        }
        // A proof that is remembered is reported in the same words, without trying again.
        let told = |words: String| if let Content::Program(program) = input.content() { in_words(program, words) } else { words };
        report.no_commit = self.no_commit.filter(|_| !matches!(self.verdict, Verdict::Serializable(_) | Verdict::Strict(_))).map(told);
        report.stages = self.stages.iter().map(|stages| stage_report(stages, times)).collect();
        report.ruled_out = Some(self.ruled_out);
        report.fix = self.fix;
        report.sampled = self.sampled;
        report.strict = self.strict;
        let is_strict = matches!(self.verdict, Verdict::Strict(_));
        let in_time = matches!(self.verdict, Verdict::NotStrict(..));
        match self.verdict {
            Verdict::Serializable(evidence) | Verdict::Strict(evidence) => {
                let asked = [serval_report::Verdict::Serializable, serval_report::Verdict::Strict];
                report.verdict = asked[usize::from(is_strict)];
                report.assumes = assumes;
                report.ruled_out = None;
                report.method = Some(evidence.method);
                report.certificate = Some(CertificateNote { kind: evidence.kind, path: None, verified: true });
            }
            Verdict::NotSerializable(evidence, counterexample) | Verdict::NotStrict(evidence, counterexample) => {
                report.verdict = [serval_report::Verdict::NotSerializable, serval_report::Verdict::NotStrict][usize::from(in_time)];
                report.method = Some(evidence.method);
                report.certificate = Some(CertificateNote { kind: evidence.kind, path: None, verified: true });
                report.counterexample = Some(*counterexample);
            }
            Verdict::Fault(evidence, note) => {
                report.verdict = serval_report::Verdict::Fault;
                report.ruled_out = None;
                report.method = Some(evidence.method);
                report.certificate = Some(CertificateNote { kind: evidence.kind, path: None, verified: true });
                report.fault = Some(*note);
            }
            Verdict::Safe(evidence) => {
                report.verdict = serval_report::Verdict::Safe;
                report.ruled_out = None;
                report.method = Some(evidence.method);
                report.certificate = Some(CertificateNote { kind: evidence.kind, path: None, verified: true });
            }
            Verdict::Undecided(why) => {
                if matches!(why, Undecided::InTime { .. }) {
                    // It is serializable: there is no counterexample at all.
                    report.ruled_out = None;
                }
                report.help = why.help();
                report.assumes = assumes;
                report.open = open;
                report.reason = Some(told(why.to_string()));
            }
            Verdict::Unusable(diagnostic) => {
                report.verdict = serval_report::Verdict::Error;
                report.reason = Some(diagnostic.message.clone());
                report.notes.extend(notes(std::slice::from_ref(&*diagnostic), input.text()));
            }
            Verdict::Refused(refused) => {
                report.verdict = serval_report::Verdict::Error;
                report.reason = Some(format!("internal error: {}", refused.outcome.line(name, "certificate", input.text())));
            }
        }
        report
    }
}

impl Mistakes {
    /// What `serval check` says about such a file.
    pub fn report(&self, name: &str) -> FileReport {
        let mut report = FileReport::new(name, serval_report::Verdict::Error);
        report.notes = notes(&self.diagnostics, &self.text);
        report.reason = report.notes.first().map(|note| format!("{}[{}]: {}", note.severity, note.code, note.message));
        report
    }
}

/// What the published method did with one component.
#[expect(clippy::float_arithmetic, reason = "times for people; no verdict depends on them")]
fn stage_report(stages: &Stages, times: bool) -> StageReport {
    let whole = stages.serial_time + stages.slice_time + stages.reach_time + stages.certify_time;
    let parts = [stages.serial_time, stages.slice_time, stages.reach_time, stages.certify_time, whole];
    let [semilinear, slicing, reachability, certificate, total] =
        parts.map(|time: Duration| (time.as_secs_f64() * 10_000.0).round() / 10.0);
    StageReport {
        automaton_states: stages.automaton.0,
        automaton_edges: stages.automaton.1,
        regex_size: stages.regex.0,
        star_height: stages.regex.1,
        components: stages.components,
        most_components: stages.most_components,
        periods: stages.periods,
        most_periods: stages.most_periods,
        disjuncts: stages.disjuncts,
        sliced_away: stages.sliced_away,
        places: stages.net.0,
        transitions: stages.net.1,
        places_left: stages.left.0,
        transitions_left: stages.left.1,
        refinements: stages.refinements,
        clauses: stages.invariant.0,
        trees: stages.invariant.1,
        time_ms: times.then_some(StageTimes { semilinear, slicing, reachability, certificate, total }),
    }
}
