//! Lists of codes.

use crate::{Code, Severity};

/// A code, how bad its diagnostics are, and what it is about in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// How bad diagnostics with this code are.
    pub severity: Severity,
    /// One line, lower case, no full stop.
    pub title: &'static str,
}

/// Makes a constant of each code, and `ALL`, the list of them. A number is used once, whatever the letter, and a code
/// never changes its meaning.
#[macro_export]
macro_rules! codes {
    ($visibility:vis const; $($name:ident = $code:literal, $severity:ident, $title:literal;)*) => {
        $(#[doc = $title] $visibility const $name: $crate::Code = $crate::Code($code);)*

        static ALL: &[$crate::CodeInfo] =
            &[$($crate::CodeInfo { code: $name, severity: $crate::Severity::$severity, title: $title },)*];
    };
}
