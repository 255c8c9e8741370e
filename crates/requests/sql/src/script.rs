//! Scripts: sections of files to typed steps.

use serval_diagnostic::{Diagnostic, Span};
use sqlparser::ast;

use crate::codes;
use crate::lower::Scope;
use crate::names::{Lowered, outside};
use crate::scan::{Chunk, Hole, Text};
use crate::schema::{parsed, parsed_expression};
use crate::workload::{Constant, Isolation, Item, ItemKind, Parameter, Piece, Scalar, Script, Statement, StatementKind, Table};

/// Reads the chunks of one script.
pub(crate) struct Reader<'s> {
    tables: &'s [Table],
    script: Script,
    /// Open branches: what was read before, arms so far, and whether `\else` was there.
    open: Vec<Branch>,
    items: Vec<Item>,
    /// Whether the transaction is READ ONLY.
    read_only: bool,
}

struct Branch {
    span: Span,
    before: Vec<Item>,
    arms: Vec<(Scalar, Vec<Item>)>,
    condition: Option<Scalar>,
}

fn mistake(code: serval_diagnostic::Code, span: Span, message: &str, expected: &str, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, span, message).expected(expected).help(help))
}

impl<'s> Reader<'s> {
    pub(crate) fn new(name: String, span: Span, tables: &'s [Table]) -> Self {
        let (parameters, variables, body, answer, until) = Default::default();
        let (isolation, left_out, observes) = (None, false, false);
        let script = Script { name, span, parameters, variables, body, answer, until, isolation, left_out, observes };
        Self { tables, script, open: Vec::new(), items: Vec::new(), read_only: false }
    }

    /// The script, if all that was opened is closed.
    pub(crate) fn finish(mut self) -> Lowered<Script> {
        if let Some(branch) = self.open.last() {
            return Err(mistake(codes::BAD_CLIENT, branch.span, "`\\if` without `\\endif`", "`\\endif`", "end the branch with `\\endif`"));
        }
        self.script.body = std::mem::take(&mut self.items);
        Ok(self.script)
    }

    pub(crate) fn read(&mut self, chunk: &Chunk) -> Lowered<()> {
        let end = match chunk {
            Chunk::Statement(text) => text.span,
            Chunk::Command { span, .. } | Chunk::Directive { span, .. } | Chunk::Name { span, .. } => *span,
        };
        self.script.span = self.script.span.to(end);
        match chunk {
            Chunk::Statement(text) => self.statement(text),
            Chunk::Command { span, word, rest } => self.command(*span, word, rest),
            Chunk::Directive { span, words } => self.directive(*span, words),
            Chunk::Name { .. } => Ok(()),
        }
    }

    fn push(&mut self, span: Span, kind: ItemKind) {
        self.items.push(Item { span, kind });
    }

    /// What a hole stands for: a variable that is known, else a parameter.
    fn hole(&mut self, hole: &Hole) -> Scalar {
        if hole.name == "ROW_COUNT" {
            return Scalar::RowCount;
        }
        if let Some(variable) = self.script.variables.iter().position(|known| *known == hole.name) {
            return Scalar::Variable(variable);
        }
        Scalar::Parameter(self.parameter(&hole.name, hole.span))
    }

    fn parameter(&mut self, name: &str, span: Span) -> usize {
        let parameters = &mut self.script.parameters;
        parameters.iter().position(|known| known.name == name).unwrap_or_else(|| {
            parameters.push(Parameter { name: name.to_owned(), span, values: None });
            parameters.len() - 1
        })
    }

    fn variable(&mut self, name: &str) -> usize {
        let variables = &mut self.script.variables;
        variables.iter().position(|known| known == name).unwrap_or_else(|| {
            variables.push(name.to_owned());
            variables.len() - 1
        })
    }

    fn holes(&mut self, text: &Text) -> Vec<Scalar> {
        text.holes.iter().map(|hole| self.hole(hole)).collect()
    }

