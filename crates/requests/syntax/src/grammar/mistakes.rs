//! What is said about mistakes in the grammar, a function each.
//!
//! Every error says what was expected and what to do about it.

use super::kind::SyntaxKind;
use super::parser::Parser;
use crate::diagnostic::{Code, Diagnostic, codes, similar};
use serval_diagnostic::Span;

/// The words of the language, to suggest where one is misspelt.
pub(crate) const WORDS: &[&str] =
    &["request", "if", "else", "while", "yield", "return", "and", "or", "not", "for", "atomic", "skip", "break", "continue"];

/// An error with the two lines that every error has.
fn error(code: Code, span: Span, message: impl Into<String>, expected: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, span, message).expected(expected).help(help)
}

/// The text of a token in a message; shortened, for it may be anything.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        _ if text.is_empty() => "the end of the file".to_owned(),
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

// The file.

pub(crate) fn no_request() -> Diagnostic {
    let help = "write a request, such as `request main { X := 1 - X }`";
    error(codes::NO_REQUEST, Span::default(), "this file contains no request", "`request NAME { … }` or a single expression", help)
}

pub(crate) fn expected_request(text: &str, span: Span, first: bool) -> Diagnostic {
    let expected = if first { "`request`, or an initial value such as `A := 1`" } else { "`request`" };
    let help = if text == ";" {
        "remove the `;`: nothing stands between requests"
    } else if first {
        "statements belong into a request: `request NAME { … }`"
    } else {
        "move this into a request; if it belongs to the request before, that one is closed too early"
    };
    let error = error(codes::EXPECTED_REQUEST, span, format!("{} stands outside of any request", quoted(text)), expected, help);
    if text == ";" { error.edit(span, "") } else { error }
}

pub(crate) fn misspelt_request(text: &str, span: Span) -> Diagnostic {
    let help = match similar(text, ["request"]) {
        Some(_) => "did you mean `request`?",
        None => "handlers start with the word `request`",
    };
    let error = error(codes::UNKNOWN_WORD, span, format!("unknown word {}", quoted(text)), "`request`", help);
    // Without a similar word the help only says how handlers begin.
    if similar(text, ["request"]).is_some() { error.edit(span, "request") } else { error }
}

pub(crate) fn missing_request_word(text: &str, span: Span) -> Diagnostic {
    let help = match similar(text, ["request"]) {
        Some(_) => "write `request NAME { … }`".to_owned(),
        None => format!("write `request` before {}", quoted(text)),
    };
    error(codes::EXPECTED_REQUEST, span, "this request lacks the word `request`", "`request`", help)
}

pub(crate) fn late_initial(text: &str, span: Span) -> Diagnostic {
    let help = format!("move the initial value of {} to the start of the file, or into a request", quoted(text));
    error(codes::LATE_INITIAL, span, "initial values stand before the first request", "`request`", help)
}

/// A network system, given as a program.
pub(crate) fn json(span: Span) -> Diagnostic {
    let help = "give the file the ending `.json`, or say `--input json`";
    error(codes::EXPECTED_REQUEST, span, "this is JSON, not a program", "`request NAME { … }` or a single expression", help)
}

pub(crate) fn request_without_name(text: &str, span: Span, is_word: bool, assigned: bool) -> Diagnostic {
    let message = if is_word { format!("{} cannot be the name of a request", quoted(text)) } else { "this request has no name".to_owned() };
    let help = if assigned {
        "remove the `:=`: the name of a request stands right after the word `request`"
    } else if is_word {
        "choose a name that starts with a letter and is no word of the language"
    } else {
        "give it a name, such as `request main { … }`"
    };
    error(codes::REQUEST_WITHOUT_NAME, span, message, "a name", help)
}

/// At the first thing between the name of a request and its block; `written`
/// is all from the name up to the block.
pub(crate) fn bad_request_name(text: &str, span: Span, written: &str) -> Diagnostic {
    // `log-in` without a blank is meant to be one name.
    let is_one_word = written.len() <= 60 && !written.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | ')'));
    if is_one_word && !is_name(text) {
        let words: Vec<_> = written.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let help = format!("write `{}`", words.join("_"));
        let expected = "a name made of letters, digits and `_`";
        return error(codes::REQUEST_WITHOUT_NAME, span, format!("a name cannot contain {}", quoted(text)), expected, help);
    }
    let message = format!("{} cannot stand between the name of a request and its `{{`", quoted(text));
    let help = "a name is one word made of letters, digits and `_`";
    error(codes::REQUEST_WITHOUT_NAME, span, message, "`{`", help)
}

