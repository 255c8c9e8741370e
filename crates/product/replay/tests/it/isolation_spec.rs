//! Reads the files of PostgreSQL's isolation tester.

/// A file `NAME.spec`.
#[derive(Default)]
pub(crate) struct IsolationSpec {
    pub(crate) setups: Vec<String>,
    pub(crate) teardown: Vec<String>,
    pub(crate) sessions: Vec<SpecSession>,
    pub(crate) permutations: Vec<Vec<String>>,
}

#[derive(Default)]
pub(crate) struct SpecSession {
    pub(crate) setup: Option<String>,
    pub(crate) teardown: Option<String>,
    /// Names and statements.
    pub(crate) steps: Vec<(String, String)>,
}

enum Piece {
    Word(String),
    Block(String),
}

fn pieces(text: &str) -> Vec<Piece> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '{' => {
                let end = rest.find('}').unwrap();
                pieces.push(Piece::Block(rest[1..end].to_owned()));
                end + 1
            }
            '"' => {
                let end = rest[1..].find('"').unwrap() + 1;
                pieces.push(Piece::Word(rest[1..end].to_owned()));
                end + 1
            }
            _ if letter.is_whitespace() => letter.len_utf8(),
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || c == '{' || c == '#').unwrap_or(rest.len());
                pieces.push(Piece::Word(rest[..end].to_owned()));
                end
            }
        };
        rest = &rest[length..];
    }
    pieces
}

pub(crate) fn read(text: &str) -> IsolationSpec {
    let mut spec = IsolationSpec::default();
    let mut pieces = pieces(text).into_iter().peekable();
    while let Some(piece) = pieces.next() {
        let Piece::Word(word) = piece else { panic!("a block without a word") };
        let mut next = || pieces.next().unwrap();
        match word.as_str() {
            "setup" | "teardown" => {
                let Piece::Block(block) = next() else { panic!("{word} without a block") };
                match (spec.sessions.last_mut(), word == "setup") {
                    (None, true) => spec.setups.push(block),
                    (None, false) => spec.teardown.push(block),
                    (Some(session), true) => session.setup = Some(block),
                    (Some(session), false) => session.teardown = Some(block),
                }
            }
            "session" => {
                next();
                spec.sessions.push(SpecSession::default());
            }
            "step" => {
                let (Piece::Word(name), Piece::Block(block)) = (next(), next()) else { panic!("no step") };
                spec.sessions.last_mut().unwrap().steps.push((name, block));
            }
            "permutation" => spec.permutations.push(Vec::new()),
            _ => spec.permutations.last_mut().unwrap_or_else(|| panic!("{word}")).push(word),
        }
    }
    if spec.permutations.is_empty() {
        let mut left: Vec<usize> = vec![0; spec.sessions.len()];
        all(&spec.sessions, &mut left, &mut Vec::new(), &mut spec.permutations);
    }
    spec
}

/// All orders, as the isolation tester lists them.
fn all(sessions: &[SpecSession], at: &mut Vec<usize>, order: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let mut is_over = true;
    for (number, session) in sessions.iter().enumerate() {
        if let Some((name, _)) = session.steps.get(at[number]) {
            is_over = false;
            at[number] += 1;
            order.push(name.clone());
            all(sessions, at, order, found);
            order.pop();
            at[number] -= 1;
        }
    }
    if is_over {
        found.push(order.clone());
    }
}

/// The statements of a block.
pub(crate) fn statements(block: &str) -> Vec<String> {
    let (mut found, mut current, mut in_dollars) = (Vec::new(), String::new(), false);
    for piece in block.split_inclusive(';') {
        // A function's text has semicolons of its own.
        if piece.matches("$$").count() % 2 == 1 {
            in_dollars = !in_dollars;
        }
        current.push_str(piece);
        if !in_dollars && !current.trim_matches([';', ' ', '\n', '\t']).is_empty() {
            found.push(std::mem::take(&mut current));
        }
    }
    found.extend((!current.trim_matches([';', ' ', '\n', '\t']).is_empty()).then_some(current));
    found
}