    /// An expression of the client.
    fn expression(&mut self, text: &Text) -> Lowered<Scalar> {
        let holes = self.holes(text);
        let e = parsed_expression(text)?;
        let scope = Scope { tables: self.tables, table: None, alias: None, excluded: false, holes: &holes, span: text.span };
        let scalar = scope.scalar(&e)?;
        let mut bad = None;
        scalar.visit(&mut |part| {
            if matches!(part, Scalar::Aggregate(..) | Scalar::SubSelect(_) | Scalar::Exists(_) | Scalar::Constant(Constant::Unknown)) {
                bad = Some("a SELECT, an aggregate or a random value in an expression of the client");
            }
        });
        bad.map_or(Ok(scalar), |what| Err(outside(text.span, what)))
    }

    fn statement(&mut self, text: &Text) -> Lowered<()> {
        let span = text.span;
        let parsed = parsed(text)?;
        if let ast::Statement::StartTransaction { modes, .. } | ast::Statement::Set(ast::Set::SetTransaction { modes, .. }) = &parsed {
            let read_only = ast::TransactionMode::AccessMode(ast::TransactionAccessMode::ReadOnly);
            self.read_only = modes.contains(&read_only);
        }
        let kind = match &parsed {
            ast::Statement::StartTransaction { modes, .. } => ItemKind::Begin(level_of(modes)),
            ast::Statement::Commit { chain: false, .. } => ItemKind::Commit,
            ast::Statement::Rollback { chain: false, savepoint: None } => ItemKind::Rollback,
            ast::Statement::Rollback { savepoint: Some(_), .. } => return Err(outside(span, "a savepoint")),
            ast::Statement::Set(ast::Set::SetTransaction { modes, snapshot: None, session: false }) => match level_of(modes) {
                Some(level) => ItemKind::Statement(self.made(StatementKind::Level(level), text, Vec::new())),
                None => return Ok(()),
            },
            ast::Statement::Set(_) => return Err(outside(span, "SET in a script")),
            other => {
                let holes = self.holes(text);
                let kind = crate::statements::statement(other, self.tables, &holes, text.strength, span)?;
                let writes = match &kind {
                    StatementKind::Select(select) => select.lock.is_some(),
                    kind => !matches!(kind, StatementKind::Advisory(_) | StatementKind::Level(_) | StatementKind::Lock(_)),
                };
                if self.read_only && writes {
                    return Err(outside(
                        span,
                        "a statement in a READ ONLY transaction that writes or locks rows, which the server refuses (25006),",
                    ));
                }
                ItemKind::Statement(self.made(kind, text, holes))
            }
        };
        self.read_only &= !matches!(kind, ItemKind::Commit | ItemKind::Rollback);
        self.push(span, kind);
        Ok(())
    }

    fn made(&self, kind: StatementKind, text: &Text, holes: Vec<Scalar>) -> Statement {
        Statement { kind, into: None, text: pieces(text, &holes) }
    }

    fn command(&mut self, span: Span, word: &str, rest: &Text) -> Lowered<()> {
        match word {
            "set" => self.set(span, rest),
            "gset" | "aset" => self.gset(span, &rest.sql),
            "if" => {
                let condition = Some(self.expression(rest)?);
                let before = std::mem::take(&mut self.items);
                self.open.push(Branch { span, before, arms: Vec::new(), condition });
                Ok(())
            }
            "elif" => {
                let condition = self.expression(rest)?;
                self.next_arm(span, Some(condition))
            }
            "else" => self.next_arm(span, None),
            "endif" => self.end_if(span),
            "sleep" | "echo" | "qecho" | "timing" | "." => Ok(()),
            _ => Err(mistake(
                codes::BAD_CLIENT,
                span,
                &format!("the command `\\{word}` is not modelled"),
                "`\\set`, `\\gset`, `\\aset`, `\\if`, `\\elif`, `\\else`, `\\endif` or `\\sleep`",
                "leave it out, or say the same with these",
            )),
        }
    }

