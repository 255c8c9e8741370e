//! The same program with smaller numbers, all of them together.
//!
//! Halving one range often leaves a program as hard as it was, since the others keep it large. Here every declared
//! upper end above `n` becomes `n`, and with it the initial values that would be larger and the numbers elsewhere that
//! are equal to such an end: they are usually the same quantity (`Quota: 0..10 := 10`, `Quota := 10`). Indices of
//! arrays and ranges of parameters stay as they are where that suffices, because they say how many rows there are and
//! not how much each counts.
//!
//! What comes out is another program: a verdict on it is a hint and no verdict on this one, in either direction.
//! Nothing here needs to be right for a verdict to be right.

use std::collections::{BTreeMap, BTreeSet};

use serval_syntax::{SyntaxKind, ast, parse};

use super::candidates::{number, place};

/// A program whose numbers are at most so large, as far as they are declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaledProgram {
    /// The text.
    pub text: String,
    /// What is declared differently there: `Quota: 0..2`.
    pub written: Vec<String>,
    /// By how much the largest of them is smaller, at most: 5 where 10 has become 2.
    pub times: u64,
}

/// Which ranges are made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScaledRanges {
    /// Those of values.
    Values,
    /// Those of indices and parameters as well.
    All,
}

/// The program with numbers up to `most`; indices and parameters included where `most` is below their ends only if
/// nothing else is larger. `None` where nothing is larger, and for texts that are no programs.
///
/// ```
/// use serval::scaled;
/// let found = scaled("var Quota: 0..10 := 10\nrequest reset { Quota := 10 }\n", 2).unwrap();
/// assert_eq!(found.text, "var Quota: 0..2 := 2\nrequest reset { Quota := 2 }\n");
/// assert_eq!(found.written, ["Quota: 0..2"]);
/// ```
pub fn scaled(text: &str, most: i64) -> Option<ScaledProgram> {
    scaled_ranges(text, most, ScaledRanges::Values).or_else(|| scaled_ranges(text, most, ScaledRanges::All))
}

/// A declared range: its ends as numbers, where the upper end stands, and what stands around it.
struct DeclaredRange {
    low: i64,
    high: i64,
    end: (usize, usize),
    before: String,
    after: &'static str,
    initial: Option<((usize, usize), i64)>,
}

impl DeclaredRange {
    /// The upper end that is left: at least two values stay.
    fn end_within(&self, most: i64) -> i64 {
        most.max(self.low.saturating_add(1)).min(self.high)
    }
}

pub(super) fn scaled_ranges(text: &str, most: i64, which: ScaledRanges) -> Option<ScaledProgram> {
    let root = parse(text).syntax();
    let constants: BTreeMap<String, ((usize, usize), i64)> = root
        .children()
        .filter_map(ast::Const::cast)
        .filter_map(|constant| Some((constant.name()?.text().to_owned(), number(constant.value()?.syntax())?)))
        .collect();
    let end_of = |expr: &ast::Expr| number(expr.syntax()).or_else(|| constants.get(expr.syntax().text().to_string().trim()).copied());
    let (mut ranges, mut others) = (Vec::new(), Vec::new());
    let read = |range: Option<ast::Range>, before: String, after, initial: Option<ast::Expr>| {
        let range = range.filter(ast::Range::has_dots)?;
        let ends: Vec<ast::Expr> = range.ends().collect();
        let [low, high] = ends.as_slice() else { return None };
        let ((_, low), (end, high)) = (end_of(low)?, end_of(high)?);
        Some(DeclaredRange { low, high, end, before, after, initial: initial.and_then(|value| number(value.syntax())) })
    };
    for var in root.children().filter_map(ast::Var::cast) {
        let Some(name) = var.name() else { continue };
        ranges.extend(read(var.values(), format!("{}: ", name.text()), "", var.value()));
        others.extend(var.indices().filter_map(|range| read(Some(range), format!("{}[", name.text()), "]", None)));
    }
    for request in root.children().filter_map(ast::Request::cast) {
        let Some(name) = request.name() else { continue };
        for param in request.params() {
            let Some(word) = param.name() else { continue };
            others.extend(read(param.values(), format!("{}({}: ", name.text(), word.text()), ")", None));
        }
    }
    let kept: BTreeSet<(usize, usize)> = match which {
        ScaledRanges::Values => others.iter().map(|range| range.end).collect(),
        ScaledRanges::All => {
            ranges.append(&mut others);
            BTreeSet::new()
        }
    };
    edited(text, most, &ranges, &kept)
}

