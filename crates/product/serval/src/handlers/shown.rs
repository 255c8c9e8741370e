//! What is said about a file of handlers, for people and for machines.

use serde_json::{Value, json};
use serval_diagnostic::counted;

use super::{Checked, Handlers, Outcome, RepeatedRun, Run, Tried};

/// More serial answers than these are counted and not listed.
const MOST_SERIAL: usize = 6;

impl Handlers {
    /// The verdict and what belongs to it, for people.
    pub fn text(&self, name: &str, checked: &Checked) -> String {
        let bounds = self.bounds().join(", ");
        match &checked.outcome {
            Outcome::Serializable => {
                let mut out = format!("{name}: serializable ({bounds})\n");
                let requests = self.requests().join(", ");
                out.push_str(&format!("  requests        {requests}, any number of them at a time\n"));
                let method = checked.method.unwrap_or("auto");
                out.push_str(&format!("  why             every `await` as a pause: proved by {method}, and checked\n"));
                let runs = checked.runs;
                out.push_str(&format!("  compared        Node gave no other answers in {runs} runs of two calls\n"));
                out.push_str("  not proved      what databases and other processes do, and the order in real time\n");
                out
            }
            Outcome::NotSerializable(run) => {
                let calls = counted(run.calls.len(), "call");
                let mut out = format!("{name}: not serializable ({bounds})\n");
                out.push_str(&format!("  {calls} in Node answer what no serial order gives\n"));
                out.push_str(&run.told());
                out
            }
            Outcome::Undecided(why) => format!("{name}: undecided ({bounds})\n  {why}\n"),
            Outcome::Bug(why) => format!("{name}: error\n  {why}\n"),
        }
    }

    /// The verdict on one line.
    pub fn line(&self, name: &str, checked: &Checked) -> String {
        self.text(name, checked).lines().next().unwrap_or_default().to_owned() + "\n"
    }

    /// The same for machines.
    pub fn json(&self, name: &str, checked: &Checked) -> String {
        let verdict = match &checked.outcome {
            Outcome::Serializable => "serializable",
            Outcome::NotSerializable(_) => "not serializable",
            Outcome::Undecided(_) => "unknown",
            Outcome::Bug(_) => "error",
        };
        let mut out = json!({ "schema": 1, "file": name, "verdict": verdict, "requests": self.requests(), "bounds": self.bounds() });
        if let Some(method) = checked.method {
            out["method"] = json!(method);
        }
        match &checked.outcome {
            Outcome::Serializable => out["compared_runs"] = json!(checked.runs),
            Outcome::NotSerializable(run) => out["run"] = run.json(),
            Outcome::Undecided(why) | Outcome::Bug(why) => out["reason"] = json!(why),
        }
        format!("{out}\n")
    }
}

impl Run {
    /// The run, and what the calls answer one at a time.
    fn told(&self) -> String {
        let mut out = String::new();
        if self.together {
            out.push_str("  only if two requests are resumed in one turn of the event loop\n");
        }
        out.push('\n');
        out.push_str(&self.table());
        out.push('\n');
        if self.serial.len() <= MOST_SERIAL {
            for answers in &self.serial {
                out.push_str(&format!("  one at a time   {}\n", answers.join("  |  ")));
            }
        } else {
            let others = counted(self.serial.len(), "other set");
            out.push_str(&format!("  one at a time   {others} of answers, not this one\n"));
        }
        out
    }

    /// The run as a table: columns are calls.
    fn table(&self) -> String {
        let mut columns: Vec<Vec<String>> = Vec::new();
        let mut rows: Vec<Vec<String>> = vec![self.calls.iter().map(|(call, _)| call.clone()).collect()];
        for event in &self.events {
            let what = if event.line == 0 { event.what.clone() } else { format!("line {}: {}", event.line, event.what) };
            let with = if event.begins_turn { "" } else { "(same turn) " };
            let mut row = vec![String::new(); self.calls.len()];
            if let Some(cell) = row.get_mut(event.call) {
                *cell = format!("{with}{what}");
            }
            rows.push(row);
        }
        rows.push(self.calls.iter().map(|(_, answer)| format!("answers {answer}")).collect());
        for column in 0..self.calls.len() {
            columns.push(rows.iter().map(|row| row[column].clone()).collect());
        }
        let widths: Vec<usize> = columns.iter().map(|column| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
        let mut out = String::new();
        for row in &rows {
            let mut line = String::from(" ");
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(&format!(" {cell:<width$} "));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn json(&self) -> Value {
        let calls: Vec<Value> = self.calls.iter().map(|(call, answer)| json!({ "call": call, "answer": answer })).collect();
        let events: Vec<Value> = self
            .events
            .iter()
            .map(|event| json!({ "call": event.call + 1, "line": event.line, "what": event.what, "begins_turn": event.begins_turn }))
            .collect();
        json!({ "calls": calls, "events": events, "serial": self.serial, "together": self.together })
    }

    /// What is kept, to be performed again.
    pub fn trace_text(&self) -> String {
        format!("{}\n", self.trace)
    }
}

impl RepeatedRun {
    /// What came of it, for people.
    pub fn text(&self, name: &str) -> String {
        let verdict = match &self.differs {
            None => "Node gives the same answers again",
            Some(why) => why,
        };
        let mut out = format!("{name}: {verdict}\n");
        if self.is_changed {
            out.push_str("  the file has changed since the run was saved\n");
        }
        out.push('\n');
        out.push_str(&self.run.table());
        if self.differs.is_some() {
            out.push_str(&format!("\n  answers then   {}\n", self.kept.join("  |  ")));
        }
        out
    }

    /// The same for machines.
    pub fn json(&self, name: &str) -> String {
        let pairs = self.run.calls.iter().zip(&self.kept);
        let calls: Vec<Value> = pairs.map(|((call, now), kept)| json!({ "call": call, "kept": kept, "answer": now })).collect();
        let mut out = json!({ "schema": 1, "file": name, "same": self.differs.is_none(), "changed": self.is_changed, "calls": calls });
        if let Some(why) = &self.differs {
            out["reason"] = json!(why);
        }
        format!("{out}\n")
    }
}

impl Tried {
    /// What came of it, of a file that is undecided for this reason, for people.
    pub fn text(&self, name: &str, why: &str) -> String {
        let Some(run) = &self.finding else { return format!("{name}: undecided: {why}; {}\n", self.words()) };
        let calls = counted(run.calls.len(), "call");
        let mut out = format!("{name}: tried in Node, {calls} answer what no serial order gives\n");
        out.push_str(&run.told());
        out.push_str(&format!("\n  undecided       {why}\n"));
        out
    }

    /// The same for machines.
    pub fn json(&self, name: &str, why: &str) -> String {
        let tried = json!({ "runs": self.runs, "calls": self.calls, "complete": self.is_complete });
        let mut out = json!({ "schema": 1, "file": name, "verdict": "unknown", "reason": why, "tried": tried });
        if let Some(run) = &self.finding {
            out["finding"] = run.json();
        }
        format!("{out}\n")
    }

    /// The same where nothing could be tried.
    pub fn nothing_json(name: &str, why: &str, lost: &str) -> String {
        let reason = format!("{why}; nothing was tried: {lost}");
        format!("{}\n", json!({ "schema": 1, "file": name, "verdict": "unknown", "reason": reason }))
    }
}
