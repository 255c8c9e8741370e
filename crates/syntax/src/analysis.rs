//! From a tree to a checked program.

use rustc_hash::FxHashMap;

use crate::ast;
use crate::checks;
use crate::expectation;
use crate::fold::{NoValue, fold};
use crate::lower::{Lowered, Lowering, Names, is_global};
use crate::sink::{MAX_SHOWN, Sink, finish};
use crate::tree::span;
use crate::{Analysis, Diagnostic, Program, Request, Span, SyntaxKind, SyntaxNode, SyntaxToken, codes};

/// Checks the tree of a text of which `found` is known to be wrong.
pub(crate) fn analyze_tree(text: &str, root: &SyntaxNode, found: Vec<Diagnostic>) -> Analysis {
    // With so many errors not all are known, and a request could be taken
    // for faultless that is not.
    if found.len() > MAX_SHOWN {
        return Analysis { program: None, diagnostics: finish(found) };
    }
    let mut analyzer = Analyzer {
        foreign_names: found.iter().any(|d| d.code == codes::FOREIGN_NAME),
        return_is_name: false,
        broken: found.iter().flat_map(|d| d.secondary.iter().chain([&d.primary])).map(|label| label.span).collect(),
        globals: Names::default(),
        initial: FxHashMap::default(),
        errors: Sink::default(),
        requests: Vec::new(),
    };
    if let Some(file) = ast::SourceFile::cast(root.clone()) {
        analyzer.file(&file);
    }
    let mut findings = Sink::default();
    let expectation = expectation::read(text, root, &mut findings);
    let any = |code| found.iter().any(|d| d.code == code);
    let known = checks::Known {
        // Where text was skipped unread, nobody knows how globals are used.
        globals: !any(codes::TOO_DEEP) && !any(codes::OPEN_COMMENT),
        // A comment that is never closed may have begun anywhere, and what it
        // hides is better mended first.
        locals: !any(codes::OPEN_COMMENT),
        return_is_name: analyzer.return_is_name,
    };
    checks::run(&analyzer.requests, &analyzer.globals, known, &mut findings);

    let usable = found.is_empty() && analyzer.errors.is_empty() && !analyzer.requests.is_empty();
    let program = usable.then(|| Program {
        globals: analyzer.globals.to_globals(&analyzer.initial),
        requests: analyzer.requests.into_iter().map(into_request).collect(),
        expectation,
    });
    let mut diagnostics = found;
    diagnostics.extend(analyzer.errors.into_vec());
    diagnostics.extend(findings.into_vec());
    Analysis { program, diagnostics: finish(diagnostics) }
}

/// All tokens in a node.
fn tokens(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    node.descendants_with_tokens().filter_map(|element| element.into_token())
}

fn into_request(lowered: Lowered) -> Request {
    let locals = lowered.locals.to_locals();
    Request { name: lowered.name, name_span: lowered.name_span, locals, body: lowered.body }
}

struct Analyzer {
    /// Where the text has errors.
    broken: Vec<Span>,
    /// Whether some names have letters that are not ASCII. Such a name is
    /// only reported once, and breaks every request that has it.
    foreign_names: bool,
    /// Whether a request with errors, or an initial value, has a variable
    /// called `return`.
    return_is_name: bool,
    globals: Names,
    initial: FxHashMap<u32, i64>,
    errors: Sink,
    requests: Vec<Lowered>,
}

impl Analyzer {
    fn file(&mut self, file: &ast::SourceFile) {
        for initial in file.initials() {
            if self.is_broken(initial.syntax()) {
                self.names_of_broken(initial.syntax());
            } else {
                self.initial(&initial);
            }
        }
        for node in file.syntax().children().filter(|node| node.kind() == SyntaxKind::Error) {
            self.names_of_broken(&node);
        }
        let mut any = false;
        for request in file.requests() {
            any = true;
            if self.is_broken(request.syntax()) {
                self.names_of_broken(request.syntax());
            } else if self.request(&request).is_none() {
                self.not_lowered(request.syntax());
            }
        }
        if !any && !self.is_broken(file.syntax()) && self.bare(file).is_none() {
            self.not_lowered(file.syntax());
        }
    }

    /// Whether an error stands in this node or touches it, reported or not:
    /// errors that follow from others are not.
    fn is_broken(&self, node: &SyntaxNode) -> bool {
        if self.broken.is_empty() {
            return false;
        }
        let place = span(node.text_range());
        self.broken.iter().any(|error| error.start <= place.end && place.start <= error.end)
            || node.descendants().any(|node| node.kind() == SyntaxKind::Error)
            || self.foreign_names && tokens(node).any(|token| token.kind() == SyntaxKind::Name && !token.text().is_ascii())
    }

