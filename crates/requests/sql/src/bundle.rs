//! A workload as one text: all files, bounds and levels, each file with a header line.
//!
//! Spans of a workload are bytes of its bundle, and the fingerprint of a certificate is that of the bundle, so a
//! changed byte in any file is another workload. Headers count bytes, so that no file can pretend to be two:
//!
//! ```text
//! serval workload 1
//! == schema.sql 41
//! (41 bytes)
//! == transfer.sql 120
//! (120 bytes)
//! ```

use std::fmt::Write;

/// The first line of a bundle.
const FIRST: &str = "serval workload 1\n";
/// The name of the file that holds what `serval.toml` and the command line say, as directives.
pub const SETTINGS: &str = "settings";
/// How long a bundle may be.
pub const MOST_BYTES: usize = 64 << 20;

/// A file of a workload and where its text stands in the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFile {
    /// Its name, relative to the directory of the workload, with `/` between parts.
    pub name: String,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

/// What a text that is no bundle lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBundle(pub &'static str);

/// The bundle of these files, which are names and texts, in the order of their names.
pub fn bundle(files: &[(String, String)]) -> String {
    let mut files: Vec<&(String, String)> = files.iter().collect();
    files.sort();
    let mut text = FIRST.to_owned();
    for (name, content) in files {
        let _ = writeln!(text, "== {} {}", name.replace(['\n', '\r'], " "), content.len());
        text.push_str(content);
        text.push('\n');
    }
    text
}

/// The files of a bundle.
pub fn files(bundle: &str) -> Result<Vec<BundleFile>, NoBundle> {
    if bundle.len() > MOST_BYTES {
        return Err(NoBundle("it is larger than 64 MiB"));
    }
    let mut rest = bundle.strip_prefix(FIRST).ok_or(NoBundle("its first line is not `serval workload 1`"))?;
    let mut files: Vec<BundleFile> = Vec::new();
    while !rest.is_empty() {
        serval_budget::checkpoint::pass();
        let header = rest.strip_prefix("== ").and_then(|line| line.split_once('\n')).ok_or(NoBundle("a header of a file is missing"))?;
        let (line, after) = header;
        let (name, bytes) = line.rsplit_once(' ').ok_or(NoBundle("a header has no length"))?;
        let bytes: usize = bytes.parse().map_err(|_| NoBundle("a header has no length"))?;
        if !after.is_char_boundary(bytes) || after.as_bytes().get(bytes) != Some(&b'\n') {
            return Err(NoBundle("a file does not have the length that its header says"));
        }
        if files.last().is_some_and(|last| last.name.as_str() >= name) {
            return Err(NoBundle("its files are not in the order of their names"));
        }
        let start = bundle.len() - after.len();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        files.push(BundleFile { name: name.to_owned(), start: offset(start), end: offset(start + bytes) });
        rest = &after[bytes + 1..];
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_whatever_they_hold() {
        let given = vec![("b.sql".to_owned(), "== a.sql 3\nxyz\n".to_owned()), ("a b.sql".to_owned(), "ä".to_owned())];
        let text = bundle(&given);
        let found = files(&text).unwrap();
        let back: Vec<(String, String)> =
            found.iter().map(|file| (file.name.clone(), text[file.start as usize..file.end as usize].to_owned())).collect();
        assert_eq!(back, [given[1].clone(), given[0].clone()]);
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        for text in ["", "serval workload 1\nx", "serval workload 1\n== a 5\nabc\n", "serval workload 1\n== b 0\n\n== a 0\n\n"] {
            assert!(files(text).is_err(), "{text:?}");
        }
    }
}
