//! Running by hand: a list of what can happen, a number to choose.

use std::io::{self, BufRead, Write};

use serval_report::TraceEvent;

use crate::failure::Failure;
use serval::simulator::Simulator;

/// Asks until the user has had enough; gives what happened.
pub(crate) fn run(simulator: &mut dyn Simulator) -> Result<Vec<TraceEvent>, Failure> {
    let mut input = io::stdin().lock();
    let mut out = io::stdout().lock();
    writeln!(out, "Choose by number; ? shows the state, q ends.")?;
    'turns: loop {
        let actions = simulator.actions();
        writeln!(out)?;
        for (position, action) in actions.iter().enumerate() {
            writeln!(out, "{:4}  {}", position + 1, action.text)?;
        }
        if let Some(fault) = simulator.fault() {
            writeln!(out, "      fails: {fault}")?;
        }
        loop {
            write!(out, "> ")?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                writeln!(out)?;
                break 'turns;
            }
            match line.trim() {
                "q" | "quit" | "exit" => break 'turns,
                "" => {}
                "?" => write!(out, "{}", super::summary(simulator))?,
                number => match number.parse::<usize>() {
                    Ok(number) if (1..=actions.len()).contains(&number) => {
                        writeln!(out, "      {}", simulator.perform(number - 1))?;
                        break;
                    }
                    _ => writeln!(out, "      a number from 1 to {}, ? or q", actions.len())?,
                },
            }
        }
    }
    write!(out, "{}", super::summary(simulator))?;
    out.flush()?;
    Ok(simulator.events().to_vec())
}
