//! Reports for people: every name of the input as it is shown.
//!
//! Everything is taken apart here, so that what is added to a report has to be
//! thought of. What is for machines is written from the report itself.

use std::collections::BTreeMap;

use crate::advice::Advice;
use crate::counterexample::{
    Answered, Closest, Counterexample, ExcerptLine, Explanation, LocalValues, NeverSerial, SerialOrder, StateValues, StatesField,
    TimeOrders,
};
use crate::escape::{line, lines, name};
use crate::fault::FaultNote;
use crate::fix::{FixHint, KeptPauses};
use crate::nearest::{Hindrance, NearestOrder};
use crate::parts::{CertificateNote, GrownNote, Note, OpenAnswer, StuckNote};
use crate::proof::ProofNote;
use crate::statements::RunStatement;
use crate::trace::{StateName, TraceAccess, TraceEvent};
use crate::verdict::FileReport;
use crate::why::{OrderEdge, Why};

fn named(text: &str) -> String {
    name(text).into_owned()
}

fn told(text: &str) -> String {
    line(text).into_owned()
}

fn all_told(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| told(text)).collect()
}

impl FileReport {
    /// The report as it is shown. The names of the file and of its trace stay as
    /// they are: they stand in commands and addresses, which have rules of
    /// their own.
    pub(crate) fn shown(&self) -> Self {
        let Self {
            schema,
            file,
            workload,
            scaled,
            verdict,
            method,
            reason,
            help,
            assumes,
            ruled_out,
            open,
            advice,
            notes,
            stuck,
            words,
            proof,
            no_commit,
            sampled,
            time_ms,
            sizes,
            stages,
            certificate,
            grown,
            counterexample,
            fault,
            fix,
            expected,
            also_fails,
            trace,
            strict,
        } = self;
        let note = |Note { code, severity, message, file, span }: &Note| Note {
            code: code.clone(),
            severity,
            message: told(message),
            file: file.clone(),
            span: *span,
        };
        let stuck_note = |StuckNote { request, at, local, awaits_version, run }: &StuckNote| StuckNote {
            awaits_version: *awaits_version,
            request: named(request),
            at: *at,
            local: named(local),
            run: all_told(run),
        };
        let certificate_note = |CertificateNote { kind, path, verified }: &CertificateNote| CertificateNote {
            kind,
            path: path.as_deref().map(named),
            verified: *verified,
        };
        let open_answer = |OpenAnswer { request, response, name, count }: &OpenAnswer| OpenAnswer {
            request: named(request),
            response: named(response),
            name: name.as_deref().map(named),
            count: *count,
        };
        let proof_note = |ProofNote { kind, component, facts, unbounded, marks }: &ProofNote| ProofNote {
            kind,
            component: *component,
            facts: all_told(facts),
            unbounded: *unbounded,
            marks: marks.clone(),
        };
        let hint = |FixHint { outcome, kept, alternatives, steps, diffs, texts, smallest, strict, reason }: &FixHint| FixHint {
            strict: *strict,
            kept: kept.iter().map(KeptPauses::shown).collect(),
            outcome: *outcome,
            alternatives: alternatives.clone(),
            steps: steps.clone(),
            diffs: diffs.iter().map(|diff| lines(diff).into_owned()).collect(),
            texts: texts.clone(),
            smallest: *smallest,
            reason: reason.as_deref().map(told),
        };
        Self {
            schema: *schema,
            file: file.clone(),
            workload: workload.clone(),
            scaled: all_told(scaled),
            verdict: *verdict,
            strict: *strict,
            method: *method,
            reason: reason.as_deref().map(told),
            help: *help,
            assumes: assumes.iter().map(|assumed| told(assumed)).collect(),
            ruled_out: *ruled_out,
            open: open.iter().map(open_answer).collect(),
            advice: advice.as_ref().map(Advice::shown),
            notes: notes.iter().map(note).collect(),
            stuck: stuck.iter().map(stuck_note).collect(),
            words: all_told(words),
            proof: proof.iter().map(proof_note).collect(),
            no_commit: no_commit.as_deref().map(told),
            sampled: *sampled,
            time_ms: *time_ms,
            sizes: *sizes,
            stages: stages.clone(),
            certificate: certificate.as_ref().map(certificate_note),
            grown: grown.as_ref().map(|GrownNote { verdict, bounds, reason }| GrownNote {
                verdict: *verdict,
                bounds: all_told(bounds),
                reason: reason.as_deref().map(told),
            }),
            counterexample: counterexample.as_ref().map(Counterexample::shown),
            fault: fault.as_ref().map(FaultNote::shown),
            fix: fix.as_ref().map(hint),
            expected: *expected,
            also_fails: also_fails.as_ref().map(FaultNote::shown),
            trace: trace.clone(),
        }
    }
}

