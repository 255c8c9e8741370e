//! What to compare with: a table of expected verdicts, and an earlier
//! measurement.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

use crate::Verdict;

/// One line of a table of expected verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedLine {
    /// The file, or the end of its path.
    pub file: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// A time that was published, in milliseconds, or a word such as `TIMEOUT`.
    pub published: Option<String>,
}

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line, counted from 1; 0 when there is none to blame.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => formatter.write_str(&self.message),
            line => write!(formatter, "line {line}: {}", self.message),
        }
    }
}

/// Reads lines `file,verdict[,published_total_ms]`. A first line that starts
/// with `file` names the columns, which may then stand in any order.
pub fn read_expected(text: &str) -> Result<Vec<ExpectedLine>, TableError> {
    let mut columns = (0, 1, Some(2));
    let mut lines: Vec<ExpectedLine> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let fail = |message: String| TableError { line: number, message };
        if line.trim().is_empty() {
            continue;
        }
        let fields = fields(line).map_err(fail)?;
        if number == 1 && fields.get(0) == Some("file") {
            let column = |name: &str| fields.iter().position(|field| field == name);
            columns.1 = column("verdict").ok_or_else(|| fail("no column is called verdict".to_owned()))?;
            columns.2 = column("published_total_ms");
            continue;
        }
        let field = |column: usize| fields.get(column).map(str::trim).filter(|field| !field.is_empty());
        let file = field(columns.0).ok_or_else(|| fail("the file is missing".to_owned()))?.to_owned();
        let verdict = match field(columns.1) {
            Some(word) => match Verdict::named(word).filter(|verdict| !matches!(verdict, Verdict::Unknown | Verdict::Error)) {
                Some(verdict) => verdict,
                None => return Err(fail(format!("{word} is not a verdict; expected serializable, not-serializable or fault"))),
            },
            None => return Err(fail("the verdict is missing; expected file,verdict".to_owned())),
        };
        if lines.iter().any(|known| known.file == file) {
            return Err(fail(format!("{file} has a line already")));
        }
        lines.push(ExpectedLine { file, verdict, published: columns.2.and_then(field).map(str::to_owned) });
    }
    Ok(lines)
}

/// The fields of a line of CSV; quoted fields may contain commas, not newlines.
fn fields(line: &str) -> Result<csv::StringRecord, String> {
    // The crate would take the rest of the line for the field and say nothing.
    if line.matches('"').count() % 2 == 1 {
        return Err("a quotation mark is not closed".to_owned());
    }
    let mut records = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes()).into_records();
    records.next().unwrap_or_else(|| Ok(csv::StringRecord::new())).map_err(|error| error.to_string())
}

/// An earlier measurement, as `--format json` wrote it.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    rows: Vec<(String, Earlier)>,
}

/// What an earlier measurement said about a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Earlier {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its time, if it was measured.
    pub total_ms: Option<f64>,
    /// What a fixed piece of work took beside it, if it was written down.
    pub yardstick_ms: Option<f64>,
}

impl Baseline {
    /// What was said about a file: under the same name, or under another
    /// path if only one file there has this name.
    pub fn find(&self, file: &str) -> Option<&Earlier> {
        if let Some((_, earlier)) = self.rows.iter().find(|(name, _)| name == file) {
            return Some(earlier);
        }
        let base = |name: &str| Path::new(name).file_name().map(std::ffi::OsStr::to_owned);
        let mut same = self.rows.iter().filter(|(name, _)| base(name) == base(file));
        let (_, earlier) = same.next()?;
        same.next().is_none().then_some(earlier)
    }
}

/// Reads an earlier measurement.
pub fn read_baseline(text: &str) -> Result<Baseline, TableError> {
    #[derive(Deserialize)]
    struct Written {
        schema: u32,
        rows: Vec<ExpectedRow>,
    }
    #[derive(Deserialize)]
    struct ExpectedRow {
        file: String,
        verdict: String,
        time_ms: Option<Time>,
        yardstick_ms: Option<f64>,
    }
    #[derive(Deserialize)]
    struct Time {
        total: f64,
    }
    let fail = |message: String| TableError { line: 0, message };
    let written: Written =
        serde_json::from_str(text).map_err(|error| fail(format!("not written by serval bench --format json: {error}")))?;
    if written.schema != 1 {
        return Err(fail(format!("schema {} is not known here", written.schema)));
    }
    let row = |row: ExpectedRow| {
        let verdict = Verdict::named(&row.verdict).ok_or_else(|| fail(format!("{}: {} is not a verdict", row.file, row.verdict)))?;
        Ok((row.file, Earlier { verdict, total_ms: row.time_ms.map(|time| time.total), yardstick_ms: row.yardstick_ms }))
    };
    Ok(Baseline { rows: written.rows.into_iter().map(row).collect::<Result<_, _>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_with_and_without_titles() {
        let plain = read_expected("a.ser,serializable\n\nb.ser,not-serializable,47\r\n").unwrap();
        assert_eq!(plain.len(), 2);
        assert_eq!(plain[1].published.as_deref(), Some("47"));
        let titled = read_expected("file,extra,verdict\n\"x,\"\"y\"\".ser\",1,serializable\n").unwrap();
        assert_eq!(titled, [ExpectedLine { file: "x,\"y\".ser".to_owned(), verdict: Verdict::Serializable, published: None }]);
    }

    #[test]
    fn mistakes_in_tables_have_a_line() {
        let line = |text: &str| read_expected(text).unwrap_err().line;
        assert_eq!(line("a.ser,serializable\nb.ser,perhaps"), 2);
        assert_eq!(line("a.ser"), 1);
        assert_eq!(line("a.ser,serializable\na.ser,serializable"), 2);
        assert_eq!(line("\"a.ser,serializable"), 1);
        assert_eq!(line("file,colour\na.ser,red"), 1);
    }

    #[test]
    fn baselines_are_found_by_name_and_by_base_name() {
        let text = r#"{"schema": 1, "rows": [{"file": "x/a.ser", "verdict": "unknown"}, {"file": "x/b.ser", "verdict": "serializable",
            "time_ms": {"total": 1.5, "parse": 1}}, {"file": "y/b.ser", "verdict": "error"}]}"#;
        let baseline = read_baseline(text).unwrap();
        assert_eq!(baseline.find("a.ser").unwrap().verdict, Verdict::Unknown);
        assert_eq!(baseline.find("x/b.ser").unwrap().total_ms, Some(1.5));
        assert_eq!(baseline.find("b.ser"), None, "two have this name");
        assert!(read_baseline("{}").is_err());
        assert!(read_baseline(r#"{"schema": 2, "rows": []}"#).is_err());
    }
}
