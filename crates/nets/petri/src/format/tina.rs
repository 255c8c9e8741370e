//! The textual format of the Tina toolbox, `.net`.
//!
//! ```text
//! net example
//! pl p1 (2)
//! pl {a name} (0)
//! tr t1 p1*2 -> {a name}
//! ```
//!
//! Read: `net`, `tr` and `pl` declarations in any order, weights `*n`, markings
//! `(n)`, numbers with `K`, `M`, `G`, `T`, `P`, `E`. A place or transition exists
//! as soon as it is mentioned; what several declarations say of it adds up, and
//! so do arcs between the same two nodes. Labels (`:` and `lb`) and notes (`nt`)
//! are skipped. A `#` outside a name makes the rest of its line a comment. Arcs
//! begin in the line of their declaration, and lines that go on with them are
//! indented: a misspelt keyword is no place and no transition.
//! Refused: time intervals other than `[0,w[`, which is none, priorities (`pr`),
//! test, inhibitor and stopwatch arcs, weights of 0, and a second marking for a
//! place.
//!
//! A name stands as it is where it has only letters, digits, `'` and `_`, does
//! not begin with a digit and is no keyword; any other is in braces, where `{`,
//! `}` and `\` have a `\` before them. Reading, a `\` before another character
//! stands for itself.
//!
//! ```
//! use serval_petri::{Net, tina};
//! let mut net = Net::new("a {strange} name");
//! let place = net.add_place("", 1).unwrap();
//! net.add_transition("tr", [(place, 3)], []).unwrap();
//! let text = tina::write(&net);
//! assert_eq!(text, "net {a \\{strange\\} name}\npl {} (1)\ntr {tr} {}*3 ->\n");
//! assert_eq!(tina::read(&text).unwrap(), net);
//! assert_eq!(tina::read("tr t a -> b*0").unwrap_err().to_string(), "line 1, column 13: an arc of weight 0");
//! ```

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::{FormatError, Limits, without_mark};
use crate::ids;
use crate::{Arc, Net, NetError, PlaceId};

const KEYWORDS: [&str; 6] = ["net", "tr", "pl", "lb", "pr", "nt"];

fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '\'' | '_')
}

fn push_name(text: &mut String, name: &str) {
    let stands_alone = name.chars().all(is_bare) && name.chars().next().is_some_and(|first| !first.is_ascii_digit());
    if stands_alone && !KEYWORDS.contains(&name) {
        text.push_str(name);
        return;
    }
    text.push('{');
    for letter in name.chars() {
        if matches!(letter, '{' | '}' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('}');
}

fn push_arcs(text: &mut String, net: &Net, arcs: &[Arc]) {
    for &(place, weight) in arcs {
        text.push(' ');
        push_name(text, net.place_name(place));
        if weight != 1 {
            // Writing to a string does not fail.
            let _ = write!(text, "*{weight}");
        }
    }
}

/// The net as text. Different nets give different texts.
pub fn write(net: &Net) -> String {
    let mut text = String::from("net ");
    push_name(&mut text, net.name());
    text.push('\n');
    for place in net.places() {
        text.push_str("pl ");
        push_name(&mut text, net.place_name(place));
        let _ = writeln!(text, " ({})", net.initial_tokens(place));
    }
    for transition in net.transitions() {
        text.push_str("tr ");
        push_name(&mut text, net.transition_name(transition));
        push_arcs(&mut text, net, net.inputs(transition));
        text.push_str(" ->");
        push_arcs(&mut text, net, net.outputs(transition));
        text.push('\n');
    }
    text
}

/// Reads a net within the default [`Limits`].
pub fn read(text: &str) -> Result<Net, FormatError> {
    read_within(text, &Limits::default())
}

/// Reads a net.
pub fn read_within(text: &str, limits: &Limits) -> Result<Net, FormatError> {
    limits.check_length(text)?;
    let text = without_mark(text);
    let mut reader = TinaReader {
        text,
        position: 0,
        limits,
        name: None,
        places: Table::default(),
        transitions: Table::default(),
        tokens: Vec::new(),
        arcs: Vec::new(),
        arc_count: 0,
    };
    while reader.declaration()? {}
    reader.finish()
}

/// Names in the order in which they were met.
#[derive(Default)]
struct Table {
    numbers: FxHashMap<String, usize>,
    names: Vec<String>,
}

impl Table {
    fn number(&mut self, name: String) -> usize {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        })
    }
}

struct TinaReader<'a> {
    text: &'a str,
    /// In bytes, always between two characters.
    position: usize,
    limits: &'a Limits,
    name: Option<String>,
    places: Table,
    transitions: Table,
    /// The marking of each place that has been given one.
    tokens: Vec<Option<u64>>,
    /// Inputs and outputs of each transition: numbers of places, weights.
    arcs: Vec<[Vec<(usize, u64)>; 2]>,
    arc_count: usize,
}

impl<'a> TinaReader<'a> {
    fn error<T>(&self, position: usize, message: impl Into<String>) -> Result<T, FormatError> {
        Err(FormatError::at(self.text, position, message))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or("")
    }