    fn request(&mut self, request: &ast::Request) -> Option<()> {
        let name = request.name()?;
        let mut locals = Names::default();
        let body = Lowering { globals: &mut self.globals, locals: &mut locals }.sequence(request.body()?.statements())?;
        self.requests.push(Lowered { name: name.text().to_owned(), name_span: span(name.text_range()), locals, body });
        Some(())
    }

    /// A file that is one bare sequence.
    fn bare(&mut self, file: &ast::SourceFile) -> Option<()> {
        let mut locals = Names::default();
        let body = Lowering { globals: &mut self.globals, locals: &mut locals }.sequence(file.statements())?;
        self.requests.push(Lowered { name: "request".to_owned(), name_span: Span::default(), locals, body });
        Some(())
    }

    /// A tree that is not that of a program, though no error touches it. There
    /// is an error elsewhere; if there were none, the program still must not
    /// go on without one of its requests.
    fn not_lowered(&mut self, node: &SyntaxNode) {
        if !self.broken.is_empty() {
            return self.names_of_broken(node);
        }
        debug_assert!(false, "a tree without errors that is no program: {node:?}");
        self.errors.push(|| {
            Diagnostic::error(codes::EXPECTED_EXPRESSION, span(node.text_range()), "this cannot be understood")
                .expected("a request")
                .help("rewrite it, and please report this as a bug")
        });
    }

    /// What a request with errors does to globals is not known: they count as
    /// read and written, so that nothing wrong is said about the other requests.
    fn names_of_broken(&mut self, node: &SyntaxNode) {
        for token in tokens(node) {
            self.return_is_name |= token.kind() == SyntaxKind::Name && token.text() == "return";
            if token.kind() == SyntaxKind::Name && is_global(token.text()) {
                let place = span(token.text_range());
                let number = self.globals.number(token.text(), place);
                let usage = self.globals.usage_mut(number);
                usage.written = true;
                usage.read.get_or_insert(place);
            }
        }
    }

    fn initial(&mut self, initial: &ast::Initial) {
        let (Some(name), Some(value)) = (initial.name(), initial.value()) else { return };
        let place = span(name.text_range());
        let name = name.text();
        if !is_global(name) {
            self.return_is_name |= name == "return";
            return self.errors.push(|| initial_local(name, place));
        }
        // Names in the value are reported below and are nobody's variables.
        let (mut globals, mut locals) = (Names::default(), Names::default());
        let lowered = Lowering { globals: &mut globals, locals: &mut locals }.expr(&value);
        let known = self.globals.place(name);
        let number = self.globals.number(name, place);
        self.globals.usage_mut(number).written = true;
        if let Some(first) = known {
            return self.errors.push(|| initial_twice(name, place, first));
        }
        match lowered.map(|value| fold(&value)) {
            Some(Ok(value)) => {
                self.initial.insert(number, value);
            }
            Some(Err(reason)) => self.errors.push(|| no_value(reason)),
            None => {}
        }
    }
}

fn initial_local(name: &str, place: Span) -> Diagnostic {
    let mut capital = name.to_owned();
    if let Some(at) = name.find(|c: char| c.is_ascii_alphabetic()) {
        capital[at..=at].make_ascii_uppercase();
    }
    let help = if capital == name {
        "choose a name with a capital first letter, or assign it inside the request".to_owned()
    } else {
        format!("write `{capital}` if requests share it, or assign it inside the request")
    };
    Diagnostic::error(codes::INITIAL_LOCAL, place, format!("`{name}` is local to a request and cannot have an initial value"))
        .expected("a global variable, whose first letter is upper-case")
        .help(help)
}

fn initial_twice(name: &str, place: Span, first: Span) -> Diagnostic {
    Diagnostic::error(codes::INITIAL_TWICE, place, format!("`{name}` has an initial value already"))
        .also(first, "given here")
        .expected("one initial value for each global")
        .help("remove one of the two")
}

fn no_value(reason: NoValue) -> Diagnostic {
    match reason {
        NoValue::NotConstant(place) => Diagnostic::error(codes::INITIAL_NOT_CONSTANT, place, "an initial value must be constant")
            .expected("numbers and operators")
            .help("write the number itself; what depends on other variables belongs into a request"),
        NoValue::Overflow(place) => Diagnostic::error(codes::INITIAL_UNDEFINED, place, "this value is too large")
            .expected(format!("a value from {} to {}", i64::MIN, i64::MAX))
            .help("use smaller numbers; integers have 64 bits"),
        NoValue::DivisionByZero(place) => Diagnostic::error(codes::INITIAL_UNDEFINED, place, "this divides by zero")
            .expected("a divisor other than 0")
            .help("change the divisor"),
    }
}
