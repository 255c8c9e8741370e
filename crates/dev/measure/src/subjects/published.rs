//! Tables 1 and 2 of M. Güdemann's "SPiNAT", cell by cell, beside the consensus of the contest and our answers.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use serval::nets::{Net, NetAnswer, NetDecision, NetInput, NetKind, NetOptions, decide_net};

use super::read;
use crate::nets::{JKIND, KIND2, TINA};
use crate::page::Page;

const PROPERTIES: [&str; 4] = ["quasi-live", "no-dead-places", "deadlock-free", "one-safe"];

/// A model and a property with all that was published of it: table 1 by JKind and by kind2, table 2 by SPiNAT and by
/// TINA.
struct Cell {
    name: &'static str,
    model: &'static str,
    property: &'static str,
    published: [String; 4],
}

/// All cells, those of table 1 first.
fn cells() -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let none = || ["", "", "", ""].map(str::to_owned);
    for (jkind, kind2) in JKIND.iter().zip(&KIND2) {
        for (column, property) in PROPERTIES.into_iter().enumerate() {
            let mut published = none();
            published[0] = jkind.cells[column].to_owned();
            published[1] = kind2.cells[column].to_owned();
            cells.push(Cell { name: jkind.name, model: jkind.model, property, published });
        }
    }
    for row in &TINA {
        for (property, [valid, spinat, tina]) in
            [("deadlock-free", [row.cells[0], row.cells[1], row.cells[2]]), ("one-safe", [row.cells[3], row.cells[4], row.cells[5]])]
        {
            let timed = |time: &str| if time == "—" { "—".to_owned() } else { format!("{valid} {time}") };
            let found = cells.iter_mut().find(|cell| cell.model == row.model && cell.property == property);
            let published = match found {
                Some(cell) => &mut cell.published,
                None => {
                    cells.push(Cell { name: row.name, model: row.model, property, published: none() });
                    let last = cells.len() - 1;
                    &mut cells[last].published
                }
            };
            published[2] = timed(spinat);
            published[3] = timed(tina);
        }
    }
    cells
}

fn mark(holds: Option<bool>) -> &'static str {
    match holds {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "—",
    }
}

fn holds(decision: &NetDecision) -> Option<bool> {
    match decision.answer {
        NetAnswer::Holds => Some(true),
        NetAnswer::DoesNotHold => Some(false),
        NetAnswer::Undecided | NetAnswer::Error => None,
    }
}

fn decide(input: &NetInput, property: &str) -> Result<NetDecision, String> {
    let question = input.question(property).map_err(|error| error.message)?;
    Ok(decide_net(input, &question, &NetOptions::default()))
}

/// Asks what was published, of the nets of a contest. An answer of ours that is not the consensus is wrong.
pub fn page(directory: &Path) -> Result<Page, String> {
    let expected = read(&directory.join("expected.tsv"))?;
    let consensus = |model: &str, property: &str| {
        let fields: Vec<&str> = expected.lines().find(|line| line.split('\t').next() == Some(model))?.split('\t').collect();
        let known = |column: usize| match *fields.get(column)? {
            "TRUE" => Some(true),
            "FALSE" => Some(false),
            _ => None,
        };
        match property {
            "deadlock-free" => known(3).map(|deadlock| !deadlock),
            "one-safe" => known(4),
            "quasi-live" => known(5),
            // The contest does not ask it.
            _ => None,
        }
    };
    let mut page = Page::new("The published tables about nets, cell by cell", ABOUT);
    page.table(&[
        "model",
        "property",
        "JKind",
        "kind2",
        "SPiNAT",
        "TINA",
        "consensus",
        "ours",
        "method",
        ">evidence, bytes",
        ">ms",
        "differs",
    ]);
    let mut differing = Vec::new();
    let mut inputs: Vec<(&str, NetInput)> = Vec::new();
    for cell in cells() {
        if !inputs.iter().any(|one| one.0 == cell.model) {
            let file = read(&directory.join(cell.model).join("model.pnml"))?;
            inputs.push((cell.model, NetInput::read(&file, NetKind::Pnml).map_err(|error| format!("{}: {error}", cell.model))?));
        }
        let Some((_, input)) = inputs.iter().find(|one| one.0 == cell.model) else { continue };
        let start = Instant::now();
        let decision = decide(input, cell.property)?;
        let (time, ours) = (start.elapsed(), holds(&decision));
        let known = consensus(cell.model, cell.property);
        if known.is_some() && ours.is_some() && known != ours {
            page.fail(format!("{} of {} is not the consensus", cell.property, cell.model));
        }
        let published: Vec<bool> = cell
            .published
            .iter()
            .filter_map(|cell| cell.chars().next())
            .filter_map(|mark| match mark {
                '✓' => Some(true),
                '✗' => Some(false),
                _ => None,
            })
            .collect();
        let differs = published.iter().any(|one| Some(*one) != known.or(ours));
        if differs {
            differing.push((cell.name, cell.model, cell.property));
        }
        let [jkind, kind2, spinat, tina] = &cell.published;
        let bytes = decision.certificate.as_ref().map_or(0, |certificate| certificate.to_json().len());
        page.line(format!(
            "| {} | {} | {jkind} | {kind2} | {spinat} | {tina} | {} | {} | {} | {bytes} | {}.{} | {} |",
            cell.name,
            cell.property,
            mark(known),
            mark(ours),
            decision.methods.join(" and "),
            time.as_millis(),
            time.as_micros() / 100 % 10,
            if differs { "yes" } else { "" }
        ));
    }
    page.line(why(&differing, &inputs)?.trim_end());
    Ok(page)
}

