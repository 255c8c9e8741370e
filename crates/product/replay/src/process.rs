//! One `psql` as a process.
//!
//! A statement is written to its input with two commands of `psql` behind it, which print a word drawn at random, the
//! SQLSTATE and the message. What stands before that word is the answer, and the end of the output is the end of the
//! connection: `psql` ends when the server goes away.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::address::{ServerAddress, ServerFailure};
use crate::answer::Printed;

/// Something that a `psql` did.
#[derive(Debug)]
pub(crate) enum PsqlEvent {
    Answered(Printed),
    /// It ended; what it said last.
    Ended(String),
}

/// A `psql` that reads from a pipe.
#[derive(Debug)]
pub(crate) struct PsqlProcess {
    child: Child,
    input: Option<ChildStdin>,
    /// A word that nothing else prints.
    word: String,
    readers: Vec<JoinHandle<()>>,
}

/// How much is kept of what a `psql` says to people.
const MOST_SAID: usize = 4096;
/// How often a process is asked whether it has ended.
const GLANCE: Duration = Duration::from_millis(2);

impl PsqlProcess {
    /// Starts one. Its events come with this number; `at_end` is what it does when its input ends.
    pub(crate) fn start(
        address: &ServerAddress,
        number: usize,
        events: Sender<(usize, PsqlEvent)>,
        at_end: Option<&str>,
    ) -> Result<Self, ServerFailure> {
        let word = random_word();
        let mut command = client(address, at_end.is_some());
        // What follows `-f -` is done when the input has ended, however that came about.
        command.args(["-X", "-w", "--csv", "-P", &format!("null={}", null(&word)), "-f", "-"]);
        if let Some(statement) = at_end {
            command.args(["-c", statement]);
        }
        if let Some(dsn) = &address.dsn {
            command.args(["-d", dsn]);
        }
        // Messages are the same everywhere, and values are text in UTF-8.
        command.env("PGCLIENTENCODING", "UTF8").env("LC_ALL", "C");
        if std::env::var_os("PGAPPNAME").is_none() {
            command.env("PGAPPNAME", "serval");
        }
        if std::env::var_os("PGCONNECT_TIMEOUT").is_none() {
            command.env("PGCONNECT_TIMEOUT", address.connecting.as_secs().max(2).to_string());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // An interrupt at the terminal is for serval, which then ends its sessions in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| ServerFailure::NoClient(error.to_string()))?;
        let input = child.stdin.take();
        let mut readers = Vec::new();
        if let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) {
            readers =
                read_both(output, errors, word.clone(), number, events).map_err(|error| ServerFailure::NoClient(error.to_string()))?;
        }
        Ok(Self { child, input, word, readers })
    }

    /// How this one prints NULL.
    pub(crate) fn null(&self) -> String {
        null(&self.word)
    }

