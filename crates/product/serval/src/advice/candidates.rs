//! What in a text could be smaller: numbers that say how many values something
//! has. Only numbers as they are written count; where a range ends at a
//! constant, the constant is the candidate.

use std::collections::BTreeMap;

use serval_syntax::{LineIndex, SyntaxKind, SyntaxNode, SyntaxToken, ast, parse};

/// A smaller number than this is not halved.
const LEAST_NUMBER: i64 = 4;

/// How the number is used.
#[derive(Clone, Debug)]
enum Use {
    /// The last of the values of something: `before` stands before the range.
    Range { before: String, after: &'static str },
    /// The value of a constant.
    Constant { name: String },
    /// A number wherever it stands; with the range that ends there, if one does.
    Number { range: Option<Box<Candidate>> },
}

/// A number that could be smaller.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    used: Use,
    low: i64,
    /// The number.
    pub(super) high: i64,
    /// The line where it stands first.
    pub(super) line: u32,
    /// Where it stands, in bytes.
    places: Vec<(usize, usize)>,
    /// An initial value, where it stands and what it is: it must not be larger.
    initial: Option<((usize, usize), i64)>,
}

impl Candidate {
    /// The number that leaves half of the values that there are up to `high`, if
    /// that are at least two.
    pub(super) fn half(&self, high: i64) -> Option<i64> {
        let least = if matches!(self.used, Use::Range { .. }) { self.low.checked_add(2)? } else { LEAST_NUMBER };
        (high >= least).then(|| self.low + (high - self.low) / 2)
    }

    /// Whether it is a number that the program does not declare to be the last of something.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.used, Use::Number { range: None })
    }

    /// Whether no number changes at these places but together with this one.
    fn covers(&self, places: &[(usize, usize)]) -> bool {
        places.iter().all(|place| self.places.contains(place) || self.initial.is_some_and(|(initial, _)| initial == *place))
    }

    /// What is written with another number in its place.
    pub(super) fn written(&self, high: i64) -> String {
        match &self.used {
            Use::Range { before, after } => format!("{before}{}..{high}{after}", self.low),
            Use::Constant { name } => format!("const {name} = {high}"),
            Use::Number { range: Some(range) } if high == self.high => range.written(high),
            Use::Number { range: Some(range) } => format!("{}, and {high} for every other {}", range.written(high), self.high),
            Use::Number { range: None } if high == self.high => high.to_string(),
            Use::Number { range: None } => format!("{high} for every {}", self.high),
        }
    }

    /// The text with another number in its place.
    pub(super) fn text(&self, text: &str, high: i64) -> String {
        let mut edits: Vec<((usize, usize), i64)> = self.places.iter().map(|&place| (place, high)).collect();
        edits.extend(self.initial.filter(|&(_, value)| value > high).map(|(place, _)| (place, high)));
        edits.sort_unstable();
        let mut out = text.to_owned();
        for &((start, end), number) in edits.iter().rev() {
            out.replace_range(start..end, &number.to_string());
        }
        out
    }
}

