//! How to decide.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serval_budget::Cancel;
use serval_compile::{Limits, Mode};
use serval_engine::portfolio::{Method, Progress};
use serval_format::Style as FormatStyle;

/// How to decide, and what to find out beside the verdict.
///
/// ```
/// let mut options = serval::Options::default();
/// options.jobs = 2;
/// options.progress = Some(std::sync::Arc::new(|progress| println!("{progress:?}")));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The methods that may be used. Default: all of the portfolio.
    pub methods: Methods,
    /// Threads; they change no result. With 0 there are as many as the machine offers. Default 1.
    pub jobs: usize,
    /// Ends the work from outside. Default: a flag that is never raised.
    pub cancel: Cancel,
    /// Receives what is tried. Default: none.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// The time since some moment, for [`Times`](crate::Times). Default: time
    /// stands still.
    pub clock: fn() -> Duration,
    /// Decide about the order in time, too: whether what is serializable is strict. Default: no.
    pub strict: bool,
    /// Say in words what holds at every moment, where it is serializable. Default: no.
    pub invariants: bool,
    /// Say in words what a proof says, where there is one. Default: yes.
    pub proof: bool,
    /// Look for `yield`s whose removal would help, with little effort, where it
    /// is not serializable. Default: yes.
    pub fixes: bool,
    /// Find out whether the certificate alone tells all of it again
    /// ([`Decision::reusable`](crate::Decision::reusable)). Default: no.
    pub reusable: bool,
    /// Rounds of growing budgets, at most: a limit that is the same on every
    /// machine. Default: as many as the flag allows.
    pub rounds: usize,
    /// How large budgets are, in percent of the usual. Default: 100.
    pub percent: u64,
    /// Pairs of states of a program that are explored, at most; a program with
    /// more stays undecided. Default: as many as the flag allows.
    pub pairs: Option<u64>,
    /// Lines whose `yield`s have to stay in what is proposed, besides those with a comment that says so. Default: none.
    pub keep: BTreeSet<u32>,
    /// How changed texts are formatted, where the text is. Default: the usual style.
    pub style: FormatStyle,
    /// What the random runs of the method `sample` are drawn from; the same number gives the same runs. Default: a
    /// number that belongs to the input.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            methods: Methods::default(),
            jobs: 1,
            cancel: Cancel::new(),
            progress: None,
            clock: || Duration::ZERO,
            strict: false,
            invariants: false,
            proof: true,
            fixes: true,
            reusable: false,
            rounds: usize::MAX,
            percent: 100,
            pairs: None,
            keep: BTreeSet::new(),
            style: FormatStyle::default(),
            seed: None,
        }
    }
}

/// Which methods decide.
#[derive(Clone, Debug)]
pub enum Methods {
    /// Some of our own, in their fixed order.
    Portfolio(Vec<Method>),
    /// The published method, as a second opinion.
    Classic(serval_classic_engine::Options),
}

impl Default for Methods {
    fn default() -> Self {
        Self::Portfolio(Method::ALL.to_vec())
    }
}

/// How a program becomes network systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// One system for all of the program, as published, without anything that makes it smaller. Default: no.
    pub plain: bool,
    /// Pairs of states that are explored, at most. Default: sixteen million.
    pub pairs: Option<u64>,
}

impl CompileOptions {
    pub(crate) fn options(self) -> serval_compile::Options {
        let (mode, limits) = (if self.plain { Mode::Plain } else { Mode::Optimised }, Limits::default());
        serval_compile::Options { mode, limits: Limits { pairs: self.pairs.unwrap_or(limits.pairs), ..limits } }
    }
}
