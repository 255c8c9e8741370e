//! The part of Lustre that is written, read by a grammar of its own and run.
//!
//! ```text
//! program  = node*
//! node     = "node" ID "(" params? ")" "returns" "(" params? ")" ";" ("var" (params ";")+)? "let" item* "tel" ";"?
//! params   = ids ":" type (";" ids ":" type)*
//! item     = "assert" expr ";" | ID "=" expr ";" | "--%PROPERTY" ID ";"
//! expr     = "if" expr "then" expr "else" expr | or ("->" expr)?
//! or       = and ("or" and)*          and  = not ("and" not)*        not = "not" not | cmp
//! cmp      = sum (("=" | ">=" | "<=" | "<" | ">") sum)?               sum = product (("+" | "-") product)*
//! product  = unary ("*" unary)*
//! unary    = "pre" unary | ID | ID "(" expr ")" | NUMBER | "true" | "false" | "(" expr ")"
//! ```

use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Bool(bool),
    Int(i128),
    Name(String),
    Call(String, Box<Expr>),
    Pre(Box<Expr>),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    If(Box<[Expr; 3]>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) inputs: Vec<(String, String)>,
    pub(crate) outputs: Vec<(String, String)>,
    pub(crate) locals: Vec<(String, String)>,
    pub(crate) equations: BTreeMap<String, Expr>,
    pub(crate) asserts: Vec<Expr>,
    pub(crate) properties: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Bool(bool),
    Int(i128),
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        assert_eq!(line, line.trim_end(), "a blank at the end");
        let code = match line.find("--") {
            Some(at) if line[at..].starts_with("--%PROPERTY ") => {
                tokens.push("--%PROPERTY".to_owned());
                &line[at + 12..]
            }
            Some(at) => &line[..at],
            None => line,
        };
        let bytes = code.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &code[at..];
            let length = match bytes[at] {
                b' ' => 0,
                byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                    rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
                }
                _ if ["->", ">=", "<="].iter().any(|two| rest.starts_with(two)) => 2,
                byte if b"();:,=<>+-*".contains(&byte) => 1,
                byte => panic!("no token begins with {:?} in {line}", char::from(byte)),
            };
            if length > 0 {
                tokens.push(rest[..length].to_owned());
            }
            at += length.max(1);
        }
    }
    tokens
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
}

