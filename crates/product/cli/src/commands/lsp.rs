//! `serval lsp`: the language server on standard input and output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serval_lsp::{Host, Settings, serve};
use serval_report::Style;

use crate::args::Lsp;
use crate::config::Configs;
use crate::failure::Failure;
use crate::limits;

/// Speaks with one editor until it ends.
pub(crate) fn run(args: &Lsp) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.memory);
    let host = Host { version: env!("CARGO_PKG_VERSION"), now, settings, is_alive, is_full: serval_memory::is_exceeded };
    Ok(ExitCode::from(serve(std::io::stdin(), std::io::stdout(), host)))
}

fn now() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// What `serval.toml` says about a text; texts that are no files have the usual settings.
fn settings(uri: &str) -> Result<Settings, String> {
    let Some(path) = path_of(uri) else { return Ok(Settings::default()) };
    match Configs::default().of(&path, Style::Plain) {
        Ok(config) => Ok(Settings {
            style: config.format,
            allow: config.allow.iter().map(|&code| code.to_owned()).collect(),
            strict: config.check.strict == Some(true),
        }),
        Err(Failure::Input(text) | Failure::Message(text)) => Err(text),
        Err(_) => Err("serval.toml cannot be read".to_owned()),
    }
}

/// The file that an address names, if it names one.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // What stands before the path is the name of a machine, which is this one.
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(if byte == b'%' { digit(left.next())? * 16 + digit(left.next())? } else { byte });
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/x` is `c:/x` where files have such names.
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(Path::new(if has_drive { &path[1..] } else { &path }).to_path_buf())
}

/// Whether a process is there. Where the system does not tell, the end of the input does.
fn is_alive(process: u64) -> bool {
    !Path::new("/proc/self").exists() || Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_file() {
        let path = |uri| path_of(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///a%20b/%C3%A9.ser").as_deref(), Some("/a b/é.ser"));
        assert_eq!(path("file://localhost/a.ser").as_deref(), Some("/a.ser"));
        assert_eq!(path("file:///c:/x.ser").as_deref(), Some("c:/x.ser"));
        assert_eq!(path("file:///C%3A/x.ser").as_deref(), Some("C:/x.ser"));
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("file:///%zz"), None);
        assert_eq!(path("file:///%F"), None);
        assert_eq!(path("file://nothing"), None);
    }

    #[test]
    fn this_process_is_there() {
        assert!(is_alive(u64::from(std::process::id())));
    }
}