impl FaultNote {
    /// The failure as it is shown.
    fn shown(&self) -> Self {
        let Self { code, message, file, span, id, request, needs, needs_words, at_once, help, run } = self;
        Self {
            code: code.clone(),
            message: told(message),
            file: file.clone(),
            span: *span,
            id: *id,
            request: named(request),
            needs,
            needs_words,
            at_once: *at_once,
            help: help.as_deref().map(told),
            run: run.shown(),
        }
    }
}

impl Counterexample {
    /// The counterexample as it is shown.
    pub(crate) fn shown(&self) -> Self {
        let Self {
            requests,
            minimal,
            anomaly,
            never,
            component,
            steps,
            states,
            enums,
            constants,
            spelled,
            precedence,
            in_time,
            story,
            statements,
            explanation,
        } = self;
        let spell = |text: &str| named(spelled.get(text).map_or(text, String::as_str));
        let impossible = |NeverSerial { request, response, name, elsewhere, written }: &NeverSerial| NeverSerial {
            request: spell(request),
            response: named(name.as_ref().unwrap_or(response)),
            name: None,
            elsewhere: *elsewhere,
            written: *written,
        };
        let answered = |Answered { id, request, response, name }: &Answered| Answered {
            id: *id,
            request: spell(request),
            response: named(name.as_ref().unwrap_or(response)),
            name: None,
        };
        let StatesField { states } = states;
        Self {
            requests: requests.iter().map(answered).collect(),
            minimal: *minimal,
            anomaly: *anomaly,
            never: never.iter().map(impossible).collect(),
            component: *component,
            steps: steps.iter().map(|one| event(one, &spell)).collect(),
            states: StatesField { states: states.iter().map(|(name, values)| (named(name), state(values, &spell))).collect() },
            enums: enums.iter().map(|(name, members)| (spell(name), members.iter().map(|member| named(member)).collect())).collect(),
            constants: constants.iter().map(|(name, values)| (spell(name), values_named(values))).collect(),
            spelled: BTreeMap::new(),
            precedence: precedence.clone(),
            in_time: in_time.as_ref().map(|orders| in_order(orders, &spell)),
            story: all_told(story),
            statements: statements.iter().map(RunStatement::shown).collect(),
            explanation: explained(explanation, &spell),
        }
    }
}

fn values_named(values: &BTreeMap<i64, String>) -> BTreeMap<i64, String> {
    values.iter().map(|(&value, name)| (value, named(name))).collect()
}

fn state(values: &StateValues, spell: &dyn Fn(&str) -> String) -> StateValues {
    match values {
        StateValues::Global(values) => StateValues::Global(values.iter().map(|(name, &value)| (spell(name), value)).collect()),
        StateValues::Local(LocalValues { at, vars, names }) => StateValues::Local(LocalValues {
            at: *at,
            vars: vars.iter().map(|(name, &value)| (named(name), value)).collect(),
            names: names.iter().map(|(name, value)| (named(name), named(value))).collect(),
        }),
    }
}

fn serial_order(SerialOrder { order, answers }: &SerialOrder) -> SerialOrder {
    let answers = answers.iter().map(|answers| answers.iter().map(|answer| named(answer)).collect()).collect();
    SerialOrder { order: order.clone(), answers }
}

