//! What is there to be looked up: pages, defaults, the version.

use serde::Serialize;
use serval::{Method, TextKind};
use serval_report::{explain as pages, page_style};

use crate::answer::{Unanswered, json};
use crate::asked::ModuleRequest;

/// A page of `serval explain`, or the list of all where no name is given.
pub(crate) fn explain(asked: &ModuleRequest) -> Result<String, Unanswered> {
    #[derive(Serialize)]
    struct Explained<'a> {
        text: Option<&'a str>,
        pages: Vec<(&'a str, &'a str)>,
    }
    if asked.name.is_empty() {
        return json(&Explained { text: None, pages: pages::names() });
    }
    match pages::page(&asked.name) {
        Some(text) => json(&Explained { text: Some(text), pages: Vec::new() }),
        None => {
            let hint = pages::similar(&asked.name).map_or(String::new(), |similar| format!("; did you mean {similar}?"));
            Err(Unanswered::new(format!("there is no page on {}{hint}", asked.name)))
        }
    }
}

#[derive(Serialize)]
struct Kind {
    ending: &'static str,
    words: &'static str,
}

#[derive(Serialize)]
struct Defaults {
    /// A request with all its defaults.
    request: ModuleRequest,
    kinds: Vec<Kind>,
    methods: Vec<&'static str>,
    /// How long a text may be, in bytes.
    most_bytes: usize,
    /// The style of reports as elements of a page.
    style: String,
}

pub(crate) fn defaults(_: &ModuleRequest) -> Result<String, Unanswered> {
    json(&Defaults {
        request: ModuleRequest::default(),
        kinds: TextKind::all().map(|kind| Kind { ending: kind.ending(), words: kind.words() }).collect(),
        methods: Method::ALL.iter().map(|method| method.name()).collect(),
        most_bytes: serval::Input::MOST_BYTES,
        style: page_style(),
    })
}

pub(crate) fn version(_: &ModuleRequest) -> Result<String, Unanswered> {
    #[derive(Serialize)]
    struct Version {
        version: &'static str,
        nets: bool,
        weak_memory: bool,
    }
    let (nets, weak_memory) = (cfg!(feature = "nets"), cfg!(feature = "weak-memory"));
    json(&Version { version: env!("CARGO_PKG_VERSION"), nets, weak_memory })
}
