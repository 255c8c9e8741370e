//! serval as a WebAssembly module: what a page, a worker or a program for Node asks.
//!
//! Every function is a plain export. The host asks for room ([`border::input`]), writes a request there, which is JSON
//! in UTF-8, calls the function, which returns how long its answer is, and reads that from where [`border::output`]
//! says. A request is a [`ModuleRequest`], with only those fields that differ from their defaults; an answer is
//! `{"ok": …}`, or `{"error": {"message": …}}` where the request was none. Reports in it have the form of
//! `docs/*.schema.json`, and are byte for byte those of the binary with `--no-times`; so are certificates.
//!
//! | export | what it does |
//! |---|---|
//! | `check` | decides about a text, and has the evidence checked |
//! | `hint` | fixes beside a verdict that is known already |
//! | `fix` | what `serval fix` says, with the changed texts |
//! | `verify` | has the checker go through a certificate |
//! | `format` | the text in our layout |
//! | `analyze` | what is wrong with a text, and its tokens |
//! | `simulate` | a run by choices, and what can happen next |
//! | `export` | the text in the forms of other tools, and pictures |
//! | `explain` | a page of `serval explain` |
//! | `examples` | programs to begin with |
//! | `defaults` | the fields of requests with their defaults, the kinds of texts, the style of reports |
//! | `version` | of this module |
//!
//! Architecture Invariant: no thread, no clock, no file. What ends work from outside is a question to the host
//! ([`limits`]), which has a clock.
//!
//! Architecture Invariant: this crate decides nothing; it hands texts to the library and writes down what comes back.

mod analyze;
mod answer;
mod asked;
pub mod border;
mod check;
mod checked;
mod examples;
mod export;
mod fix;
mod groups;
mod layout;
pub mod limits;
#[cfg(feature = "nets")]
mod nets;
mod requests;
mod simulate;
mod tables;
mod verify;
#[cfg(feature = "weak-memory")]
mod weak_memory;

pub use answer::Unanswered;
pub use asked::ModuleRequest;

/// What the module can do, by the name of the export.
type ExportFunction = fn(&ModuleRequest) -> Result<String, Unanswered>;

/// All functions.
const FUNCTIONS: [(&str, ExportFunction); 12] = [
    ("check", check::check),
    ("hint", fix::hint),
    ("fix", fix::fix),
    ("verify", verify::verify),
    ("format", layout::format),
    ("analyze", analyze::analyze),
    ("simulate", simulate::simulate),
    ("export", export::export),
    ("explain", tables::explain),
    ("examples", examples::examples),
    ("defaults", tables::defaults),
    ("version", tables::version),
];

/// The answer of the function with this name to a request.
pub fn call(name: &str, request: &str) -> String {
    let function = FUNCTIONS.iter().find(|(known, _)| *known == name).map(|row| row.1);
    let answer = match function {
        Some(function) => ModuleRequest::read(request).and_then(|asked| {
            limits::begin(asked.memory);
            function(&asked)
        }),
        None => Err(Unanswered::new(format!("there is no function {name}"))),
    };
    answer::written(answer)
}
