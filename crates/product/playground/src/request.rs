//! What a client asks for.

/// The parts of a request that an answer depends on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// `GET`, `HEAD`, or something else.
    pub(crate) method: String,
    /// What stands before a `?`, without `/` at its front.
    pub(crate) path: String,
    /// The name under which the client knows this machine, if it says one.
    pub(crate) host: Option<String>,
    /// Whether compressed files are understood.
    pub(crate) takes_gzip: bool,
    /// Whether the connection ends with the answer.
    pub(crate) is_last: bool,
}

/// What the bytes read so far are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// The head of a request, and its length.
    Whole { request: Request, length: usize },
    /// Its first part.
    Part,
    /// No request.
    Wrong,
}

/// Reads the head of a request.
pub(crate) fn parse(bytes: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Parsed::Part,
        Err(_) => return Parsed::Wrong,
    };
    let (Some(method), Some(target), Some(version)) = (head.method, head.path, head.version) else { return Parsed::Wrong };
    let values = |name: &'static str| {
        let named = head.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| String::from_utf8_lossy(header.value).to_ascii_lowercase())
    };
    // Two names for this machine are one too many.
    let hosts: Vec<String> = values("host").collect();
    if hosts.len() > 1 {
        return Parsed::Wrong;
    }
    // No request that is answered has a body; what is said behind one cannot be told from it.
    let has_body = values("content-length").any(|length| length.trim() != "0") || values("transfer-encoding").next().is_some();
    let says_close = values("connection").any(|value| value.split(',').any(|word| word.trim() == "close"));
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let request = Request {
        method: method.to_owned(),
        path: path.strip_prefix('/').unwrap_or(path).to_owned(),
        host: hosts.into_iter().next(),
        takes_gzip: values("accept-encoding").any(|value| value.split(',').any(takes_gzip)),
        is_last: has_body || says_close || version == 0,
    };
    Parsed::Whole { request, length }
}

/// Whether one word of `accept-encoding` allows gzip.
fn takes_gzip(word: &str) -> bool {
    let mut parts = word.split(';').map(str::trim);
    let is_named = parts.next().is_some_and(|name| name == "gzip" || name == "*");
    // `q=0`, `q=0.0` and their like take it back.
    let is_refused = parts.any(|part| part.strip_prefix("q=").is_some_and(|quality| quality.chars().all(|c| matches!(c, '0' | '.'))));
    is_named && !is_refused
}
