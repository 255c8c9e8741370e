//! Shows the points and paths of a program: `paths FILE [NODE…]`, with a `yield` in front of each of the nodes.
#![expect(clippy::print_stdout, reason = "an example prints")]

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_proof::model::Model;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let text = std::fs::read_to_string(arguments.next().unwrap_or_default()).unwrap_or_default();
    let yields: Vec<u32> = arguments.filter_map(|node| node.parse().ok()).collect();
    let Some(program) = serval_syntax::analyze(&text).program else { return };
    let prepared = Prepared::new(&program, Options::default());
    let Ok(model) = Model::new(&prepared.control(), &yields, None, &mut Budget::ticks(10_000_000)) else { return };
    for (number, point) in model.points.iter().enumerate() {
        println!("point {number}: {:?} {:?} {:?}", point.node, point.constants, point.live);
    }
    for path in &model.paths {
        let conditions: Vec<String> = path
            .conditions
            .0
            .iter()
            .map(|(form, said)| format!("{form:?} in {}..{} not {:?}", said.low(), said.high(), said.holes()))
            .collect();
        let updates: Vec<String> =
            path.updates.iter().map(|(global, value)| format!("{} := {:?}", program.globals[global.index()].name, value.term)).collect();
        println!(
            "{} -> {}: {} | {} | {:?} {:?}",
            path.from.0,
            path.to.0,
            conditions.join(", "),
            updates.join(", "),
            path.kept,
            path.answer
        );
    }
}
