//! The words of the language and its forms: what each looks like, and what it stands for.

/// A form of the language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The word that it begins with.
    pub(crate) word: &'static str,
    /// What is put in for it, with places to fill: `$1`, and `$0` for where writing goes on.
    pub(crate) snippet: &'static str,
    /// What it does, or what it stands for.
    pub(crate) meaning: &'static str,
    /// Whether it stands outside of requests.
    pub(crate) outside: bool,
    /// Whether it stands within requests and functions.
    pub(crate) inside: bool,
}

const fn form(word: &'static str, snippet: &'static str, meaning: &'static str, outside: bool, inside: bool) -> Form {
    Form { word, snippet, meaning, outside, inside }
}

/// All forms, in the order in which they are offered.
pub(crate) const FORMS: &[Form] = &[
    form("request", "request ${1:name} {\n  $0\n}", "A handler: any number of requests of each kind may be in flight.", true, false),
    form("var", "var ${1:Name}: ${2:0..3} := ${3:0}", "A shared variable with its values, or an array: `var A[0..3]: 0..1`.", true, true),
    form("const", "const ${1:NAME} = ${0:1}", "A number with a name.", true, false),
    form("enum", "enum ${1:State} { ${2:Idle}, ${3:Busy} }", "Constants that are numbered from 0, and their range.", true, false),
    form("fn", "fn ${1:name}(${2:x}) {\n  $0\n}", "A function: its body is written out at each call.", true, false),
    form("version", "version ${1:V}: ${2:2}", "A number that never repeats: `t := V`, `t == V`, `fresh(V)`.", true, false),
    form("invariant", "invariant ${0:condition}", "Stands for `assert` right before each `yield` and each answer.", true, false),
    form("yield", "yield", "Ends the step: others may run here. Its value is 0.", false, true),
    form("if", "if (${1:condition}) {\n  $0\n}", "The chosen block; a missing `else` is `else { 0 }`.", false, true),
    form("else", "else {\n  $0\n}", "What happens where no condition holds.", false, true),
    form("while", "while (${1:condition}) {\n  $0\n}", "Repeats its block; its value is 0.", false, true),
    form("for", "for ${1:i} in ${2:0..2} {\n  $0\n}", "The block with each number of the range, one after the other.", false, true),
    form("return", "return ${0:0}", "Ends the request with this answer.", false, true),
    form("lock", "lock(${0:L})", "Stands for `while (L == 1) { yield }; L := 1`.", false, true),
    form("unlock", "unlock(${0:L})", "Stands for `L := 0`.", false, true),
    form("await", "await (${0:condition})", "Stands for `while (!(condition)) { yield }`.", false, true),
    form(
        "assume",
        "assume (${0:condition})",
        "Stands for `while (!(condition)) { 0 }`: the step is made only where it holds.",
        false,
        true,
    ),
    form("assert", "assert (${0:condition})", "Stands for `if (condition) { 0 }`, and else the step fails.", false, true),
    form("atomic", "atomic {\n  $0\n}", "Its block, in which no step may end.", false, true),
    form("choose", "choose(${0:0..3})", "One of several values; each may happen.", false, true),
    form("min", "min(${1:a}, ${2:b})", "The least of several values.", false, true),
    form("max", "max(${1:a}, ${2:b})", "The greatest of several values.", false, true),
    form("fresh", "fresh(${0:V})", "A version that there never was.", false, true),
    form("break", "break", "Leaves the loop.", false, true),
    form("continue", "continue", "Leaves out the rest of the round.", false, true),
    form("skip", "skip", "Stands for `0`.", false, true),
    form("and", "and", "As `&&`: 0 as soon as one is 0, else 1.", false, true),
    form("or", "or", "As `||`: 1 as soon as one is not 0, else 0.", false, true),
    form("not", "not ", "As `!`: 1 for 0, else 0.", false, true),
    form("true", "true", "Stands for `1`.", false, true),
    form("false", "false", "Stands for `0`.", false, true),
    form("wrap", "wrap", "What leaves the range comes in again at the other end.", true, false),
    form("saturate", "saturate", "What leaves the range stays at its end.", true, false),
];

/// Words that begin no form and belong to one all the same.
const OTHERS: &[&str] = &["in"];

/// Whether no symbol is to have this name.
pub(crate) fn is_word(name: &str) -> bool {
    OTHERS.contains(&name) || FORMS.iter().any(|form| form.word == name)
}

/// The form that begins with this word.
pub(crate) fn form_of(word: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.word == word)
}
