//! What values are called: the members of an `enum` where a value is one.
//!
//! The core of the language has numbers alone. Whether a number stands for a
//! member is read off the text: a variable that is declared with an `enum` has
//! its members, a constant has the name that is written at its place, and a
//! local or an answer has those of all expressions that it can come from, where
//! these are of one `enum`. Where all of them are constants, a value has the name
//! of the `const` that it comes from, if it comes from no other; so it is with
//! globals that are given constants alone. Nothing depends on it but what people see.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serval_syntax::{Expr, ExprKind, Global, GlobalVar, Local, Program, Request, Span, Variable, ast, parse};

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
    /// One of these constants; a value has no name where it is written as a number, or by two names.
    Constant(BTreeMap<i64, Option<String>>),
    /// Any number.
    Number,
}

impl Kind {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, kind) | (kind, Self::Nothing) => kind,
            (one, other) if one == other => one,
            (Self::Constant(mut one), Self::Constant(other)) => {
                for (value, name) in other {
                    let known = one.entry(value).or_insert_with(|| name.clone());
                    if *known != name {
                        *known = None;
                    }
                }
                Self::Constant(one)
            }
            _ => Self::Number,
        }
    }

    /// A number as it is written.
    fn plain(value: i64) -> Self {
        Self::Constant(BTreeMap::from([(value, None)]))
    }

    fn words(self) -> Option<ValueWords> {
        match self {
            Self::Member(members) => Some(ValueWords::Members(members)),
            Self::Constant(names) => {
                let names: BTreeMap<i64, String> = names.into_iter().filter_map(|(value, name)| Some((value, name?))).collect();
                (!names.is_empty()).then_some(ValueWords::Constants(names))
            }
            Self::Nothing | Self::Number => None,
        }
    }
}

/// The names that values have in one place.
#[derive(Clone, Debug)]
enum ValueWords {
    Members(Members),
    Constants(BTreeMap<i64, String>),
}

impl ValueWords {
    fn name(&self, value: i64) -> Option<String> {
        match self {
            Self::Members(members) => member(members, value),
            Self::Constants(names) => names.get(&value).cloned(),
        }
    }

    fn members(&self) -> Option<&Members> {
        if let Self::Members(members) = self { Some(members) } else { None }
    }
}

/// What the values of a program are called.
#[derive(Clone, Debug, Default)]
pub struct ValueNames {
    globals: Vec<Option<ValueWords>>,
    /// For each request: its locals, by name.
    locals: Vec<BTreeMap<String, ValueWords>>,
    answers: Vec<Option<ValueWords>>,
    /// Elements of arrays, as they are written.
    variables: BTreeMap<String, String>,
}

/// The declarations of a text.
struct Declared {
    constants: BTreeSet<String>,
    enums: BTreeMap<String, Members>,
    /// For each array or variable: the `enum` of its values.
    values: BTreeMap<String, Members>,
    /// For each array: the `enum` of its indices.
    indices: BTreeMap<String, Members>,
    /// For each request with parameters: their names and their `enum`s.
    params: BTreeMap<String, Vec<(String, Option<Members>)>>,
}

