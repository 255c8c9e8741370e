//! Entries of the log, in its three formats.

/// How a server writes its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// `log_destination = stderr`, with `%p` or `%c` in `log_line_prefix`.
    Stderr,
    /// `csvlog`
    Csv,
    /// `jsonlog`
    Json,
}

impl LogFormat {
    /// The format of a file, by its name and by how it begins.
    pub fn of(name: &str, beginning: &[u8]) -> Self {
        let first = beginning.iter().find(|byte| !byte.is_ascii_whitespace());
        let line = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
        match first {
            Some(b'{') => Self::Json,
            _ if name.ends_with(".json") => Self::Json,
            _ if name.ends_with(".csv") => Self::Csv,
            // A time, and ten commas: the columns of csvlog.
            Some(byte)
                if byte.is_ascii_digit() && line.iter().filter(|&&byte| byte == b',').count() >= 10 && severity_at(line).is_none() =>
            {
                Self::Csv
            }
            _ => Self::Stderr,
        }
    }
}

fn severity_at(line: &[u8]) -> Option<usize> {
    severity(&String::from_utf8_lossy(line)).map(|(at, _, _)| at)
}

/// What the server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The session; empty where the log does not say.
    pub(crate) session: String,
    pub(crate) said: Said,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// A statement, and the values of its parameters where they come with it.
    Statement {
        sql: String,
        values: Option<String>,
    },
    /// The values of the parameters of the statement before.
    Values(String),
    /// The statement before failed.
    Failed,
    /// Something about a statement in words of another language.
    Foreign,
    Other,
}

/// The words with which entries begin, in English; LOG is the same in most languages.
const SEVERITIES: [&str; 17] = [
    "LOG",
    "DETAIL",
    "ERROR",
    "STATEMENT",
    "HINT",
    "CONTEXT",
    "FATAL",
    "PANIC",
    "WARNING",
    "NOTICE",
    "INFO",
    "QUERY",
    "LOCATION",
    "DEBUG",
    "DEBUG1",
    "FEHLER",
    "ERREUR",
];

/// Where the word of an entry begins, the word, and what follows.
pub(crate) fn severity(line: &str) -> Option<(usize, &str, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find(":  ") {
        let end = from + at;
        let begin = line[..end].rfind(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit())).map_or(0, |before| before + 1);
        let begin = if line.is_char_boundary(begin) { begin } else { end };
        if SEVERITIES.contains(&&line[begin..end]) {
            return Some((begin, &line[begin..end], &line[end + 3..]));
        }
        from = end + 3;
    }
    None
}

pub(crate) fn read(format: LogFormat, text: &str) -> Option<Entry> {
    match format {
        LogFormat::Stderr => stderr(text),
        LogFormat::Csv => csv(text),
        LogFormat::Json => json(text),
    }
}

fn stderr(text: &str) -> Option<Entry> {
    let first = text.find('\n').unwrap_or(text.len());
    let (begin, word, _) = severity(&text[..first])?;
    let message = &text[begin + word.len() + 3..];
    Some(Entry { session: session(&text[..begin]), said: said(word, message, None) })
}

fn csv(text: &str) -> Option<Entry> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    if !reader.read_record(&mut record).ok()? || record.len() < 20 {
        return None;
    }
    Some(Entry { session: record[5].to_owned(), said: said(&record[11], &record[13], Some(&record[14])) })
}

fn json(text: &str) -> Option<Entry> {
    let object: serde_json::Value = serde_json::from_str(text).ok()?;
    let field = |name: &str| object.get(name).and_then(serde_json::Value::as_str);
    let severity = field("error_severity")?;
    let pid = || object.get("pid").map(ToString::to_string);
    let session = field("session_id").map(str::to_owned).or_else(pid).unwrap_or_default();
    Some(Entry { session, said: said(severity, field("message").unwrap_or_default(), Some(field("detail").unwrap_or_default())) })
}

/// The session in the prefix of a line: `[123]`, `[123-4]`, `5f3b.1a2b`, or a number by itself.
fn session(prefix: &str) -> String {
    let tokens = || prefix.split(|c: char| !(c.is_ascii_alphanumeric() || ".-:/[]".contains(c))).filter(|token| !token.is_empty());
    for token in tokens() {
        let inner = token.split('[').nth(1).and_then(|rest| rest.split(']').next());
        if let Some(pid) = inner.map(|inner| inner.split('-').next().unwrap_or_default())
            && !pid.is_empty()
            && (pid.bytes().all(|byte| byte.is_ascii_digit()) || is_session(pid))
        {
            return pid.to_owned();
        }
    }
    let is_number = |token: &&str| token.len() <= 8 && token.bytes().all(|byte| byte.is_ascii_digit());
    let found = tokens().find(|token| is_session(token)).or_else(|| tokens().find(is_number));
    found.unwrap_or_default().to_owned()
}

/// `%c`: two hexadecimal numbers with a point between.
fn is_session(token: &str) -> bool {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    token.split_once('.').is_some_and(|(start, pid)| start.len() >= 7 && is_hex(start) && is_hex(pid))
}

fn said(word: &str, message: &str, detail: Option<&str>) -> Said {
    match word {
        "ERROR" | "FATAL" | "PANIC" | "FEHLER" | "ERREUR" => Said::Failed,
        "DETAIL" => values(message).map_or(Said::Other, |values| Said::Values(values.to_owned())),
        "LOG" => {
            let message = match message.strip_prefix("duration: ").and_then(|rest| rest.split_once(" ms")) {
                Some((_, rest)) => rest.trim_start(),
                None => message,
            };
            let sql = message.strip_prefix("statement: ").or_else(|| {
                let (name, sql) = message.strip_prefix("execute ")?.split_once(": ")?;
                (!name.contains(char::is_whitespace) || name.starts_with('<')).then_some(sql)
            });
            match sql {
                Some(sql) => Said::Statement { sql: sql.to_owned(), values: detail.and_then(values).map(str::to_owned) },
                None if is_foreign(message) => Said::Foreign,
                None => Said::Other,
            }
        }
        _ => Said::Other,
    }
}

fn values(detail: &str) -> Option<&str> {
    detail.trim_start().strip_prefix("parameters: ").or_else(|| detail.trim_start().strip_prefix("Parameters: "))
}

/// Whether a statement seems to follow a word that is none of ours.
fn is_foreign(message: &str) -> bool {
    let Some((word, rest)) = message.split_once(": ") else { return false };
    let first = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_uppercase();
    let ours = ["parse", "bind", "fastpath", "execute", "statement", "duration"];
    !ours.iter().any(|known| word.starts_with(known))
        && ["BEGIN", "SELECT", "UPDATE", "INSERT", "DELETE", "COMMIT", "ROLLBACK", "START"].contains(&first.as_str())
}
