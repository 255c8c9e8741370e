//! Which command a file is for: `check`, `tso check` or `net check`. The ending of its name tells; where it does not,
//! its text does, if one of the readers takes all of it, or if its first line is one that only texts of one kind have.

use std::path::Path;

use serval::nets::{NetInput, NetKind as Notation};
use serval::tso::{Syntax, TsoInput};
use serval::{Input, InputKind as Kind};
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

/// The notations of nets, each with its ending.
const NOTATIONS: [(&str, NetKind, Notation); 4] = [
    ("pnml", NetKind::Pnml, Notation::Pnml),
    ("net", NetKind::Net, Notation::Tina),
    ("spec", NetKind::Spec, Notation::Mist),
    ("vass", NetKind::Vass, Notation::Vass),
];

impl Door {
    /// What the ending of a name tells.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        match ending {
            "ser" => Some(Self::Requests(InputKind::Ser)),
            "json" => Some(Self::Requests(InputKind::Json)),
            _ => {
                let net = NOTATIONS.iter().find(|(known, ..)| *known == ending).map(|&(_, kind, _)| Self::Nets(kind));
                net.or_else(|| Syntax::of_ending(ending).map(Self::WeakMemory))
            }
        }
    }

    /// What a text tells: the first reader that takes all of it; where none does, the first line.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let plain = text.trim_start_matches('\u{feff}').trim_start();
        if plain.starts_with(['{', '[']) {
            return Some(Self::Requests(InputKind::Json));
        }
        if plain.starts_with('<') {
            return plain.contains("<pnml").then_some(Self::Nets(NetKind::Pnml));
        }
        if plain.is_empty() {
            return None;
        }
        // Most programs need not be read twice.
        let begins = Self::of_first_line(plain);
        if begins == Some(Self::Requests(InputKind::Ser)) || Input::read(text, Kind::Program).is_ok() {
            return Some(Self::Requests(InputKind::Ser));
        }
        let weak = [Syntax::Tso, Syntax::Litmus].into_iter().find(|&syntax| TsoInput::read_as(text.to_owned(), syntax).is_ok());
        weak.map(Self::WeakMemory).or_else(|| net_of(text)).or(begins)
    }

    /// What the first line tells that is no comment, where a text has mistakes: such as `request NAME {`,
    /// `memory NAME`, `X86 NAME`.
    fn of_first_line(text: &str) -> Option<Self> {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"))?;
        let (word, rest) = line.split_once(char::is_whitespace)?;
        let rest = rest.trim_start();
        if !rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            return None;
        }
        let holds = |signs: &[char]| rest.contains(signs);
        match word {
            "request" | "enum" if holds(&['{', '(']) => Some(Self::Requests(InputKind::Ser)),
            "var" if holds(&[':', '[']) => Some(Self::Requests(InputKind::Ser)),
            "thread" | "thread*" if holds(&['{']) => Some(Self::WeakMemory(Syntax::Tso)),
            "memory" if holds(&['=', ',', ';', '[']) => Some(Self::WeakMemory(Syntax::Tso)),
            "X86" | "X86_64" => Some(Self::WeakMemory(Syntax::Litmus)),
            _ => None,
        }
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

/// The notation in which a text is a net with something in it.
fn net_of(text: &str) -> Option<Door> {
    let is_net = |notation| NetInput::read(text, notation).is_ok_and(|input| input.net().transition_count() > 0);
    NOTATIONS.iter().find(|&&(.., notation)| is_net(notation)).map(|&(_, kind, _)| Door::Nets(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUESTS: Option<Door> = Some(Door::Requests(InputKind::Ser));
    const SYSTEM: Option<Door> = Some(Door::Requests(InputKind::Json));
    const WEAK: Option<Door> = Some(Door::WeakMemory(Syntax::Tso));

    #[test]
    fn the_text_tells_what_it_is() {
        assert_eq!(Door::of_text("// a\nrequest a { X := 1 }"), REQUESTS);
        assert_eq!(Door::of_text("X := 1; X"), REQUESTS);
        assert_eq!(Door::of_text("\u{feff} {\"transitions\": []}"), SYSTEM);
        assert_eq!(Door::of_text("[]"), SYSTEM);
        assert_eq!(Door::of_text("memory x = 0; thread A { x := 1; }"), WEAK);
        let litmus = "X86 SB\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n";
        assert_eq!(Door::of_text(litmus), Some(Door::WeakMemory(Syntax::Litmus)));
        assert_eq!(Door::of_text("net n\ntr t p -> q\n"), Some(Door::Nets(NetKind::Net)));
        assert_eq!(Door::of_text("state q (1)\nq -> q (-1)\n"), Some(Door::Nets(NetKind::Vass)));
        assert_eq!(Door::of_text("<?xml version=\"1.0\"?>\n<pnml>"), Some(Door::Nets(NetKind::Pnml)));
    }

    #[test]
    fn mistakes_do_not_hide_what_it_is() {
        assert_eq!(Door::of_text("// Two requests.\n\nrequest a { X := }\nrequest b { X }"), REQUESTS);
        assert_eq!(Door::of_text("var Stock: 0..2 := 1\nrequest a { X := }"), REQUESTS);
        assert_eq!(Door::of_text("memory x = 0;\nthread A {\n  x = 1;\n}"), WEAK);
        assert_eq!(Door::of_text("X86 SB\n nonsense"), Some(Door::WeakMemory(Syntax::Litmus)));
    }

    #[test]
    fn what_does_not_tell_is_not_guessed() {
        for text in [
            "",
            " \n",
            "# comment",
            "Dear reader,\nrequest for comments follows.\n",
            "<html></html>",
            "a b c",
            "// nothing",
            "# A page\n\n```ser\nrequest a {\n  X := 1\n}\n```\n",
        ] {
            assert_eq!(Door::of_text(text), None, "{text:?}");
        }
    }
}