    fn set(&mut self, span: Span, rest: &Text) -> Lowered<()> {
        let sql = rest.sql.trim_start();
        let length = sql.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(sql.len());
        let (name, value) = (sql[..length].to_owned(), sql[length..].trim());
        if name.is_empty() || value.is_empty() {
            return Err(mistake(codes::BAD_CLIENT, span, "`\\set` without a name or a value", "`\\set NAME VALUE`", "write both"));
        }
        if let Some((low, high)) = random(value) {
            let known = self.script.variables.contains(&name);
            if known || self.in_transaction() {
                return Err(mistake(
                    codes::BAD_CLIENT,
                    span,
                    "`random` after the first statement",
                    "`\\set NAME random(LOW, HIGH)` before `BEGIN`",
                    "draw the value first: it is a parameter of the request",
                ));
            }
            let index = self.parameter(&name, span);
            self.script.parameters[index].values = Some((low, high));
            return Ok(());
        }
        let value = self.expression(&Text { sql: value.to_owned(), ..rest.clone() })?;
        if self.script.parameters.iter().any(|parameter| parameter.name == name) {
            return Err(mistake(
                codes::BAD_CLIENT,
                span,
                &format!("`{name}` is a parameter of the script and is set here"),
                "another name",
                "give the variable a name of its own",
            ));
        }
        let variable = self.variable(&name);
        self.push(span, ItemKind::Set { variable, value });
        Ok(())
    }

    fn in_transaction(&self) -> bool {
        let statement = |item: &Item| matches!(item.kind, ItemKind::Statement(_) | ItemKind::Begin(_));
        self.items.iter().any(statement) || self.open.iter().flat_map(|branch| &branch.before).any(statement)
    }

