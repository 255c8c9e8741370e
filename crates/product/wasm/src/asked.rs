//! What a host asks.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serval::{Cancel, Input, InputKind, Method, Methods, Options, TextKind};

use crate::answer::Unanswered;
use crate::limits;

/// A request. Each function takes what concerns it; a field that no function has is refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModuleRequest {
    /// The text that it is about.
    pub text: String,
    /// What the text is: an ending such as `ser`, `json`, `tso`, `litmus`, `pnml`, `net`, `spec`, `vass`. Where it is
    /// absent the ending of the name tells, and else the text.
    pub kind: Option<String>,
    /// What reports call the text. For `explain`: the page.
    pub name: String,
    /// What the answer has as `output`: `text`, `json`, `markdown` or `github`. For `export`: the form.
    pub format: String,
    /// Decide about the order in time, too.
    pub strict: bool,
    /// Ask only whether a step can fail.
    pub only_faults: bool,
    /// Look for fixes of what is refuted, and for advice on what is undecided.
    pub fixes: bool,
    /// Also say how it was decided, and what holds at every moment.
    pub verbose: bool,
    /// The report as elements of a page (`html`), with pictures.
    pub html: bool,
    /// Compare with what the header of the text expects.
    pub expected: bool,
    /// Methods by name; all where there is none.
    pub methods: Vec<String>,
    /// What random runs are drawn from.
    pub seed: Option<u64>,
    /// Lines whose `yield`s stay in fixes.
    pub keep: Vec<u32>,
    /// The lock under which `fix` is to put requests.
    pub lock: Option<String>,
    /// Warnings and notes that are not told, by code.
    pub allow: Vec<String>,
    /// Of nets: properties that are asked; of weak memory: questions. Where there is none the file asks, or the usual.
    pub questions: Vec<String>,
    /// Of nets: the marking with which they begin.
    pub from: Option<String>,
    /// Of weak memory: so many copies of each `thread*`.
    pub copies: Option<u32>,
    /// For `verify` and `hint`.
    pub certificate: String,
    /// What `verify` calls the certificate.
    pub certificate_name: String,
    /// For `analyze`: the place, in units of UTF-16, about which more is to be told.
    pub offset: Option<usize>,
    /// For `simulate`: what was chosen, each by its position among what could happen.
    pub choices: Vec<usize>,
    /// For `export`: a component, from 0.
    pub component: Option<usize>,
    /// For `export` and `simulate`: pairs of states that are explored, at most.
    pub max_states: u64,
    /// How wide `output` may be, in characters.
    pub width: usize,
    /// By how many blanks a block is indented.
    pub indent: usize,
    /// How wide a line of a program may be.
    pub line_width: usize,
    /// Memory, in MiB, beyond which work ends undecided.
    pub memory: usize,
}

impl Default for ModuleRequest {
    fn default() -> Self {
        let style = serval::FormatStyle::default();
        Self {
            text: String::new(),
            kind: None,
            name: String::new(),
            format: "text".to_owned(),
            strict: false,
            only_faults: false,
            fixes: true,
            verbose: false,
            html: false,
            expected: false,
            methods: Vec::new(),
            seed: None,
            keep: Vec::new(),
            lock: None,
            allow: Vec::new(),
            questions: Vec::new(),
            from: None,
            copies: None,
            certificate: String::new(),
            certificate_name: "certificate".to_owned(),
            offset: None,
            choices: Vec::new(),
            component: None,
            max_states: 4_000_000,
            width: 100,
            indent: style.indent,
            line_width: style.width,
            memory: 1024,
        }
    }
}

impl ModuleRequest {
    /// Reads a request.
    pub(crate) fn read(request: &str) -> Result<Self, Unanswered> {
        serde_json::from_str(request).map_err(|error| Unanswered::new(format!("the request cannot be read: {error}")))
    }

    /// What the text is: as the request says, or the ending of its name, or the text itself. What tells nothing is a
    /// program, so that its mistakes are shown.
    pub(crate) fn text_kind(&self) -> Result<TextKind, Unanswered> {
        if let Some(kind) = &self.kind {
            return TextKind::of_ending(kind).ok_or_else(|| {
                let known: Vec<&str> = TextKind::all().map(TextKind::ending).collect();
                Unanswered::new(format!("{kind} is no kind of text; there are {}", known.join(", ")))
            });
        }
        let by_name = self.name.rsplit_once('.').and_then(|(_, ending)| TextKind::of_ending(ending));
        Ok(by_name.or_else(|| TextKind::of_text(&self.text)).unwrap_or(TextKind::Program))
    }

    /// What reports call the text.
    pub(crate) fn file(&self, kind: TextKind) -> String {
        if self.name.is_empty() { format!("input.{}", kind.ending()) } else { self.name.clone() }
    }

    /// The methods that are named.
    fn methods(&self) -> Result<Methods, Unanswered> {
        if self.methods.is_empty() {
            return Ok(Methods::default());
        }
        let named = |name: &String| Method::named(name).ok_or_else(|| Unanswered::new(format!("{name} is not a method")));
        let mut methods = self.methods.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        methods.sort_unstable();
        methods.dedup();
        Ok(Methods::Portfolio(methods))
    }

    /// How to decide about requests; fixes are looked for when the verdict is there.
    pub(crate) fn options(&self) -> Result<Options, Unanswered> {
        let mut options = Options::default();
        options.methods = self.methods()?;
        options.cancel = Cancel::asking(limits::is_over);
        options.seed = self.seed;
        options.strict = self.strict;
        options.invariants = self.verbose || self.html;
        options.proof = true;
        options.fixes = false;
        options.style = self.style();
        options.keep = self.keep.iter().copied().collect::<BTreeSet<u32>>();
        Ok(options)
    }

    /// How programs are laid out.
    pub(crate) fn style(&self) -> serval::FormatStyle {
        serval::FormatStyle { indent: self.indent, width: self.line_width }
    }
}

/// A text of requests that was read; the outer nothing where the host ended that.
pub(crate) fn read(text: &str, kind: TextKind) -> Option<Result<Input, serval::Mistakes>> {
    let kind = if kind == TextKind::System { InputKind::System } else { InputKind::Program };
    let text = text.to_owned();
    limits::reading(move || Input::read(text, kind))
}