pub(crate) fn request_without_body(span: Span) -> Diagnostic {
    error(codes::REQUEST_WITHOUT_BODY, span, "this request has no body", "`{`", "write what it does: `{ … }`, or `{ 0 }` for nothing")
}

// Brackets.

/// At `request` or the end of the file, with braces open.
pub(crate) fn missing_brace(parser: &mut Parser<'_>) -> Diagnostic {
    let open = parser.open_braces.clone();
    let count = open.len();
    let next_request = parser.at(SyntaxKind::RequestKw);
    let closers = "}".repeat(count.min(8));
    let suspect = parser.badly_closed();
    let message = match (count, parser.contains_request) {
        (0 | 1, true) => "expected `}` to close the request opened here".to_owned(),
        (0 | 1, false) => "expected `}` to close the block opened here".to_owned(),
        _ => format!("expected `}}` {count} times to close what is open here"),
    };
    let place = parser.span();
    let same_line = parser.line(parser.previous_span().end) == parser.line(place.start);
    let help = if next_request && same_line {
        format!("add `{closers}` before this `request`")
    } else if next_request {
        format!("add `{closers}` before line {}", parser.line(place.start))
    } else if let (SyntaxKind::End, Some((open, _))) = (parser.current(), suspect) {
        let line = parser.line(open.start);
        format!("add `{closers}` at the end of the file, or where the block opened on line {line} should end")
    } else if parser.at(SyntaxKind::End) {
        format!("add `{closers}` at the end of the file")
    } else {
        "add `}` before this".to_owned()
    };
    let found = match parser.current() {
        SyntaxKind::RequestKw => "another request begins",
        SyntaxKind::End => "the file ends",
        _ => "this does not close it",
    };
    let mut diagnostic = error(codes::MISSING_BRACE, place, message, "`}`", help).label(found);
    // Where the help names two places, the choice is the reader's.
    if suspect.is_none() && count <= 8 {
        let closers = if same_line { format!(" {closers}") } else { format!("\n{closers}") };
        diagnostic = diagnostic.edit(parser.after_previous(), closers);
    }
    // The innermost ones are the likeliest to be at fault; the outermost is
    // where the reader starts.
    for (index, &span) in open.iter().enumerate() {
        if index == 0 || index + 3 >= count {
            diagnostic = diagnostic.also(span, "opened here");
        }
    }
    if let Some((open, close)) = suspect {
        let line = parser.line(close.start);
        diagnostic = diagnostic.also(open, format!("closed on line {line} by a `}}` further left; is its own missing?"));
    }
    diagnostic
}

pub(crate) fn missing_paren(parser: &Parser<'_>, open: Span) -> Diagnostic {
    let found = quoted(parser.text());
    error(
        codes::MISSING_PAREN,
        parser.span(),
        "expected `)` to close the parenthesis opened here",
        "`)`",
        format!("add `)` before {found}"),
    )
    .edit(parser.after_previous(), ")")
    .label(if parser.at(SyntaxKind::End) { "the file ends" } else { "this does not close it" })
    .also(open, "opened here")
}

pub(crate) fn stray_closer(text: &str, span: Span) -> Diagnostic {
    let help = format!("remove it, or add what opens it before; every closing {} needs an opening one", quoted(text));
    error(codes::STRAY_CLOSER, span, format!("{} closes nothing", quoted(text)), "a statement, or the end of the file", help)
}

pub(crate) fn missing_open_brace(span: Span, what: &str) -> Diagnostic {
    error(codes::MISSING_OPEN_BRACE, span, format!("expected `{{` before {what}"), "`{`", format!("put {what} in braces: `{{ … }}`"))
}

pub(crate) fn bare_condition(span: Span, word: &str) -> Diagnostic {
    let message = format!("the condition of `{word}` needs parentheses around it");
    let block = if matches!(word, "await" | "assume" | "assert") { "" } else { " { … }" };
    error(codes::BARE_CONDITION, span, message, "`(`", format!("put the whole condition in parentheses: `{word} (…){block}`"))
}

/// At an operator behind the parentheses of a condition.
pub(crate) fn condition_goes_on(span: Span, word: &str) -> Diagnostic {
    Diagnostic { expected: Some("`{`".to_owned()), ..bare_condition(span, word) }
}

