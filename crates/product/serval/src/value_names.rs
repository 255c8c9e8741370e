//! What values are called: the members of an `enum` where a value is one.
//!
//! The core of the language has numbers alone. Whether a number stands for a
//! member is read off the text: a variable that is declared with an `enum` has
//! its members, a constant has the name that is written at its place, and a
//! local or an answer has those of all expressions that it can come from, where
//! these are of one `enum`. Nothing depends on it but what people see.

use std::collections::BTreeMap;
use std::sync::Arc;

use serval_syntax::{Expr, ExprKind, GlobalVar, Local, Program, Request, Span, Variable, ast, parse};

use crate::versions::{SLOT_WORDS, version_of};

/// The names of the values of one `enum`, from 0.
type Members = Arc<[String]>;

/// What an expression can be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// It has no value, as it never ends.
    Nothing,
    /// A member of this `enum`.
    Member(Members),
    /// Any number.
    Number,
}

impl Kind {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, kind) | (kind, Self::Nothing) => kind,
            (one, other) if one == other => one,
            _ => Self::Number,
        }
    }

    fn members(self) -> Option<Members> {
        if let Self::Member(members) = self { Some(members) } else { None }
    }
}

/// What the values of a program are called.
#[derive(Clone, Debug, Default)]
pub struct ValueNames {
    globals: Vec<Option<Members>>,
    /// For each request: its locals, by name.
    locals: Vec<BTreeMap<String, Members>>,
    answers: Vec<Option<Members>>,
    /// Elements of arrays, as they are written.
    variables: BTreeMap<String, String>,
}

/// The declarations of a text.
struct Declared {
    enums: BTreeMap<String, Members>,
    /// For each array or variable: the `enum` of its values.
    values: BTreeMap<String, Members>,
    /// For each array: the `enum` of each of its indices.
    indices: BTreeMap<String, Vec<Option<Members>>>,
    /// For each request with parameters: their names and their `enum`s.
    params: BTreeMap<String, Vec<(String, Option<Members>)>>,
}

impl Declared {
    fn new(text: &str) -> Self {
        let root = parse(text).syntax();
        let mut declared = Self { enums: BTreeMap::new(), values: BTreeMap::new(), indices: BTreeMap::new(), params: BTreeMap::new() };
        for one in root.children().filter_map(ast::Enum::cast) {
            let members = one.members().filter_map(|member| Some(member.name()?.text().to_owned())).collect();
            declared.enums.extend(one.name().map(|name| (name.text().to_owned(), members)));
        }
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
}

impl ValueNames {
    /// The names of a program with this text.
    pub fn new(program: &Program, text: &str) -> Self {
        let declared = Declared::new(text);
        if declared.enums.is_empty() && program.versions.is_empty() {
            return Self::default();
        }
        let base = |name: &str| name.split(['[', '(']).next().unwrap_or_default().to_owned();
        let globals: Vec<Option<Members>> =
            program.globals.iter().map(|global| declared.values.get(&base(&global.name)).cloned()).collect();
        let mut names = Self { globals, ..Self::default() };
        let slots: Members = SLOT_WORDS.map(str::to_owned).into();
        for (number, members) in (0..).zip(&mut names.globals) {
            if version_of(program, GlobalVar(number)).is_some() {
                *members = Some(slots.clone());
            }
        }
        for global in &program.globals {
            if let Some(members) = declared.indices.get(&base(&global.name)) {
                names.variables.extend(spelled(&global.name, members));
            }
        }
        for request in &program.requests {
            let empty = Vec::new();
            let params = declared.params.get(&base(&request.name)).unwrap_or(&empty);
            let mut reading =
                Reading { names: &names, declared: &declared, params, text, locals: vec![Kind::Nothing; request.locals.len()] };
            let answers = reading.request(request);
            let locals = request.locals.iter().zip(reading.locals);
            let members = |local: &Local, kind: Kind| if local.token { Some(token_words(program)) } else { kind.members() };
            let locals = locals.filter_map(|(local, kind)| Some((local.name.clone(), members(local, kind)?))).collect();
            names.locals.push(locals);
            names.answers.push(answers.members());
        }
        names
    }

    /// Whether no value has a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.answers.is_empty()
    }