impl Declared {
    fn new(text: &str) -> Self {
        let root = parse(text).syntax();
        let constants = root.children().filter_map(ast::Const::cast).filter_map(|one| Some(one.name()?.text().to_owned())).collect();
        let mut declared =
            Self { constants, enums: BTreeMap::new(), values: BTreeMap::new(), indices: BTreeMap::new(), params: BTreeMap::new() };
        for one in root.children().filter_map(ast::Enum::cast) {
            let members = one.members().filter_map(|member| Some(member.name()?.text().to_owned())).collect();
            declared.enums.extend(one.name().map(|name| (name.text().to_owned(), members)));
        }
        for one in root.children().filter_map(ast::Var::cast) {
            let Some(name) = one.name() else { continue };
            let values = one.values().and_then(|range| declared.members(&range));
            let indices = one.indices().and_then(|range| declared.members(&range));
            declared.values.extend(values.map(|members| (name.text().to_owned(), members)));
            declared.indices.extend(indices.map(|members| (name.text().to_owned(), members)));
        }
        for one in root.children().filter_map(ast::Request::cast) {
            let param = |param: ast::Param| {
                let members = param.values().and_then(|range| declared.members(&range));
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
}

impl ValueNames {
    /// The names of a program with this text.
    pub fn new(program: &Program, text: &str) -> Self {
        let declared = Declared::new(text);
        if declared.enums.is_empty() && declared.constants.is_empty() && program.versions.is_empty() {
            return Self::default();
        }
        let base = |name: &str| name.split(['[', '(']).next().unwrap_or_default().to_owned();
        let members = |global: &Global| declared.values.get(&base(&global.name)).cloned().map(ValueWords::Members);
        let globals: Vec<Option<ValueWords>> = program.globals.iter().map(members).collect();
        let mut names = Self { globals, ..Self::default() };
        let slots: Members = SLOT_WORDS.map(str::to_owned).into();
        for (number, members) in (0..).zip(&mut names.globals) {
            if version_of(program, GlobalVar(number)).is_some() {
                *members = Some(ValueWords::Members(slots.clone()));
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
            let tokens = || Some(ValueWords::Members(token_words(program)));
            let members = |local: &Local, kind: Kind| if local.token { tokens() } else { kind.words() };
            let locals = locals.filter_map(|(local, kind)| Some((local.name.clone(), members(local, kind)?))).collect();
            names.locals.push(locals);
            names.answers.push(answers.words());
        }
        names.name_constants(program, &declared, text);
        names
    }

    /// Gives globals that no `enum` declares the names of the constants that they are given. The value before the first
    /// step is named by them as well.
    fn name_constants(&mut self, program: &Program, declared: &Declared, text: &str) {
        let mut kinds: Vec<Kind> = vec![Kind::Nothing; program.globals.len()];
        for request in &program.requests {
            let reading = Reading { names: self, declared, params: &[], text, locals: vec![Kind::Number; request.locals.len()] };
            request.body.visit(&mut |part| {
                if let ExprKind::Assign { target: Variable::Global(global), value, .. } = &part.kind {
                    let kind = std::mem::replace(&mut kinds[global.index()], Kind::Nothing);
                    kinds[global.index()] = kind.or(reading.kind(value));
                }
            });
        }
        for (words, kind) in self.globals.iter_mut().zip(kinds).filter(|(words, _)| words.is_none()) {
            *words = kind.words();
        }
    }

    /// Whether no value has a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.answers.is_empty()
    }

    /// The name of a value of a global.
    pub fn global(&self, variable: GlobalVar, value: i64) -> Option<String> {
        self.globals.get(variable.index())?.as_ref()?.name(value)
    }

    /// The name of a value of a local of a request.
    pub fn local(&self, request: usize, variable: &str, value: i64) -> Option<String> {
        self.locals.get(request)?.get(variable)?.name(value)
    }

    /// The name of an answer of a request.
    pub fn answer(&self, request: usize, value: i64) -> Option<String> {
        self.answers.get(request)?.as_ref()?.name(value)
    }

    /// The globals whose values have names, and these names, from that of 0. Slots of versions are not among them:
    /// reports do not show these.
    pub fn globals(&self, program: &Program) -> BTreeMap<String, Vec<String>> {
        let named = (0..).zip(&program.globals).zip(&self.globals);
        let written = named.filter(|&((number, _), _)| version_of(program, GlobalVar(number)).is_none());
        written.filter_map(|((_, global), words)| Some((global.name.clone(), words.as_ref()?.members()?.to_vec()))).collect()
    }

    /// The globals whose values have the names of constants, and these names.
    pub fn constants(&self, program: &Program) -> BTreeMap<String, BTreeMap<i64, String>> {
        let named = program.globals.iter().zip(&self.globals);
        let constants = named.filter_map(|(global, words)| match words {
            Some(ValueWords::Constants(names)) => Some((global.name.clone(), names.clone())),
            _ => None,
        });
        constants.collect()
    }

    /// How elements of arrays are written whose indices have names.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// A sentence with names for values: `State = 1` becomes `State = Busy`.
    pub fn in_words(&self, program: &Program, words: &str) -> String {
        let mut words = words.to_owned();
        for (variable, members) in program.globals.iter().zip(&self.globals) {
            let members = members.as_ref().and_then(ValueWords::members);
            for (value, name) in members.into_iter().flat_map(|members| members.iter().enumerate()) {
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
fn spelled(name: &str, indices: &Members) -> Option<(String, String)> {
    let (array, index) = name.strip_suffix(']')?.split_once('[')?;
    let index = member(indices, index.parse().ok()?)?;
    Some((name.to_owned(), format!("{array}[{index}]")))
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
                if let ExprKind::Assign { target: Variable::Local(local), value, .. } = &part.kind {
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
            ExprKind::Constant(value) | ExprKind::Number(value) => self.written(expr.span, *value),
            ExprKind::Read(Variable::Global(global)) | ExprKind::Assign { target: Variable::Global(global), .. } => {
                let words = self.names.globals.get(global.index()).and_then(|words| words.as_ref()?.members());
                words.cloned().map_or(Kind::Number, Kind::Member)
            }
            ExprKind::Read(Variable::Local(local)) => self.locals.get(local.index()).cloned().unwrap_or(Kind::Number),
            ExprKind::Assign { value, .. } | ExprKind::Within { value, .. } => self.kind(value),
            ExprKind::Sequence(parts) => parts.last().map_or(Kind::Number, |last| self.kind(last)),
            ExprKind::If { arms, otherwise } => {
                let last = otherwise.as_ref().map_or(Kind::plain(0), |body| self.kind(body));
                arms.iter().fold(last, |kind, arm| kind.or(self.kind(&arm.body)))
            }
            ExprKind::Return(_) => Kind::Nothing,
            ExprKind::While { condition, .. } if is_certain(condition) => Kind::Nothing,
            ExprKind::While { .. } | ExprKind::Yield => Kind::plain(0),
            _ => Kind::Number,
        }
    }

    /// What a constant is, by what is written in its place.
    fn written(&self, span: Span, value: i64) -> Kind {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default().trim();
        let chosen =
            text.strip_prefix("choose(").and_then(|rest| rest.strip_suffix(')')).and_then(|name| self.declared.enums.get(name.trim()));
        let param = || self.params.iter().find(|(name, _)| name == text).and_then(|(_, members)| members.clone());
        let member = || self.declared.enums.values().find(|members| members.iter().any(|member| member == text)).cloned();
        let constant = || {
            let is_param = self.params.iter().any(|(name, _)| name == text);
            let name = self.declared.constants.get(text).filter(|_| !is_param);
            let is_number = text.parse() == Ok(value);
            if name.is_some() || is_number { Kind::Constant(BTreeMap::from([(value, name.cloned())])) } else { Kind::Number }
        };
        chosen.cloned().or_else(param).or_else(member).map_or_else(constant, Kind::Member)
    }
}

/// Whether a condition is a number other than 0, so that a loop ends by `return` alone.
fn is_certain(condition: &Expr) -> bool {
    matches!(condition.kind, ExprKind::Number(value) | ExprKind::Constant(value) if value != 0)
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
    fn constants_have_their_names_where_nothing_else_is_meant() {
        let text = "const Ran = 1\nconst Skipped = 0\nconst LIMIT = 3\nvar Last\nvar Left: 0..3\n\
                    request job { if (Last == Ran) { return Skipped }; Last := Ran; Left := LIMIT; Left := Left - 1; Ran }\n\
                    request plain { if (?) { return 1 }; Ran }\n";
        let program = serval_syntax::analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        let global = |name: &str| GlobalVar(u32::try_from(program.globals.iter().position(|one| one.name == name).unwrap()).unwrap());
        assert_eq!((names.answer(0, 1).as_deref(), names.answer(0, 0).as_deref()), (Some("Ran"), Some("Skipped")));
        assert_eq!((names.global(global("Last"), 1).as_deref(), names.global(global("Last"), 0)), (Some("Ran"), None));
        assert_eq!(names.global(global("Left"), 3), None);
        // What is written as a number in one place has no name in another.
        assert_eq!(names.answer(1, 1), None);
        assert!(names.globals(&program).is_empty());
    }

    #[test]
    fn answers_from_within_loops_have_names() {
        let text =
            "enum Reply { Done, Busy }\nrequest try_again { while (1) { yield; if (X == 0) { return Done }; if (?) { return Busy } } }\n";
        let program = serval_syntax::analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        assert_eq!((names.answer(0, 0).as_deref(), names.answer(0, 1).as_deref()), (Some("Done"), Some("Busy")));
    }
}