pub(crate) fn empty_block(span: Span, what: &str) -> Diagnostic {
    let help = "write `{ 0 }`: a block has the value of its last statement";
    let more = if what == "the body of `else`" { "; or leave out the `else`" } else { "" };
    error(codes::EMPTY_BLOCK, span, "this block is empty", "a statement", format!("{help}{more}"))
}

pub(crate) fn bare_block(span: Span) -> Diagnostic {
    let help = "use parentheses to group: `(a; b)`; blocks belong to `request`, `if`, `else` and `while`";
    error(codes::EXPECTED_EXPRESSION, span, "a block cannot stand alone", "an expression", help)
}

pub(crate) fn stray_else(span: Span, after_semicolon: bool) -> Diagnostic {
    let help = if after_semicolon { "remove the `;` before `else`" } else { "write `if (…) { … }` before it" };
    error(codes::STRAY_ELSE, span, "this `else` belongs to no `if`", "a statement", help)
}

// Statements.

pub(crate) const COMMENTS_DO_NOT_NEST: &str = "comments do not nest: the first `*/` has closed it";

pub(crate) fn expected_expression(parser: &Parser<'_>) -> Diagnostic {
    let text = parser.text();
    let doubled = |first: &str| parser.previous_text() == first && parser.joined_to_previous();
    let after = parser.previous_text();
    let wants_operand = matches!(after, ":=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" | "!" | "+" | "-" | "*" | "/" | "%");
    let help = match parser.current() {
        SyntaxKind::Semicolon if wants_operand => return expected_operand(parser, after),
        SyntaxKind::Semicolon => "remove the `;`, or write a statement before it",
        SyntaxKind::Slash if doubled("*") => COMMENTS_DO_NOT_NEST,
        SyntaxKind::RightParen if parser.previous_text() == "(" => "write an expression between the parentheses",
        SyntaxKind::Comma => "a `,` only separates initial values before the first request",
        _ if wants_operand => return expected_operand(parser, after),
        _ => "write a number, a variable, `?`, `yield`, `if`, `while` or an expression in parentheses",
    };
    error(codes::EXPECTED_EXPRESSION, parser.span(), format!("expected an expression, found {}", quoted(text)), "an expression", help)
}

fn expected_operand(parser: &Parser<'_>, after: &str) -> Diagnostic {
    let message = format!("expected an expression, found {}", quoted(parser.text()));
    let help = match after {
        ":=" => "write an expression after `:=`".to_owned(),
        _ => format!("an operand is missing after `{after}`: write one"),
    };
    error(codes::EXPECTED_EXPRESSION, parser.span(), message, "an expression", help)
}

/// At a `request` that begins no request and is not assigned to.
pub(crate) fn request_as_value(span: Span) -> Diagnostic {
    let help = "`request` is a word of the language and cannot be a variable; choose another name";
    error(codes::EXPECTED_EXPRESSION, span, "expected an expression, found `request`", "an expression", help)
}

pub(crate) fn unexpected(text: &str, span: Span) -> Diagnostic {
    error(
        codes::EXPECTED_EXPRESSION,
        span,
        format!("{} makes no sense here", quoted(text)),
        "`;`, an operator or the end of the block",
        "remove it",
    )
}

pub(crate) fn missing_semicolon(span: Span, before: &str) -> Diagnostic {
    let diagnostic = error(codes::MISSING_SEMICOLON, span, "expected `;` between statements", "`;` or an operator", "add `;` here");
    let diagnostic = diagnostic.edit(Span::new(span.start, span.start), ";");
    if matches!(before, "return" | "not") {
        diagnostic.with_note(format!("`{before}` is a variable in this file, because something is assigned to it"))
    } else {
        diagnostic
    }
}

pub(crate) fn yield_call(span: Span, word: &str) -> Diagnostic {
    let (message, help) = (format!("`{word}` takes no parentheses"), format!("write `{word}` alone"));
    error(codes::MISSING_SEMICOLON, span, message, "`;` or an operator", help)
}

pub(crate) fn comma(span: Span) -> Diagnostic {
    let help = "write `;` between statements; only initial values before the first `request` may have `,`";
    error(codes::MISSING_SEMICOLON, span, "expected `;` between statements, found `,`", "`;`", help).edit(span, ";")
}

pub(crate) fn single_equal(span: Span, meant: &str) -> Diagnostic {
    let help = format!("write `{meant}` here; `:=` assigns and `==` compares");
    error(codes::SINGLE_EQUAL, span, "`=` alone is not an operator", format!("`{meant}`"), help).edit(span, meant)
}

