//! Programs and random systems.

use proptest::prelude::*;
use proptest::sample::Index;
use serval_budget::Budget;
use serval_compile::{Mode, Options, compile};
use serval_model::{NetworkSystem, SystemBuilder};

pub(crate) fn plain_system(text: &str) -> NetworkSystem {
    let analysis = serval_syntax::analyze(text);
    let program = analysis.program.unwrap_or_else(|| panic!("{:#?}\n{text}", analysis.diagnostics));
    let options = Options { mode: Mode::Plain, ..Options::default() };
    let compiled = compile(&program, options, &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:#?}\n{text}"));
    assert_eq!(compiled.components().len(), 1);
    compiled.components()[0].system().clone()
}

/// Few states, requests and responses, and any starts, steps and answers.
pub(crate) fn small_system() -> impl Strategy<Value = NetworkSystem> {
    let starts = proptest::collection::vec((any::<Index>(), any::<Index>()), 0..4);
    let steps = proptest::collection::vec(any::<[Index; 4]>(), 0..8);
    let answers = proptest::collection::vec((any::<Index>(), any::<Index>()), 0..4);
    ([1..4usize, 1..5, 1..4, 1..4], starts, steps, answers).prop_map(|(counts, starts, steps, answers)| {
        let mut builder = SystemBuilder::new();
        let [globals, locals, requests, responses] = counts;
        let globals: Vec<_> = (0..globals).map(|n| builder.global(&format!("g{n}"))).collect();
        let locals: Vec<_> = (0..locals).map(|n| builder.local(&format!("l{n}"))).collect();
        let requests: Vec<_> = (0..requests).map(|n| builder.request(&format!("r{n}"))).collect();
        let responses: Vec<_> = (0..responses).map(|n| builder.response(&format!("a{n}"))).collect();
        for (request, local) in starts {
            builder.start(*request.get(&requests), *local.get(&locals));
        }
        for [local, global, to_local, to_global] in steps {
            builder.step(*local.get(&locals), *global.get(&globals), *to_local.get(&locals), *to_global.get(&globals));
        }
        for (local, response) in answers {
            builder.answer(*local.get(&locals), *response.get(&responses));
        }
        builder.finish(globals[0])
    })
}
