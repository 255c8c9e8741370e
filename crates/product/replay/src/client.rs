//! What a client does with a script: which statement it issues next, after these answers.
//!
//! The commands of the client (`\set`, `\gset`, `\if`) are carried out as `psql` and `pgbench` do. A session is asked
//! with all answers so far and goes through its script from the beginning, so that it remembers nothing.

use serval_sql::{
    Answered, Comparison, Constant, Isolation, Item, ItemKind, Operation, Scalar, Script, Statement, StatementKind, Workload,
};

use crate::answer::ServerAnswer;
use crate::orders::SessionScript;
use crate::sql_text::{self, ClientValue, ColumnLimits};

/// How a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientState {
    /// It issues this statement.
    Issues(ClientStep),
    /// It is done, and its caller gets this.
    Done(Answered),
    /// The statement failed with 40001 or 40P01: the attempt is to be repeated.
    Repeats,
    /// The client cannot go on.
    Stuck(String),
}

/// A statement that is issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientStep {
    /// The statement.
    pub statement: String,
    /// Its first byte in the bundle.
    pub place: u32,
    /// Whether it begins a transaction and does nothing else.
    pub begins: bool,
}

/// A script with values for its parameters, as a session performs it.
#[derive(Clone, Debug)]
pub struct ScriptSession<'w> {
    workload: &'w Workload,
    limits: &'w ColumnLimits,
    script: &'w Script,
    parameters: Vec<ClientValue>,
    /// Whether statements outside of a transaction get one of their own, so that others can run before it commits.
    stretched: bool,
}

enum Flow {
    On,
    /// There is a next statement, or the end has come.
    Ends(ClientState),
}

/// What a session knows while it goes through its script.
struct Going<'a> {
    answers: &'a [ServerAnswer],
    variables: Vec<Option<ClientValue>>,
    count: i64,
    open: bool,
    told: Answered,
}

impl<'w> ScriptSession<'w> {
    /// A session that performs a script with these values.
    pub fn new(workload: &'w Workload, limits: &'w ColumnLimits, script: usize, parameters: &[String]) -> Option<Self> {
        let script = workload.scripts.get(script)?;
        let parameters = parameters.iter().map(|value| ClientValue::read(value)).collect();
        Some(Self { workload, limits, script, parameters, stretched: false })
    }

    /// The same where each statement outside of a transaction has a BEGIN before it and a COMMIT behind.
    pub fn stretched(self) -> Self {
        Self { stretched: true, ..self }
    }