pub(crate) fn single_colon(span: Span) -> Diagnostic {
    error(codes::SINGLE_EQUAL, span, "`:` alone is not an operator", "`:=`", "to assign, write `:=` without a blank in it")
}

/// Before `operator`, which is `:=`, `+=` or `-=`.
pub(crate) fn bad_target(span: Span, operator: &str) -> Diagnostic {
    let compare = if operator == ":=" { "; to compare, write `==`" } else { "" };
    let help = format!("write a name before `{operator}`{compare}");
    error(codes::BAD_TARGET, span, "only a variable can be assigned to", "a variable", help)
}

pub(crate) fn keyword_target(span: Span, text: &str) -> Diagnostic {
    let message = format!("{} is a word of the language and cannot be assigned to", quoted(text));
    error(codes::BAD_TARGET, span, message, "a variable", "choose another name")
}

pub(crate) fn assign_in_operand(span: Span, name: &str, operator: &str) -> Diagnostic {
    let compare = if operator == ":=" { "; to compare, write `==`" } else { "" };
    let help = format!("put parentheses around it: `({name} {operator} …)`{compare}");
    error(codes::ASSIGN_IN_OPERAND, span, "an assignment inside an operand needs parentheses", "an operator or `;`", help)
}

pub(crate) fn return_in_operand(span: Span) -> Diagnostic {
    let help = "put parentheses around it: `(return …)`";
    error(codes::ASSIGN_IN_OPERAND, span, "a `return` inside an operand needs parentheses", "an operand", help)
}

// Operators.

pub(crate) fn single_and_or(text: &str, span: Span) -> Diagnostic {
    let meant = format!("`{text}{text}`");
    error(codes::SINGLE_AND_OR, span, format!("`{text}` alone is not an operator"), meant.clone(), format!("write {meant}"))
        .edit(span, text.repeat(2))
}

pub(crate) fn foreign_compare(text: &str, span: Span) -> Diagnostic {
    let meant = match text {
        "<>" | "!==" => "!=",
        "=<" => "<=",
        "=>" => ">=",
        _ => "==",
    };
    error(codes::FOREIGN_OPERATOR, span, format!("`{text}` is not an operator"), format!("`{meant}`"), format!("write `{meant}`"))
        .edit(span, meant)
}

pub(crate) fn increment(span: Span, name: &str) -> Diagnostic {
    let name = if is_name(name) { name } else { "x" };
    let help = format!("write `{name} := {name} + 1`");
    error(codes::FOREIGN_OPERATOR, span, "`++` is not an operator", "`:=`", help)
}

/// At the first `-` of `--`.
pub(crate) fn decrement(span: Span, name: &str) -> Diagnostic {
    let name = if is_name(name) { name } else { "x" };
    let help = format!("write `{name} := {name} - 1`");
    error(codes::FOREIGN_OPERATOR, Span::new(span.start, span.end + 1), "`--` is not an operator", "`:=`", help)
}

pub(crate) fn compound_assign(text: &str, span: Span, name: &str) -> Diagnostic {
    let name = if is_name(name) { name } else { "x" };
    let operator = text.trim_end_matches('=');
    let help = format!("write `{name} := {name} {operator} …`");
    error(codes::FOREIGN_OPERATOR, span, format!("`{text}` is not an operator"), "`:=`", help)
}

