//! The nearest serial order in words: the one whose reads agree longest with a
//! run, and the first read at which it parts.

use serde::Serialize;

/// Where the nearest serial order parts from a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NearestOrder {
    /// Those who come before, one at a time.
    pub before: Vec<u32>,
    /// The request that then finds something else.
    pub id: u32,
    /// The variable that it reads.
    pub variable: String,
    /// Where in the text.
    pub span: [u32; 4],
    /// The position of the step that reads it in the run.
    #[serde(rename = "step")]
    pub event: usize,
    /// What it finds in the serial order.
    pub serial: String,
    /// What it found in the run.
    pub here: String,
    /// What it can answer in the serial order; empty where that is not known.
    pub answers: Vec<String>,
    /// What it answered in the run.
    #[serde(skip)]
    pub answered: String,
    /// Variables that it set in the run, and does not set in the serial order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<String>,
    /// A variable that it sets to something else in the serial order, and to what.
    #[serde(skip)]
    pub writes: Option<(String, String)>,
    /// Why it found something else in the run, where that is known.
    #[serde(skip)]
    pub hindrance: Option<Hindrance>,
}

/// Why a request found something else than one at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// This request had not set the variable yet.
    NotYet(u32),
    /// This request had set it to that, and would set it again.
    Between(u32, String),
    /// This request, which does not come before, had set it already.
    Already(u32),
    /// The first of these had set it after the second one.
    Overwritten(u32, u32),
}

impl NearestOrder {
    /// A sentence in two lines.
    pub fn lines(&self) -> [String; 2] {
        let Self { before, id, variable, serial, here, .. } = self;
        let order = match before.as_slice() {
            [] => format!("#{id} first"),
            before => format!("{} then #{id}", runs(before).join(" then ")),
        };
        let line = self.span[0];
        let because = self.hindrance.as_ref().map_or_else(String::new, |hindrance| match hindrance {
            Hindrance::NotYet(other) => format!(", because #{other} had not set it yet"),
            Hindrance::Between(other, value) => format!(", because #{other} had set it to {value} and would set it again"),
            Hindrance::Already(other) => format!(", because #{other} had set it already"),
            Hindrance::Overwritten(other, first) => format!(", because #{other} had set it after #{first}"),
        });
        let finds = format!("one at a time, {order}: #{id} finds {variable} = {serial} on line {line}{};", self.course());
        [finds, format!("here it found {here}{because}.")]
    }

    /// What it does with it: ` and answers 0`, with a comma before where there is more.
    fn course(&self) -> String {
        let mut parts = Vec::new();
        let differs = !(self.answers.is_empty() || self.answers.len() == 1 && self.answers.contains(&self.answered));
        match &self.writes {
            _ if !self.leaves.is_empty() => parts.push(format!("does not set {}", listed(&self.leaves))),
            // An answer that differs says enough.
            Some((variable, value)) if !differs => parts.push(format!("sets {variable} to {value}")),
            _ => {}
        }
        if !self.answers.is_empty() {
            parts.push(format!("answers {}", self.answers.join(" or ")));
        }
        match parts.as_slice() {
            [] => String::new(),
            [only] => format!(" and {only}"),
            [first, .., last] => format!(", {first} and {last}"),
        }
    }
}

/// `#1`, `#4`, `#6 to #9`: numbers that follow one another in one piece where there are more than two.
fn runs(ids: &[u32]) -> Vec<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &id in ids {
        match runs.last_mut().filter(|(_, last)| last.checked_add(1) == Some(id)) {
            Some((_, last)) => *last = id,
            None => runs.push((id, id)),
        }
    }
    let piece = |(first, last): (u32, u32)| match last - first {
        0 => vec![format!("#{first}")],
        1 => vec![format!("#{first}"), format!("#{last}")],
        _ => vec![format!("#{first} to #{last}")],
    };
    runs.into_iter().flat_map(piece).collect()
}

/// `A`, `A or B`, `A, B or C`; of many the first ones.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] if names.len() <= 3 => format!("{} or {last}", before.join(", ")),
        _ => format!("{} or {} more", names[..2].join(", "), names.len() - 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> NearestOrder {
        NearestOrder {
            before: vec![1],
            id: 2,
            variable: "Processed".to_owned(),
            span: [8, 3, 8, 12],
            event: 3,
            serial: "1".to_owned(),
            here: "0".to_owned(),
            answers: vec!["Ignored".to_owned()],
            answered: "Credited".to_owned(),
            leaves: vec!["Balance".to_owned()],
            writes: None,
            hindrance: Some(Hindrance::NotYet(1)),
        }
    }

    #[test]
    fn the_sentence_says_what_is_found_what_follows_and_why() {
        let [first, second] = order().lines();
        assert_eq!(first, "one at a time, #1 then #2: #2 finds Processed = 1 on line 8, does not set Balance and answers Ignored;");
        assert_eq!(second, "here it found 0, because #1 had not set it yet.");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let unknown = NearestOrder { answers: Vec::new(), leaves: Vec::new(), hindrance: None, before: Vec::new(), ..order() };
        assert_eq!(unknown.lines(), ["one at a time, #2 first: #2 finds Processed = 1 on line 8;", "here it found 0."]);
        let same = NearestOrder {
            answers: vec!["Credited".to_owned()],
            leaves: Vec::new(),
            writes: Some(("Balance".to_owned(), "0".to_owned())),
            ..order()
        };
        assert!(same.lines()[0].ends_with("on line 8, sets Balance to 0 and answers Credited;"), "{:?}", same.lines());
        assert_eq!(runs(&[2, 3, 4, 7, 8, 1]), ["#2 to #4", "#7", "#8", "#1"]);
        let many = NearestOrder { answers: vec!["0".to_owned(), "1".to_owned()], leaves: Vec::new(), ..order() };
        assert!(many.lines()[0].ends_with("on line 8 and answers 0 or 1;"), "{:?}", many.lines());
    }
}