/// The nodes of a program.
pub(crate) fn parse(text: &str) -> Vec<Node> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut nodes = Vec::new();
    while parser.at < parser.tokens.len() {
        nodes.push(parser.node());
    }
    for node in &nodes {
        check(node, &nodes);
    }
    nodes
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.peek() == token;
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, token: &str) {
        assert!(
            self.take(token),
            "expected {token} at {:?}",
            &self.tokens[self.at.saturating_sub(5)..(self.at + 3).min(self.tokens.len())]
        );
    }

    fn id(&mut self) -> String {
        let id = self.next();
        let reserved = ["node", "returns", "var", "let", "tel", "assert", "if", "then", "else", "pre", "not", "and", "or", "true", "false"];
        assert!(id.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'), "{id} is no identifier");
        assert!(!reserved.contains(&id.as_str()) && !["int", "bool", "real"].contains(&id.as_str()), "{id} is reserved");
        id
    }

    fn params(&mut self, end: &str) -> Vec<(String, String)> {
        let mut params = Vec::new();
        while self.peek() != end {
            let mut ids = vec![self.id()];
            while self.take(",") {
                ids.push(self.id());
            }
            self.expect(":");
            let kind = self.next();
            assert!(kind == "int" || kind == "bool");
            params.extend(ids.into_iter().map(|id| (id, kind.clone())));
            if !self.take(";") {
                break;
            }
        }
        params
    }

    fn node(&mut self) -> Node {
        self.expect("node");
        let mut node =
            Node { name: if self.peek() == "main" || self.peek() == "bool2int" { self.next() } else { self.id() }, ..Node::default() };
        self.expect("(");
        node.inputs = self.params(")");
        self.expect(")");
        self.expect("returns");
        self.expect("(");
        node.outputs = self.params(")");
        assert!(!node.outputs.is_empty());
        self.expect(")");
        self.expect(";");
        if self.take("var") {
            node.locals = self.params("let");
        }
        self.expect("let");
        while !self.take("tel") {
            if self.take("assert") {
                let expr = self.expr();
                node.asserts.push(expr);
            } else if self.take("--%PROPERTY") {
                let id = self.id();
                node.properties.push(id);
            } else {
                let id = self.id();
                self.expect("=");
                let expr = self.expr();
                assert!(node.equations.insert(id.clone(), expr).is_none(), "{id} is defined twice");
            }
            self.expect(";");
        }
        self.take(";");
        node
    }

    fn expr(&mut self) -> Expr {
        if self.take("if") {
            // Chains are long: they are unrolled here and built from the end.
            let mut cases = Vec::new();
            let last = loop {
                let condition = self.expr();
                self.expect("then");
                let value = self.expr();
                self.expect("else");
                cases.push((condition, value));
                if !self.take("if") {
                    break self.expr();
                }
            };
            return cases.into_iter().rev().fold(last, |rest, (condition, value)| Expr::If(Box::new([condition, value, rest])));
        }
        let left = self.binary(0);
        if self.take("->") {
            let right = self.expr();
            return Expr::Binary("->", Box::new(left), Box::new(right));
        }
        left
    }

    fn binary(&mut self, level: usize) -> Expr {
        const LEVELS: [&[&str]; 5] = [&["or"], &["and"], &["=", ">=", "<=", "<", ">"], &["+", "-"], &["*"]];
        if level == 2 && self.take("not") {
            return Expr::Not(Box::new(self.binary(2)));
        }
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        while let Some(operator) = operators.iter().find(|operator| **operator == self.peek()) {
            self.at += 1;
            let right = self.binary(level + 1);
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
            if level == 2 {
                break;
            }
        }
        left
    }

    fn unary(&mut self) -> Expr {
        if self.take("pre") {
            return Expr::Pre(Box::new(self.unary()));
        }
        if self.take("(") {
            let inner = self.expr();
            self.expect(")");
            return inner;
        }
        match self.peek() {
            "true" | "false" => Expr::Bool(self.next() == "true"),
            number if number.starts_with(|first: char| first.is_ascii_digit()) => Expr::Int(self.next().parse().unwrap()),
            "bool2int" => {
                let name = self.next();
                self.expect("(");
                let argument = self.expr();
                self.expect(")");
                Expr::Call(name, Box::new(argument))
            }
            _ => Expr::Name(self.id()),
        }
    }
}

/// Every variable has one definition of its type, and every name is one.
fn check(node: &Node, nodes: &[Node]) {
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    for (name, kind) in node.inputs.iter().chain(&node.outputs).chain(&node.locals) {
        assert!(kinds.insert(name, kind).is_none(), "{name} is declared twice");
    }
    for (name, _) in node.outputs.iter().chain(&node.locals) {
        assert_eq!(kind_of(&node.equations[name], &kinds, nodes), kinds[name.as_str()], "{name}");
    }
    assert_eq!(node.equations.len(), node.outputs.len() + node.locals.len());
    for assertion in &node.asserts {
        assert_eq!(kind_of(assertion, &kinds, nodes), "bool");
    }
    for property in &node.properties {
        assert_eq!(kinds[property.as_str()], "bool");
    }
}

