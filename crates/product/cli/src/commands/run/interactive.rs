//! Running by hand: a list of what can happen, a number to choose.

use std::io::{self, BufRead, Write};

use serval_report::TraceEvent;
use serval_report::escape::name;

use crate::failure::Failure;
use serval::simulator::{Serial, Simulator, serial};

/// Asks until the user has had enough; gives what happened.
pub(crate) fn run<'a>(fresh: &mut dyn FnMut() -> Box<dyn Simulator + 'a>) -> Result<Vec<TraceEvent>, Failure> {
    let mut input = io::stdin().lock();
    let mut out = io::stdout().lock();
    let mut simulator = fresh();
    let mut chosen: Vec<usize> = Vec::new();
    writeln!(out, "Choose by number; u takes the last choice back, s asks whether the run is serial so far, ? shows the state, q ends.")?;
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
                "?" => write!(out, "{}", super::summary(&mut *simulator))?,
                "s" | "serial" => writeln!(out, "      {}", told(&serial(fresh, &*simulator)))?,
                "u" | "undo" => match chosen.pop() {
                    Some(_) => {
                        // A run is what was chosen: it is made again without the last choice.
                        simulator = fresh();
                        for &position in &chosen {
                            simulator.actions();
                            simulator.perform(position);
                        }
                        writeln!(out, "      taken back")?;
                        break;
                    }
                    None => writeln!(out, "      nothing has happened yet")?,
                },
                number => match number.parse::<usize>() {
                    Ok(number) if (1..=actions.len()).contains(&number) => {
                        chosen.push(number - 1);
                        writeln!(out, "      {}", simulator.perform(number - 1))?;
                        break;
                    }
                    _ => writeln!(out, "      a number from 1 to {}, u, s, ? or q", actions.len())?,
                },
            }
        }
    }
    write!(out, "{}", super::summary(&mut *simulator))?;
    out.flush()?;
    Ok(simulator.events().to_vec())
}

fn told(serial: &Serial) -> String {
    match serial {
        Serial::Yes(order) if order.is_empty() => "serial so far: no request has answered yet".to_owned(),
        Serial::Yes(order) => {
            let order: Vec<String> = order.iter().map(|(request, response)| format!("{} → {}", name(request), name(response))).collect();
            format!("serial so far: one at a time, {} gives these answers", order.join(", then "))
        }
        Serial::No => "not serial: no order of these requests, one at a time, gives the answers so far".to_owned(),
        Serial::Unknown => "unknown: too many orders to try".to_owned(),
    }
}
