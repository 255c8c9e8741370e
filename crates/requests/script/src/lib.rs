//! JavaScript and TypeScript to the form of handlers: parsed by oxc, types erased, names resolved, sugar taken apart.
//!
//! **Claim.** What the form of a file does is what ECMAScript says of the file. What has no form becomes
//! [`ExprKind::Unsupported`](serval_handlers::ExprKind::Unsupported), with its name and place, where it stands, and
//! is refused there; nothing is dropped in silence but types.
//!
//! Architecture Invariant: nothing of oxc leaves this crate. No input makes it panic or recurse without bound: brackets
//! nest at most [`MOST_BRACKETS`] deep, a file has at most [`MOST_BYTES`] bytes, what oxc recurses by otherwise
//! (`!!!a`, `a + b + …`) takes a byte each and fits the stack of the thread in which it runs, and the form nests at
//! most `scope::MOST_LEVELS` deep.

mod classes;
mod expressions;
mod functions;
mod patterns;
mod performed;
mod scope;
mod statements;

use oxc_allocator::Allocator;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use serval_diagnostic::{CodeInfo, Diagnostic, Span};
use serval_handlers::{Directive, Module, Performed};

/// Every code that this crate can report.
pub fn codes() -> &'static [CodeInfo] {
    ALL
}

serval_diagnostic::codes! {
    pub const;
    SYNTAX = "E0801", Error, "mistake in the syntax of a file of handlers";
    TOO_DEEP = "E0802", Error, "file of handlers too large or nested too deeply";
}

/// Which language a file is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.js`, `.mjs`
    JavaScript,
    /// `.ts`, `.mts`
    TypeScript,
}

impl Language {
    /// By the end of the name of a file.
    pub fn of(name: &str) -> Option<Self> {
        match name.rsplit('.').next()? {
            "js" | "mjs" => Some(Self::JavaScript),
            "ts" | "mts" => Some(Self::TypeScript),
            _ => None,
        }
    }
}

/// How long a file may be, in bytes.
pub const MOST_BYTES: usize = 256 << 10;

/// How many mistakes are said of one file.
const MOST_MISTAKES: usize = 20;

/// How deep brackets may nest.
pub const MOST_BRACKETS: usize = 400;

/// How many `<` may follow each other without another bracket: each may begin arguments that are types, and is read
/// again for each of those before it.
const MOST_ANGLES: usize = 60;

/// The stack of the thread that parses: more than a kilobyte for each byte of the text.
const STACK: usize = 1 << 30;

/// Where a text is too large, or its brackets nest too deeply. Those in texts and comments count, too.
fn too_deep(text: &str) -> Option<Span> {
    if text.len() > MOST_BYTES {
        return Some(Span::default());
    }
    let (mut open, mut angles) = (0_usize, 0_usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => angles += 1,
            b'>' | b';' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => angles = 0,
            _ => {}
        }
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > MOST_BRACKETS || angles > MOST_ANGLES {
            let place = u32::try_from(at).unwrap_or(0);
            return Some(Span::new(place, place + 1));
        }
    }
    None
}

/// Reads a file: its form, and what Node performs.
pub fn read(text: &str, language: Language) -> Result<(Module, Performed), Vec<Diagnostic>> {
    if let Some(span) = too_deep(text) {
        let error = Diagnostic::error(TOO_DEEP, span, "this is too large or nests too deeply to be read");
        let most = format!("at most {} KiB, and brackets {MOST_BRACKETS} deep", MOST_BYTES >> 10);
        return Err(vec![error.expected(most).help("split the file, or give deep expressions a name")]);
    }
    let unread = || {
        let error = Diagnostic::error(SYNTAX, Span::default(), "this cannot be read");
        Err(vec![error.expected("JavaScript or TypeScript").help("mend the file so that Node reads it")])
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || parsed(text, language));
        thread.map_or_else(|_| unread(), |thread| thread.join().unwrap_or_else(|_| unread()))
    })
}

fn parsed(text: &str, language: Language) -> Result<(Module, Performed), Vec<Diagnostic>> {
    let allocator = Allocator::default();
    let source = match language {
        Language::JavaScript => SourceType::mjs(),
        Language::TypeScript => SourceType::ts(),
    };
    let parsed = Parser::new(&allocator, text, source).parse();
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    let mut note = |error: &OxcDiagnostic| {
        let span = error.labels.first().map_or_else(Span::default, |label| {
            let start = label.offset();
            Span::new(start, start.saturating_add(label.len()))
        });
        let is_page = error.message.contains("JSX");
        let known = error.help.as_ref().filter(|_| !is_page);
        let other = if is_page { "handlers have no JSX: move it into another file" } else { "mend the file so that Node reads it" };
        let help = known.map_or_else(|| other.to_owned(), ToString::to_string);
        mistakes.push(Diagnostic::error(SYNTAX, span, error.message.to_string()).expected("JavaScript or TypeScript").help(help));
    };
    parsed.diagnostics.iter().for_each(&mut note);
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        mistakes.truncate(MOST_MISTAKES);
        return Err(mistakes);
    }
    let semantic = SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program);
    semantic.diagnostics.iter().for_each(&mut note);
    if !mistakes.is_empty() {
        mistakes.truncate(MOST_MISTAKES);
        return Err(mistakes);
    }
    let directives = parsed.program.comments.iter().filter_map(|comment| {
        let content = comment.content_span();
        let inside = text.get(content.start as usize..content.end as usize)?;
        let said = inside.trim_start_matches(['*', ' ', '\t', '\n', '\r']).strip_prefix("@serval")?;
        let said = said.lines().next().unwrap_or_default().trim_end_matches(['*', ' ']).trim();
        Some(Directive { about: comment.attached_to, span: Span::new(comment.span.start, comment.span.end), text: said.to_owned() })
    });
    let directives = directives.collect();
    let mut scope = scope::ScriptScope::new(semantic.semantic.scoping());
    scope.module(&parsed.program);
    scope.mentions(&parsed.program);
    let mut module = scope.into_module();
    module.directives = directives;
    Ok((module, performed::performed(text, &parsed.program)))
}
