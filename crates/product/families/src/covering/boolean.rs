//! Boolean programs as 1-safe nets: a place for each point of the program, and two for each variable, of which one has
//! a token.

use super::Spec;

/// A command; variables and points are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `z ← x ∧ y`, in the order `z`, `x`, `y`.
    And(usize, usize, usize),
    /// `z ← x ∨ y`.
    Or(usize, usize, usize),
    /// `z ← ¬x`.
    Not(usize, usize),
    /// If the variable is true, one goes on at the first point, else at the second.
    If(usize, usize, usize),
    /// One goes on there.
    Goto(usize),
    /// The end.
    Halt,
}

/// The variables that a command reads, the one that it writes, and the value that comes out.
type Meaning = (Vec<usize>, Option<usize>, fn(&[bool]) -> bool);

fn literal(variable: usize, value: bool) -> String {
    format!("{}x{variable}", if value { "" } else { "not_" })
}

/// The program as a specification; all variables are false in the beginning. The target is that it halts; behind the
/// last command it does nothing.
pub fn boolean(variables: usize, commands: &[Command]) -> String {
    let mut spec = Spec::new(format!("a Boolean program of {} commands over {variables} variables", commands.len()));
    for variable in 0..variables {
        spec.counter(literal(variable, true), 0);
        spec.counter(literal(variable, false), 1);
    }
    for point in 0..=commands.len() {
        spec.counter(format!("at{point}"), usize::from(point == 0));
    }
    spec.counter("halt", 0);
    for (point, &command) in commands.iter().enumerate() {
        let (reads, writes, then): Meaning = match command {
            Command::And(z, x, y) => (vec![x, y], Some(z), |values| values[0] && values[1]),
            Command::Or(z, x, y) => (vec![x, y], Some(z), |values| values[0] || values[1]),
            Command::Not(z, x) => (vec![x], Some(z), |values| !values[0]),
            Command::If(x, ..) => (vec![x], None, |values| values[0]),
            Command::Goto(_) | Command::Halt => (Vec::new(), None, |_| true),
        };
        let mut used: Vec<usize> = reads.iter().copied().chain(writes).collect();
        used.sort_unstable();
        used.dedup();
        for values in 0..1_usize << used.len() {
            let value = |variable: usize| used.iter().position(|&one| one == variable).is_some_and(|at| (values >> at) & 1 == 1);
            let result = then(&reads.iter().map(|&variable| value(variable)).collect::<Vec<_>>());
            let to = match command {
                Command::If(_, yes, no) => format!("at{}", if result { yes } else { no }),
                Command::Goto(point) => format!("at{point}"),
                Command::Halt => "halt".to_owned(),
                Command::And(..) | Command::Or(..) | Command::Not(..) => format!("at{}", point + 1),
            };
            let from = format!("at{point}");
            // Who goes on where it is asks only that it is there.
            let mut changes: Vec<(String, i64)> = if from == to { vec![(from, 0)] } else { vec![(from, -1), (to, 1)] };
            for &variable in &used {
                let (before, after) = (value(variable), if writes == Some(variable) { result } else { value(variable) });
                if before == after {
                    changes.push((literal(variable, before), 0));
                } else {
                    changes.extend([(literal(variable, before), -1), (literal(variable, after), 1)]);
                }
            }
            spec.rule(&changes.iter().map(|(name, change)| (name.as_str(), *change)).collect::<Vec<_>>());
        }
    }
    spec.target(&[("halt", 1)]);
    spec.text()
}

/// A program that counts with `bits` variables through all their values and halts then; with a mistake it forgets to
/// set the last one, and goes on for ever. The number of variables, and the commands.
pub fn boolean_counter(bits: usize, mistake: bool) -> (usize, Vec<Command>) {
    let (no, yes) = (bits, bits + 1);
    // Each bit has five commands, behind the one that makes the constant.
    let begin = |bit: usize| 1 + 5 * bit;
    let mut commands = vec![Command::Not(yes, no)];
    for bit in 0..bits {
        let set = if mistake && bit + 1 == bits { Command::Goto(begin(0)) } else { Command::Or(bit, bit, yes) };
        commands.extend([
            Command::If(bit, begin(bit) + 1, begin(bit) + 3),
            Command::And(bit, bit, no),
            Command::Goto(begin(bit + 1)),
            set,
            Command::Goto(begin(0)),
        ]);
    }
    commands.push(Command::Halt);
    (bits + 2, commands)
}