fn kind_of(expr: &Expr, kinds: &HashMap<&str, &str>, nodes: &[Node]) -> &'static str {
    let kind = |expr: &Expr| kind_of(expr, kinds, nodes);
    match expr {
        Expr::Bool(_) => "bool",
        Expr::Int(_) => "int",
        Expr::Name(name) => {
            if kinds.get(name.as_str()).unwrap_or_else(|| panic!("{name} is not declared")) == &"int" {
                "int"
            } else {
                "bool"
            }
        }
        Expr::Call(name, argument) => {
            assert!(nodes.iter().any(|node| node.name == *name) && kind(argument) == "bool");
            "int"
        }
        Expr::Pre(inner) => kind(inner),
        Expr::Not(inner) => {
            assert_eq!(kind(inner), "bool");
            "bool"
        }
        Expr::Binary(operator, left, right) => {
            let (left, right) = (kind(left), kind(right));
            assert_eq!(left, right);
            match *operator {
                "and" | "or" => {
                    assert_eq!(left, "bool");
                    "bool"
                }
                "+" | "-" | "*" => {
                    assert_eq!(left, "int");
                    "int"
                }
                "->" => left,
                _ => "bool",
            }
        }
        Expr::If(parts) => {
            let [condition, yes, no] = &**parts;
            assert_eq!((kind(condition), kind(yes)), ("bool", kind(no)));
            kind(yes)
        }
    }
}

/// A node at work.
pub(crate) struct Machine<'a> {
    node: &'a Node,
    /// The values of the last instant.
    last: Option<HashMap<String, Value>>,
    now: HashMap<String, Value>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(node: &'a Node) -> Self {
        Self { node, last: None, now: HashMap::new() }
    }

    /// One instant with these inputs: whether all assertions hold. The values are there to be looked at until the next.
    pub(crate) fn instant(&mut self, inputs: &HashMap<String, bool>) -> bool {
        self.now = inputs.iter().map(|(name, value)| (name.clone(), Value::Bool(*value))).collect();
        for name in self.node.equations.keys() {
            self.value(name);
        }
        self.node.asserts.iter().all(|assertion| self.eval(assertion) == Value::Bool(true))
    }

    /// Goes on to the next instant.
    pub(crate) fn advance(&mut self) {
        self.last = Some(std::mem::take(&mut self.now));
    }

    pub(crate) fn value(&mut self, name: &str) -> Value {
        if let Some(value) = self.now.get(name) {
            return *value;
        }
        let value = self.eval(&self.node.equations[name]);
        self.now.insert(name.to_owned(), value);
        value
    }

    pub(crate) fn bool(&mut self, name: &str) -> bool {
        self.value(name) == Value::Bool(true)
    }

    fn truth(&mut self, expr: &Expr) -> bool {
        self.eval(expr) == Value::Bool(true)
    }

    fn int(&mut self, expr: &Expr) -> i128 {
        match self.eval(expr) {
            Value::Int(value) => value,
            Value::Bool(_) => panic!("a number was expected"),
        }
    }

    fn eval(&mut self, expr: &Expr) -> Value {
        let mut expr = expr;
        loop {
            return match expr {
                Expr::Bool(value) => Value::Bool(*value),
                Expr::Int(value) => Value::Int(*value),
                Expr::Name(name) => self.value(name),
                Expr::Call(_, argument) => Value::Int(i128::from(self.truth(argument))),
                Expr::Pre(inner) => match (&**inner, &self.last) {
                    (Expr::Name(name), Some(last)) => last[name],
                    other => panic!("pre of {other:?}"),
                },
                Expr::Not(inner) => Value::Bool(!self.truth(inner)),
                Expr::If(parts) => {
                    let [condition, yes, no] = &**parts;
                    expr = if self.truth(condition) { yes } else { no };
                    continue;
                }
                Expr::Binary("->", left, right) => {
                    expr = if self.last.is_none() { left } else { right };
                    continue;
                }
                Expr::Binary("and", left, right) => Value::Bool(self.truth(left) && self.truth(right)),
                Expr::Binary("or", left, right) => Value::Bool(self.truth(left) || self.truth(right)),
                Expr::Binary("=", left, right) => Value::Bool(self.eval(left) == self.eval(right)),
                Expr::Binary(operator, left, right) => {
                    let (left, right) = (self.int(left), self.int(right));
                    match *operator {
                        ">=" => Value::Bool(left >= right),
                        "<=" => Value::Bool(left <= right),
                        "<" => Value::Bool(left < right),
                        ">" => Value::Bool(left > right),
                        "+" => Value::Int(left + right),
                        "-" => Value::Int(left - right),
                        _ => Value::Int(left * right),
                    }
                }
            };
        }
    }
}
