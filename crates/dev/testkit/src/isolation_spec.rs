//! Reads the specs of PostgreSQL's isolation tester: tables, sessions with named steps, and orders of the steps.

/// A file `NAME.spec`. Texts in braces are as they stand there.
#[derive(Clone, Debug, Default)]
pub struct IsolationSpec {
    /// What is done before each order.
    pub setups: Vec<String>,
    /// What is done after it.
    pub teardown: Vec<String>,
    /// The sessions.
    pub sessions: Vec<IsolationSession>,
    /// The orders that the file lists, or else all, by names of steps.
    pub permutations: Vec<Vec<String>>,
}

/// A session of a spec.
#[derive(Clone, Debug, Default)]
pub struct IsolationSession {
    /// What the session does before each order.
    pub setup: Option<String>,
    /// What it does after it.
    pub teardown: Option<String>,
    /// Names of steps and what they do.
    pub steps: Vec<(String, String)>,
}

enum Piece<'a> {
    Word(&'a str),
    Block(&'a str),
}

fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '{' => {
                let end = rest.find('}')?;
                pieces.push(Piece::Block(&rest[1..end]));
                end + 1
            }
            '"' => {
                let end = rest[1..].find('"')? + 1;
                pieces.push(Piece::Word(&rest[1..end]));
                end + 1
            }
            _ if letter.is_whitespace() => letter.len_utf8(),
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || c == '{' || c == '#').unwrap_or(rest.len());
                pieces.push(Piece::Word(&rest[..end]));
                end
            }
        };
        rest = &rest[length..];
    }
    Some(pieces)
}

impl IsolationSpec {
    /// Reads a spec; `None` where it is none.
    pub fn read(text: &str) -> Option<Self> {
        let mut spec = Self::default();
        let mut pieces = pieces(text)?.into_iter();
        while let Some(Piece::Word(word)) = pieces.next() {
            match word {
                "setup" | "teardown" => {
                    let Piece::Block(block) = pieces.next()? else { return None };
                    let block = block.to_owned();
                    match (spec.sessions.last_mut(), word == "setup") {
                        (None, true) => spec.setups.push(block),
                        (None, false) => spec.teardown.push(block),
                        (Some(session), true) => session.setup = Some(block),
                        (Some(session), false) => session.teardown = Some(block),
                    }
                }
                "session" => {
                    pieces.next()?;
                    spec.sessions.push(IsolationSession::default());
                }
                "step" => {
                    let (Piece::Word(name), Piece::Block(block)) = (pieces.next()?, pieces.next()?) else { return None };
                    spec.sessions.last_mut()?.steps.push((name.to_owned(), block.to_owned()));
                }
                "permutation" => spec.permutations.push(Vec::new()),
                step => spec.permutations.last_mut()?.push(step.to_owned()),
            }
        }
        if spec.permutations.is_empty() {
            spec.permutations = all(&spec.sessions);
        }
        Some(spec)
    }

    /// The session of a step, and what the step does.
    pub fn step(&self, name: &str) -> Option<(usize, &str)> {
        let steps = self.sessions.iter().enumerate().flat_map(|(at, session)| session.steps.iter().map(move |step| (at, step)));
        steps.filter(|(_, step)| step.0 == name).map(|(at, step)| (at, step.1.as_str())).next()
    }
}

/// All orders, as the isolation tester lists them.
fn all(sessions: &[IsolationSession]) -> Vec<Vec<String>> {
    fn go(sessions: &[IsolationSession], at: &mut Vec<usize>, order: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
        let mut is_over = true;
        for (number, session) in sessions.iter().enumerate() {
            if let Some((name, _)) = session.steps.get(at[number]) {
                is_over = false;
                at[number] += 1;
                order.push(name.clone());
                go(sessions, at, order, found);
                order.pop();
                at[number] -= 1;
            }
        }
        if is_over {
            found.push(order.clone());
        }
    }
    let mut found = Vec::new();
    go(sessions, &mut vec![0; sessions.len()], &mut Vec::new(), &mut found);
    found
}

/// The statements of a text in braces.
pub fn statements(block: &str) -> Vec<String> {
    let (mut found, mut current, mut in_dollars) = (Vec::new(), String::new(), false);
    let is_empty = |text: &str| text.trim_matches([';', ' ', '\n', '\t']).is_empty();
    for piece in block.split_inclusive(';') {
        // The text of a function has semicolons of its own.
        in_dollars ^= piece.matches("$$").count() % 2 == 1;
        current.push_str(piece);
        if !in_dollars {
            found.push(std::mem::take(&mut current));
        }
    }
    found.push(current);
    found.retain(|statement| !is_empty(statement));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read() {
        let text = "# x\nsetup { create table t (a int); }\nteardown { drop table t; }\nsession s1\nsetup { begin; }\nstep a { select 1; }\n\
                    step b { commit; }\nsession s2\nstep c\t{ select 2; }\n";
        let spec = IsolationSpec::read(text).unwrap();
        let orders: Vec<String> = spec.permutations.iter().map(|order| order.join(" ")).collect();
        assert_eq!(orders, ["a b c", "a c b", "c a b"]);
        assert_eq!(spec.step("c"), Some((1, " select 2; ")));
        assert_eq!(IsolationSpec::read(&format!("{text}permutation \"c\" a b")).unwrap().permutations, [["c", "a", "b"]]);
        assert!(IsolationSpec::read("step a").is_none() && IsolationSpec::read("setup { ").is_none());
        assert_eq!(statements(" a; b $$ c; d; $$; ; e"), [" a;", " b $$ c; d; $$;", " e"]);
    }
}
