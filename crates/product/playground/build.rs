//! Puts the page of `web/dist` into the crate, each file compressed, where the feature `page` asks for it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    let mut table = "/// The files of the page; none where the feature `page` is off.\npub static PAGE: &[PageFile] = &[\n".to_owned();
    if std::env::var_os("CARGO_FEATURE_PAGE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../web/dist");
        println!("cargo::rerun-if-changed={}", folder.display());
        assert!(folder.join("index.html").is_file(), "there is no page in web/dist: `scripts/playground --build` builds it");
        for (number, path) in files(&folder).iter().enumerate() {
            let name = path.strip_prefix(&folder).expect("it is in the folder").to_str().expect("names of the page are plain");
            let bytes = std::fs::read(path).expect("the page can be read");
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packed.write_all(&bytes).expect("memory takes all");
            let packed = packed.finish().expect("memory takes all");
            std::fs::write(out.join(format!("{number}.gz")), packed).expect("the folder of the build can be written");
            let name = name.replace('\\', "/");
            writeln!(table, "    PageFile {{ name: {name:?}, packed: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.gz\")) }},")
                .expect("memory takes all");
        }
    }
    table.push_str("];\n");
    std::fs::write(out.join("page.rs"), table).expect("the folder of the build can be written");
}

/// All files below a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the page can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the page can be read").path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