    /// Writes text and asks what became of it. Where the process has ended, that comes as an event.
    pub(crate) fn send(&mut self, text: &str) {
        let word = &self.word;
        let text = format!("{text}\n\\echo {word} :SQLSTATE :LAST_ERROR_MESSAGE\n\\echo {word}\n");
        if let Some(input) = &mut self.input {
            let _ = input.write_all(text.as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Closes its input and waits for its end; whether that came in time. After that time it is killed.
    pub(crate) fn end(&mut self, patience: Duration) -> bool {
        self.input = None;
        let start = Instant::now();
        let mut ended = matches!(self.child.try_wait(), Ok(Some(_)));
        while !ended && start.elapsed() < patience {
            std::thread::sleep(GLANCE);
            ended = matches!(self.child.try_wait(), Ok(Some(_)));
        }
        if !ended {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
        ended
    }
}

impl Drop for PsqlProcess {
    fn drop(&mut self) {
        // Its input ends, and it does what it has to do by itself.
        self.input = None;
        let _ = self.child.try_wait();
    }
}

/// How a shell begins to say that it does not find the client.
pub(crate) const NOT_FOUND: &str = "exec: ";

/// The client. One that has something to do at its end goes on when its output is read no more: a system ends who
/// writes to a pipe that nothing reads, unless that signal is ignored, as a shell can have it.
fn client(address: &ServerAddress, has_end: bool) -> Command {
    if !has_end || cfg!(not(unix)) {
        return Command::new(&address.psql);
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' PIPE; exec \"$0\" \"$@\""]).arg(&address.psql);
    shell
}

fn null(word: &str) -> String {
    format!("null-{word}")
}

/// A word that cannot be foreseen.
pub(crate) fn random_word() -> String {
    use std::hash::{BuildHasher, Hasher};
    // Its keys come from the operating system.
    let random = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:012x}", (random() ^ random().rotate_left(17)) & 0xffff_ffff_ffff)
}

/// Reads what a process prints, in two threads.
fn read_both(
    output: ChildStdout,
    errors: ChildStderr,
    word: String,
    number: usize,
    events: Sender<(usize, PsqlEvent)>,
) -> std::io::Result<Vec<JoinHandle<()>>> {
    let said = Arc::new(Mutex::new(String::new()));
    let shared = Arc::clone(&said);
    let errors = std::thread::Builder::new().name("psql errors".to_owned()).spawn(move || read_errors(errors, &shared))?;
    let output = std::thread::Builder::new().name("psql".to_owned()).spawn(move || {
        read_answers(BufReader::new(output), &word, |printed| events.send((number, PsqlEvent::Answered(printed))).is_ok());
        // All has been said when that pipe is closed, too.
        let _ = errors.join();
        let said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _ = events.send((number, PsqlEvent::Ended(said)));
    })?;
    Ok(vec![output])
}

fn read_errors(mut errors: ChildStderr, said: &Mutex<String>) {
    let mut piece = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut piece) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.push_str(&String::from_utf8_lossy(&piece[..count]));
        if said.len() > MOST_SAID {
            let from = (said.len() - MOST_SAID / 2..said.len()).find(|at| said.is_char_boundary(*at)).unwrap_or(said.len());
            *said = said.split_off(from);
        }
    }
}

/// Reads answers until there are no more, or no reader wants them.
fn read_answers(mut output: impl BufRead, word: &str, mut each: impl FnMut(Printed) -> bool) {
    let (mut printed, mut in_message) = (Printed::default(), false);
    let mut line = Vec::new();
    while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        match text.strip_prefix(word) {
            Some(rest) if !in_message => {
                let (state, message) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
                (printed.state, printed.message, in_message) = (state.to_owned(), message.to_owned(), true);
            }
            Some(_) => {
                in_message = false;
                if !each(std::mem::take(&mut printed)) {
                    return;
                }
            }
            None if in_message => printed.message.extend([" ", text]),
            None => printed.lines.push(text.to_owned()),
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_end_with_the_word() {
        let text = "a\nword of others\nW 00000\nW\nW 40001 could not\nserialize\nW\nrest";
        let mut found = Vec::new();
        read_answers(text.as_bytes(), "W", |printed| {
            found.push(printed);
            true
        });
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].lines.len(), found[0].state.as_str()), (2, "00000"));
        assert_eq!((found[1].message.as_str(), found[1].state.as_str()), ("could not serialize", "40001"));
    }

    /// A client that stands still until it is asked, whose output nothing reads any more.
    #[cfg(unix)]
    #[test]
    fn what_is_done_at_the_end_is_done_when_the_output_is_closed() {
        use std::os::unix::fs::PermissionsExt;
        let place = std::env::temp_dir().join(format!("serval-client-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let (program, mark) = (place.join("client"), place.join("done"));
        std::fs::write(&program, format!("#!/bin/sh\nread line\necho answer\necho answer\ntouch '{}'\n", mark.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let address = ServerAddress { psql: program, ..ServerAddress::new(None) };
        for (has_end, is_done) in [(false, false), (true, true)] {
            let mut child = client(&address, has_end).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            drop(child.stdout.take());
            let mut input = child.stdin.take().unwrap();
            input.write_all(b"go\n").unwrap();
            drop(input);
            child.wait().unwrap();
            assert_eq!(mark.exists(), is_done, "{has_end}");
        }
        std::fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn words_differ() {
        assert_ne!(random_word(), random_word());
        assert_eq!(random_word().len(), 12);
    }
}