/// The text with the ends of the ranges, and what is equal to them, made smaller.
fn edited(text: &str, most: i64, ranges: &[DeclaredRange], kept: &BTreeSet<(usize, usize)>) -> Option<ScaledProgram> {
    let (mut edits, mut smaller, mut written, mut times) = (BTreeMap::new(), BTreeMap::new(), Vec::new(), 1);
    for range in ranges.iter().filter(|range| !kept.contains(&range.end)) {
        let end = range.end_within(most);
        if end == range.high {
            continue;
        }
        // One constant may end several ranges: the largest that one of them needs is enough for all.
        let known = edits.entry(range.end).or_insert(end);
        *known = end.max(*known);
        let end = *known;
        if let Some((place, _)) = range.initial.filter(|&(_, value)| value > end) {
            edits.insert(place, end);
        }
        times = times.max(range.high.unsigned_abs().div_ceil(end.unsigned_abs().max(1)));
        let left = smaller.entry(range.high).or_insert(end);
        *left = end.max(*left);
        written.push(format!("{}{}..{end}{}", range.before, range.low, range.after));
    }
    if edits.is_empty() {
        return None;
    }
    let tokens = parse(text).syntax().descendants_with_tokens().filter_map(|element| element.into_token());
    for token in tokens.filter(|token| token.kind() == SyntaxKind::Number) {
        let at = place(&token);
        if let (false, Some(end)) = (kept.contains(&at), token.text().parse().ok().and_then(|value: i64| smaller.get(&value))) {
            edits.entry(at).or_insert(*end);
        }
    }
    let mut out = text.to_owned();
    for ((start, end), number) in edits.into_iter().rev() {
        out.replace_range(start..end, &number.to_string());
    }
    Some(ScaledProgram { text: out, written, times })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_scaled_together_and_rows_only_where_nothing_else_is_large() {
        let text = "const LIMIT = 10\nvar Session[1..3]: 0..3\nvar Bucket: 0..5 saturate := 5\nvar Quota: 0..LIMIT := LIMIT\n\
                    request call(u: 1..3) { if (Session[u] == 3) { return 503 }; Bucket := 5; Quota := LIMIT; 200 }\n";
        let found = scaled(text, 2).unwrap();
        assert_eq!(found.written, ["Session: 0..2", "Bucket: 0..2", "Quota: 0..2"]);
        assert_eq!(found.times, 5);
        assert_eq!(
            found.text,
            "const LIMIT = 2\nvar Session[1..3]: 0..2\nvar Bucket: 0..2 saturate := 2\nvar Quota: 0..LIMIT := LIMIT\n\
             request call(u: 1..3) { if (Session[u] == 2) { return 503 }; Bucket := 2; Quota := LIMIT; 200 }\n"
        );
        let rows = scaled("var A[1..3]: 0..1\nrequest r(u: 1..3) { A[u] := 1 }\n", 2).unwrap();
        assert_eq!(rows.written, ["A[1..2]", "r(u: 1..2)"]);
        assert_eq!(rows.text, "var A[1..2]: 0..1\nrequest r(u: 1..2) { A[u] := 1 }\n");
        assert_eq!(scaled("var A: 0..2\nrequest r { A }\n", 2), None);
        assert_eq!(scaled("request r { X := 1000 }\n", 2), None);
        assert_eq!(scaled("no program {{{", 2), None);
    }

    #[test]
    fn two_values_are_left_in_every_range() {
        assert_eq!(scaled("var A: 7..20 := 9\nrequest r { A := 20 }\n", 2).unwrap().text, "var A: 7..8 := 8\nrequest r { A := 8 }\n");
        assert_eq!(scaled("var A: 1..9\nrequest r { A := 9 }\n", 0).unwrap().text, "var A: 1..2\nrequest r { A := 2 }\n");
    }
}
