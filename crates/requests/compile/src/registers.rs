//! The registers of a request in the middle of a step.
//!
//! Steps use the same memory one after another. A register that the step at hand has not written still holds
//! what another request left there, and no step may read that: see the invariant in [`crate::liveness`]. Clearing
//! all registers before each step would cost more than most steps do, so release builds rely on the invariant;
//! debug builds, in which the tests run, remember which registers the step has written and stop at a read of another.

use crate::graph::{Operand, Reg};

/// Values by register.
#[derive(Clone, Default)]
pub(crate) struct Registers {
    values: Vec<i64>,
    #[cfg(debug_assertions)]
    written: Vec<bool>,
}

impl Registers {
    /// `count` registers, none of which holds a value yet.
    pub(crate) fn new(count: usize) -> Self {
        let mut registers = Self::default();
        registers.forget(count);
        registers
    }

    /// Makes room for `count` registers, of which none may be read before it is written.
    pub(crate) fn forget(&mut self, count: usize) {
        self.values.resize(count, 0);
        #[cfg(debug_assertions)]
        {
            self.written.clear();
            self.written.resize(count, false);
        }
    }

    pub(crate) fn set(&mut self, reg: Reg, value: i64) {
        self.values[reg.index()] = value;
        #[cfg(debug_assertions)]
        {
            self.written[reg.index()] = true;
        }
    }

    pub(crate) fn get(&self, reg: Reg) -> i64 {
        #[cfg(debug_assertions)]
        assert!(self.written[reg.index()], "register {} is read before it is written", reg.0);
        self.values[reg.index()]
    }

    /// The value of an operand.
    pub(crate) fn read(&self, operand: Operand) -> i64 {
        match operand {
            Operand::Const(value) => value,
            Operand::Reg(reg) => self.get(reg),
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "register 1 is read before it is written")]
    fn what_another_step_left_is_not_read() {
        let mut registers = Registers::new(2);
        registers.set(Reg(1), 7);
        registers.forget(2);
        registers.get(Reg(1));
    }
}
