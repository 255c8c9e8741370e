//! The kinds of tokens and nodes in the tree.

/// Declares [`SyntaxKind`] together with the table that turns numbers back
/// into kinds, so that the two cannot differ.
macro_rules! kinds {
    ($($(#[$attribute:meta])* $name:ident,)*) => {
        /// What a token or node of the tree is.
        ///
        /// The tokens come first; [`SyntaxKind::is_token`] tells them apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    Whitespace,
    /// `// …` to the end of the line.
    LineComment,
    /// `/* … */`.
    BlockComment,
    /// A byte-order mark at the start of the text.
    Bom,
    /// Characters that mean nothing here; reported by the lexer.
    Unknown,
    /// Blanks that are not ASCII. Only inside the lexer.
    ForeignBlank,
    /// Two full-width characters that look like one operator. Only inside the lexer.
    ForeignPair,
    /// A word with letters that are not ASCII. Only inside the lexer.
    ForeignName,
    /// `3x`, `1.5`. Only inside the lexer.
    BadNumber,
    /// A number.
    Number,
    /// `"…"` or `'…'`, which the language does not have. Where the end is
    /// missing, a word, so that the brackets of the line stay what they are.
    Text,
    /// A name.
    Name,
    /// `request`
    RequestKw,
    /// `if`
    IfKw,
    /// `else`
    ElseKw,
    /// `while`
    WhileKw,
    /// `yield`
    YieldKw,
    /// `return`, where it is the form and not a variable. So with the words
    /// below: the lexer takes all of them for names, the parser knows better.
    ReturnKw,
    /// `skip`
    SkipKw,
    /// `break`
    BreakKw,
    /// `continue`
    ContinueKw,
    /// `min`
    MinKw,
    /// `max`
    MaxKw,
    /// `atomic`
    AtomicKw,
    /// `lock`
    LockKw,
    /// `unlock`
    UnlockKw,
    /// `await`
    AwaitKw,
    /// `assume`
    AssumeKw,
    /// `assert`
    AssertKw,
    /// `invariant`
    InvariantKw,
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
    Assign,
    /// `;`
    Semicolon,
    /// `,`
    Comma,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `?`
    Question,
    /// `!` or `not`
    Bang,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `==`
    EqualEqual,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `&&` or `and`
    AndAnd,
    /// `||` or `or`
    OrOr,
    /// `=`, after the name of a constant; not an operator.
    Equal,
    /// `&`, which is not an operator.
    Ampersand,
    /// `|`, which is not an operator.
    Pipe,
    /// `:`, before the range of a variable or a parameter.
    Colon,
    /// `.`, between an `enum` and its member.
    Dot,
    /// `..`, between the ends of a range.
    DotDot,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `++`, which is not an operator.
    PlusPlus,
    /// `+=` and `-=`; `*=` and its like, which are not operators.
    CompoundAssign,
    /// `<>`, `===` and their like: comparisons of other languages.
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
    /// `invariant A >= 0`
    Invariant,
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
    /// `{100, 250}`, the values of a parameter one by one.
    ValueSet,
    /// `{ a; b }`
    Block,
    /// `(a; b)` after `if`, `while`, `await`, `assume` or `assert`.
    Condition,
    /// `(a, b)` of a call.
    ArgList,
    /// A number.
    NumberExpr,
    /// A variable that is read.
    NameExpr,
    /// `State.Idle`
    MemberExpr,
    /// `?`
    ChoiceExpr,
    /// `yield`
    YieldExpr,
    /// `(a; b)`
    ParenExpr,
    /// `var seen[0..3]` inside of a request or a function.
    LocalArray,
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
    /// `break`
    BreakExpr,
    /// `continue`
    ContinueExpr,
    /// `min(a, b)`
    MinExpr,
    /// `max(a, b)`
    MaxExpr,
    /// `atomic { a; b }`
    AtomicExpr,
    /// `lock(L)`
    LockExpr,
    /// `unlock(L)`
    UnlockExpr,
    /// `await (c)`
    AwaitExpr,
    /// `assume (c)`
    AssumeExpr,
    /// `assert (c)`
    AssertExpr,
    /// `fresh(V)`
    FreshExpr,
    /// `choose(a, b)` or `choose(0..3)`
    ChooseExpr,
    /// `for i in 0..3 { a }`
    ForExpr,
    /// `name(a, b)`
    CallExpr,
    /// `A[i]`, or `A[i][j]`
    IndexExpr,
    /// What the parser could not use.
    Error,
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
