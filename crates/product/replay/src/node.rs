//! Node performs handlers in JavaScript: one process for many files and runs.
//!
//! The driver (`node/driver.mjs`) is handed to Node on its command line, and jobs and answers are lines of JSON.
//! Nothing is written to a file. What files import is replaced by stubs; the file itself is performed as it is, without
//! its types. A job that takes longer than its limit ends the process, by the handle that started it.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

mod emitted;

pub use emitted::{EmittedTest, emitted_test};

/// What is handed to Node, but for the stubs.
const DRIVER: &str = include_str!("node/driver.mjs");

/// What handlers meet in place of the outside: in the driver, and in tests that are written.
const STUBS: &str = include_str!("node/stubs.mjs");

/// All orders of a few calls.
const TRIAL: &str = include_str!("node/trial.mjs");

/// The line that is replaced by the stubs.
const STUBS_HERE: &str = "//#stubs\n";

/// The oldest Node that is asked.
const OLDEST: (u32, u32) = (20, 6);

/// Why Node does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeFailure {
    /// There is none.
    Missing(String),
    /// It is too old.
    TooOld(String),
    /// It did not answer in time, and was ended.
    Hangs,
    /// It has ended.
    Ended,
}

impl fmt::Display for NodeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = OLDEST;
        match self {
            Self::Missing(program) => write!(f, "there is no Node: `{program}` cannot be started"),
            Self::TooOld(version) => write!(f, "Node {version} is too old: at least {major}.{minor} is needed"),
            Self::Hangs => f.write_str("a run in Node did not come to an end in time"),
            Self::Ended => f.write_str("Node has ended before it answered"),
        }
    }
}

/// A process of Node that performs handlers.
#[derive(Debug)]
pub struct NodeProcess {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Its version.
    pub version: String,
}

impl NodeProcess {
    /// Starts Node: `program`, or the one that is found as `node`.
    pub fn start(program: Option<&str>) -> Result<Self, NodeFailure> {
        let program = program.unwrap_or("node");
        let missing = |_| NodeFailure::Missing(program.to_owned());
        let driver = DRIVER.replace(STUBS_HERE, STUBS).replace("//#trial\n", TRIAL);
        let mut child = Command::new(program)
            .args(["--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", &driver])
            .env_remove("NODE_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(missing)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { return Err(NodeFailure::Ended) };
        let (say, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if say.send(line).is_err() {
                    return;
                }
            }
        });
        let mut node = Self { child, input, lines, version: String::new() };
        let said = node.ask(r#"{"version":true}"#, Duration::from_secs(60))?;
        let said: serde_json::Value = serde_json::from_str(&said).map_err(|_| NodeFailure::Ended)?;
        node.version = said["version"].as_str().unwrap_or_default().to_owned();
        let mut numbers = node.version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
        if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < OLDEST {
            return Err(NodeFailure::TooOld(node.version.clone()));
        }
        Ok(node)
    }

    /// Has a job performed; behind a failure there is nothing more to ask.
    pub fn ask(&mut self, job: &str, limit: Duration) -> Result<String, NodeFailure> {
        let sent = self.input.write_all(job.as_bytes()).and_then(|()| self.input.write_all(b"\n")).and_then(|()| self.input.flush());
        sent.map_err(|_| NodeFailure::Ended)?;
        self.lines.recv_timeout(limit).map_err(|why| match why {
            RecvTimeoutError::Timeout => {
                self.end();
                NodeFailure::Hangs
            }
            RecvTimeoutError::Disconnected => NodeFailure::Ended,
        })
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        self.end();
    }
}
