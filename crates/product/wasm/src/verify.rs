//! `verify`: the independent checker goes through a certificate.

use serde::Serialize;
use serval::verify::{Subject, verify as verified};
use serval::{Cancel, InputKind, TextKind};

use crate::answer::{Unanswered, json};
use crate::asked::ModuleRequest;
use crate::limits;

#[derive(Serialize)]
struct Verified {
    status: u8,
    line: String,
    ended: Option<&'static str>,
}

pub(crate) fn verify(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    let (name, text) = (asked.file(kind), asked.text.as_str());
    let cancel = Cancel::asking(limits::is_over);
    let checked = |subject: &Subject<'_>| verified(subject, &name, &asked.certificate, &asked.certificate_name, &cancel);
    let checked = match kind {
        TextKind::Program => checked(&Subject::Requests { text, kind: InputKind::Program }),
        TextKind::System => checked(&Subject::Requests { text, kind: InputKind::System }),
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(syntax) => checked(&Subject::WeakMemory { text, syntax, questions: &asked.questions }),
        #[cfg(feature = "nets")]
        TextKind::Net(notation) => {
            use serval::nets::NetKind;
            use serval::verify::{NetFormat, NetPart};
            let format = match notation {
                NetKind::Pnml => NetFormat::Pnml,
                NetKind::Tina => NetFormat::Tina,
                NetKind::Mist => NetFormat::Mist,
                NetKind::Vass => NetFormat::Vass,
            };
            let parts = [NetPart { name: &name, text, format }];
            checked(&Subject::Nets { parts: &parts, composed: false, from: asked.from.as_deref() })
        }
    };
    json(&Verified { status: checked.status, line: checked.line, ended: limits::ended_name() })
}