/// The candidates of a text: what is declared, then numbers, the largest first.
pub(super) fn candidates(text: &str) -> Vec<Candidate> {
    let root = parse(text).syntax();
    let lines = LineIndex::new(text);
    let at = |place: (usize, usize)| lines.position(text, u32::try_from(place.0).unwrap_or(u32::MAX)).line;
    let mut found = Vec::new();
    let mut declared = |range: Option<ast::Range>, before: String, after, initial: Option<ast::Expr>| {
        let Some(range) = range.filter(ast::Range::has_dots) else { return };
        let ends: Vec<ast::Expr> = range.ends().collect();
        let [low, high] = ends.as_slice() else { return };
        let (Some((_, low)), Some((place, high))) = (number(low.syntax()), number(high.syntax())) else { return };
        let initial = initial.and_then(|value| number(value.syntax()));
        found.push(Candidate { used: Use::Range { before, after }, low, high, line: at(place), places: vec![place], initial });
    };
    for var in root.children().filter_map(ast::Var::cast) {
        let Some(name) = var.name() else { continue };
        declared(var.values(), format!("{}: ", name.text()), "", var.value());
        for (position, indices) in var.indices().enumerate() {
            declared(Some(indices), format!("{}{}[", name.text(), "[…]".repeat(position)), "]", None);
        }
    }
    for request in root.children().filter_map(ast::Request::cast) {
        let Some(name) = request.name() else { continue };
        for param in request.params() {
            let Some(word) = param.name() else { continue };
            declared(param.values(), format!("{}({}: ", name.text(), word.text()), ")", None);
        }
    }
    for constant in root.children().filter_map(ast::Const::cast) {
        let (Some(name), Some(value)) = (constant.name(), constant.value()) else { continue };
        let Some((place, high)) = number(value.syntax()) else { continue };
        let used = Use::Constant { name: name.text().to_owned() };
        found.push(Candidate { used, low: 0, high, line: at(place), places: vec![place], initial: None });
    }
    let mut numbers: BTreeMap<i64, Vec<(usize, usize)>> = BTreeMap::new();
    // A range often ends where requests compare with: then both are halved together.
    let tokens = root.descendants_with_tokens().filter_map(|element| element.into_token());
    for token in tokens.filter(|token| token.kind() == SyntaxKind::Number) {
        if let Ok(value) = token.text().parse() {
            numbers.entry(value).or_default().push(place(&token));
        }
    }
    for (high, places) in numbers.into_iter().rev() {
        if found.iter().any(|known| known.covers(&places)) {
            continue;
        }
        let line = places.first().map_or(1, |&place| at(place));
        let range = found.iter().find(|known| known.low == 0 && known.places.iter().all(|place| places.contains(place)));
        let range = range.cloned().map(Box::new);
        found.push(Candidate { used: Use::Number { range }, low: 0, high, line, places, initial: None });
    }
    found.retain(|candidate| candidate.half(candidate.high).is_some());
    found
}

/// A number as it is written, and where.
pub(super) fn number(node: &SyntaxNode) -> Option<((usize, usize), i64)> {
    let mut tokens = node.descendants_with_tokens().filter_map(|element| element.into_token()).filter(|token| !token.kind().is_trivia());
    let (token, more) = (tokens.next()?, tokens.next());
    (token.kind() == SyntaxKind::Number && more.is_none()).then(|| Some((place(&token), token.text().parse().ok()?)))?
}

/// Where a token stands, in bytes.
pub(super) fn place(token: &SyntaxToken) -> (usize, usize) {
    let range = token.text_range();
    (usize::from(range.start()), usize::from(range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_parameters_constants_and_numbers_can_be_halved() {
        let text = "const N = 12\nvar A[0..9]: 0..100 := 80\nvar B: 0..N\n\
                    request r(k: 1..7) { if (A[k] == 50) { B := (B + 50) % 1000 } else { 3 } }\n";
        let half = |one: &Candidate| one.written(one.half(one.high).unwrap());
        let found = candidates(text);
        let told: Vec<(String, String, u32)> = found.iter().map(|one| (one.written(one.high), half(one), one.line)).collect();
        let expected = [
            ("A: 0..100", "A: 0..50", 2),
            ("A[0..9]", "A[0..4]", 2),
            ("r(k: 1..7)", "r(k: 1..4)", 4),
            ("const N = 12", "const N = 6", 1),
            ("1000", "500 for every 1000", 4),
            ("50", "25 for every 50", 4),
        ];
        assert_eq!(told, expected.map(|(whole, half, line)| (whole.to_owned(), half.to_owned(), line)));
        assert!(found[0].text(text, 50).contains("0..50 := 50"));
        assert!(found[5].text(text, 25).contains("== 25) { B := (B + 25) % 1000"));
        // Two values are few enough.
        assert_eq!(found[0].half(1), None);
        assert_eq!(found[2].half(2), None);
    }
}
