//! Messages, cut from bytes and put into bytes.
//!
//! A body that is no message is answered and passed over, because the header says where the next one begins. Where no
//! header says that, nothing that follows can be understood, and the connection ends.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// How long a header may be.
const LONGEST_HEADER: u64 = 1 << 14;
/// How long a body may be: a text of the greatest length, every character escaped.
const LONGEST_BODY: u64 = 512 << 20;

/// What stands next in the bytes.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Value),
    /// A body that is none, and what is wrong with it.
    Damaged(String),
    /// The bytes end between two messages.
    End,
    /// The bytes end within a message, or cannot be understood from here on.
    Lost(String),
}

/// Reads one message.
pub(crate) fn read(input: &mut impl BufRead) -> Incoming {
    let length = match header(input) {
        Ok(Some(length)) => length,
        Ok(None) => return Incoming::End,
        Err(error) => return Incoming::Lost(error.to_string()),
    };
    if length > LONGEST_BODY {
        return match io::copy(&mut input.take(length), &mut io::sink()) {
            Ok(passed) if passed == length => Incoming::Damaged(format!("a message of {length} bytes is too long")),
            Ok(_) => Incoming::Lost("the input ends within a message".to_owned()),
            Err(error) => Incoming::Lost(error.to_string()),
        };
    }
    // What is promised is not reserved before it is there.
    let mut body = Vec::new();
    match input.take(length).read_to_end(&mut body) {
        Ok(read) if u64::try_from(read).is_ok_and(|read| read == length) => {}
        Ok(_) => return Incoming::Lost("the input ends within a message".to_owned()),
        Err(error) => return Incoming::Lost(error.to_string()),
    }
    match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Damaged(format!("this is no JSON: {error}")),
    }
}

/// The length that a header gives; nothing at the end of the bytes.
fn header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        input.take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() && first {
            return Ok(None);
        }
        let Some(text) = line.strip_suffix(b"\n") else { return Err(wrong("a header does not end")) };
        let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned();
        first = false;
        if text.is_empty() {
            return length.map(Some).ok_or_else(|| wrong("a header without `Content-Length`"));
        }
        let (name, value) = text.split_once(':').ok_or_else(|| wrong("a header without `:`"))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| wrong("a length that is no number"))?);
        }
    }
}

/// Writes one message.
pub(crate) fn write(output: &mut dyn Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut found = Vec::new();
        loop {
            let (word, ends) = match read(&mut input) {
                Incoming::Message(message) => (message.to_string(), false),
                Incoming::Damaged(_) => ("damaged".to_owned(), false),
                Incoming::End => ("end".to_owned(), true),
                Incoming::Lost(why) => (why, true),
            };
            found.push(word);
            if ends {
                return found;
            }
        }
    }

    #[test]
    fn what_is_damaged_is_passed_over() {
        let bytes = b"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n{\"\xffcontent-length:1\nContent-Type: x\n\n7";
        assert_eq!(all(bytes), ["{}", "damaged", "7", "end"]);
        let deep = "{\"a\":".repeat(1_000_000);
        let bytes = format!("Content-Length: {}\r\n\r\n{deep}Content-Length: 2\r\n\r\n[]", deep.len());
        assert_eq!(all(bytes.as_bytes()), ["damaged", "[]", "end"]);
    }

    #[test]
    fn what_has_no_length_ends_it() {
        assert_eq!(all(b""), ["end"]);
        assert_eq!(all(b"Content-Type: x\r\n\r\n{}"), ["a header without `Content-Length`"]);
        assert_eq!(all(b"Content-Length: many\r\n\r\n{}"), ["a length that is no number"]);
        assert_eq!(all(b"GET / HTTP/1.1\r\n\r\n"), ["a header without `:`"]);
        assert_eq!(all(b"Content-Length: 7\r\n\r\n{}"), ["the input ends within a message"]);
        assert_eq!(all(b"Content-Length: 18446744073709551615\r\n\r\n{}"), ["the input ends within a message"]);
        assert_eq!(all(b"Content-Len"), ["a header does not end"]);
        assert_eq!(all(&[b'x'; 1 << 16]), ["a header does not end"]);
    }
}
