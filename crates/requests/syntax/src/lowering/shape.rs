//! What a `var` says, of globals and of the arrays of a request alike.

use super::Lowering;
use super::declared::{Fit, MAX_ROWS, Values, VarShape, bad_range};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::tree::{ast, span};

/// How many indices an array may have.
const MAX_INDICES: usize = 2;

impl Lowering<'_> {
    /// Elements, range and initial value; nothing where one of the ranges makes no sense, which is reported.
    pub(crate) fn shape(&mut self, item: &ast::Var) -> Option<VarShape> {
        let values = self.declared_values(item);
        let initial = self.declared_initial(item, values.flatten());
        let indices = self.declared_indices(item)?;
        Some(VarShape { elements: element_names(&indices), indices, values: values?, initial })
    }

    /// The range; nothing outside where it makes no sense.
    fn declared_values(&mut self, item: &ast::Var) -> Option<Option<Values>> {
        let fit = match item.fit().map(|token| token.kind()) {
            Some(SyntaxKind::WrapKw) => Fit::Wrap,
            Some(_) => Fit::Saturate,
            None => Fit::Error,
        };
        if let Some(range) = item.values() {
            let interval = self.interval(&range, None)?;
            return Some(Some(Values { low: interval.low, high: interval.high, fit }));
        }
        if let Some(word) = item.fit() {
            let place = span(word.text_range());
            self.error(|| bad_range(place, format!("`{}` needs a range", word.text()), "`: 0..3` before it"));
        }
        Some(None)
    }

    fn declared_initial(&mut self, item: &ast::Var, values: Option<Values>) -> i64 {
        let nearest = values.map_or(0, |values| 0.clamp(values.low, values.high));
        let Some(value) = item.value() else { return nearest };
        let initial = self.constant_value(&value).unwrap_or(nearest);
        if let Some(values) = values
            && !(values.low..=values.high).contains(&initial)
        {
            let place = span(value.syntax().text_range());
            self.error(|| {
                let message = format!("the initial value {initial} lies outside of the range {}..{}", values.low, values.high);
                bad_range(place, message, "a value in the range")
            });
        }
        initial
    }

    /// The ranges of the indices.
    fn declared_indices(&mut self, item: &ast::Var) -> Option<Vec<(i64, i64)>> {
        let mut indices = Vec::new();
        for range in item.indices() {
            let interval = self.interval(&range, Some(MAX_ROWS))?;
            indices.push((interval.low, interval.high));
        }
        let name = item.name()?;
        let place = span(name.text_range());
        if indices.len() > MAX_INDICES {
            let count = indices.len();
            self.error(|| {
                Diagnostic::error(codes::BAD_INDEX, place, format!("`{}` has {count} indices", name.text()))
                    .expected("an array with one index or two")
                    .help("let one index stand for two: `A[3 * i + j][k]`")
            });
            return None;
        }
        let sizes = indices.iter().map(|(low, high)| high - low + 1);
        if sizes.fold(1_i64, i64::saturating_mul) > MAX_ROWS {
            self.error(|| {
                bad_range(place, format!("`{}` has too many elements", name.text()), &format!("at most {MAX_ROWS} elements"))
                    .help("use smaller ranges; each element is a variable of its own")
            });
            return None;
        }
        Some(indices)
    }
}

/// What stands behind the name of each element.
fn element_names(indices: &[(i64, i64)]) -> Vec<String> {
    let mut elements = vec![String::new()];
    for &(low, high) in indices {
        elements = elements.iter().flat_map(|before| (low..=high).map(move |index| format!("{before}[{index}]"))).collect();
    }
    elements
}
