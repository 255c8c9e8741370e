//! From a tree to a checked program.

mod allow;
mod checks;
mod expectation;
mod many;
mod read_first;
mod unreachable;

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, MAX_SHOWN, Sink, codes, finish};
use crate::grammar::{SyntaxKind, no_request, parse_text};
use crate::lowering::{Declared, Lowered, Lowering, MAX_VALUES, Names, Reading, Slots, are_chosen_once, bad_parameter, initial_local};
use crate::program::{Global, GlobalVar, ManyParam, ManyRequest, ParamValues, Program, Request, Version, is_global};
use crate::tree::{Parsed, SyntaxNode, SyntaxToken, ast, span};
use many::{Asked, WrittenOut, analyzed};
use serval_diagnostic::Span;

/// A text as a program, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The program; `None` exactly if some diagnostic is an error.
    pub program: Option<Program>,
    /// Errors, warnings and notes, sorted by place. At most 100 errors and
    /// 100 others are given, each with a closing one where there are more.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a text, resolves its names and checks it.
///
/// A request with errors does not keep the others from being checked.
///
/// ```
/// let analysis = serval_syntax::analyze("request a { X := }  request b { y := X; z }");
/// let codes: Vec<_> = analysis.diagnostics.iter().map(|d| d.code.0).collect();
/// assert_eq!(codes, ["E0110", "W0201"]);
/// ```
pub fn analyze(text: &str) -> Analysis {
    let (green, diagnostics) = parse_text(text);
    analyze_tree(text, &SyntaxNode::new_root(green), diagnostics, Asked::Usual)
}

/// The same for a text whose tree is there already.
///
/// ```
/// let text = "request a { X := }";
/// let parsed = serval_syntax::parse(text);
/// assert_eq!(serval_syntax::analyze_parsed(text, &parsed).diagnostics, serval_syntax::analyze(text).diagnostics);
/// ```
pub fn analyze_parsed(text: &str, parsed: &Parsed) -> Analysis {
    analyze_tree(text, &parsed.syntax(), parsed.found().to_vec(), Asked::Usual)
}

/// The same where of the requests with parameters only those with these names are written out, and no others.
///
/// ```
/// let text = "var A[0..9999]: 0..9  request put(k: 0..9999) { A[k] := 1; A[k] }";
/// let names = ["put(17)".to_owned()].into();
/// let program = serval_syntax::analyze_of(text, &names).program.expect("this program is right");
/// assert_eq!(program.requests.iter().map(|request| request.name.as_str()).collect::<Vec<_>>(), ["put(17)"]);
/// ```
pub fn analyze_of(text: &str, names: &BTreeSet<String>) -> Analysis {
    let (green, diagnostics) = parse_text(text);
    analyze_tree(text, &SyntaxNode::new_root(green), diagnostics, Asked::Named(names))
}

/// The same where requests with parameters are written out as if they had too many combinations, however few these are:
/// those stand for all that would do so then.
pub fn analyze_standing(text: &str) -> Analysis {
    let (green, diagnostics) = parse_text(text);
    analyze_tree(text, &SyntaxNode::new_root(green), diagnostics, Asked::Standing)
}

/// The program of a text as it is read for a proof, where that is another one: with an integer for each version, if it
/// has versions, and with what requests choose among many values as what they begin with. A proof that this one is
/// serializable and has no errors but that integers leave 64 bits is one of the program;
/// `lowering/convenience/versions.rs` and `lowering/chosen.rs` say why.
///
/// ```
/// use serval_syntax::{Reading, read_for_proof};
/// let integers = Reading { integers: true, choices: false };
/// let text = "version V: 1  request r { v := V; yield; if (v == V) { fresh(V) }; 0 }";
/// assert_eq!(read_for_proof(text, integers).unwrap().globals[0].initial, 1);
/// assert!(read_for_proof("request r { X := 1 }", integers).is_none());
/// let choices = Reading { integers: false, choices: true };
/// let program = read_for_proof("request r { yield; X := choose(1..1000); X }", choices).unwrap();
/// assert_eq!((program.requests[0].params[0].low, program.requests[0].params[0].high), (1, 1000));
/// // Each round of the loop chooses anew.
/// assert!(read_for_proof("request r { while (X == 0) { X := choose(0..99) } }", choices).is_none());
/// ```
pub fn read_for_proof(text: &str, reading: Reading) -> Option<Program> {
    let usual = analyze(text).program?;
    let integers = reading.integers && !usual.versions.is_empty();
    let (green, diagnostics) = parse_text(text);
    let read = analyze_tree(text, &SyntaxNode::new_root(green), diagnostics, Asked::Proof(Reading { integers, ..reading })).program;
    read.filter(|program| integers || usual.many.is_none() && program.requests.iter().any(|request| !request.params.is_empty()))
}

