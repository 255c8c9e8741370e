//! Serves the page of serval on this machine.
//!
//! The page is static: it decides in the browser, and asks for nothing but its own files. So the server answers `GET`
//! and `HEAD` for a fixed table of files that are in the program, compressed, and refuses everything else. It reads no
//! file, keeps nothing, and writes nothing down.
//!
//! It listens on loopback alone. A page elsewhere can lead a browser here under a name of its own ("DNS rebinding"); a
//! request that names another host than this machine is refused.

mod answer;
mod request;

use std::io::{BufWriter, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use answer::Answer;
use request::{Parsed, parse};

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct PageFile {
    /// Its path, with `/`, from the folder of the page.
    pub name: &'static str,
    /// What is in it, by gzip.
    pub packed: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// How many connections there may be at a time; browsers open six.
const CONNECTIONS: usize = 64;
/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// Answers every request for one of the files, until the listener fails.
///
/// # Errors
///
/// Where the listener fails for another reason than a connection that has gone away.
pub fn serve(listener: &TcpListener, files: &'static [PageFile]) -> std::io::Result<()> {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // A client that has gone away before it was answered, or files that others have open.
            Err(error) if is_passing(&error) => {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
            Err(error) => return Err(error),
        };
        let place = OpenConnection::new(&open);
        if open.load(Ordering::Relaxed) > CONNECTIONS {
            // It is closed unanswered; a browser tries again.
            continue;
        }
        // Where there is no thread to be had, the connection is closed, too.
        let _ = std::thread::Builder::new().name("page".to_owned()).spawn(move || {
            let _place = place;
            // A client that goes away harms no other.
            let _ = converse(&stream, files);
        });
    }
}

/// Whether the next connection may do better.
fn is_passing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, WouldBlock};
    // EMFILE and ENFILE have no kind of their own.
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted | WouldBlock) || matches!(error.raw_os_error(), Some(23 | 24))
}

/// Counts a connection while it is open.
struct OpenConnection(Arc<AtomicUsize>);

impl OpenConnection {
    fn new(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers what comes on one connection, until one side ends it.
fn converse(stream: &TcpStream, files: &[PageFile]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (stream, BufWriter::new(stream));
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let (answer, length) = match parse(&head) {
            Parsed::Whole { request, length } => (Answer::to(&request, files), length),
            Parsed::Wrong => (Answer::refusal(400, "that is no request"), head.len()),
            Parsed::Part if head.len() >= LONGEST_HEAD => (Answer::refusal(431, "the head of the request is too long"), head.len()),
            Parsed::Part => {
                let count = reader.read(&mut piece)?;
                if count == 0 {
                    return Ok(());
                }
                head.extend_from_slice(&piece[..count]);
                continue;
            }
        };
        answer.write(&mut writer)?;
        writer.flush()?;
        if answer.is_last() {
            return farewell(stream);
        }
        head.drain(..length);
    }
}

/// Ends a connection. What the client still says is read for a moment: were it left unread, the system would take back
/// the answer that is on its way.
fn farewell(mut stream: &TcpStream) -> std::io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    let mut piece = [0; 4096];
    let mut left = 4 * LONGEST_HEAD;
    while left > 0 {
        match stream.read(&mut piece)? {
            0 => break,
            count => left = left.saturating_sub(count),
        }
    }
    Ok(())
}
