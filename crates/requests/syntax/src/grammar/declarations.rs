//! The grammar of what is declared outside of requests: `const`, `enum`,
//! `var`, `version`, `invariant`, `fn`, and of parameters and ranges.

use super::kind::SyntaxKind::{self, *};
use super::mistakes;
use super::parser::{List, Parser};

/// How each of these forms looks, for those who got it wrong.
const CONST: &str = "`const N = 3`";
const ENUM: &str = "`enum State { Idle, Busy }`";
const VAR: &str = "`var A: 0..3 := 1`, or `var A[0..3]: 0..1` for an array";
const LOCAL_ARRAY: &str = "`var seen[0..3]`, or `var grid[0..1][0..3]` for two indices";
const VERSION: &str = "`version V: 2`, where at most 2 requests remember a version at once";
const FUNCTION: &str = "`fn name(x, y) { … }`";
const REQUEST_PARAMS: &str = "`request name(amount: 1..3) { … }`";
const VALUE_SET: &str = "`request name(amount: {100, 250}) { … }`";

impl Parser<'_> {
    /// At `const`, `enum`, `var`, `version` or `fn` with a name behind it. In a file
    /// without such a declaration these words are names like others.
    pub(crate) fn at_declaration(&self) -> bool {
        self.at_invariant() || self.at(Name) && matches!(self.text(), "const" | "enum" | "var" | "version" | "fn") && self.name_follows()
    }

    /// One declaration, and a `;` or `,` after it.
    pub(crate) fn declaration(&mut self) {
        // Outside of requests nothing closes a list but the end of the file.
        let outer = std::mem::replace(&mut self.list, List::File);
        match self.text() {
            "const" => self.constant(),
            "enum" => self.enumeration(),
            "var" => self.var(),
            "version" => self.version(),
            "invariant" => self.invariant(),
            _ => self.function(),
        }
        self.list = outer;
        if matches!(self.current(), Comma | Semicolon) {
            self.bump();
        }
    }

    /// `const N = 3`; `:=` is as good as `=`.
    fn constant(&mut self) {
        self.start(Const);
        self.bump_as(ConstKw);
        self.bump();
        if self.at(Equal) || self.at(Assign) {
            self.bump();
            self.assignment();
        } else {
            self.expect(Equal, "`=` and a value", CONST);
        }
        self.end();
    }

    fn enumeration(&mut self) {
        self.start(Enum);
        self.bump_as(EnumKw);
        self.bump();
        if self.expect(LeftBrace, "`{` and names", ENUM) {
            while self.at(Name) {
                self.start(EnumMember);
                self.bump();
                self.end();
                if !self.eat(Comma) {
                    break;
                }
            }
            if !self.expect(RightBrace, "a name, `,` or `}`", ENUM) {
                self.skip_to(|kind| matches!(kind, RightBrace | Semicolon));
                self.eat(RightBrace);
            }
        } else {
            self.skip_line();
        }
        self.end();
    }

    /// `var A[0..3]: 0..9 wrap := 1`; everything but the name may be missing.
    fn var(&mut self) {
        self.start(Var);
        self.var_parts(VAR);
        self.end();
    }

    /// At `var` with a name and `[` behind it.
    pub(crate) fn at_local_array(&self) -> bool {
        self.at(Name) && self.text() == "var" && self.name_follows() && self.ahead(2) == LeftBracket
    }

    /// `var seen[0..3]` inside of a request or a function.
    pub(crate) fn local_array(&mut self) -> u32 {
        self.start(LocalArray);
        self.var_parts(LOCAL_ARRAY);
        self.end();
        self.bounded(4)
    }

    /// What stands in a `var`, from the word on.
    fn var_parts(&mut self, form: &'static str) {
        self.bump_as(VarKw);
        self.bump();
        while self.eat(LeftBracket) {
            self.range(form);
            if self.at(Comma) {
                self.error(|p| mistakes::comma_between_indices(p.span(), "`var A[0..3][0..1]`"));
                self.skip_to(|kind| matches!(kind, RightBracket | Semicolon | RightBrace | RightParen));
                self.eat(RightBracket);
            } else {
                self.expect(RightBracket, "`]`", form);
            }
        }
        if self.eat(Colon) {
            self.range(form);
        }
        self.fit();
        if self.at(Equal) {
            self.error(|p| mistakes::single_equal(p.span(), ":="));
            self.bump_as(Assign);
            self.assignment();
        } else if self.eat(Assign) {
            self.assignment();
            self.fit();
        }
    }

    /// `version V: 2`
    fn version(&mut self) {
        self.start(Version);
        self.bump_as(VersionKw);
        self.bump();
        if self.expect(Colon, "`:` and a number", VERSION) {
            self.sum();
        } else {
            self.skip_line();
        }
        self.end();
    }

    /// At `invariant` and a condition that begins with a name: nothing else has two names in a row.
    fn at_invariant(&self) -> bool {
        self.at(Name) && self.text() == "invariant" && self.name_follows()
    }

    /// At `invariant` outside of all requests of a file that has some, before whatever a condition begins with. There
    /// no expression can stand.
    pub(crate) fn at_invariant_item(&self) -> bool {
        self.at(Name) && self.text() == "invariant" && self.ahead(1).can_start_expression()
    }

    /// `invariant A >= 0`
    pub(crate) fn invariant(&mut self) {
        self.start(Invariant);
        self.bump_as(InvariantKw);
        self.assignment();
        self.end();
    }

    /// `wrap` or `saturate`, before the initial value or after it.
    fn fit(&mut self) {
        match (self.current(), self.text()) {
            (Name, "wrap") if self.ahead(1) != LeftBrace => self.bump_as(WrapKw),
            (Name, "saturate") if self.ahead(1) != LeftBrace => self.bump_as(SaturateKw),
            _ => {}
        }
    }

    /// `fn name(x, y) { … }`
    fn function(&mut self) {
        self.start(Function);
        self.too_high = false;
        self.closed_braces.clear();
        self.bump_as(FnKw);
        self.bump();
        if self.at(LeftParen) {
            self.start(ParamList);
            self.bump();
            while self.at(Name) {
                self.start(Param);
                self.bump();
                if self.at(Colon) {
                    self.error(|p| mistakes::form(p.span(), "`,` or `)`", FUNCTION).help("parameters of functions have no ranges"));
                    self.bump();
                    if self.at(LeftBrace) {
                        self.skip_to(|kind| kind == RightBrace);
                        self.eat(RightBrace);
                    }
                    self.skip_to(|kind| matches!(kind, Comma | RightParen | LeftBrace));
                }
                self.end();
                if !self.eat(Comma) {
                    break;
                }
            }
            self.end_params(FUNCTION);
        } else {
            self.error(|p| mistakes::form(p.span(), "`(` and parameters", FUNCTION));
        }
        self.block("the body of the function");
        self.end();
    }

    /// `(amount: 1..3)` of a request.
    pub(crate) fn request_params(&mut self) {
        self.start(ParamList);
        self.bump();
        while self.at(Name) {
            self.start(Param);
            self.bump();
            if self.expect(Colon, "`:` and the values that it can have", REQUEST_PARAMS) {
                if self.at(LeftBrace) { self.value_set() } else { self.range(REQUEST_PARAMS) }
            } else {
                self.skip_to(|kind| matches!(kind, Comma | RightParen | LeftBrace));
            }
            self.end();
            if !self.eat(Comma) {
                break;
            }
        }
        self.end_params(REQUEST_PARAMS);
    }

    /// `{100, 250}`; whether there is a value at all is seen later.
    fn value_set(&mut self) {
        self.start(ValueSet);
        self.open_braces.push(self.span());
        self.bump();
        while !self.at(RightBrace) {
            if !self.current().can_start_expression() {
                self.error(|p| mistakes::form(p.span(), "a value or `}`", VALUE_SET));
                break;
            }
            self.sum();
            if !self.eat(Comma) {
                break;
            }
        }
        self.open_braces.pop();
        if !self.at(RightBrace) {
            self.error(|p| {
                let error = mistakes::form(p.span(), "`,` or `}`", VALUE_SET);
                if p.at(DotDot) { error.help("a range stands without braces: `amount: 0..3`") } else { error }
            });
            self.skip_to(|kind| matches!(kind, RightBrace | RightParen | LeftBrace));
        }
        self.eat(RightBrace);
        self.end();
    }

    fn end_params(&mut self, form: &'static str) {
        if !self.expect(RightParen, "a name, `,` or `)`", form) {
            self.skip_to(|kind| matches!(kind, RightParen | LeftBrace | RightBrace));
            self.eat(RightParen);
        }
        self.end();
    }

    /// `0..3`, or the name of an `enum`.
    pub(crate) fn range(&mut self, form: &'static str) {
        self.start(Range);
        if self.at_map() {
            self.pass_map();
        } else if self.current().can_start_expression() {
            self.sum();
            if self.eat(DotDot) {
                self.sum();
            }
        } else if self.at(LeftBrace) && (self.list != List::Condition || self.ahead(2) == Comma) {
            self.error(|p| mistakes::set_for_range(p.span()));
            self.skip_to(|kind| matches!(kind, RightBrace | Semicolon));
            self.eat(RightBrace);
        } else {
            self.error(|p| mistakes::form(p.span(), "a range such as `0..3`", form));
        }
        self.end();
    }

    /// Moves on if the token is the one that the form needs; complains if not.
    pub(crate) fn expect(&mut self, kind: SyntaxKind, expected: &str, form: &'static str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.error(|p| mistakes::form(p.span(), expected, form));
        }
        found
    }
}