/// Checks the tree of a text of which `found` is known to be wrong.
fn analyze_tree(text: &str, root: &SyntaxNode, found: Vec<Diagnostic>, asked: Asked<'_>) -> Analysis {
    // With that many errors not all are known, and a request could be taken
    // for faultless that is not.
    if found.len() > MAX_SHOWN {
        return Analysis { program: None, diagnostics: finish(found) };
    }
    let analyzer = analyzed(root, &found, asked);
    let mut findings = Sink::default();
    let expectation = expectation::read(text, root, &mut findings);
    let allowances = allow::read(text, root, &mut findings);
    let any = |code| found.iter().any(|d| d.code == code);
    let known = checks::ProgramFacts {
        // Where text was skipped unread, the use of globals is unknown.
        globals: !any(codes::TOO_DEEP) && !any(codes::OPEN_COMMENT) && !analyzer.declared.incomplete,
        // A comment that is never closed may have begun anywhere, and what it
        // hides is better mended first.
        locals: !any(codes::OPEN_COMMENT),
    };
    unreachable::find_unreachable_after_exits(root, &mut findings);
    checks::run(text, &analyzer.requests, &analyzer.globals, known, &mut findings);

    let usable = found.is_empty() && analyzer.errors.is_empty() && !analyzer.requests.is_empty() && !analyzer.chosen_twice;
    let program = usable.then(|| Program {
        globals: globals(&analyzer.globals, &analyzer.declared, analyzer.written_out.is_some_of_many()),
        requests: analyzer.requests.into_iter().map(into_request).collect(),
        versions: if analyzer.declared.reading.integers { Vec::new() } else { versions(&analyzer.declared) },
        expectation,
        allowances: allowances.clone(),
        many: analyzer.written_out.told(analyzer.many),
    });
    let mut diagnostics = found;
    diagnostics.extend(analyzer.errors.into_vec());
    diagnostics.extend(findings.into_vec());
    diagnostics.retain(|diagnostic| !allowances.iter().any(|allowance| allowance.covers(diagnostic)));
    Analysis { program, diagnostics: finish(diagnostics) }
}

/// All tokens in a node.
fn tokens(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    node.descendants_with_tokens().filter_map(|element| element.into_token())
}

fn into_request(lowered: Lowered) -> Request {
    let locals = lowered.locals.to_locals();
    Request { name: lowered.name, name_span: lowered.name_span, locals, params: lowered.params, body: lowered.body }
}

/// The globals, which start at 0 unless something else is declared.
fn globals(names: &Names, declared: &Declared, some: bool) -> Vec<Global> {
    let global = |(number, (name, span)): (u32, &(String, Span))| Global {
        name: name.clone(),
        initial: declared.initial.get(&number).copied().unwrap_or(0),
        range: declared.values.get(&number).map(|values| (values.low, values.high)),
        span: *span,
        stands: some && name.contains('['),
    };
    (0..).zip(&names.list).map(global).collect()
}

/// The versions, in the order of their slots.
fn versions(declared: &Declared) -> Vec<Version> {
    let version = |(name, slots): (&String, &Slots)| Version {
        name: name.clone(),
        first: GlobalVar(slots.first),
        slots: slots.count,
        span: slots.place,
    };
    let mut versions: Vec<Version> = declared.versions.iter().map(version).collect();
    versions.sort_by_key(|version| version.first);
    versions
}

struct Analyzer {
    /// Where the text has errors.
    broken: Vec<Span>,
    /// Whether some names have letters that are not ASCII. Such a name is
    /// only reported once, and breaks every request that has it.
    foreign_names: bool,
    globals: Names,
    declared: Declared,
    errors: Sink,
    requests: Vec<Lowered>,
    /// Which of the requests with parameters are written out.
    written_out: WrittenOut,
    /// The requests with parameters.
    many: Vec<ManyRequest>,
    /// Whether a choice that is made when a request begins may be two choices.
    chosen_twice: bool,
}

