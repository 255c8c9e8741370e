//! Runs in the forms of other programs: PostgreSQL's isolation tester, and scripts for `psql`.

use std::fmt::Write;

use crate::planned::PlannedRun;

/// What is dropped in the end: tables and types, by the statements that make them.
fn dropped(run: &PlannedRun) -> Vec<String> {
    let made = |what: &str| {
        let after = move |text: &String| text.strip_prefix(what)?.split([' ', '(']).next().map(str::to_owned);
        run.setup.iter().filter_map(after).collect::<Vec<_>>()
    };
    let (tables, types) = (made("create table "), made("create type "));
    let tables = if tables.is_empty() { None } else { Some(format!("drop table {}", tables.join(", "))) };
    tables.into_iter().chain(types.into_iter().map(|name| format!("drop type {name}"))).collect()
}

impl PlannedRun {
    /// The run for the isolation tester.
    ///
    /// # Errors
    ///
    /// Where a text has a brace, which the tester takes for the end of its step.
    pub fn to_spec(&self, title: &str) -> Result<String, String> {
        let texts = self.setup.iter().chain(self.steps.iter().map(|(_, text)| text));
        if let Some(text) = texts.into_iter().find(|text| text.contains(['{', '}'])) {
            return Err(format!("a step of the isolation tester has no braces: {text}"));
        }
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut out = format!("# {}\n", line(title));
        for (number, request) in (1..).zip(&self.sessions) {
            let _ = writeln!(out, "# s{number}: {}", line(request));
        }
        let block = |out: &mut String, name: &str, statements: &[String]| {
            let _ = writeln!(out, "\n{name}\n{{");
            statements.iter().for_each(|text| out.push_str(&format!("  {text};\n")));
            out.push_str("}\n");
        };
        block(&mut out, "setup", &self.setup);
        block(&mut out, "teardown", &dropped(self));
        let (mut order, mut counts) = (Vec::new(), vec![0; self.sessions.len()]);
        let mut steps = vec![String::new(); self.sessions.len()];
        for (session, text) in &self.steps {
            counts[*session] += 1;
            let name = format!("s{}_{}", session + 1, counts[*session]);
            let _ = writeln!(steps[*session], "step {name} {{ {text}; }}");
            order.push(name);
        }
        for (number, steps) in (1..).zip(&steps) {
            let _ = write!(out, "\nsession s{number}\n{steps}");
        }
        let _ = writeln!(out, "\npermutation {}", order.join(" "));
        Ok(out)
    }

    /// A script for each session, one that makes the tables, and one that drops them. In a script each statement waits
    /// for the user, who takes them in the order of their numbers.
    pub fn to_psql(&self, title: &str) -> Vec<(String, String)> {
        const SCHEMA: &str = "serval_run";
        let quoted = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace(['\\', '\''], "\"");
        let setup: String = self.setup.iter().map(|text| format!("{text};\n")).collect();
        let setup = format!("-- {}\ncreate schema {SCHEMA};\nset search_path = {SCHEMA};\n{setup}", quoted(title));
        let mut files = vec![("setup.sql".to_owned(), setup)];
        for (session, request) in self.sessions.iter().enumerate() {
            let mut text = format!("-- {}\nset search_path = {SCHEMA};\n", quoted(request));
            for (number, (_, statement)) in (1..).zip(&self.steps).filter(|(_, (of, _))| *of == session) {
                let count = self.steps.len();
                let _ = write!(text, "\\prompt 'step {number} of {count}, {}: ' go\n{statement};\n", quoted(statement));
            }
            files.push((format!("session-{}.sql", session + 1), text));
        }
        files.push(("teardown.sql".to_owned(), format!("drop schema {SCHEMA} cascade;\n")));
        files
    }
}
