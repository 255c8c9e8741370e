//! What files are called.

use std::path::Path;

use serval_report::escape::{self, file_name};

/// How reports call a file.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { file_name(path) }
}

/// The same in a message, where what cannot be seen in it is written out.
pub(crate) fn shown(path: &Path) -> String {
    escape::name(&name_of(path)).into_owned()
}
