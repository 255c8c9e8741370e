//! Random programs with reasons to be serializable, and with small mistakes.
//!
//! Bodies are made of what people guard shared data with: locks, counting
//! semaphores, readers and a writer, retries of a compare-and-swap, versions
//! that wrap, tokens, latches, waiting under a lock. In about half of the
//! programs one to three statements are then moved, dropped, doubled or
//! inserted, so that a lock is given back too early or a `yield` stands at the
//! wrong place. Whether the result is serializable is not known.
//!
//! Most values stay small, because they are declared with a range. Some leave
//! it, which is an error of the program.

use super::rng::SplitMix64;

/// Shared data that sections work on; the last two are rows of an array.
const DATA: [&str; 4] = ["A", "B", "Row[0]", "Row[1]"];

/// The program of this seed.
pub fn random_sections(seed: u64) -> String {
    let mut maker = Maker { rng: SplitMix64::new(seed ^ 0x5ec7_1045), data: 1, parameter: false };
    maker.data = 1 + maker.rng.below(3);
    let requests = 1 + maker.rng.below(3);
    // A few disciplines for the whole program: a lock helps if all take it.
    let disciplines = [maker.rng.below(DISCIPLINES.len()), maker.rng.below(DISCIPLINES.len())];
    let mut text = maker.declarations();
    let names = ["get", "put", "move"];
    for name in names.into_iter().take(requests) {
        maker.parameter = maker.rng.chance(20);
        let discipline = DISCIPLINES[maker.rng.pick(&disciplines)];
        let mut lines = discipline(&mut maker);
        if maker.rng.chance(15) {
            // Two sections, one after the other: two commit points.
            lines.push("yield".to_owned());
            lines.extend(DISCIPLINES[maker.rng.pick(&disciplines)](&mut maker));
        }
        if maker.rng.chance(45) {
            for _ in 0..maker.rng.between(1, 3) {
                maker.disturb(&mut lines);
            }
        }
        lines.push(maker.answer());
        let parameter = if maker.parameter { "(i: 0..1)" } else { "" };
        text += &format!("request {name}{parameter} {{\n  {}\n}}\n", lines.join(";\n  "));
    }
    text
}

/// The state of making one program.
struct Maker {
    rng: SplitMix64,
    /// How many of [`DATA`] are used.
    data: usize,
    /// Whether the request that is made has a parameter.
    parameter: bool,
}

/// Statements of a section, one for each place where something can be put in.
type Lines = Vec<String>;

/// How data can be guarded.
const DISCIPLINES: &[fn(&mut Maker) -> Lines] = &[
    Maker::bare,
    Maker::locked,
    Maker::locked,
    Maker::two_locks,
    Maker::row_lock,
    Maker::semaphore,
    Maker::reader_or_writer,
    Maker::swapped,
    Maker::versioned,
    Maker::versioned,
    Maker::token,
    Maker::latched,
    Maker::waits_under_lock,
    Maker::counted,
    Maker::ticket,
];

fn lines<const N: usize>(parts: [&str; N]) -> Lines {
    parts.iter().map(|&part| part.to_owned()).collect()
}

impl Maker {
    fn declarations(&mut self) -> String {
        let range = |rng: &mut SplitMix64, high: i64| {
            let kind = rng.pick(&["", " wrap", " wrap", " wrap", " saturate"]);
            format!("0..{high}{kind}")
        };
        let high = self.rng.between(1, 2);
        let mut text = String::new();
        for name in ["A", "B", "Row[0..1]"] {
            let range = range(&mut self.rng, high);
            text += &format!("var {name}: {range}\n");
        }
        text += "var L: 0..1\nvar M: 0..1\nvar Held[0..1]: 0..1\nvar Writer: 0..1\nvar Stop: 0..1\n";
        let permits = self.rng.between(1, 3);
        text += &format!("var Free: 0..{permits} := {permits}\nvar Readers: 0..{}\n", self.rng.between(1, 3));
        text += &format!("var Count: 0..{}\nvar Turn: 0..2\n", self.rng.between(1, 3));
        // A version that never comes back is one that nothing bounds: half of
        // the programs with one have too many states.
        let version = if self.rng.chance(85) { format!("0..{} wrap", self.rng.between(1, 3)) } else { "0..1000000".to_owned() };
        text += &format!("var Version: {version}\nvar Next: 0..2 wrap\nvar Called: 0..2 wrap\n");
        text
    }

