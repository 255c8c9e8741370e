//! The files that `check` writes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;
use crate::input;
use crate::output::write_file;

/// Which file has which name in directories; in small letters, because some systems know no others.
static TAKEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// What is written for a file is called in a directory. No other file of this call has the name: of `a/b.ser` and
/// `a_b.ser` the second one gets a number.
pub(in crate::commands) fn name_in_directory(file: &str, ending: &str) -> String {
    // A name that begins with a dot would be hidden.
    let plain = file.replace(['/', '\\'], "_").trim_start_matches(['.', '_']).to_owned();
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut name = plain.clone();
    for number in 2_u64.. {
        match taken.entry(name.to_lowercase()) {
            Entry::Vacant(free) => {
                free.insert(file.to_owned());
                break;
            }
            Entry::Occupied(of) if of.get() == file => break,
            Entry::Occupied(_) => name = format!("{plain}-{number}"),
        }
    }
    format!("{name}.{ending}")
}

/// Saves a file where the option asks for it: the path itself for one input, a
/// file in that directory for several. Gives how it is called.
pub(in crate::commands) fn save(
    path: Option<&Path>,
    several: bool,
    file: &str,
    ending: &str,
    text: &str,
) -> Result<Option<String>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let target: PathBuf = if several {
        std::fs::create_dir_all(path).map_err(|error| Failure::message(format!("cannot make {}: {error}", input::shown(path))))?;
        path.join(name_in_directory(file, ending))
    } else {
        path.to_owned()
    };
    write_file(&target, text)?;
    Ok(Some(input::name_of(&target)))
}