impl Analyzer {
    fn file(&mut self, file: &ast::SourceFile) {
        self.truth_values(file);
        self.declarations(file);
        for initial in file.initials() {
            if self.is_broken(initial.syntax()) {
                self.names_of_broken(initial.syntax());
            } else {
                self.initial(&initial);
            }
        }
        for item in file.syntax().children().filter_map(ast::Invariant::cast) {
            if !self.is_broken(item.syntax()) {
                self.declared.invariant(&item, &mut self.globals, &mut self.errors);
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

    /// `true` is 1 and `false` is 0, unless the file has them as names of its own: something is assigned to them.
    fn truth_values(&mut self, file: &ast::SourceFile) {
        let mut own: Vec<String> = Vec::new();
        let mut before: Option<SyntaxToken> = None;
        for token in tokens(file.syntax()).filter(|token| !token.kind().is_trivia()) {
            let assigns = matches!(token.kind(), SyntaxKind::Assign | SyntaxKind::CompoundAssign);
            if let Some(name) = before.filter(|before| assigns && before.kind() == SyntaxKind::Name) {
                own.push(name.text().to_owned());
            }
            before = Some(token);
        }
        for (word, value) in [("true", 1), ("false", 0)] {
            if !own.iter().any(|name| name == word) {
                self.declared.constants.insert(word.to_owned(), value);
            }
        }
    }

    /// What the file declares: first constants, which the rest may use.
    fn declarations(&mut self, file: &ast::SourceFile) {
        let items: Vec<SyntaxNode> = file.syntax().children().collect();
        for item in &items {
            let is_constant = matches!(item.kind(), SyntaxKind::Const | SyntaxKind::Enum);
            let is_other = matches!(item.kind(), SyntaxKind::Var | SyntaxKind::Version | SyntaxKind::Function | SyntaxKind::Invariant);
            if (is_constant || is_other) && self.is_broken(item) {
                self.declared.incomplete = true;
                self.names_of_broken(item);
            } else if is_constant {
                if let Some(item) = ast::Const::cast(item.clone()) {
                    self.declared.constant(&item, &mut self.errors);
                }
                if let Some(item) = ast::Enum::cast(item.clone()) {
                    self.declared.enumeration(&item, &mut self.errors);
                }
            }
        }
        let others = |item: &SyntaxNode| matches!(item.kind(), SyntaxKind::Var | SyntaxKind::Version | SyntaxKind::Function);
        for item in items.into_iter().filter(others) {
            if self.is_broken(&item) {
                continue;
            }
            if let Some(item) = ast::Var::cast(item.clone()) {
                self.declared.var(&item, &mut self.globals, &mut self.errors);
            }
            if let Some(item) = ast::Version::cast(item.clone()) {
                self.declared.version(&item, &mut self.globals, &mut self.errors);
            }
            if let Some(item) = ast::Function::cast(item) {
                self.declared.function(&item, &mut self.errors);
            }
        }
        self.declared.incomplete |= file.syntax().children().any(|node| node.kind() == SyntaxKind::Error);
    }

    /// A request, once for each of the values of its parameters that are written out.
    fn request(&mut self, request: &ast::Request) -> Option<()> {
        let name = request.name()?;
        let name_span = span(name.text_range());
        let body = request.body()?;
        let mut params: Vec<ManyParam> = Vec::new();
        for param in request.params() {
            let param_name = param.name()?;
            let place = span(param_name.text_range());
            let taken = params.iter().any(|known| known.name == param_name.text());
            if taken || is_global(param_name.text()) || self.declared.constants.contains_key(param_name.text()) {
                self.errors.push(|| bad_parameter(param_name.text(), place));
                return Some(());
            }
            let values = match param.value_set() {
                Some(set) => self.declared.listed(&set, &mut self.errors).map(ParamValues::Listed),
                None => {
                    let interval = self.declared.interval(&param.values()?, MAX_VALUES, &mut self.errors);
                    interval.map(|interval| interval.of_parameter())
                }
            };
            let Some(values) = values else { return Some(()) };
            params.push(ManyParam { name: param_name.text().to_owned(), values });
        }
        let declared = ManyRequest { name: name.text().to_owned(), params };
        let index = self.many.len();
        let Some(combinations) = self.written_out.of(index, &declared) else { return Some(()) };
        let mut made = 0;
        for chosen in combinations {
            let mut locals = Names::default();
            let mut kept = self.kept(&declared, &chosen, name_span, &mut locals);
            let mut lowering = Lowering::new(&self.declared, &mut self.globals, &mut locals, &mut self.errors);
            self.written_out.prepare(&mut lowering, index, &declared, &chosen);
            lowering.expanding = u32::from(!declared.params.is_empty());
            lowering.made = made;
            let body = lowering.body(body.statements())?;
            made = lowering.made;
            let full = lowering.is_full();
            self.chosen_twice |= !are_chosen_once(&lowering.chosen, &body);
            kept.append(&mut lowering.chosen);
            let full_name = if declared.params.is_empty() { declared.name.clone() } else { chosen.name(&declared) };
            self.requests.push(Lowered { name: full_name, name_span, locals, params: kept, body });
            if full {
                break;
            }
        }
        if !declared.params.is_empty() {
            self.many.push(declared);
        }
        Some(())
    }

    /// A file that is one bare sequence.
    fn bare(&mut self, file: &ast::SourceFile) -> Option<()> {
        let mut locals = Names::default();
        if file.statements().next().is_none() {
            // Declarations, and nothing that uses them.
            self.errors.push(no_request);
            return Some(());
        }
        let mut lowering = Lowering::new(&self.declared, &mut self.globals, &mut locals, &mut self.errors);
        let body = lowering.body(file.statements())?;
        let params = lowering.chosen;
        self.chosen_twice |= !are_chosen_once(&params, &body);
        self.requests.push(Lowered { name: "request".to_owned(), name_span: Span::default(), locals, params, body });
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
            return self.errors.push(|| initial_local(name, place));
        }
        let known = self.globals.place(name).or_else(|| self.declared.place(name));
        let number = self.globals.number(name, place);
        self.globals.usage_mut(number).written = true;
        if let Some(first) = known {
            return self.errors.push(|| initial_twice(name, place, first));
        }
        if let Some(value) = self.declared.value(&value, &mut self.errors) {
            self.declared.initial.insert(number, value);
        }
    }
}

fn initial_twice(name: &str, place: Span, first: Span) -> Diagnostic {
    Diagnostic::error(codes::INITIAL_TWICE, place, format!("`{name}` has an initial value already"))
        .also(first, "given here")
        .expected("one initial value for each global")
        .help("remove one of the two")
}
