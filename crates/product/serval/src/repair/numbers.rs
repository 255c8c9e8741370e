//! Names of a text that stand for numbers.

use std::collections::BTreeMap;

use serval_syntax::ast::{Const, Enum};
use serval_syntax::parse;

/// The names of a text that stand for numbers: constants, and members of enums; with the number where it is plain.
pub(crate) fn constants(text: &str) -> BTreeMap<String, Option<i64>> {
    let mut found = BTreeMap::new();
    for node in parse(text).syntax().children() {
        if let Some(constant) = Const::cast(node.clone())
            && let Some(name) = constant.name()
        {
            let value = constant.value().and_then(|value| value.syntax().text().to_string().trim().parse().ok());
            found.insert(name.text().to_owned(), value);
        }
        for (number, member) in (0..).zip(Enum::cast(node).into_iter().flat_map(|list| list.members().collect::<Vec<_>>())) {
            if let Some(name) = member.name() {
                found.insert(name.text().to_owned(), Some(number));
            }
        }
    }
    found
}
