//! The server, asked over sockets as browsers and others ask.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::OnceLock;

use serval_playground::{PageFile, serve};

const PAGE: &str = "<!doctype html><title>serval</title>";

fn packed(text: &str) -> &'static [u8] {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap().leak()
}

/// One server for all tests.
fn address() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let files = vec![
            PageFile { name: "index.html", packed: packed(PAGE) },
            PageFile { name: "assets/x-1234.js", packed: packed("export {}") },
            PageFile { name: "broken.css", packed: b"no gzip" },
        ];
        std::thread::spawn(move || serve(&listener, files.leak()));
        address
    })
}

/// Says some bytes, ends, and reads all that comes: each answer as its head and its body.
fn ask(bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address()).unwrap();
    // Who is refused may be cut off while it speaks.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(path: &str, more: &str) -> String {
    ask(format!("GET {path} HTTP/1.1\r\nHost: localhost:80\r\n{more}\r\n").as_bytes())
}

#[test]
fn files_are_answered_with_what_they_are() {
    let page = get("/", "");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n"), "{page}");
    assert!(page.ends_with(&format!("\r\n\r\n{PAGE}")), "{page}");
    for header in [
        "content-length: 36\r\n",
        "cache-control: no-cache\r\n",
        "cross-origin-opener-policy: same-origin\r\n",
        "x-content-type-options: nosniff\r\n",
    ] {
        assert!(page.contains(header), "{header} {page}");
    }
    let script = get("/assets/x-1234.js?v=1", "");
    assert!(script.contains("content-type: text/javascript\r\n") && script.contains("immutable\r\n"), "{script}");
    assert!(get("/index.html#x", "").ends_with(PAGE));
    assert!(get("/broken.css", "").starts_with("HTTP/1.1 500 "));
}

#[test]
fn who_takes_gzip_gets_it() {
    for accepts in ["gzip", "br, gzip;q=0.5", "*", "GZIP"] {
        let answer = get("/", &format!("Accept-Encoding: {accepts}\r\n"));
        assert!(answer.contains("content-encoding: gzip\r\n") && !answer.contains(PAGE), "{accepts}: {answer}");
    }
    for accepts in ["br", "gzip;q=0", "identity, gzip; q=0.0", "gzipped"] {
        let answer = get("/", &format!("Accept-Encoding: {accepts}\r\n"));
        assert!(!answer.contains("content-encoding") && answer.ends_with(PAGE), "{accepts}: {answer}");
    }
}

#[test]
fn a_connection_takes_several_requests() {
    let one = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    let answers = ask(format!("{one}HEAD / HTTP/1.1\r\nHost: [::1]:7\r\n\r\n{one}").as_bytes());
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 3, "{answers}");
    assert_eq!(answers.matches("content-length: 36\r\n").count(), 3, "{answers}");
    assert_eq!(answers.matches(PAGE).count(), 2, "{answers}");
    let closed = ask(format!("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n{one}").as_bytes());
    assert_eq!(closed.matches("HTTP/1.1 ").count(), 1, "{closed}");
    let old = ask(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\nGET / HTTP/1.0\r\nHost: localhost\r\n\r\n");
    assert_eq!(old.matches("HTTP/1.1 200").count(), 1, "{old}");
}

#[test]
fn what_is_not_there_and_what_leaves_the_page_is_not_found() {
    for path in ["/x", "/../Cargo.toml", "/assets/../index.html", "//index.html", "/%2e%2e/x", "http://localhost/", "/index.html/"] {
        assert!(get(path, "").starts_with("HTTP/1.1 404 "), "{path}");
    }
}

#[test]
fn other_names_and_other_methods_are_refused() {
    for host in ["example.org", "localhost.example.org", "127.0.0.1.example.org", "localhost:80:example", "", "127.0.0.2"] {
        let answer = ask(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 421 "), "{host}: {answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
    }
    assert!(ask(b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421 "));
    assert!(ask(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n").starts_with("HTTP/1.1 400 "));
    // A body is not read as a request.
    let post = ask(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 44\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(post.starts_with("HTTP/1.1 405 ") && post.contains("allow: GET, HEAD\r\n"), "{post}");
    assert_eq!(post.matches("HTTP/1.1 ").count(), 1, "{post}");
}

#[test]
fn noise_and_halves_harm_no_other() {
    assert!(ask(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").starts_with("HTTP/1.1 400 "));
    assert!(ask(&[b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ".as_slice(), &[b'x'; 40_000]].concat()).starts_with("HTTP/1.1 431 "));
    assert_eq!(ask(b"GET / HT"), "");
    // Clients that say nothing take the place of no other, up to a limit, and beyond it what comes is closed at once.
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(address()).unwrap()).collect();
    assert!(get("/", "").ends_with(PAGE));
    drop(silent);
}
