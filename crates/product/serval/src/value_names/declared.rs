//! The declarations of a text that give names to values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serval_syntax::{ast, parse};

/// The names of the values of one `enum`, from 0.
pub(super) type Members = Arc<[String]>;

/// The declarations of a text.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) enums: BTreeMap<String, Members>,
    /// The names of constants.
    pub(super) constants: BTreeSet<String>,
    /// For each array or variable: the `enum` of its values.
    pub(super) values: BTreeMap<String, Members>,
    /// For each array: the `enum` of each of its indices.
    pub(super) indices: BTreeMap<String, Vec<Option<Members>>>,
    /// For each request with parameters: their names and their `enum`s.
    pub(super) params: BTreeMap<String, Vec<(String, Option<Members>)>>,
}

impl Declared {
    pub(super) fn new(text: &str) -> Self {
        let root = parse(text).syntax();
        let mut declared = Self::default();
        for one in root.children().filter_map(ast::Enum::cast) {
            let members = one.members().filter_map(|member| Some(member.name()?.text().to_owned())).collect();
            declared.enums.extend(one.name().map(|name| (name.text().to_owned(), members)));
        }
        let constants = root.children().filter_map(ast::Const::cast);
        declared.constants = constants.filter_map(|one| Some(one.name()?.text().to_owned())).collect();
        for one in root.children().filter_map(ast::Var::cast) {
            let Some(name) = one.name() else { continue };
            let values = one.values().and_then(|range| declared.members(&range));
            let indices: Vec<_> = one.indices().map(|range| declared.members(&range)).collect();
            declared.values.extend(values.map(|members| (name.text().to_owned(), members)));
            if indices.iter().any(Option::is_some) {
                declared.indices.insert(name.text().to_owned(), indices);
            }
        }
        for one in root.children().filter_map(ast::Request::cast) {
            let param = |param: ast::Param| {
                let listed = || param.value_set().and_then(|set| declared.members_of_all(&set));
                let members = param.values().and_then(|range| declared.members(&range)).or_else(listed);
                Some((param.name()?.text().to_owned(), members))
            };
            let params: Vec<_> = one.params().filter_map(param).collect();
            declared.params.extend(one.name().map(|name| (name.text().to_owned(), params)));
        }
        declared
    }

    /// Whether nothing is named.
    pub(super) fn is_empty(&self) -> bool {
        self.enums.is_empty() && self.constants.is_empty()
    }

    /// The `enum` that a range names.
    fn members(&self, range: &ast::Range) -> Option<Members> {
        let name = range.ends().next().filter(|_| !range.has_dots())?;
        self.enums.get(name.syntax().text().to_string().trim()).cloned()
    }

    /// The `enum` of which all values of a set are members, by their names.
    fn members_of_all(&self, set: &ast::ValueSet) -> Option<Members> {
        let mut found = set.values().map(|value| self.owner(value.syntax().text().to_string().trim()));
        let first = found.next()??;
        found.all(|members| members.as_ref() == Some(&first)).then_some(first)
    }

    /// The `enum` of a member, `Idle` or `State.Idle`.
    fn owner(&self, written: &str) -> Option<Members> {
        if let Some((name, _)) = written.split_once('.') {
            return self.enums.get(name.trim()).cloned();
        }
        self.enums.values().find(|members| members.iter().any(|member| member == written)).cloned()
    }

    /// The `enum` that has a member of this name, which may stand behind that of its `enum`: `Lease.Free`.
    pub(super) fn with_member(&self, text: &str) -> Option<&str> {
        let (of, member) = text.rsplit_once('.').map_or((None, text), |(of, member)| (Some(of.trim()), member.trim()));
        let candidates = self.enums.iter().filter(|(name, _)| of.is_none_or(|of| of == name.as_str()));
        candidates.flat_map(|(_, members)| members.iter()).find(|known| known.as_str() == member).map(String::as_str)
    }
}