    fn datum(&mut self) -> &'static str {
        if self.parameter && self.rng.chance(50) {
            return "Row[i]";
        }
        let first = self.data.min(DATA.len());
        DATA[self.rng.below(first)]
    }

    fn local(&mut self) -> &'static str {
        self.rng.pick(&["x", "y"])
    }

    fn constant(&mut self) -> i64 {
        self.rng.between(0, 2)
    }

    fn test(&mut self) -> String {
        let what = if self.rng.chance(70) { self.datum() } else { self.local() };
        let how = self.rng.pick(&["==", "==", "!=", "<", ">", ">="]);
        format!("{what} {how} {}", self.constant())
    }

    /// One statement of work on data.
    fn work(&mut self) -> String {
        let (datum, other, local) = (self.datum(), self.datum(), self.local());
        match self.rng.below(14) {
            0..3 => format!("{local} := {datum}"),
            3 | 4 => format!("{datum} := {local}"),
            5 => format!("{datum} := 1 - {datum}"),
            6 => format!("{datum} := {datum} + 1"),
            7 => format!("{datum} := ({local} + 1) % 2"),
            8 => format!("{datum} := {}", self.constant()),
            9 => {
                let test = self.test();
                format!("if ({test}) {{ {datum} := {} }}", self.constant())
            }
            10 => {
                let test = self.test();
                format!("if ({test}) {{ {datum} := {datum} + 1 }} else {{ {local} := {other} }}")
            }
            11 => format!("{local} := {datum} + {other}"),
            12 => format!("{datum} := ({datum} + {other}) % 2"),
            _ => format!("if (?) {{ {datum} := {other} }}"),
        }
    }

    /// Some work, with a `yield` here and there.
    fn some_work(&mut self) -> Lines {
        let mut lines = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            lines.push(self.work());
            if self.rng.chance(40) {
                lines.push("yield".to_owned());
            }
        }
        lines
    }

    fn answer(&mut self) -> String {
        match self.rng.below(6) {
            0 => "0".to_owned(),
            1 => self.datum().to_owned(),
            2 => "2 * x + y".to_owned(),
            _ => self.local().to_owned(),
        }
    }

    fn between(&mut self, before: &[&str], after: &[&str]) -> Lines {
        let mut lines: Lines = before.iter().map(|&line| line.to_owned()).collect();
        if self.rng.chance(40) {
            lines.push("yield".to_owned());
        }
        lines.extend(self.some_work());
        lines.extend(after.iter().map(|&line| line.to_owned()));
        lines
    }

    fn bare(&mut self) -> Lines {
        self.some_work()
    }

    fn locked(&mut self) -> Lines {
        self.between(&["lock(L)"], &["unlock(L)"])
    }

    fn two_locks(&mut self) -> Lines {
        let mut lines = self.between(&["lock(L)"], &["lock(M)"]);
        lines.extend(self.between(&[], &["unlock(M)", "unlock(L)"]));
        lines
    }

    /// The lock of a row, with a number that is known or computed.
    fn row_lock(&mut self) -> Lines {
        let row = if self.parameter { "i" } else { self.rng.pick(&["0", "1", "choose(0..1)"]) };
        let mut lines = vec![format!("k := {row}"), "lock(Held[k])".to_owned()];
        if self.rng.chance(50) {
            lines.push("yield".to_owned());
        }
        let local = self.local();
        lines.extend([format!("{local} := Row[k]"), "yield".to_owned(), format!("Row[k] := 1 - {local}"), "unlock(Held[k])".to_owned()]);
        lines
    }

    fn semaphore(&mut self) -> Lines {
        self.between(&["await (Free > 0)", "Free := Free - 1"], &["Free := Free + 1"])
    }

    fn reader_or_writer(&mut self) -> Lines {
        if self.rng.chance(40) {
            return self.between(&["await (Writer == 0 and Readers == 0)", "Writer := 1"], &["Writer := 0"]);
        }
        let (datum, other) = (self.datum(), self.datum());
        let mut lines = lines(["await (Writer == 0)", "Readers := Readers + 1", "yield"]);
        if self.rng.chance(70) {
            "await (Writer == 0 and Readers < 1)".clone_into(&mut lines[0]);
        }
        lines.extend([format!("x := {datum}"), "yield".to_owned(), format!("y := {other}"), "Readers := Readers - 1".to_owned()]);
        lines
    }

    /// Reads, and writes if nothing has changed, or begins again.
    fn swapped(&mut self) -> Lines {
        let datum = self.datum();
        let new = self.rng.pick(&["1 - x", "x + 1", "(x + 1) % 2", "y", "0"]);
        let tested = if self.rng.chance(85) { datum } else { self.datum() };
        vec![
            "done := 0".to_owned(),
            format!("while (not done) {{ x := {datum}; yield; if ({tested} == x) {{ {datum} := {new}; done := 1 }} }}"),
        ]
    }

    /// The same with a version that is raised by everybody who writes.
    fn versioned(&mut self) -> Lines {
        let (datum, other) = (self.datum(), self.datum());
        if self.rng.chance(30) {
            // A writer that does not look, and perhaps forgets the version.
            let step = self.rng.pick(&["Version := Version + 1", "Version := Version + 1", "Version := 0", "skip"]);
            return vec![self.work(), step.to_owned()];
        }
        let raised = self.rng.pick(&["Version := v + 1; ", "Version := Version + 1; ", "Version := v + 2; ", ""]);
        let new = self.rng.pick(&["1 - x", "x + 1", "y", "(x + y) % 2"]);
        vec![
            "done := 0".to_owned(),
            format!(
                "while (not done) {{ v := Version; x := {datum}; y := {other}; yield; if (Version == v) {{ {datum} := {new}; {raised}done := 1 }} }}"
            ),
        ]
    }

    /// A slot that goes round: taken, used, free.
    fn token(&mut self) -> Lines {
        let mine = self.rng.pick(&["1", "2"]);
        let (take, give) = (format!("Turn := {mine}"), self.rng.pick(&["Turn := 0", "Turn := 0", "Turn := 2"]));
        self.between(&["await (Turn == 0)", &take], &[give])
    }

    /// Nothing happens any more when the latch is closed.
    fn latched(&mut self) -> Lines {
        let mut lines = self.between(&["await (Stop == 0)"], &[]);
        if self.rng.chance(60) {
            lines.push("await (Stop == 0)".to_owned());
            lines.push(self.work());
        }
        lines.push(self.rng.pick(&["if (?) { Stop := 1 }", "Stop := 1", "skip"]).to_owned());
        lines
    }

    fn waits_under_lock(&mut self) -> Lines {
        let test = self.test();
        let wait = format!("while ({test}) {{ unlock(L); yield; lock(L) }}");
        self.between(&["lock(L)", &wait], &["unlock(L)"])
    }

    /// Up or down between two bounds, waiting.
    fn counted(&mut self) -> Lines {
        let mut lines = match self.rng.chance(50) {
            true => lines(["await (Count < 1)", "Count := Count + 1"]),
            false => lines(["await (Count > 0)", "Count := Count - 1"]),
        };
        if self.rng.chance(60) {
            lines.push("yield".to_owned());
            lines.extend(self.some_work());
        }
        lines
    }

    fn ticket(&mut self) -> Lines {
        let room = self.rng.pick(&["await ((Next + 1) % 3 != Called)", "skip"]);
        self.between(&[room, "t := Next", "Next := Next + 1", "await (Called == t)"], &["Called := Called + 1"])
    }

    /// A small mistake.
    fn disturb(&mut self, lines: &mut Lines) {
        let at = self.rng.below(lines.len().max(1)).min(lines.len().saturating_sub(1));
        match self.rng.below(8) {
            0 if lines.len() > 1 => {
                lines.remove(at);
            }
            1 | 2 if lines.len() > 1 => {
                // Moved: a lock that is given back too early, a yield elsewhere.
                let moved = lines.remove(at);
                let to = self.rng.below(lines.len() + 1);
                lines.insert(to, moved);
            }
            3 => {
                let again = lines.get(at).cloned().unwrap_or_default();
                let to = self.rng.below(lines.len() + 1);
                if !again.is_empty() {
                    lines.insert(to, again);
                }
            }
            4 => {
                let work = self.work();
                lines.insert(at, work);
            }
            5 => lines.insert(at, self.rng.pick(&["lock(L)", "unlock(L)", "unlock(M)", "Free := Free + 1", "Turn := 0"]).to_owned()),
            _ => lines.insert(at, "yield".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::random_sections;

    #[test]
    fn nearly_all_are_programs_and_each_seed_has_one() {
        let programs = (0..400).filter(|&seed| serval_syntax::analyze(&random_sections(seed)).program.is_some()).count();
        assert!(programs > 390, "{programs} of 400");
        assert_eq!(random_sections(7), random_sections(7));
        assert_ne!(random_sections(7), random_sections(8));
    }
}