    /// The name of a value of a global.
    pub fn global(&self, variable: GlobalVar, value: i64) -> Option<String> {
        member(self.globals.get(variable.index())?.as_ref()?, value)
    }

    /// The name of a value of a local of a request.
    pub fn local(&self, request: usize, variable: &str, value: i64) -> Option<String> {
        member(self.locals.get(request)?.get(variable)?, value)
    }

    /// The name of an answer of a request.
    pub fn answer(&self, request: usize, value: i64) -> Option<String> {
        member(self.answers.get(request)?.as_ref()?, value)
    }

    /// The globals whose values have names, and these names, from that of 0. Slots of versions are not among them:
    /// reports do not show these.
    pub fn globals(&self, program: &Program) -> BTreeMap<String, Vec<String>> {
        let named = (0..).zip(&program.globals).zip(&self.globals);
        let written = named.filter(|&((number, _), _)| version_of(program, GlobalVar(number)).is_none());
        written.filter_map(|((_, global), members)| Some((global.name.clone(), members.as_ref()?.to_vec()))).collect()
    }

    /// How elements of arrays are written whose indices have names.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// A sentence with names for values: `State = 1` becomes `State = Busy`.
    pub fn in_words(&self, program: &Program, words: &str) -> String {
        let mut words = words.to_owned();
        for (variable, members) in program.globals.iter().zip(&self.globals) {
            for (value, name) in members.iter().flat_map(|members| members.iter().enumerate()) {
                for sign in ["=", "!=", "is", "≠"] {
                    words = replaced(&words, &format!("{} {sign} {value}", variable.name), &format!("{} {sign} {name}", variable.name));
                }
            }
        }
        words
    }
}

/// Replaces a part that stands for itself, not within a longer word or number.
fn replaced(text: &str, part: &str, with: &str) -> String {
    let belongs = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(part) {
        let (before, after) = (&rest[..at], &rest[at + part.len()..]);
        let alone = !before.ends_with(belongs) && !after.starts_with(belongs);
        out.push_str(before);
        out.push_str(if alone { with } else { part });
        rest = after;
    }
    out + rest
}

/// What a local that takes versions is: 0, or the number of a slot.
fn token_words(program: &Program) -> Members {
    let most = program.versions.iter().map(|version| version.slots).max().unwrap_or(0);
    let word = |slot| if slot == 0 { "no version" } else { "a version" };
    (0..=most).map(|slot| word(slot).to_owned()).collect()
}

fn member(members: &Members, value: i64) -> Option<String> {
    members.get(usize::try_from(value).ok()?).cloned()
}

/// `A[0]` as `A[Idle]`, with how it is called elsewhere.
fn spelled(name: &str, indices: &[Option<Members>]) -> Option<(String, String)> {
    let (array, rest) = name.strip_suffix(']')?.split_once('[')?;
    let mut written = array.to_owned();
    for (index, members) in rest.split("][").zip(indices) {
        let index = match members {
            Some(members) => member(members, index.parse().ok()?)?,
            None => index.to_owned(),
        };
        written = format!("{written}[{index}]");
    }
    Some((name.to_owned(), written))
}

/// Reads off a request what its locals and answers are.
struct Reading<'a> {
    names: &'a ValueNames,
    declared: &'a Declared,
    params: &'a [(String, Option<Members>)],
    text: &'a str,
    locals: Vec<Kind>,
}

