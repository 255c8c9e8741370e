//! The format of LoLA, written and not read.
//!
//! ```text
//! PLACE idle, busy;
//! MARKING idle: 2;
//! TRANSITION grab
//! CONSUME idle: 1;
//! PRODUCE busy: 1;
//! ```
//!
//! A name ends there at white space, at `,`, `;`, `:` and at parentheses and braces, and there is no way to quote one.
//! Names stand as they are where they have only letters and digits of ASCII, `_`, `.` and `-`, begin with a letter or
//! `_`, and are no keyword in any case. In others each byte that has no place there is written as `%` and two
//! hexadecimal digits, and so is the first letter of a keyword; the empty name is `%`. No two names are written alike,
//! and [`name`] tells what to write in a formula.
//!
//! ```
//! use serval_petri::{Net, lola};
//! let mut net = Net::new("a lock");
//! let place = net.add_place("my lock", 1).unwrap();
//! net.add_transition("take", [(place, 2)], []).unwrap();
//! let text = lola::write(&net).unwrap();
//! let head = "{ a lock }\nPLACE\n  my%20lock;\nMARKING\n  my%20lock: 1;\n";
//! assert_eq!(text, format!("{head}TRANSITION take\nCONSUME\n  my%20lock: 2;\nPRODUCE;\n"));
//! ```

use std::fmt::{self, Write};

use crate::{Arc, Net};

/// Words that mean something in files of nets and formulas.
const KEYWORDS: [&str; 40] = [
    "PLACE",
    "MARKING",
    "SAFE",
    "TRANSITION",
    "CONSUME",
    "PRODUCE",
    "STRONG",
    "WEAK",
    "FAIR",
    "NOT",
    "AND",
    "OR",
    "XOR",
    "TRUE",
    "FALSE",
    "FORMULA",
    "ALLPATH",
    "EXPATH",
    "ALWAYS",
    "EVENTUALLY",
    "UNTIL",
    "RELEASE",
    "REACHABLE",
    "INVARIANT",
    "IMPOSSIBLE",
    "INITIAL",
    "DEADLOCK",
    "FIREABLE",
    "MIN",
    "MAX",
    "MINIMUM",
    "MAXIMUM",
    "AUTOMATON",
    "SORT",
    "FUNCTION",
    "RECORD",
    "END",
    "VAR",
    "GUARD",
    "NEXTSTATE",
];

/// Why a net cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPlace;

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the net has no place, and the format of LoLA needs one")
    }
}

impl std::error::Error for NoPlace {}

/// A name as it stands in files and formulas of LoLA.
pub fn name(name: &str) -> String {
    let is_keyword = KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
    let mut text = String::with_capacity(name.len());
    for (position, byte) in name.bytes().enumerate() {
        let begins = (byte.is_ascii_alphabetic() || byte == b'_') && !(is_keyword && position == 0);
        if begins || position > 0 && (byte.is_ascii_digit() || matches!(byte, b'.' | b'-')) {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    if text.is_empty() { "%".to_owned() } else { text }
}

fn push_list(text: &mut String, head: &str, items: &[String]) {
    text.push_str(head);
    for (position, item) in items.iter().enumerate() {
        text.extend([if position == 0 { "\n  " } else { ",\n  " }, item]);
    }
    text.push_str(";\n");
}

/// The net as text. Different nets give different texts, but for the name of the net, which is a comment.
pub fn write(net: &Net) -> Result<String, NoPlace> {
    let first = net.places().next().ok_or(NoPlace)?;
    let place_name = |place| name(net.place_name(place));
    // Whatever could end the comment, or begin another, is left out.
    let plain = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '.' | '-');
    let title: String = net.name().chars().filter(plain).collect();
    let mut text = if title.trim().is_empty() { String::new() } else { format!("{{ {} }}\n", title.trim()) };
    push_list(&mut text, "PLACE", &net.places().map(place_name).collect::<Vec<_>>());
    let marked = |tokens: &(_, u64)| format!("{}: {}", place_name(tokens.0), tokens.1);
    let mut marking: Vec<String> = net.initial().marked().map(|tokens| marked(&tokens)).collect();
    if marking.is_empty() {
        marking.push(marked(&(first, 0)));
    }
    push_list(&mut text, "MARKING", &marking);
    for transition in net.transitions() {
        let _ = writeln!(text, "TRANSITION {}", name(net.transition_name(transition)));
        let arcs = |arcs: &[Arc]| arcs.iter().map(marked).collect::<Vec<_>>();
        push_list(&mut text, "CONSUME", &arcs(net.inputs(transition)));
        push_list(&mut text, "PRODUCE", &arcs(net.outputs(transition)));
    }
    Ok(text)
}
