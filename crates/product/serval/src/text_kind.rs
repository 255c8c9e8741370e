//! Kinds of texts, and how they are told: by the ending of a name, or else by the text.
//!
//! One table for all who take texts of several kinds: the commands, which send a file to its command, editors and
//! pages. What a text tells is told by the readers: the first that takes all of it; where none does, the first line
//! tells, if it is one that only texts of one kind have.

use serval_verify::InputKind;

use crate::input::Input;
#[cfg(feature = "nets")]
use crate::nets::{NetInput, NetKind};
#[cfg(feature = "weak-memory")]
use crate::tso::{Syntax, TsoInput};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A program of requests.
    Program,
    /// Network systems in their JSON form.
    System,
    /// A program on weak memory.
    #[cfg(feature = "weak-memory")]
    WeakMemory(Syntax),
    /// A Petri net.
    #[cfg(feature = "nets")]
    Net(NetKind),
}

/// All kinds of this build, each with the ending of its files and what it is in words.
const KINDS: &[(&str, TextKind, &str)] = &[
    ("ser", TextKind::Program, "a program of requests"),
    ("json", TextKind::System, "a network system"),
    #[cfg(feature = "weak-memory")]
    ("tso", TextKind::WeakMemory(Syntax::Tso), "a program on weak memory"),
    #[cfg(feature = "weak-memory")]
    ("litmus", TextKind::WeakMemory(Syntax::Litmus), "a litmus test"),
    #[cfg(feature = "nets")]
    ("pnml", TextKind::Net(NetKind::Pnml), "a Petri net"),
    #[cfg(feature = "nets")]
    ("net", TextKind::Net(NetKind::Tina), "a Petri net"),
    #[cfg(feature = "nets")]
    ("spec", TextKind::Net(NetKind::Mist), "a Petri net"),
    #[cfg(feature = "nets")]
    ("vass", TextKind::Net(NetKind::Vass), "a Petri net"),
];

impl TextKind {
    /// All kinds, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|row| row.1)
    }

    fn row(self) -> (&'static str, &'static str) {
        KINDS.iter().find(|row| row.1 == self).map_or(("", ""), |row| (row.0, row.2))
    }

    /// The ending of its files, which is its name for machines.
    pub fn ending(self) -> &'static str {
        self.row().0
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        self.row().1
    }

    /// What the ending of a name tells.
    pub fn of_ending(ending: &str) -> Option<Self> {
        KINDS.iter().find(|row| row.0 == ending).map(|row| row.1)
    }

    /// What a text tells.
    pub fn of_text(text: &str) -> Option<Self> {
        let plain = text.trim_start_matches('\u{feff}').trim_start();
        if plain.starts_with(['{', '[']) {
            return Some(Self::System);
        }
        if plain.starts_with('<') {
            return if plain.contains("<pnml") { Self::of_ending("pnml") } else { None };
        }
        if plain.is_empty() {
            return None;
        }
        // Most programs need not be read twice.
        let begins = Self::of_first_line(plain);
        if begins == Some(Self::Program) || Input::read(text, InputKind::Program).is_ok() {
            return Some(Self::Program);
        }
        Self::all().find(|kind| kind.takes(text)).or(begins)
    }

    /// Whether a text of another kind than requests is one of this kind, and of something.
    #[cfg_attr(not(any(feature = "nets", feature = "weak-memory")), expect(unused_variables, reason = "no other kind in this build"))]
    fn takes(self, text: &str) -> bool {
        match self {
            Self::Program | Self::System => false,
            #[cfg(feature = "weak-memory")]
            Self::WeakMemory(syntax) => TsoInput::read_as(text.to_owned(), syntax).is_ok(),
            // A net in XML begins otherwise.
            #[cfg(feature = "nets")]
            Self::Net(notation) => NetInput::read(text, notation).is_ok_and(|input| input.net().transition_count() > 0),
        }
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
            "request" | "enum" if holds(&['{', '(']) => Some(Self::Program),
            "var" if holds(&[':', '[']) => Some(Self::Program),
            "thread" | "thread*" if holds(&['{']) => Self::of_ending("tso"),
            "memory" if holds(&['=', ',', ';', '[']) => Self::of_ending("tso"),
            "X86" | "X86_64" => Self::of_ending("litmus"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ending of the kind that a text tells.
    fn told(text: &str) -> Option<&'static str> {
        TextKind::of_text(text).map(TextKind::ending)
    }

    #[test]
    fn the_text_tells_what_it_is() {
        assert_eq!(told("// a\nrequest a { X := 1 }"), Some("ser"));
        assert_eq!(told("X := 1; X"), Some("ser"));
        assert_eq!(told("\u{feff} {\"transitions\": []}"), Some("json"));
        assert_eq!(told("[]"), Some("json"));
        assert_eq!(told("memory x = 0; thread A { x := 1; }"), Some("tso"));
        assert_eq!(told("X86 SB\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"), Some("litmus"));
        assert_eq!(told("net n\ntr t p -> q\n"), Some("net"));
        assert_eq!(told("state q (1)\nq -> q (-1)\n"), Some("vass"));
        assert_eq!(told("<?xml version=\"1.0\"?>\n<pnml>"), Some("pnml"));
    }

    #[test]
    fn mistakes_do_not_hide_what_it_is() {
        assert_eq!(told("// Two requests.\n\nrequest a { X := }\nrequest b { X }"), Some("ser"));
        assert_eq!(told("var Stock: 0..2 := 1\nrequest a { X := }"), Some("ser"));
        assert_eq!(told("memory x = 0;\nthread A {\n  x = 1;\n}"), Some("tso"));
        assert_eq!(told("X86 SB\n nonsense"), Some("litmus"));
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
            assert_eq!(told(text), None, "{text:?}");
        }
    }

    #[test]
    fn every_kind_has_one_row() {
        for kind in TextKind::all() {
            assert_eq!(TextKind::of_ending(kind.ending()), Some(kind));
            assert!(!kind.words().is_empty());
        }
    }
}