impl Reading<'_> {
    /// What the request answers, after what its locals are is known.
    fn request(&mut self, request: &Request) -> Kind {
        // A local becomes more general in every round but the last.
        loop {
            let before = self.locals.clone();
            request.body.visit(&mut |part| {
                if let ExprKind::Assign { target: Variable::Local(local), target_span, value, .. } = &part.kind {
                    // Elements of an array start with a number that is not written, as other locals do.
                    let declares = request.locals[local.index()].name.ends_with(']') && *target_span == value.span;
                    if declares && matches!(value.kind, ExprKind::Number(_)) {
                        return;
                    }
                    let kind = self.kind(value);
                    let known = &mut self.locals[local.index()];
                    *known = known.clone().or(kind);
                }
            });
            if self.locals == before {
                break;
            }
        }
        let mut answers = self.kind(&request.body);
        request.body.visit(&mut |part| {
            if let ExprKind::Return(value) = &part.kind {
                answers = answers.clone().or(self.kind(value));
            }
        });
        answers
    }

    fn kind(&self, expr: &Expr) -> Kind {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Number(_) => self.written(expr.span),
            ExprKind::Read(Variable::Global(global)) | ExprKind::Assign { target: Variable::Global(global), .. } => {
                self.names.globals.get(global.index()).cloned().flatten().map_or(Kind::Number, Kind::Member)
            }
            ExprKind::Read(Variable::Local(local)) => self.locals.get(local.index()).cloned().unwrap_or(Kind::Number),
            ExprKind::Assign { value, .. } | ExprKind::Within { value, .. } => self.kind(value),
            ExprKind::Sequence(parts) => parts.last().map_or(Kind::Number, |last| self.kind(last)),
            ExprKind::If { arms, otherwise } => {
                let last = otherwise.as_ref().map_or(Kind::Number, |body| self.kind(body));
                arms.iter().fold(last, |kind, arm| kind.or(self.kind(&arm.body)))
            }
            ExprKind::Return(_) => Kind::Nothing,
            _ => Kind::Number,
        }
    }

    /// What a constant is, by what is written in its place.
    fn written(&self, span: Span) -> Kind {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default().trim();
        let chosen =
            text.strip_prefix("choose(").and_then(|rest| rest.strip_suffix(')')).and_then(|name| self.declared.enums.get(name.trim()));
        let param = || self.params.iter().find(|(name, _)| name == text).and_then(|(_, members)| members.clone());
        chosen.cloned().or_else(param).or_else(|| self.declared.owner(text)).map_or(Kind::Number, Kind::Member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_locals_answers_indices_and_parameters_have_names() {
        let text = "enum State { Idle, Busy }\nenum Reply { Ok, Conflict }\nvar Now: State\nvar Count[State]: 0..3\n\
                    request take(how: State) {\n  seen := Now;\n  number := Count[how];\n  Now := how;\n  if (seen == Busy) { return Conflict };\n  Ok\n}\n\
                    request mixed { x := Busy; x := 2; x }\n";
        let program = serval_syntax::analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        assert_eq!(names.globals(&program)["Now"], ["Idle", "Busy"]);
        assert_eq!(names.local(0, "seen", 1).as_deref(), Some("Busy"));
        assert_eq!(names.local(0, "number", 1), None);
        assert_eq!(names.answer(0, 1).as_deref(), Some("Conflict"));
        let mixed = program.requests.iter().position(|request| request.name == "mixed").unwrap();
        assert_eq!((names.answer(mixed, 1), names.local(mixed, "x", 1)), (None, None));
        assert_eq!(names.variables()["Count[1]"], "Count[Busy]");
        // The values of parameters are in the names of requests, as they are written.
        assert!(program.requests.iter().any(|request| request.name == "take(Busy)"));
        assert_eq!(names.in_words(&program, "Now = 1 iff Now = 10, and xNow = 1"), "Now = Busy iff Now = 10, and xNow = 1");
    }

    #[test]
    fn members_with_their_enum_both_indices_and_listed_values_have_names() {
        let text = "enum State { Idle, Busy, Gone }\nvar Row[0..1][State]: 0..3\n\
                    request take(how: {State.Busy, Gone}, some: {Busy, 7}) {\n  var seen[0..1]: State;\n  seen[0] := how;\n\
                    seen[1] := State.Gone;\n  x := some;\n  Row[1][how] := x;\n  if (?) { return State.Idle };\n  seen[0]\n}\n";
        let program = serval_syntax::analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        assert_eq!(names.variables()["Row[1][2]"], "Row[1][Gone]");
        assert_eq!(names.local(0, "x", 1), None);
        assert_eq!(names.local(0, "seen[1]", 2).as_deref(), Some("Gone"));
        assert_eq!(names.answer(0, 1).as_deref(), Some("Busy"));
        let requests: Vec<&str> = program.requests.iter().map(|request| request.name.as_str()).collect();
        assert_eq!(requests, ["take(Busy, Busy)", "take(Busy, 7)", "take(Gone, Busy)", "take(Gone, 7)"]);
    }
}