    /// Skips spaces and comments; the next character.
    fn peek(&mut self) -> Option<char> {
        loop {
            let next = self.rest().chars().next()?;
            if next == '#' {
                self.position += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if next.is_ascii_whitespace() {
                self.position += 1;
            } else {
                return Some(next);
            }
        }
    }

    /// Takes `symbol` where it comes next.
    fn take(&mut self, symbol: &str) -> bool {
        let found = self.peek().is_some() && self.rest().starts_with(symbol);
        if found {
            self.position += symbol.len();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), FormatError> {
        if self.take(symbol) { Ok(()) } else { self.unexpected(&format!("`{symbol}`")) }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T, FormatError> {
        let found = match self.peek() {
            Some(letter) => format!("`{}`", letter.escape_debug()),
            None => "the end".to_owned(),
        };
        self.error(self.position, format!("expected {expected}, found {found}"))
    }

    /// The word of letters, digits, `'` and `_` that comes next, left where it is.
    fn peek_word(&mut self) -> &'a str {
        if self.peek().is_none() {
            return "";
        }
        let rest = self.rest();
        &rest[..rest.find(|letter| !is_bare(letter)).unwrap_or(rest.len())]
    }

    /// Whether a declaration begins here, or the text ends.
    fn at_end_of_declaration(&mut self) -> bool {
        self.peek().is_none() || KEYWORDS.contains(&self.peek_word())
    }

    /// How far what comes next is indented, where it begins a line.
    fn indentation(&mut self) -> Option<usize> {
        self.peek()?;
        let before = self.text.get(..self.position)?;
        let indented = before.len() - before.trim_end_matches([' ', '\t']).len();
        before[..before.len() - indented].ends_with(['\n', '\r']).then_some(indented)
    }

    fn expect_indented(&mut self) -> Result<(), FormatError> {
        if self.indentation() == Some(0) { self.no_declaration() } else { Ok(()) }
    }

    /// The error that no declaration begins where one should.
    fn no_declaration<T>(&mut self) -> Result<T, FormatError> {
        let word = self.peek_word();
        self.unexpected("`net`, `tr` or `pl`").map_err(|error| error.misspelt(word, KEYWORDS))
    }

    fn name(&mut self, what: &str) -> Result<String, FormatError> {
        if self.take("{") {
            return self.braced();
        }
        let word = self.peek_word();
        if word.is_empty() {
            return match self.peek() {
                Some(letter) if letter.is_alphanumeric() => {
                    self.error(self.position, format!("a name with `{letter}` stands in braces: `{{…}}`"))
                }
                _ => self.unexpected(what),
            };
        }
        if KEYWORDS.contains(&word) {
            return self.error(self.position, format!("expected {what}, found the keyword `{word}`; as a name it is `{{{word}}}`"));
        }
        self.position += word.len();
        Ok(word.to_owned())
    }

    /// The rest of a name after `{`.
    fn braced(&mut self) -> Result<String, FormatError> {
        let start = self.position.saturating_sub(1);
        let mut name = String::new();
        let mut letters = self.rest().char_indices().peekable();
        while let Some((offset, letter)) = letters.next() {
            match letter {
                '}' => {
                    self.position += offset + 1;
                    return Ok(name);
                }
                '{' => return self.error(self.position + offset, "a `{` within a name is written `\\{`"),
                '\\' => match letters.next_if(|&(_, next)| matches!(next, '{' | '}' | '\\')) {
                    Some((_, escaped)) => name.push(escaped),
                    None => name.push('\\'),
                },
                _ => name.push(letter),
            }
        }
        self.error(start, "this name has no closing `}`")
    }

    fn number(&mut self, what: &str) -> Result<u64, FormatError> {
        let word = self.peek_word();
        let digits = word.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(word.len());
        let (digits, suffix) = word.split_at(digits);
        if digits.is_empty() {
            return self.unexpected(what);
        }
        let power = match suffix {
            "" => 0,
            "K" => 3,
            "M" => 6,
            "G" => 9,
            "T" => 12,
            "P" => 15,
            "E" => 18,
            _ => return self.error(self.position, format!("expected {what}, found `{word}`")),
        };
        let Some(number) = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(10u64.pow(power))) else {
            return self.error(self.position, format!("`{word}` does not fit 64 bits"));
        };
        self.position += word.len();
        Ok(number)
    }

    fn place(&mut self, name: String) -> Result<usize, FormatError> {
        let number = self.places.number(name);
        if number == self.tokens.len() {
            if number >= self.limits.nodes {
                return self.error(self.position, format!("more than {} places", self.limits.nodes));
            }
            self.tokens.push(None);
        }
        Ok(number)
    }

    fn transition(&mut self, name: String) -> Result<usize, FormatError> {
        let number = self.transitions.number(name);
        if number == self.arcs.len() {
            if number >= self.limits.nodes {
                return self.error(self.position, format!("more than {} transitions", self.limits.nodes));
            }
            self.arcs.push([Vec::new(), Vec::new()]);
        }
        Ok(number)
    }

    /// What may follow the name at the other end of an arc.
    fn arc_weight(&mut self) -> Result<u64, FormatError> {
        self.arc_count += 1;
        if self.arc_count > self.limits.arcs {
            return self.error(self.position, format!("more than {} arcs", self.limits.arcs));
        }
        let kind = match self.peek() {
            Some('?') if self.rest().starts_with("?-") => "inhibitor arcs",
            Some('?') => "test arcs",
            Some('!') => "stopwatch arcs",
            Some('*') => {
                self.position += 1;
                self.peek();
                let start = self.position;
                let weight = self.number("a weight")?;
                return if weight == 0 { self.error(start, "an arc of weight 0") } else { Ok(weight) };
            }
            _ => return Ok(1),
        };
        self.error(self.position, format!("{kind} are not supported"))
    }

    fn skip_label(&mut self) -> Result<(), FormatError> {
        if self.take(":") {
            self.name("a label")?;
        }
        Ok(())
    }

    /// The arcs after the head of a `tr` or `pl` declaration, where there are
    /// any; `add` gets the side (0 before the arrow), the name and the weight.
    fn arcs(&mut self, what: &str, add: impl Fn(&mut Self, usize, String, u64) -> Result<(), FormatError>) -> Result<(), FormatError> {
        if self.at_end_of_declaration() {
            return Ok(());
        }
        if self.indentation().is_some() && !self.rest().starts_with("->") {
            return self.no_declaration();
        }
        while !self.take("->") {
            self.expect_indented()?;
            let expected = format!("{what} or `->`");
            let name = self.name(&expected)?;
            let weight = self.arc_weight()?;
            add(self, 0, name, weight)?;
        }
        while !self.at_end_of_declaration() {
            self.expect_indented()?;
            let expected = format!("{what} or a declaration");
            let name = self.name(&expected)?;
            let weight = self.arc_weight()?;
            add(self, 1, name, weight)?;
        }
        Ok(())
    }

    /// Reads one declaration. Says whether there was one.
    fn declaration(&mut self) -> Result<bool, FormatError> {
        if self.peek().is_none() {
            return Ok(false);
        }
        let (start, keyword) = (self.position, self.peek_word());
        if !KEYWORDS.contains(&keyword) {
            return self.no_declaration();
        }
        self.position += keyword.len();
        match keyword {
            "net" if self.name.is_some() => return self.error(start, "the net has a name already"),
            "net" => self.name = Some(self.name("the name of the net")?),
            "tr" => self.transition_declaration()?,
            "pl" => self.place_declaration()?,
            "lb" => {
                self.name("a place or transition")?;
                self.name("a label")?;
            }
            "nt" => {
                self.name("a note")?;
                self.name("`0` or `1`")?;
                self.name("an annotation")?;
            }
            _ => return self.error(start, "priorities (`pr`) are not supported"),
        }
        Ok(true)
    }

    fn transition_declaration(&mut self) -> Result<(), FormatError> {
        let name = self.name("a transition")?;
        let transition = self.transition(name)?;
        self.skip_label()?;
        if matches!(self.peek(), Some('[' | ']')) {
            let start = self.position;
            let is_none = self.take("[") && self.take("0") && self.take(",") && self.take("w") && self.take("[");
            if !is_none {
                return self.error(start, "time intervals other than `[0,w[` are not supported");
            }
        }
        self.arcs("a place", |reader, side, name, weight| {
            let place = reader.place(name)?;
            reader.arcs[transition][side].push((place, weight));
            Ok(())
        })
    }

    fn place_declaration(&mut self) -> Result<(), FormatError> {
        let name = self.name("a place")?;
        let place = self.place(name)?;
        self.skip_label()?;
        if self.take("(") {
            let start = self.position;
            let tokens = self.number("a number of tokens")?;
            if self.tokens[place].replace(tokens).is_some() {
                return self.error(start, "this place has a marking already");
            }
            self.expect(")")?;
        }
        self.arcs("a transition", |reader, side, name, weight| {
            let transition = reader.transition(name)?;
            // Before the arrow is what gives to the place.
            reader.arcs[transition][1 - side].push((place, weight));
            Ok(())
        })
    }

    fn finish(self) -> Result<Net, FormatError> {
        let at_end = |error: NetError| FormatError::at(self.text, self.text.len(), error.to_string());
        let mut net = Net::new(self.name.unwrap_or_default());
        for (name, tokens) in self.places.names.into_iter().zip(self.tokens) {
            net.add_place(name, tokens.unwrap_or(0)).map_err(at_end)?;
        }
        let places: Vec<PlaceId> = ids::places(net.place_count()).collect();
        for (name, [inputs, outputs]) in self.transitions.names.into_iter().zip(self.arcs) {
            let named = |arcs: Vec<(usize, u64)>| arcs.into_iter().map(|(place, weight)| (places[place], weight)).collect::<Vec<_>>();
            net.add_transition(name, named(inputs), named(outputs)).map_err(at_end)?;
        }
        Ok(net)
    }
}
