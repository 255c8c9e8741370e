//! What a test asks: `exists`, `~exists` or `forall`, and a condition on final states.

use serval_diagnostic::Span;

use super::operands::{Width, is_name};
use super::piece::TextPiece;
use super::trees::number;
use super::{Column, LitmusReader, Read, Wrong};
use crate::codes;
use crate::grammar::LONGEST;
use crate::limits::MAX_DEPTH;
use crate::tree::{Name, QuestionForm, QuestionItem, Tree, TreeKind};
use crate::value::BinaryOp;

/// Longer ones first.
const SIGNS: &[&str] = &["/\\", "\\/", "!=", "<>", "=>", "==", "=", "~", "(", ")", "[", "]", ":"];

/// The words and signs of a condition, and where one is in them.
struct Tokens<'t> {
    list: Vec<TextPiece<'t>>,
    at: usize,
    end: TextPiece<'t>,
    depth: usize,
    operators: usize,
}

impl<'t> Tokens<'t> {
    fn peek(&self) -> TextPiece<'t> {
        self.list.get(self.at).copied().unwrap_or(self.end)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.at < self.list.len() && self.peek().text == sign;
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> TextPiece<'t> {
        let piece = self.peek();
        self.at += 1;
        piece
    }
}

impl LitmusReader<'_> {
    /// The question at the end of a test.
    pub(super) fn question(&mut self, columns: &mut [Column], piece: TextPiece<'_>) -> Read<QuestionItem> {
        let mut tokens = self.tokens(piece)?;
        let negated = tokens.eat("~");
        let word = tokens.next();
        let kind = match word.text {
            "exists" if negated => QuestionForm::Forall,
            "exists" => QuestionForm::Exists,
            "forall" if !negated => QuestionForm::Forall,
            _ => return Err(self.expected(word, "`exists`, `~exists` or `forall`", "the last part of a test is its question")),
        };
        let mut condition = self.implication(columns, &mut tokens)?;
        if tokens.at < tokens.list.len() {
            return Err(self.expected(tokens.peek(), "the end of the test", "a test has one question"));
        }
        if negated {
            let span = condition.span;
            condition = Tree { kind: TreeKind::Not(Box::new(condition)), span };
        }
        let text = piece.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(QuestionItem { kind, condition, text, span: piece.span() })
    }

    fn tokens<'t>(&mut self, piece: TextPiece<'t>) -> Read<Tokens<'t>> {
        let (mut list, mut rest) = (Vec::new(), piece.trimmed());
        while let Some(first) = rest.text.chars().next() {
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let length = match SIGNS.iter().find(|sign| rest.text.starts_with(**sign)) {
                Some(sign) => sign.len(),
                None if is_letter(first) || first == '-' => {
                    rest.text[1..].find(|letter| !is_letter(letter)).map_or(rest.text.len(), |end| end + 1)
                }
                None => {
                    let (letter, _) = rest.cut(first.len_utf8());
                    return Err(self.expected(letter, "`/\\`, `\\/`, `~`, parentheses, `0:EAX=1` or `x=1`", "remove it"));
                }
            };
            let (token, after) = rest.cut(length);
            list.push(token);
            rest = after.trimmed();
        }
        let end = TextPiece { text: "", start: piece.start + piece.text.len() };
        Ok(Tokens { list, at: 0, end, depth: 0, operators: 0 })
    }

    /// `a => b`, which is `~a \\/ b`.
    fn implication(&mut self, columns: &mut [Column], tokens: &mut Tokens<'_>) -> Read<Tree> {
        let left = self.disjunction(columns, tokens)?;
        if !tokens.eat("=>") {
            return Ok(left);
        }
        self.counted(tokens)?;
        let span = left.span;
        let not = Tree { kind: TreeKind::Not(Box::new(left)), span };
        // It binds to the right.
        tokens.depth += 1;
        if tokens.depth >= MAX_DEPTH {
            return Err(self.too_deep(tokens));
        }
        let right = self.implication(columns, tokens)?;
        tokens.depth -= 1;
        Ok(joined(BinaryOp::Or, not, right))
    }

    fn disjunction(&mut self, columns: &mut [Column], tokens: &mut Tokens<'_>) -> Read<Tree> {
        let mut left = self.conjunction(columns, tokens)?;
        while tokens.eat("\\/") {
            self.counted(tokens)?;
            let right = self.conjunction(columns, tokens)?;
            left = joined(BinaryOp::Or, left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self, columns: &mut [Column], tokens: &mut Tokens<'_>) -> Read<Tree> {
        let mut left = self.unary(columns, tokens)?;
        while tokens.eat("/\\") {
            self.counted(tokens)?;
            let right = self.unary(columns, tokens)?;
            left = joined(BinaryOp::And, left, right);
        }
        Ok(left)
    }

    fn too_deep(&mut self, tokens: &Tokens<'_>) -> Wrong {
        let message = format!("parentheses nest more than {MAX_DEPTH} deep");
        self.refuse(codes::TOO_MUCH, tokens.peek(), message, "less nesting", "write it without them")
    }

    fn counted(&mut self, tokens: &mut Tokens<'_>) -> Read<()> {
        tokens.operators += 1;
        if tokens.operators <= LONGEST {
            return Ok(());
        }
        let message = format!("a condition with more than {LONGEST} operators");
        Err(self.refuse(codes::TOO_MUCH, tokens.peek(), message, "a shorter condition", "split the test"))
    }

    fn unary(&mut self, columns: &mut [Column], tokens: &mut Tokens<'_>) -> Read<Tree> {
        if tokens.depth >= MAX_DEPTH {
            return Err(self.too_deep(tokens));
        }
        tokens.depth += 1;
        let start = tokens.peek().span();
        let read = if tokens.eat("~") || tokens.eat("not") {
            let inner = self.unary(columns, tokens)?;
            let span = start.to(inner.span);
            Ok(Tree { kind: TreeKind::Not(Box::new(inner)), span })
        } else if tokens.eat("(") {
            let inner = self.implication(columns, tokens)?;
            match tokens.eat(")") {
                true => Ok(inner),
                false => Err(self.expected(tokens.peek(), "`)`", "close the parenthesis")),
            }
        } else if tokens.eat("true") {
            Ok(Tree { kind: TreeKind::Number(1), span: start })
        } else if tokens.eat("false") {
            Ok(Tree { kind: TreeKind::Number(0), span: start })
        } else {
            self.comparison(columns, tokens)
        };
        tokens.depth -= 1;
        read
    }

    /// `0:EAX=1`, `x=1` or `[x]=1`.
    fn comparison(&mut self, columns: &mut [Column], tokens: &mut Tokens<'_>) -> Read<Tree> {
        let bracket = tokens.eat("[");
        let first = tokens.next();
        let (left, width) = if !bracket && tokens.eat(":") {
            let name = tokens.next();
            let Some((register, width)) = self.register(name)? else {
                return Err(self.expected(name, "the name of a register", "write `0:EAX`, say"));
            };
            let number = first.text.trim_start_matches('P').parse::<u32>().ok();
            let Some(column) = columns.iter_mut().find(|column| Some(column.number) == number) else {
                let message = format!("there is no thread {}", first.text);
                return Err(self.refuse(
                    codes::BAD_LITMUS,
                    first,
                    message,
                    "the number of a thread",
                    "the first row of the program names them",
                ));
            };
            let span = first.span().to(name.span());
            if column.address(register).is_some() {
                let message = format!("`{}` holds an address, of which conditions do not speak", name.text);
                return Err(self.refuse(codes::BAD_LITMUS, name, message, "a register with a number", "leave it out"));
            }
            if self.exact && width == Width::Narrow && column.long.contains(&register) {
                let message = format!("`{}` is a part of a register that is used with 64 bits here", name.text);
                return Err(self.refuse(codes::OTHER_INSTRUCTION, name, message, "the whole register", "name the register of 64 bits"));
            }
            column.used.entry(register).or_insert(span);
            let owner = Name { text: column.name(), span };
            let register = Name { text: register.name(self.wide).to_owned(), span };
            (Tree { kind: TreeKind::Register(owner, register), span }, width)
        } else {
            if !is_name(first.text) || self.register(first)?.is_some() {
                return Err(self.expected(first, "`0:EAX=1` or `x=1`", "a register has the number of its thread before it"));
            }
            let cell = self.cell(first.text, first.span());
            let number = self.chosen(cell, first, tokens)?;
            if bracket && !tokens.eat("]") {
                return Err(self.expected(tokens.peek(), "`]`", "close the bracket"));
            }
            let target = self.element(cell, number, first.span());
            (Tree { kind: TreeKind::Name(target), span: first.span() }, self.cells[cell].asked())
        };
        let unequal = tokens.eat("!=") || tokens.eat("<>");
        if !unequal && !tokens.eat("=") && !tokens.eat("==") {
            return Err(self.expected(tokens.peek(), "`=`", "compare with a number"));
        }
        let piece = tokens.next();
        let value = self.number(piece)?;
        let value = self.at_width(value, width, piece)?;
        self.counted(tokens)?;
        let right = number(value, piece.span());
        Ok(joined(if unequal { BinaryOp::Unequal } else { BinaryOp::Equal }, left, right))
    }

    /// Which cell of an array is meant: `a[1]`, and the first one where nothing is said.
    fn chosen(&mut self, cell: usize, name: TextPiece<'_>, tokens: &mut Tokens<'_>) -> Read<i64> {
        if !tokens.eat("[") {
            return Ok(0);
        }
        let piece = tokens.next();
        let number = piece.text.parse::<i64>().ok().filter(|number| (0..self.cells[cell].length.unwrap_or(0)).contains(number));
        let Some(number) = number else { return Err(self.no_element(TextPiece { text: piece.text, ..name })) };
        match tokens.eat("]") {
            true => Ok(number),
            false => Err(self.expected(tokens.peek(), "`]`", "close the bracket")),
        }
    }

    pub(super) fn expected(&mut self, piece: TextPiece<'_>, expected: &str, help: &str) -> Wrong {
        let found = match piece.text {
            "" => "the text ends".to_owned(),
            text => format!("found `{:.40}`", text.lines().next().unwrap_or_default()),
        };
        self.refuse(codes::BAD_LITMUS, piece, format!("expected {expected}, but {found}"), expected, help)
    }
}

fn joined(op: BinaryOp, left: Tree, right: Tree) -> Tree {
    let span: Span = left.span.to(right.span);
    Tree { kind: TreeKind::Binary(op, Box::new(left), Box::new(right)), span }
}
