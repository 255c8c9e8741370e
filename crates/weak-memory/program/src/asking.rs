//! Questions that do not stand in the program.

use serval_diagnostic::{Diagnostic, Span};

use crate::program::{Program, Question};
use crate::{codes, grammar, limits, lower, tokens};

impl Program {
    /// The program with one question more, which is written as in a program; its last `;` may be left out. What is
    /// wrong with it has places in its own text.
    ///
    /// ```
    /// let program = serval_tso_program::read("memory x; thread P { x := 1; l: r := x; }").unwrap();
    /// assert_eq!(program.asking("never P@l && P.r == 1").unwrap().questions.len(), 1);
    /// let wrong = program.asking("never P.s == 1").unwrap_err();
    /// assert_eq!(wrong[0].message, "P has no register `s`");
    /// ```
    pub fn asking(&self, question: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        match asked(self, question, &mut diagnostics) {
            Some(question) if diagnostics.is_empty() => {
                let mut program = self.clone();
                program.questions.push(question);
                Ok(program)
            }
            _ => {
                diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
                diagnostics.truncate(limits::MAX_SHOWN);
                Err(diagnostics)
            }
        }
    }
}

fn asked(program: &Program, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Question> {
    limits::check_size(text, diagnostics)?;
    let mut tokens = tokens::tokens(text, diagnostics);
    // The end is the last token.
    let end = tokens.pop()?;
    if tokens.last().is_none_or(|last| last.kind != tokens::Kind::Sign(";")) {
        tokens.push(tokens::Token { kind: tokens::Kind::Sign(";"), span: end.span });
    }
    tokens.push(end);
    let file = grammar::parse(text, &tokens, diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let alone = file.cells.is_empty() && file.threads.is_empty() && file.values.is_empty();
    let [item] = file.questions.as_slice() else {
        diagnostics.push(not_one());
        return None;
    };
    if !alone {
        diagnostics.push(not_one());
        return None;
    }
    let question = lower::ask(program, item, diagnostics)?;
    // It stands nowhere in the program.
    Some(Question { span: Span::default(), ..question })
}

fn not_one() -> Diagnostic {
    let one = Diagnostic::error(codes::UNEXPECTED, Span::new(0, 0), "this is not one question");
    one.expected("`never …`, `exists …` or `forall …`").help("write one question")
}
