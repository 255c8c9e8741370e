//! Which command a file is for: `check`, `tso check` or `net check`. The ending of its name tells; where it does not,
//! its text does, if one of the readers takes all of it, or if its first line is one that only texts of one kind have.

use std::path::Path;

use serval::TextKind;
use serval::nets::NetKind as Notation;
use serval::tso::Syntax;
use serval_report::escape;

use crate::args::{InputKind, NetKind};
use crate::failure::Failure;
use crate::names::{name_of, shown};

/// What a file holds, by the command that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// `serval check`: programs of requests and network systems.
    Requests(InputKind),
    /// `serval tso check`: programs on weak memory.
    WeakMemory(Syntax),
    /// `serval net check`: Petri nets.
    Nets(NetKind),
}

impl From<TextKind> for Door {
    fn from(kind: TextKind) -> Self {
        match kind {
            TextKind::Program => Self::Requests(InputKind::Ser),
            TextKind::System => Self::Requests(InputKind::Json),
            TextKind::WeakMemory(syntax) => Self::WeakMemory(syntax),
            TextKind::Net(Notation::Pnml) => Self::Nets(NetKind::Pnml),
            TextKind::Net(Notation::Tina) => Self::Nets(NetKind::Net),
            TextKind::Net(Notation::Mist) => Self::Nets(NetKind::Spec),
            TextKind::Net(Notation::Vass) => Self::Nets(NetKind::Vass),
        }
    }
}

impl Door {
    /// What the ending of a name tells.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        TextKind::of_ending(path.extension()?.to_str()?).map(Self::from)
    }

    /// What a text tells.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        TextKind::of_text(text).map(Self::from)
    }

    /// What it is, in words.
    fn what(self) -> &'static str {
        match self {
            Self::Requests(InputKind::Ser) => "a program of requests",
            Self::Requests(InputKind::Json) => "a network system",
            Self::WeakMemory(Syntax::Tso) => "a program on weak memory",
            Self::WeakMemory(Syntax::Litmus) => "a litmus test",
            Self::Nets(_) => "a Petri net",
        }
    }

    /// The command that does there what `asked` does here; where it has none, the one that decides.
    fn command(self, asked: &str, path: &Path) -> String {
        let (wing, verbs): (&str, &[&str]) = match self {
            Self::Requests(_) => ("serval", &["check", "fix", "run", "export"]),
            Self::WeakMemory(_) => ("serval tso", &["check", "fix"]),
            Self::Nets(_) => ("serval net", &["check", "run", "export"]),
        };
        let verb = verbs.iter().find(|verb| **verb == asked).unwrap_or(&"check");
        let file = if path == Path::new("-") { "-".to_owned() } else { escape::shell(&name_of(path)) };
        // That command tells by the text what it is, as this one has done.
        format!("{wing} {verb} {file}")
    }

    /// That a file is for another command, and for which.
    pub(crate) fn elsewhere(self, asked: &str, path: &Path) -> Failure {
        let name = if path == Path::new("-") { "standard input".to_owned() } else { shown(path) };
        Failure::message(format!("{name} is {}: `{}` takes it [E0503]", self.what(), self.command(asked, path)))
    }
}
