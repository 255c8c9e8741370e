//! What `check` answers with.

use serde::Serialize;
use serde_json::value::RawValue;
use serval::TextKind;

use crate::answer::Unanswered;
use crate::asked::ModuleRequest;

/// What came of a text.
#[derive(Debug, Serialize)]
pub(crate) struct CheckAnswer {
    /// What the text is, by its ending.
    pub(crate) kind: &'static str,
    /// The exit status of the binary.
    pub(crate) status: u8,
    /// Reports: one, and of nets one for each question.
    pub(crate) reports: Vec<Box<RawValue>>,
    /// The evidence for each, where there is some.
    pub(crate) certificates: Vec<Option<String>>,
    /// What the binary prints in the wanted format.
    pub(crate) output: String,
    /// What it prints beside that.
    pub(crate) messages: String,
    /// The report as elements of a page, if that is wanted.
    pub(crate) html: Option<String>,
    /// What has ended the work from outside.
    pub(crate) ended: Option<&'static str>,
}

impl CheckAnswer {
    pub(crate) fn new(kind: TextKind) -> Self {
        Self {
            kind: kind.ending(),
            status: 0,
            reports: Vec::new(),
            certificates: Vec::new(),
            output: String::new(),
            messages: String::new(),
            html: None,
            ended: None,
        }
    }

    /// The status, where it is graver than what there was before: in the order of the binary.
    pub(crate) fn worsen(&mut self, status: u8) {
        let gravity = |status: u8| [0, 3, 1, 2, 4].iter().position(|&one| one == status);
        if gravity(status) > gravity(self.status) {
            self.status = status;
        }
    }
}

/// That there is no such format for this kind of text.
pub(crate) fn no_format(asked: &ModuleRequest, kind: TextKind) -> Unanswered {
    Unanswered::new(format!("{} has no format {}", kind.words(), asked.format))
}