const ABOUT: &str = "\
Tables 1 (JKind, kind2) and 2 (SPiNAT, TINA) of M. Güdemann's “SPiNAT”: a quad-core i7-8665U at 1.9 GHz, several threads, a
limit of five minutes. Beside them the consensus of the Model Checking Contest and our answers, on one thread, each with
evidence that the checker has accepted. ✓ holds, ✗ does not hold, — no answer or, for the consensus, not asked; an empty
cell is not in that table. The variant of CloudOps is not published; here it is the smallest. “viral 08 1 1 02” is compared
with S08D1C2A02, the one of that size that there is.";

/// The two nets of a few lines that show why published answers differ.
const ONCE: &str = "pl a (1)\ntr start a -> b\ntr go b -> b\n";
const EITHER: &str = "pl a (1)\ntr left a -> b\ntr right a -> c\ntr again b -> b\ntr more c -> c\n";

/// The paragraph about cells that differ.
fn why(differing: &[(&str, &str, &str)], inputs: &[(&str, NetInput)]) -> Result<String, String> {
    let mut text = String::from("\n## Why some cells differ\n\n");
    if differing.iter().any(|one| !matches!(one.2, "quasi-live" | "no-dead-places")) {
        text.push_str("**An answer about deadlocks or 1-safety differs: that is not explained here.** ");
    }
    let _ = write!(
        text,
        "{} cells differ from the consensus or, where the contest asks nothing, from what our evidence shows. The published observers of dead transitions and places differ from the \
         definition in two ways. They begin with `false ->`, so that what is enabled or marked in the beginning only is never seen:\n\n```text\n{ONCE}```\n\n\
         And they ask for one run that enables every transition, where the definition lets each have a run of its own:\n\n```text\n{EITHER}```\n\n",
        differing.len()
    );
    let small = [ONCE, EITHER].map(|net| NetInput::read(net, NetKind::Tina).map_err(|error| error.to_string()));
    for (name, input) in ["first", "second"].into_iter().zip(small) {
        let answer = holds(&decide(&input?, "quasi-live")?);
        let _ = writeln!(text, "- The {name} net is quasi-live: {}; its published program proves `prop_deadTransExists`.", mark(answer));
    }
    text.push_str("\nOf the models whose cells about transitions differ, these transitions are enabled in the beginning and, by proof, in no marking after it:\n\n");
    for (name, model, _) in differing.iter().filter(|one| one.2 == "quasi-live") {
        let Some((_, input)) = inputs.iter().find(|one| one.0 == *model) else { continue };
        let once = enabled_once(input)?;
        let _ = match once.is_empty() {
            true => writeln!(text, "- {name}: none, so that the second reason, or another variant of the model, is behind it"),
            false => writeln!(text, "- {name}: {}", once.join(", ")),
        };
    }
    Ok(text)
}

/// The transitions that are enabled in the beginning and, as is proved from each marking after one step, never again.
fn enabled_once(input: &NetInput) -> Result<Vec<String>, String> {
    let net = input.net();
    let enabled: Vec<_> = net.transitions().filter(|&transition| net.is_enabled(&net.initial(), transition)).collect();
    let mut once = Vec::new();
    for &transition in &enabled {
        let mut is_once = true;
        for &first in &enabled {
            let after = begun_with(net, first).map_err(|error| error.to_string())?;
            let decision = decide(&after, &format!("reachable:fireable({:?})", net.transition_name(transition)))?;
            is_once &= holds(&decision) == Some(false);
            if !is_once {
                break;
            }
        }
        if is_once {
            once.push(net.transition_name(transition).to_owned());
        }
    }
    Ok(once)
}

/// The net after one step.
fn begun_with(net: &Net, first: serval_petri::TransitionId) -> Result<NetInput, Box<dyn std::error::Error>> {
    let mut marking = net.initial();
    net.fire(&mut marking, first)?;
    let mut after = Net::new(net.name());
    let places = net.places().map(|place| after.add_place(net.place_name(place), marking.tokens(place))).collect::<Result<Vec<_>, _>>()?;
    for transition in net.transitions() {
        let arcs = |arcs: &[(serval_petri::PlaceId, u64)]| arcs.iter().map(|arc| (places[arc.0.index()], arc.1)).collect::<Vec<_>>();
        after.add_transition(net.transition_name(transition), arcs(net.inputs(transition)), arcs(net.outputs(transition)))?;
    }
    Ok(NetInput::read(&serval_petri::tina::write(&after), NetKind::Tina)?)
}
