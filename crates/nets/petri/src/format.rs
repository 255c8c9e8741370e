//! Nets and questions as text.
//!
//! What is written is read back as the same data, whatever the names: each
//! format has its way to write any text, and no two names are written alike.
//! What is read is bounded by [`Limits`], and what is wrong with it is said with
//! line and column. No reader recurses by the nesting of its input.

pub mod lola;
pub mod mcc;
pub mod mist;
pub mod pnml;
pub mod tina;
pub mod vass;
mod xml;

pub use serval_diagnostic::{FormatError, UnknownWord};
pub use xml::parse as parse_xml;

use crate::{Net, Target};

/// The text without the mark at its beginning by which some editors say in which order its bytes stand.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// How large an input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The length of the text.
    pub bytes: usize,
    /// Places, and as many transitions.
    pub nodes: usize,
    /// Arcs; in questions, constraints and connectives of all formulas.
    pub arcs: usize,
}

impl Default for Limits {
    /// 64 MiB, a million places, a million transitions, eight million arcs.
    fn default() -> Self {
        Self { bytes: 64 << 20, nodes: 1 << 20, arcs: 1 << 23 }
    }
}

impl Limits {
    /// For what was written here, whose size has been decided already.
    const NONE: Self = Self { bytes: usize::MAX, nodes: usize::MAX, arcs: usize::MAX };

    fn check_length(&self, text: &str) -> Result<(), FormatError> {
        if text.len() > self.bytes {
            return Err(FormatError::at(text, 0, format!("the text has {} bytes; at most {} are read", text.len(), self.bytes)));
        }
        Ok(())
    }
}

/// Whether a text in the format of Tina is read as this very net.
pub fn tina_reads_back(text: &str, net: &Net) -> bool {
    tina::read_within(text, &Limits::NONE).is_ok_and(|read| read == *net)
}

/// Whether a text in PNML is read as this very net, with the ids that questions
/// use.
pub fn pnml_reads_back(text: &str, net: &Net) -> bool {
    pnml::read_within(text, &Limits::NONE).is_ok_and(|read| read.net == *net && read.ids == pnml::Ids::written(net))
}

/// Whether a set of properties is read as these very questions about the net,
/// in this order: whether each target can be reached.
pub fn mcc_reads_back(text: &str, net: &Net, questions: &[(&str, &Target)]) -> bool {
    let is_meant = |(read, &(id, target)): (&mcc::Question, &(&str, &Target))| {
        let targets = read.formula.targets(target.constraints().len().max(1));
        read.id == id && read.holds == mcc::Holds::IfReachable && targets.as_deref() == Some(std::slice::from_ref(target))
    };
    mcc::read_within(text, net, &pnml::Ids::written(net), &Limits::NONE)
        .is_ok_and(|read| read.len() == questions.len() && read.iter().zip(questions).all(is_meant))
}
