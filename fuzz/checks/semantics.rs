//! The two modes of the compiler against each other on random programs.

use std::collections::BTreeSet;

use serval_budget::{Budget, Stopped};
use serval_compile::{CompileError, Compiled, Limits, Mode, Options, StepLimits, compile};

use serval_model::{Letter, Multiset, NetworkSystem, completed_multisets, serial_multisets};
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};

const REQUESTS: usize = 2;
const LIMITS: Limits = Limits { pairs: 4_000, step: StepLimits { operations: 20_000, loop_states: 2_000 } };

type Completed = BTreeSet<Vec<(String, String)>>;
type Enumerate = fn(&NetworkSystem, usize, &mut Budget) -> Result<BTreeSet<Multiset<Letter>>, Stopped>;

/// Checks the program of this seed and shape: what its requests can answer,
/// up to two of them, is the same with and without optimisation. Programs that
/// are too large for the small limits here, or have a fault, are compiled only.
pub(crate) fn check(seed: u64, shape: Shape) {
    let text = random_program(seed, shape);
    let Some(program) = analyze(&text).program else {
        panic!("{shape:?} {seed} does not parse\n{text}");
    };
    let compiled = [Mode::Optimised, Mode::Plain].map(|mode| compile(&program, Options { mode, limits: LIMITS }, &Budget::unlimited()));
    let [optimised, plain] = match compiled {
        [Ok(optimised), Ok(plain)] => [optimised, plain],
        [Err(CompileError::Stopped(_)), _] | [_, Err(CompileError::Stopped(_))] => panic!("{shape:?} {seed}: no flag stopped the compiler"),
        // Optimising may leave out a variable whose value overflows or grows,
        // or a division that no request comes to; the modes need not agree.
        _ => return,
    };
    for component in optimised.components().iter().chain(plain.components()) {
        component.system().check_invariants();
    }
    let enumerations: [(&str, Enumerate); 2] = [("interleaved", completed_multisets), ("serial", serial_multisets)];
    for (kind, enumerate) in enumerations {
        if let (Some(left), Some(right)) = (completed(&optimised, enumerate), completed(&plain, enumerate)) {
            assert_eq!(left, right, "{shape:?} {seed}: {kind} multisets differ between the modes\n{text}");
        }
    }
}

/// The completed multisets of the whole program, as sums over its components.
fn completed(compiled: &Compiled, enumerate: Enumerate) -> Option<Completed> {
    let mut all: Completed = BTreeSet::from([Vec::new()]);
    for component in compiled.components() {
        let system = component.system();
        let own = enumerate(system, REQUESTS, &mut Budget::ticks(100_000)).ok()?;
        let mut next = Completed::new();
        for multiset in &own {
            let letters: Vec<(String, String)> = multiset
                .iter()
                .flat_map(|(&(request, response), count)| {
                    let letter = (system.request_name(request).to_owned(), system.response_name(response).to_owned());
                    std::iter::repeat_n(letter, usize::try_from(count).unwrap_or(usize::MAX))
                })
                .collect();
            for left in all.iter().filter(|left| left.len() + letters.len() <= REQUESTS) {
                let mut sum = [left.as_slice(), letters.as_slice()].concat();
                sum.sort();
                next.insert(sum);
            }
        }
        all = next;
    }
    Some(all)
}