/// Whether `text` is short enough to repeat, and a name.
fn is_name(text: &str) -> bool {
    text.len() <= 40 && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

pub(crate) fn unary_plus(parser: &Parser<'_>) -> Diagnostic {
    let help = if parser.previous_text() == "+" { "write one `+`" } else { "remove the `+`; a number without a sign is positive" };
    error(codes::FOREIGN_OPERATOR, parser.span(), "`+` needs an operand before it", "an expression", help)
}

pub(crate) fn chained_comparison(text: &str, span: Span) -> Diagnostic {
    let help = "write `a < b && b < c` if all must hold, or put parentheses around one comparison";
    error(codes::CHAINED_COMPARISON, span, "comparisons cannot be chained", "`&&`, `||` or `;`", help)
        .with_note(format!("`a {text} b {text} c` could mean several things"))
}

// Words.

pub(crate) fn misspelt(text: &str, span: Span, meant: &str) -> Diagnostic {
    let help = format!("did you mean `{meant}`?");
    error(codes::UNKNOWN_WORD, span, format!("unknown word {}", quoted(text)), format!("`{meant}`"), help).edit(span, meant)
}

pub(crate) fn superfluous_word(text: &str, span: Span, expected: &str) -> Diagnostic {
    let help = format!("remove {}", quoted(text));
    error(codes::UNKNOWN_WORD, span, format!("{} is no word of the language", quoted(text)), expected, help).edit(span, "")
}

/// At a word that declares a variable; `name` is the variable where it goes
/// with the word because nothing is assigned to it.
pub(crate) fn declaring_word(text: &str, span: Span, name: &str) -> Diagnostic {
    let useless = if name.is_empty() { quoted(text) } else { quoted(&format!("{text} {name}")) };
    let help = format!("remove {useless}: variables need no declaration and start at 0; a name with a capital first letter is shared");
    error(codes::UNKNOWN_WORD, span, format!("{} is no word of the language", quoted(text)), "a statement", help)
}

/// At `elif (…)` and its like.
pub(crate) fn call(text: &str, span: Span) -> Diagnostic {
    let help = "`else if` stands right after the `}` of an `if`";
    error(codes::UNKNOWN_WORD, span, format!("{} cannot be called", quoted(text)), "an expression", help)
}

pub(crate) fn block_form(text: &str, span: Span) -> Diagnostic {
    let help = match similar(text, WORDS.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "blocks belong to `request`, `if`, `else`, `while`, `for`, `atomic` and `fn`".to_owned(),
    };
    error(codes::UNKNOWN_WORD, span, format!("{} cannot have a block", quoted(text)), "`;`, an operator or the end of the block", help)
}

/// `await name`, in languages in which it lets others run.
pub(crate) fn await_form(span: Span) -> Diagnostic {
    let help = "write `yield` where other requests can run, or `await (…)` to wait until a condition holds";
    error(codes::UNSUPPORTED_FORM, span, "`await` needs a condition in parentheses", "`(`", help)
}

/// A function in the way of another language.
pub(crate) fn foreign_function(text: &str, span: Span, handler: bool) -> Diagnostic {
    let help = if handler {
        "write handlers as `request NAME { … }`, and functions as `fn name(x) { … }`"
    } else {
        "write `fn name(x) { … }`"
    };
    error(codes::UNSUPPORTED_FORM, span, format!("functions do not begin with {}", quoted(text)), "`request`, or `fn` for a function", help)
}

/// `fn` or `enum` inside of a request.
pub(crate) fn misplaced_declaration(text: &str, span: Span) -> Diagnostic {
    let help = "move it out of the request, to the top of the file";
    error(codes::UNSUPPORTED_FORM, span, format!("{} cannot stand inside of a request", quoted(text)), "a statement", help)
}

/// Inside one of our forms, at something that does not belong there.
pub(crate) fn form(span: Span, expected: &str, form: &str) -> Diagnostic {
    error(codes::INCOMPLETE_FORM, span, format!("expected {expected}"), expected, format!("write {form}"))
}

/// `{1, 2}` where only a range can stand.
pub(crate) fn set_for_range(span: Span) -> Diagnostic {
    let help = "write a range such as `0..3`; values one by one, as in `{100, 250}`, can only be those of a parameter of a request";
    error(codes::INCOMPLETE_FORM, span, "expected a range such as `0..3`", "a range such as `0..3`", help)
}

/// At the `,` of `[i, j]`.
pub(crate) fn comma_between_indices(span: Span, form: &str) -> Diagnostic {
    error(codes::INCOMPLETE_FORM, span, "each index has brackets of its own", "`]`", format!("write `][` for the `,`, as in {form}"))
}

/// At `var seen[0..3]` within an expression.
pub(crate) fn declaration_in_operand(span: Span) -> Diagnostic {
    let help = "let it stand alone, before the statement that uses the array";
    error(codes::UNSUPPORTED_FORM, span, "an array cannot be declared inside of an expression", "an expression", help)
}

/// At an assignment to `State.Idle`.
pub(crate) fn member_target(span: Span) -> Diagnostic {
    let help = "assign it to a variable: `x := State.Idle`";
    error(codes::BAD_TARGET, span, "a member of an `enum` is constant", "a variable", help)
}

pub(crate) fn missing_bracket(parser: &Parser<'_>, open: Span) -> Diagnostic {
    if parser.at(SyntaxKind::Comma) {
        return comma_between_indices(parser.span(), "`A[i][j]`");
    }
    let found = quoted(parser.text());
    error(codes::INCOMPLETE_FORM, parser.span(), "expected `]` to close the index opened here", "`]`", format!("add `]` before {found}"))
        .edit(parser.after_previous(), "]")
        .also(open, "opened here")
}
