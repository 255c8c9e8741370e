//! `check`: what the binary says of a file, for each kind of text.

use serval::TextKind;

use crate::answer::{Unanswered, json};
use crate::asked::ModuleRequest;
use crate::{limits, requests};

pub(crate) fn check(asked: &ModuleRequest) -> Result<String, Unanswered> {
    limits::tell(limits::WasmStage::Reading, 0);
    let kind = asked.text_kind()?;
    let mut checked = match kind {
        TextKind::Program | TextKind::System => requests::check(asked, kind)?,
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(syntax) => crate::weak_memory::check(asked, syntax)?,
        #[cfg(feature = "nets")]
        TextKind::Net(notation) => crate::nets::check(asked, notation)?,
    };
    checked.ended = limits::ended_name();
    json(&checked)
}