    fn gset(&mut self, span: Span, prefix: &str) -> Lowered<()> {
        let names = match self.items.last() {
            Some(Item { kind: ItemKind::Statement(statement), .. }) if statement.into.is_none() => match &statement.kind {
                StatementKind::Select(select) => names_of(&select.list),
                StatementKind::Update(update) => names_of(&update.returning),
                StatementKind::Delete(delete) => names_of(&delete.returning),
                StatementKind::Insert(insert) => names_of(&insert.returning),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if names.is_empty() {
            return Err(mistake(
                codes::BAD_CLIENT,
                span,
                "`\\gset` behind a statement that gives no columns",
                "`SELECT … \\gset`",
                "put it right behind a SELECT, or a RETURNING",
            ));
        }
        let variables: Vec<usize> = names.iter().map(|name| self.variable(&format!("{}{name}", prefix.trim()))).collect();
        if let Some(Item { kind: ItemKind::Statement(statement), .. }) = self.items.last_mut() {
            statement.into = Some(variables);
        }
        Ok(())
    }

    fn next_arm(&mut self, span: Span, next: Option<Scalar>) -> Lowered<()> {
        let items = std::mem::take(&mut self.items);
        let stray = || mistake(codes::BAD_CLIENT, span, "this belongs to no `\\if`", "`\\if` before it", "begin the branch with `\\if`");
        let branch = self.open.last_mut().ok_or_else(stray)?;
        let condition = branch.condition.take().ok_or_else(stray)?;
        branch.arms.push((condition, items));
        branch.condition = next;
        Ok(())
    }

    fn end_if(&mut self, span: Span) -> Lowered<()> {
        let items = std::mem::take(&mut self.items);
        let Some(Branch { span: begun, before, mut arms, condition }) = self.open.pop() else {
            return Err(mistake(codes::BAD_CLIENT, span, "`\\endif` without `\\if`", "`\\if` before it", "begin the branch with `\\if`"));
        };
        self.items = before;
        let otherwise = match condition {
            Some(condition) => {
                arms.push((condition, items));
                Vec::new()
            }
            None => items,
        };
        self.push(begun, ItemKind::If { arms, otherwise });
        Ok(())
    }

    fn directive(&mut self, span: Span, words: &str) -> Lowered<()> {
        let bad = |expected: &str| {
            mistake(codes::BAD_DIRECTIVE, span, &format!("`{words}` is not understood"), expected, "mend it, or leave it out")
        };
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        match word {
            "param" => {
                let (name, range) = rest.trim().split_once(' ').ok_or_else(|| bad("`param NAME LOW..HIGH`"))?;
                let values = crate::settings::range_of(range).ok_or_else(|| bad("`param NAME LOW..HIGH`"))?;
                let name = name.trim_start_matches([':', '$', '@']);
                let index = self.parameter(name, span);
                self.script.parameters[index].values = Some(values);
                Ok(())
            }
            "answer" => {
                let rest = rest.trim();
                if rest == "nothing" {
                    self.script.answer = Some(Vec::new());
                    return Ok(());
                }
                let mut answer = Vec::new();
                for part in rest.split(',') {
                    let name = part.trim().trim_start_matches([':', '@', '$']);
                    if name.is_empty() || !part.trim().starts_with([':', '@', '$']) {
                        return Err(bad("`answer nothing`, or `answer :NAME, :NAME`"));
                    }
                    // Variables that are set later are known when all is read.
                    answer.push(match self.script.parameters.iter().position(|known| known.name == name) {
                        Some(parameter) => Scalar::Parameter(parameter),
                        None if name == "ROW_COUNT" => Scalar::RowCount,
                        None => Scalar::Variable(self.variable(name)),
                    });
                }
                self.script.answer = Some(answer);
                Ok(())
            }
            "repeat" => {
                let name = rest.trim().strip_prefix("until").map(|name| name.trim().trim_start_matches(':').to_owned());
                let name = name.filter(|name| !name.is_empty()).ok_or_else(|| bad("`repeat until :NAME`"))?;
                self.script.until = Some(if name == "ROW_COUNT" { Scalar::RowCount } else { Scalar::Variable(self.variable(&name)) });
                Ok(())
            }
            "on" => Err(outside(span, "a client that does not repeat")),
            _ => Err(bad("`param`, `answer` or `repeat` in a script; `range`, `rows`, `shared` and `version` belong to the schema")),
        }
    }
}

fn names_of(list: &[(String, Scalar)]) -> Vec<String> {
    list.iter().map(|(name, _)| name.clone()).collect()
}

fn level_of(modes: &[ast::TransactionMode]) -> Option<Isolation> {
    modes.iter().find_map(|mode| match mode {
        ast::TransactionMode::IsolationLevel(level) => Some(match level {
            ast::TransactionIsolationLevel::ReadUncommitted | ast::TransactionIsolationLevel::ReadCommitted => Isolation::ReadCommitted,
            ast::TransactionIsolationLevel::RepeatableRead | ast::TransactionIsolationLevel::Snapshot => Isolation::RepeatableRead,
            ast::TransactionIsolationLevel::Serializable => Isolation::Serializable,
        }),
        ast::TransactionMode::AccessMode(_) => None,
    })
}

/// `random(1, 3)`
fn random(value: &str) -> Option<(i64, i64)> {
    let inside = value.trim().strip_prefix("random")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (low, high) = inside.split_once(',')?;
    let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (low <= high).then_some((low, high))
}

/// The text of a statement for a server.
fn pieces(text: &Text, holes: &[Scalar]) -> Vec<Piece> {
    let (mut pieces, mut rest) = (Vec::new(), text.sql.as_str());
    for (index, hole) in holes.iter().enumerate() {
        let placeholder = format!("${}", index + 1);
        let Some((before, after)) = rest.split_once(&placeholder) else { continue };
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(match hole {
            Scalar::Parameter(index) => Piece::Parameter(*index),
            Scalar::Variable(index) => Piece::Variable(*index),
            _ => Piece::RowCount,
        });
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    if text.strength.is_none() {
        return pieces;
    }
    // The strength was written as the parser knows it.
    let (known, meant) = match text.strength {
        Some(crate::workload::Strength::KeyShare) => ("FOR SHARE", "FOR KEY SHARE"),
        _ => ("FOR UPDATE", "FOR NO KEY UPDATE"),
    };
    for piece in &mut pieces {
        if let Piece::Text(text) = piece {
            *text = text.replace(known, meant);
        }
    }
    pieces
}
