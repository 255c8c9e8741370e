//! The kinds of tokens and nodes in the tree.

use logos::Logos;

/// Declares [`SyntaxKind`] together with the table that turns numbers back
/// into kinds, so that the two cannot differ.
macro_rules! kinds {
    ($($(#[$attribute:meta])* $name:ident,)*) => {
        /// What a token or node of the tree is.
        ///
        /// The tokens come first; [`SyntaxKind::is_token`] tells them apart.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum SyntaxKind {
            $($(#[$attribute])* $name,)*
        }

        /// All kinds; the position of a kind is its number.
        const KINDS: &[SyntaxKind] = &[$(SyntaxKind::$name,)*];
    };
}

kinds! {
    /// Blanks, tabs and line ends.
    #[regex(r"[ \t\r\n\x0B\x0C]+")]
    Whitespace,
    /// `// …` to the end of the line.
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    /// `/* … */`.
    #[token("/*", to_comment_end)]
    BlockComment,
    /// A byte-order mark at the start of the text.
    #[token("\u{feff}", priority = 20)]
    Bom,
    /// Characters that mean nothing here; reported by the lexer.
    #[regex(r"[^\x00-\x7F]", priority = 1)]
    Unknown,
    /// Blanks that are not ASCII. Only inside the lexer.
    #[regex("[\u{85}\u{a0}\u{1680}\u{2000}-\u{200d}\u{2028}\u{2029}\u{202f}\u{205f}\u{2060}\u{3000}]+", priority = 10)]
    ForeignBlank,
    /// Two full-width characters that look like one operator. Only inside the lexer.
    #[token("：＝")]
    #[token(":＝")]
    #[token("：=")]
    #[token("＝＝")]
    #[token("！＝")]
    #[token("＜＝")]
    #[token("＞＝")]
    #[token("＆＆")]
    #[token("｜｜")]
    ForeignPair,
    /// A word with letters that are not ASCII. Only inside the lexer.
    #[regex(r"[_\p{XID_Start}]\p{XID_Continue}*", priority = 3)]
    ForeignName,
    /// `3x`, `1.5`. Only inside the lexer.
    #[regex(r"[0-9][0-9]*[A-Za-z_][A-Za-z0-9_]*", priority = 8)]
    #[regex(r"[0-9]+\.[0-9][0-9A-Za-z_]*", priority = 8)]
    BadNumber,
    /// A number.
    #[regex(r"[0-9]+", priority = 9)]
    Number,
    /// `"…"` or `'…'`, which the language does not have. Where the end is
    /// missing, a word, so that the brackets of the line stay what they are.
    #[regex(r#""[^"\n]*""#)]
    #[regex(r#""[A-Za-z0-9_]*"#)]
    #[regex(r"'[^'\n]*'")]
    #[regex(r"'[A-Za-z0-9_]*")]
    Text,
    /// A name.
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*", priority = 5)]
    Name,
    /// `request`
    #[token("request", priority = 20)]
    RequestKw,
    /// `if`
    #[token("if", priority = 20)]
    IfKw,
    /// `else`
    #[token("else", priority = 20)]
    ElseKw,
    /// `while`
    #[token("while", priority = 20)]
    WhileKw,
    /// `yield`
    #[token("yield", priority = 20)]
    YieldKw,
    /// `return`, where it is the form and not a variable. So with the words
    /// below: the lexer takes all of them for names, the parser knows better.
    ReturnKw,
    /// `skip`
    SkipKw,
    /// `atomic`
    AtomicKw,
    /// `lock`
    LockKw,
    /// `unlock`
    UnlockKw,
    /// `await`
    AwaitKw,
    /// `choose`
    ChooseKw,
    /// `for`
    ForKw,
    /// `in`
    InKw,
    /// `const`
    ConstKw,
    /// `enum`
    EnumKw,
    /// `var`
    VarKw,
    /// `wrap`
    WrapKw,
    /// `saturate`
    SaturateKw,
    /// `fn`
    FnKw,
    /// `version`
    VersionKw,
    /// `fresh`
    FreshKw,
    /// `:=`
    #[token(":=")]
    Assign,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `,`
    #[token(",")]
    Comma,
    /// `(`
    #[token("(")]
    LeftParen,
    /// `)`
    #[token(")")]
    RightParen,
    /// `{`
    #[token("{")]
    LeftBrace,
    /// `}`
    #[token("}")]
    RightBrace,
    /// `?`
    #[token("?")]
    Question,
    /// `!` or `not`
    #[token("!")]
    Bang,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,
    /// `%`
    #[token("%")]
    Percent,
    /// `==`
    #[token("==")]
    EqualEqual,
    /// `!=`
    #[token("!=")]
    NotEqual,
    /// `<`
    #[token("<")]
    Less,
    /// `<=`
    #[token("<=")]
    LessEqual,
    /// `>`
    #[token(">")]
    Greater,
    /// `>=`
    #[token(">=")]
    GreaterEqual,
    /// `&&` or `and`
    #[token("&&")]
    AndAnd,
    /// `||` or `or`
    #[token("||")]
    OrOr,
    /// `=`, after the name of a constant; not an operator.
    #[token("=")]
    Equal,
    /// `&`, which is not an operator.
    #[token("&")]
    Ampersand,
    /// `|`, which is not an operator.
    #[token("|")]
    Pipe,
    /// `:`, before the range of a variable or a parameter.
    #[token(":")]
    Colon,
    /// `.`, which means nothing.
    #[token(".")]
    Dot,
    /// `..`, between the ends of a range.
    #[token("..")]
    DotDot,
    /// `[`
    #[token("[")]
    LeftBracket,
    /// `]`
    #[token("]")]
    RightBracket,
    /// `++`, which is not an operator.
    #[token("++")]
    PlusPlus,
    /// `+=` and `-=`; `*=` and its like, which are not operators.
    #[token("+=")]
    #[token("-=")]
    #[token("*=")]
    #[token("/=")]
    #[token("%=")]
    CompoundAssign,
    /// `<>`, `===` and their like: comparisons of other languages.
    #[token("<>")]
    #[token("=<")]
    #[token("=>")]
    #[token("===")]
    #[token("!==")]
    ForeignCompare,
    /// Text that was skipped because it is nested too deeply.
    Skipped,
    /// The end of the text; never in the tree.
    End,

    /// The whole text: initial values and requests, or one bare sequence.
    SourceFile,
    /// `A := 100` before the first request.
    Initial,
    /// `const N = 3`
    Const,
    /// `enum State { Idle, Busy }`
    Enum,
    /// `Idle` in an `enum`.
    EnumMember,
    /// `var A: 0..3 := 1`
    Var,
    /// `version V: 2`
    Version,
    /// `fn name(x, y) { … }`
    Function,
    /// `request name { … }`
    Request,
    /// `(x, y)` of a function, `(n: 1..3)` of a request.
    ParamList,
    /// `x` or `n: 1..3`
    Param,
    /// `0..3`, or the name of an `enum`.
    Range,
    /// `{ a; b }`
    Block,
    /// `(a; b)` after `if`, `while` or `await`.
    Condition,
    /// `(a, b)` of a call.
    ArgList,
    /// A number.
    NumberExpr,
    /// A variable that is read.
    NameExpr,
    /// `?`
    ChoiceExpr,
    /// `yield`
    YieldExpr,
    /// `(a; b)`
    ParenExpr,
    /// `x := e`
    AssignExpr,
    /// `return e`
    ReturnExpr,
    /// `!e`
    NotExpr,
    /// `-e`
    NegateExpr,
    /// `a + b - c`, flat.
    SumExpr,
    /// `a * b / c % d`, flat.
    ProductExpr,
    /// `a == b`
    CompareExpr,
    /// `a && b && c`, flat.
    AndExpr,
    /// `a || b || c`, flat.
    OrExpr,
    /// `if (c) { a } else if (d) { b } else { e }`, flat.
    IfExpr,
    /// `while (c) { a }`
    WhileExpr,
    /// `skip`
    SkipExpr,
    /// `atomic { a; b }`
    AtomicExpr,
    /// `lock(L)`
    LockExpr,
    /// `unlock(L)`
    UnlockExpr,
    /// `await (c)`
    AwaitExpr,
    /// `fresh(V)`
    FreshExpr,
    /// `choose(a, b)` or `choose(0..3)`
    ChooseExpr,
    /// `for i in 0..3 { a }`
    ForExpr,
    /// `name(a, b)`
    CallExpr,
    /// `A[i]`
    IndexExpr,
    /// What the parser could not use.
    Error,
}

/// Runs on to the end of a block comment, or of the text where there is none.
fn to_comment_end(lexer: &mut logos::Lexer<'_, SyntaxKind>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |at| at + 2));
}

impl SyntaxKind {
    /// Whether this is a token rather than a node.
    pub fn is_token(self) -> bool {
        self < Self::End
    }

    /// Whether the parser passes over it.
    pub fn is_trivia(self) -> bool {
        matches!(self, Self::Whitespace | Self::LineComment | Self::BlockComment | Self::Bom | Self::Unknown)
    }

    /// Whether it is a word that can never be a name.
    pub fn is_keyword(self) -> bool {
        matches!(self, Self::RequestKw | Self::IfKw | Self::ElseKw | Self::WhileKw | Self::YieldKw)
    }

    /// The kind with this number. Only numbers of kinds are ever stored in a
    /// tree; any other number gives [`SyntaxKind::Error`].
    pub(crate) fn from_number(number: u16) -> Self {
        KINDS.get(usize::from(number)).copied().unwrap_or(Self::Error)
    }
}

/// The number of a kind in the tree of [`rowan`].
pub(crate) fn raw(kind: SyntaxKind) -> rowan::SyntaxKind {
    rowan::SyntaxKind(kind as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_kinds_agree() {
        for (number, &kind) in KINDS.iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(SyntaxKind::from_number(kind as u16), kind);
        }
    }
}