fn in_order(orders: &TimeOrders, spell: &dyn Fn(&str) -> String) -> TimeOrders {
    let TimeOrders { needed, only_reads, left, without, courses } = orders;
    TimeOrders {
        needed: needed.clone(),
        only_reads: *only_reads,
        left: left.iter().map(serial_order).collect(),
        without: without.clone(),
        courses: courses.iter().map(|course| course.shown(spell, &named)).collect(),
    }
}

fn explained(explanation: &Explanation, spell: &dyn Fn(&str) -> String) -> Explanation {
    let Explanation { why, nearest, excerpt, notes, serial, serial_states, closest } = explanation;
    let edge = |OrderEdge { from, to, var, first, second, course }: &OrderEdge| OrderEdge {
        from: *from,
        to: *to,
        var: spell(var),
        first: first.clone(),
        second: second.clone(),
        course: *course,
    };
    let excerpt_line = |ExcerptLine { line, code, note }: &ExcerptLine| ExcerptLine { line: *line, code: told(code), note };
    Explanation {
        why: why.as_ref().map(|Why { anomaly, edges, explains }| {
            let edges = edges.iter().map(edge).collect();
            Why { anomaly: *anomaly, edges, explains: *explains }
        }),
        nearest: nearest.as_ref().map(|nearest| nearest_order(nearest, spell)),
        excerpt: excerpt.iter().map(excerpt_line).collect(),
        notes: notes.clone(),
        serial: serial.iter().map(serial_order).collect(),
        serial_states: *serial_states,
        closest: closest.as_ref().map(|Closest { order, request, wanted, given }| {
            let answer = |(request, response): &(String, String)| (spell(request), named(response));
            let given = given.iter().map(|answer| named(answer)).collect();
            Closest { order: order.iter().map(answer).collect(), request: spell(request), wanted: named(wanted), given }
        }),
    }
}

fn nearest_order(nearest: &NearestOrder, spell: &dyn Fn(&str) -> String) -> NearestOrder {
    let NearestOrder { before, id, variable, span, event, serial, here, answers, answered, leaves, writes, hindrance } = nearest;
    NearestOrder {
        before: before.clone(),
        id: *id,
        variable: spell(variable),
        span: *span,
        event: *event,
        serial: named(serial),
        here: named(here),
        answers: answers.iter().map(|answer| named(answer)).collect(),
        answered: named(answered),
        leaves: leaves.iter().map(|name| spell(name)).collect(),
        writes: writes.as_ref().map(|(variable, value)| (spell(variable), named(value))),
        hindrance: hindrance.as_ref().map(|hindrance| match hindrance {
            Hindrance::Between(id, value) => Hindrance::Between(*id, named(value)),
            other => other.clone(),
        }),
    }
}

fn event(event: &TraceEvent, spell: &dyn Fn(&str) -> String) -> TraceEvent {
    let states = |StateName { local, global }: &StateName| StateName { local: named(local), global: named(global) };
    let access = |TraceAccess { var, op, value, name, span }: &TraceAccess| TraceAccess {
        var: spell(var),
        op: named(op),
        value: *value,
        name: name.as_deref().map(named),
        span: *span,
    };
    match event {
        TraceEvent::Spawn { id, component, request, local } => {
            TraceEvent::Spawn { id: *id, component: *component, request: request.as_deref().map(spell), local: named(local) }
        }
        TraceEvent::Step { id, component, from, to, span, accesses } => TraceEvent::Step {
            id: *id,
            component: *component,
            from: states(from),
            to: states(to),
            span: *span,
            accesses: accesses.as_ref().map(|accesses| accesses.iter().map(access).collect()),
        },
        TraceEvent::Respond { id, component, local, response, name } => TraceEvent::Respond {
            id: *id,
            component: *component,
            local: named(local),
            response: named(name.as_ref().unwrap_or(response)),
            name: None,
        },
    }
}
