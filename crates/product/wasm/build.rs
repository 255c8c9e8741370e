//! Puts the examples of the repository into a table of the module.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders of examples, below that of all, with the endings that count there.
const FOLDERS: [(&str, &[&str]); 3] = [("", &["ser", "json"]), ("tso", &["tso"]), ("nets", &["net"])];

fn main() -> io::Result<()> {
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let examples = home.join("../../../examples");
    let mut table =
        String::from("/// The folder of each example, its name and its text.\npub(crate) const TEXTS: &[(&str, &str, &str)] = &[\n");
    for (folder, endings) in FOLDERS {
        let directory = if folder.is_empty() { examples.clone() } else { examples.join(folder) };
        println!("cargo::rerun-if-changed={}", directory.display());
        for path in sorted(&directory)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
                let path = fs::canonicalize(&path)?;
                // Writing to a string does not fail.
                let _ = writeln!(table, "    ({folder:?}, {name:?}, include_str!({:?})),", path.display().to_string());
            }
        }
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("texts.rs"), table)
}

fn sorted(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