    /// The script.
    pub fn script(&self) -> &'w Script {
        self.script
    }

    /// How the session stands after these answers.
    pub fn state(&self, answers: &[ServerAnswer]) -> ClientState {
        let variables = vec![None; self.script.variables.len()];
        let mut going = Going { answers, variables, count: 0, open: false, told: Answered::default() };
        loop {
            if let Flow::Ends(state) = self.items(&self.script.body, &mut going) {
                return state;
            }
            let is_done = match &self.script.until {
                None => true,
                Some(until) => match self.value(until, &going) {
                    Ok(value) => value.is_some_and(|value| value.is_true()),
                    Err(why) => return ClientState::Stuck(why),
                },
            };
            if is_done {
                return self.done(going);
            }
            going.told = Answered::default();
        }
    }

    fn done(&self, mut going: Going<'_>) -> ClientState {
        let Some(answer) = self.script.answer.as_ref().filter(|answer| !answer.is_empty()) else {
            return ClientState::Done(ended(going.told));
        };
        let mut row = Vec::new();
        for scalar in answer {
            match self.value(scalar, &going) {
                Ok(value) => row.push(value.map(|value| value.shown())),
                Err(why) => return ClientState::Stuck(why),
            }
        }
        going.told.rows.insert(self.script.span.start, vec![row]);
        ClientState::Done(ended(going.told))
    }

    fn items(&self, items: &[Item], going: &mut Going<'_>) -> Flow {
        for item in items {
            let flow = match &item.kind {
                ItemKind::Begin(level) => {
                    going.open = true;
                    self.issue(self.begin(*level), item.span.start, true, going)
                }
                ItemKind::Commit => self.end("commit", item.span.start, going),
                ItemKind::Rollback => {
                    let flow = self.end("rollback", item.span.start, going);
                    if matches!(flow, Flow::On) {
                        going.told.outcomes.push("rolled back");
                    }
                    flow
                }
                ItemKind::Statement(statement) => self.statement(statement, item.span.start, going),
                ItemKind::Set { variable, value } => match self.value(value, going) {
                    Ok(value) => {
                        going.variables[*variable] = value;
                        Flow::On
                    }
                    Err(why) => Flow::Ends(ClientState::Stuck(why)),
                },
                ItemKind::If { arms, otherwise } => self.branch(arms, otherwise, going),
            };
            if let Flow::Ends(state) = flow {
                return Flow::Ends(state);
            }
        }
        Flow::On
    }

    fn branch(&self, arms: &[(Scalar, Vec<Item>)], otherwise: &[Item], going: &mut Going<'_>) -> Flow {
        for (condition, items) in arms {
            match self.value(condition, going) {
                Ok(value) if value.as_ref().is_some_and(ClientValue::is_true) => return self.items(items, going),
                Ok(_) => {}
                Err(why) => return Flow::Ends(ClientState::Stuck(why)),
            }
        }
        self.items(otherwise, going)
    }

    fn begin(&self, level: Option<Isolation>) -> String {
        format!("begin isolation level {}", self.workload.level_of(self.script, level).name().to_lowercase())
    }

    fn end(&self, word: &str, place: u32, going: &mut Going<'_>) -> Flow {
        going.open = false;
        self.issue(word.to_owned(), place, false, going)
    }

    /// Issues a statement, if its answer is not there already.
    fn issue(&self, statement: String, place: u32, begins: bool, going: &mut Going<'_>) -> Flow {
        let Some((answer, rest)) = going.answers.split_first() else {
            return Flow::Ends(ClientState::Issues(ClientStep { statement, place, begins }));
        };
        going.answers = rest;
        match answer.state() {
            None => Flow::On,
            Some("40001" | "40P01") => Flow::Ends(ClientState::Repeats),
            Some(state) => {
                let known = ["23502", "23503", "23505", "23514", "55P03"].into_iter().zip(ERRORS).find(|(known, _)| *known == state);
                let Some((_, outcome)) = known else { return Flow::Ends(ClientState::Stuck(format!("the server says {state}"))) };
                let mut told = std::mem::take(&mut going.told);
                told.outcomes.push(outcome);
                Flow::Ends(ClientState::Done(ended(told)))
            }
        }
    }

    fn statement(&self, statement: &Statement, place: u32, going: &mut Going<'_>) -> Flow {
        let alone = self.stretched && !going.open;
        if alone && let Flow::Ends(state) = self.issue(self.begin(None), place, true, going) {
            return Flow::Ends(state);
        }
        let text = match self.text(statement, going) {
            Ok(text) => text,
            Err(why) => return Flow::Ends(ClientState::Stuck(why)),
        };
        let answer = going.answers.first().cloned();
        if let Flow::Ends(state) = self.issue(text, place, false, going) {
            return Flow::Ends(state);
        }
        if let Some(answer) = answer
            && let Some(why) = self.taken(statement, place, &answer, going)
        {
            return Flow::Ends(ClientState::Stuck(why));
        }
        if alone { self.issue("commit".to_owned(), place, false, going) } else { Flow::On }
    }

    /// The statement as a server gets it.
    fn text(&self, statement: &Statement, going: &Going<'_>) -> Result<String, String> {
        if let StatementKind::Level(level) = statement.kind {
            let level = self.workload.level_of(self.script, Some(level));
            return Ok(format!("set transaction isolation level {}", level.name().to_lowercase()));
        }
        let values = sql_text::Values {
            parameters: &self.parameters,
            variables: &going.variables,
            count: going.count,
            names: &self.script.variables,
            limits: self.limits,
        };
        sql_text::statement(self.workload, statement, &values)
    }

    /// Takes what a statement gave; says what a client cannot go on with.
    fn taken(&self, statement: &Statement, place: u32, answer: &ServerAnswer, going: &mut Going<'_>) -> Option<String> {
        let rows = answer.rows();
        going.count = match answer {
            ServerAnswer::Rows(table) => i64::try_from(table.rows.len()).unwrap_or(i64::MAX),
            ServerAnswer::Command(tag) => tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0),
            ServerAnswer::Error(_) => 0,
        };
        if matches!(
            statement.kind,
            StatementKind::Select(_) | StatementKind::Insert(_) | StatementKind::Update(_) | StatementKind::Delete(_)
        ) && self.script.answer.is_none()
            && let Some(rows) = rows
        {
            let mut rows = rows.to_vec();
            rows.sort();
            if rows.is_empty() {
                going.told.rows.remove(&place);
            } else {
                going.told.rows.insert(place, rows);
            }
        }
        let into = statement.into.as_ref()?;
        let Some([row]) = rows else {
            return Some(format!("`\\gset` wants one row, and there are {}", rows.map_or(0, <[_]>::len)));
        };
        for (&variable, value) in into.iter().zip(row) {
            going.variables[variable] = value.as_deref().map(ClientValue::read);
        }
        None
    }

    /// The value of an expression of the client.
    fn value(&self, scalar: &Scalar, going: &Going<'_>) -> Result<Option<ClientValue>, String> {
        let number = |value: i64| Some(ClientValue::Number(value));
        let truth = |value: Option<bool>| value.map(|value| ClientValue::Number(i64::from(value)));
        Ok(match scalar {
            Scalar::Constant(Constant::Integer(value)) => number(*value),
            Scalar::Constant(Constant::Boolean(value)) => number(i64::from(*value)),
            Scalar::Constant(Constant::Text(text)) => Some(ClientValue::Text(text.clone())),
            Scalar::Constant(Constant::Null | Constant::Unknown) => None,
            Scalar::Parameter(index) => self.parameters.get(*index).cloned(),
            Scalar::Variable(index) => match going.variables.get(*index).cloned().flatten() {
                None => return Err(format!("the variable `{}` has no value", self.script.variables[*index])),
                value => value,
            },
            Scalar::RowCount => number(going.count),
            Scalar::Arithmetic(operation, left, right) => {
                let (left, right) = (self.integer(left, going)?, self.integer(right, going)?);
                let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
                let value = match operation {
                    Operation::Add => left.checked_add(right),
                    Operation::Subtract => left.checked_sub(right),
                    Operation::Multiply => left.checked_mul(right),
                    Operation::Divide => left.checked_div(right),
                    Operation::Remainder => left.checked_rem(right),
                };
                Some(ClientValue::Number(value.ok_or("a number that the client cannot compute")?))
            }
            Scalar::Compare(comparison, left, right) => {
                let (Some(left), Some(right)) = (self.value(left, going)?, self.value(right, going)?) else { return Ok(None) };
                let order = match (left.number(), right.number()) {
                    (Some(left), Some(right)) => left.cmp(&right),
                    _ => left.shown().cmp(&right.shown()),
                };
                truth(Some(match comparison {
                    Comparison::Equal => order.is_eq(),
                    Comparison::NotEqual => order.is_ne(),
                    Comparison::Less => order.is_lt(),
                    Comparison::LessOrEqual => order.is_le(),
                    Comparison::Greater => order.is_gt(),
                    Comparison::GreaterOrEqual => order.is_ge(),
                }))
            }
            Scalar::And(parts) | Scalar::Or(parts) => {
                let decides = matches!(scalar, Scalar::Or(_));
                let mut unknown = false;
                for part in parts {
                    match self.value(part, going)?.map(|value| value.is_true()) {
                        Some(value) if value == decides => return Ok(truth(Some(decides))),
                        Some(_) => {}
                        None => unknown = true,
                    }
                }
                truth((!unknown).then_some(!decides))
            }
            Scalar::Not(part) => truth(self.value(part, going)?.map(|value| !value.is_true())),
            Scalar::IsNull(part) => truth(Some(self.value(part, going)?.is_none())),
            Scalar::Case(arms, otherwise) => {
                for (condition, value) in arms {
                    if self.value(condition, going)?.is_some_and(|value| value.is_true()) {
                        return self.value(value, going);
                    }
                }
                self.value(otherwise, going)?
            }
            Scalar::Extreme(greatest, parts) => {
                let values = parts.iter().map(|part| self.integer(part, going)).collect::<Result<Vec<_>, _>>()?;
                let values = values.into_iter().flatten();
                if *greatest { values.max() } else { values.min() }.and_then(number)
            }
            Scalar::Coalesce(parts) => {
                for part in parts {
                    if let Some(value) = self.value(part, going)? {
                        return Ok(Some(value));
                    }
                }
                None
            }
            _ => return Err("an expression of the client that is none".to_owned()),
        })
    }

    fn integer(&self, scalar: &Scalar, going: &Going<'_>) -> Result<Option<i64>, String> {
        let value = self.value(scalar, going)?;
        match &value {
            None => Ok(None),
            Some(value) => value.number().map(Some).ok_or_else(|| format!("`{}` is no number", value.shown())),
        }
    }
}

/// Words of the model for errors that are answers.
const ERRORS: [&str; 5] = ["error 23502", "error 23503", "error 23505", "error 23514", "error 55P03"];

fn ended(mut told: Answered) -> Answered {
    told.outcomes.sort_unstable();
    told
}

impl SessionScript for ScriptSession<'_> {
    fn next_statement(&self, answers: &[ServerAnswer]) -> Option<String> {
        match self.state(answers) {
            ClientState::Issues(step) => Some(step.statement),
            _ => None,
        }
    }

    fn goes_on(&self, answers: &[ServerAnswer]) -> bool {
        matches!(self.state(answers), ClientState::Issues(step) if step.begins)
    }
}

/// Settings of the sessions in which a workload runs.
pub fn session_settings(workload: &Workload) -> Vec<(String, String)> {
    let level = workload.settings.forced.unwrap_or(workload.settings.isolation);
    vec![("default_transaction_isolation".to_owned(), level.name().to_lowercase())]
}
