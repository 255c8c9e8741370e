//! What threads and cells may be, on which a basis of configurations with load buffers stands.

use super::basis::by_basis;
use super::cases::{Case, Refused, balanced, checked};
use crate::{Basis, Condition};

/// Nothing of what is asked for is a place, so that the basis is empty, and all rests on what threads and cells may be.
const NOWHERE: &str = "memory x; thread P { x := 1; l: skip; k: skip; } never P@l && P@k;";
const READS: &str = "memory x = 1; thread P { r := x; assume r == 0; e: skip; } thread Q { x := 2; } never P@e;";
const LOOPS: &str =
    "values 0..2 wrap; memory x, y; thread P { loop { r := y; x := r + 1; } } thread Q { s := x; fence; y := 1; } never Q.s == 3;";
const LOCKED: &str = "memory x; thread P { o := cas(x, 0, 1); assume o == 1; l: skip; } never P.o == 2;";

fn accepted() -> Vec<Case> {
    [NOWHERE, READS, LOOPS, LOCKED].map(|text| by_basis(text, &[])).into()
}

fn but(text: &str, change: impl Fn(&mut Basis)) -> Case {
    let (program, mut certificate) = by_basis(text, &[]);
    change(certificate.basis.as_mut().unwrap());
    (program, certificate)
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    vec![
        // Without the last place of a thread, without its first, without a value of a cell.
        (Condition::BasisReach, but(NOWHERE, |basis| drop(basis.threads[0].pop()))),
        (Condition::BasisReach, but(READS, |basis| drop(basis.threads[0].remove(0)))),
        (Condition::BasisReach, but(NOWHERE, |basis| basis.values[0].truncate(1))),
        (Condition::BasisShape, but(NOWHERE, |basis| basis.threads.clear())),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn nothing_that_threads_and_cells_may_be_can_be_left_out() {
    for (program, certificate) in accepted() {
        let basis = certificate.basis.clone().unwrap();
        let refuse = |change: &dyn Fn(&mut Basis)| {
            let mut mutant = certificate.clone();
            change(mutant.basis.as_mut().unwrap());
            assert!(!checked(&program, &mutant));
        };
        for (thread, list) in basis.threads.iter().enumerate() {
            for number in 0..list.len() {
                refuse(&|basis| drop(basis.threads[thread].remove(number)));
                // What was stored last is 1 and a value, or 0 and 0.
                refuse(&|basis| *basis.threads[thread][number].iter_mut().nth_back(1).unwrap() = 2);
                refuse(&|basis| _ = basis.threads[thread][number].pop());
            }
        }
        for (cell, values) in basis.values.iter().enumerate() {
            for number in 0..values.len() {
                refuse(&|basis| _ = basis.values[cell].remove(number));
            }
        }
    }
}
