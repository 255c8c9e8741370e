//! What a client gets.

use std::borrow::Cow;
use std::io::{Read, Write};

use crate::PageFile;
use crate::request::Request;

/// An answer, before it is written.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    status: u16,
    kind: &'static str,
    body: Cow<'a, [u8]>,
    is_packed: bool,
    /// Whether the name of the file tells what is in it, so that it never changes.
    is_fixed: bool,
    /// Whether only the head was asked for.
    is_head: bool,
    is_last: bool,
}

/// Names under which a browser finds its own machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// What is in a file, by the end of its name.
fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

impl<'a> Answer<'a> {
    /// That a request is refused, and why. The connection ends with it.
    pub(crate) fn refusal(status: u16, why: &'a str) -> Self {
        let body = Cow::Borrowed(why.as_bytes());
        Self { status, kind: "text/plain; charset=utf-8", body, is_packed: false, is_fixed: false, is_head: false, is_last: true }
    }

    /// What a request gets.
    pub(crate) fn to(request: &Request, files: &'a [PageFile]) -> Self {
        if !request.host.as_deref().is_some_and(is_loopback) {
            return Self::refusal(421, "this server is localhost alone");
        }
        let is_head = request.method == "HEAD";
        if !is_head && request.method != "GET" {
            return Self::refusal(405, "only GET and HEAD are answered");
        }
        let name = if request.path.is_empty() { "index.html" } else { &request.path };
        let Some(file) = files.iter().find(|file| file.name == name) else {
            return Self { is_head, is_last: request.is_last, ..Self::refusal(404, "not there") };
        };
        let body = match request.takes_gzip {
            true => Cow::Borrowed(file.packed),
            false => match unpacked(file.packed) {
                Ok(bytes) => Cow::Owned(bytes),
                Err(_) => return Self::refusal(500, "this build of the page is broken"),
            },
        };
        Self {
            status: 200,
            kind: kind_of(name),
            body,
            is_packed: request.takes_gzip,
            // Vite puts a hash into the names of all that is there, but for what a browser asks for by its name.
            is_fixed: name.starts_with("assets/"),
            is_head,
            is_last: request.is_last,
        }
    }

    /// Whether the connection ends with it.
    pub(crate) fn is_last(&self) -> bool {
        self.is_last
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            404 => "Not Found",
            405 => "Method Not Allowed",
            421 => "Misdirected Request",
            431 => "Request Header Fields Too Large",
            _ => "Internal Server Error",
        };
        write!(out, "HTTP/1.1 {} {reason}\r\n", self.status)?;
        write!(out, "content-type: {}\r\ncontent-length: {}\r\n", self.kind, self.body.len())?;
        write!(out, "cache-control: {}\r\n", if self.is_fixed { "max-age=31536000, immutable" } else { "no-cache" })?;
        // Memory can be shared between the page and its workers, so that stopped work tells what it knows.
        out.write_all(b"cross-origin-opener-policy: same-origin\r\ncross-origin-embedder-policy: require-corp\r\n")?;
        out.write_all(b"cross-origin-resource-policy: same-origin\r\nx-content-type-options: nosniff\r\nvary: accept-encoding\r\n")?;
        if self.is_packed {
            out.write_all(b"content-encoding: gzip\r\n")?;
        }
        if self.status == 405 {
            out.write_all(b"allow: GET, HEAD\r\n")?;
        }
        if self.is_last {
            out.write_all(b"connection: close\r\n")?;
        }
        out.write_all(b"\r\n")?;
        if self.is_head { Ok(()) } else { out.write_all(&self.body) }
    }
}

/// What is in a file.
fn unpacked(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes)?;
    Ok(bytes)
}
