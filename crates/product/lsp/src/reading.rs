//! Large texts, which are read and given back on threads of their own: meanwhile messages are answered, and an edit
//! ends the reading.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serval_budget::checkpoint;
use serval_ide::Document;

/// How long a text may be that is read at once, in bytes: some milliseconds.
const AT_ONCE: usize = 1 << 15;

/// A text that is being read; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct ReadingThread {
    /// Which reading it is.
    pub(crate) number: u64,
    is_dropped: Arc<AtomicBool>,
}

impl Drop for ReadingThread {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
    }
}

/// Whether a text is one that is read on a thread of its own.
pub(crate) fn is_large(text: &str) -> bool {
    text.len() > AT_ONCE
}

/// Begins to read a text. What comes out is handed over, or nothing where that is a mistake in serval, unless the
/// reading is dropped before.
pub(crate) fn begin(number: u64, text: String, found: impl FnOnce(Option<Document>) + Send + 'static) -> std::io::Result<ReadingThread> {
    let is_dropped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&is_dropped);
    // As much stack as the main thread usually has.
    let builder = std::thread::Builder::new().name("reading".to_owned()).stack_size(8 << 20);
    builder.spawn(move || {
        let read = || checkpoint::until(move || stop.load(Ordering::Relaxed), || Document::new(text));
        let document = match catch_unwind(AssertUnwindSafe(read)) {
            Ok(None) => return,
            Ok(Some(document)) => Some(document),
            Err(_) => None,
        };
        found(document);
    })?;
    Ok(ReadingThread { number, is_dropped })
}

/// Gives back a document, of a large text on a thread of its own: its tree has a node for each word.
pub(crate) fn give_back(document: Document) {
    if is_large(document.text()) {
        // Where there is no thread to be had it is given back here.
        let _ = std::thread::Builder::new().name("giving back".to_owned()).spawn(move || drop(document));
    }
}
