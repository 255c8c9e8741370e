//! Files of a crate stand on each other one way: a reader of a file needs none of those that use it.
//!
//! A file stands on another if it names something that the other defines, wherever it takes the name from: what is
//! handed on by `pub use` counts where it is defined, and handing on counts for nothing. What a file names of the
//! module that it is a part of does not count. Methods are not followed to their `impl`, and tests may use what they
//! want.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// A module: a file, or a part of one in braces.
#[derive(Default)]
struct Module {
    file: usize,
    parent: usize,
    children: BTreeMap<String, usize>,
    /// What is defined here, with the file that has it.
    defined: BTreeMap<String, usize>,
    /// Names that `use` brings in, each with the path that it stands for.
    names: BTreeMap<String, Vec<String>>,
    /// Modules of which all names are brought in.
    globs: Vec<Vec<String>>,
    /// Paths that the code has.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of one crate; the first is its root.
struct Crate {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
}

/// Names, `::` and single characters; comments, texts and characters in quotes are left out.
fn tokens(text: &str) -> Vec<String> {
    let (mut tokens, bytes, mut at) = (Vec::new(), text.as_bytes(), 0);
    let end_of = |from: usize, what: &str| text[from..].find(what).map_or(text.len(), |found| from + found + what.len());
    while at < bytes.len() {
        let rest = &text[at..];
        let raw = ["r\"", "br\"", "r#", "br#"].iter().any(|begin| rest.starts_with(begin));
        if rest.starts_with("//") {
            at = end_of(at, "\n");
        } else if rest.starts_with("/*") {
            at = end_of(at, "*/");
        } else if raw && rest.trim_start_matches(['b', 'r']).trim_start_matches('#').starts_with('"') {
            let hashes = rest.chars().filter(|c| !matches!(c, 'b' | 'r')).take_while(|c| *c == '#').count();
            let begin = at + rest.find('"').unwrap() + 1;
            at = end_of(begin, &format!("\"{}", "#".repeat(hashes)));
        } else if bytes[at] == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
        } else if bytes[at] == b'\'' {
            // A character, or else a lifetime.
            let mut letters = rest.chars().skip(1);
            let first = letters.next();
            if first == Some('\\') {
                at = end_of(at + 3, "'");
            } else if letters.next() == Some('\'') {
                at += 2 + first.map_or(0, char::len_utf8);
            } else {
                at += 1 + rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
            }
        } else if bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            at += length;
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            let one = rest.chars().next().unwrap();
            if !one.is_whitespace() {
                tokens.push(one.to_string());
            }
            at += one.len_utf8();
        }
    }
    tokens
}

/// The place after what a bracket at a place closes.
fn after_group(tokens: &[String], from: usize) -> usize {
    let (mut depth, mut at) = (0_usize, from);
    while at < tokens.len() {
        match tokens[at].as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The place after an item: after its braces, or its semicolon, or where what it is a part of ends.
fn after_item(tokens: &[String], from: usize) -> usize {
    let mut at = from;
    while at < tokens.len() {
        match tokens[at].as_str() {
            ";" => return at + 1,
            "}" => return at,
            "{" => return after_group(tokens, at),
            "(" | "[" => at = after_group(tokens, at),
            _ => at += 1,
        }
    }
    at
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads the tree of a `use`, and calls a function for each leaf with its path and its name, if it has one.
fn leaves(tokens: &[String], prefix: &[String], leaf: &mut impl FnMut(&[String], Option<&str>)) {
    let mut path = prefix.to_vec();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "::" => {}
            "*" => return leaf(&path, None),
            "as" => return leaf(&path, Some(&tokens[at + 1])),
            "{" => {
                let inside = &tokens[at + 1..after_group(tokens, at) - 1];
                let mut begin = 0;
                let mut here = 0;
                while here <= inside.len() {
                    if here == inside.len() || inside[here] == "," {
                        if begin < here {
                            leaves(&inside[begin..here], &path, leaf);
                        }
                        begin = here + 1;
                        here += 1;
                    } else {
                        here = if inside[here] == "{" { after_group(inside, here) } else { here + 1 };
                    }
                }
                return;
            }
            name => path.push(name.to_owned()),
        }
        at += 1;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    let name = path.last().cloned();
    leaf(&path, name.as_deref());
}

impl Crate {
    fn read(beginning: &Path) -> Self {
        let mut read = Self { files: vec![beginning.to_owned()], modules: vec![Module::default()] };
        read.file(0, &beginning.with_file_name(""));
        read
    }

    /// Reads the file of a module; its children are in this folder.
    fn file(&mut self, module: usize, folder: &Path) {
        let text = fs::read_to_string(&self.files[self.modules[module].file]).unwrap();
        self.items(module, folder, &tokens(&text));
    }

    fn child(&mut self, module: usize, name: &str, file: usize) -> usize {
        let child = self.modules.len();
        self.modules.push(Module { file, parent: module, ..Module::default() });
        self.modules[module].children.insert(name.to_owned(), child);
        child
    }

    fn items(&mut self, module: usize, folder: &Path, tokens: &[String]) {
        let (mut at, mut depth, mut is_exported) = (0, 0_usize, false);
        while at < tokens.len() {
            let next = |far: usize| tokens.get(at + far).map_or("", String::as_str);
            match next(0) {
                "#" if next(1) == "[" => {
                    let end = after_group(tokens, at + 1);
                    let inside = tokens[at + 2..end - 1].concat();
                    is_exported |= inside == "macro_export";
                    at = if inside == "cfg(test)" { after_item(tokens, end) } else { end };
                }
                "mod" if is_name(next(1)) && next(2) == ";" => {
                    let name = next(1).to_owned();
                    let places = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
                    // What is elsewhere, by an attribute, belongs to another crate.
                    if let Some(place) = places.into_iter().find(|place| place.is_file()) {
                        self.files.push(place);
                        let child = self.child(module, &name, self.files.len() - 1);
                        self.file(child, &folder.join(&name));
                    }
                    at += 3;
                }
                "mod" if is_name(next(1)) && next(2) == "{" => {
                    let end = after_group(tokens, at + 2);
                    let name = next(1).to_owned();
                    let child = self.child(module, &name, self.modules[module].file);
                    self.items(child, &folder.join(&name), &tokens[at + 3..end - 1]);
                    at = end;
                }
                // `impl Trait + use<'a>` brings nothing in.
                "use" if next(1) != "<" => {
                    let end = at + tokens[at..].iter().position(|token| token == ";").unwrap();
                    // `pub`, or `pub` with where.
                    let hands_on = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                    let here = &mut self.modules[module];
                    leaves(&tokens[at + 1..end], &[], &mut |path, name| {
                        match name {
                            Some(name) => _ = here.names.insert(name.to_owned(), path.to_vec()),
                            None => here.globs.push(path.to_vec()),
                        }
                        if !hands_on {
                            here.paths.insert(path.to_vec());
                        }
                    });
                    at = end + 1;
                }
                "struct" | "enum" | "trait" | "type" | "union" | "const" | "static" | "fn"
                    if depth == 0 && is_name(next(1)) && !matches!(next(1), "fn" | "unsafe" | "mut" | "extern") =>
                {
                    let file = self.modules[module].file;
                    self.modules[module].defined.insert(next(1).to_owned(), file);
                    at += 2;
                }
                "macro_rules" => {
                    let (file, name) = (self.modules[module].file, next(2).to_owned());
                    self.modules[if is_exported { 0 } else { module }].defined.insert(name, file);
                    is_exported = false;
                    at += 3;
                }
                "{" | "(" | "[" => {
                    depth += 1;
                    at += 1;
                }
                "}" | ")" | "]" => {
                    depth = depth.checked_sub(1).unwrap_or_else(|| {
                        panic!(
                            "a bracket too many in {}: {}",
                            self.files[self.modules[module].file].display(),
                            tokens[at.saturating_sub(30)..=at].join(" ")
                        )
                    });
                    at += 1;
                }
                name if is_name(name) && (at == 0 || !matches!(tokens[at - 1].as_str(), "." | "::")) => {
                    let mut path = vec![name.to_owned()];
                    while next(2 * path.len() - 1) == "::" && is_name(next(2 * path.len())) {
                        path.push(next(2 * path.len()).to_owned());
                    }
                    at += 2 * path.len() - 1;
                    if path.len() > 1 {
                        self.modules[module].paths.insert(path);
                    }
                }
                _ => at += 1,
            }
        }
    }

    /// The file that defines what a path means in a module; nothing for modules and for what other crates have.
    fn defines(&self, module: usize, path: &[String], deep: usize) -> Option<usize> {
        let (name, rest) = path.split_first()?;
        let here = &self.modules[module];
        if deep > 20 {
            return None;
        }
        match name.as_str() {
            "crate" => self.defines(0, rest, deep + 1),
            "self" => self.defines(module, rest, deep + 1),
            "super" => self.defines(here.parent, rest, deep + 1),
            _ => {
                if let Some(&child) = here.children.get(name) {
                    return self.defines(child, rest, deep + 1);
                }
                if let Some(&file) = here.defined.get(name) {
                    return Some(file);
                }
                if let Some(stands_for) = here.names.get(name) {
                    // A name may stand for another crate of the same name.
                    let whole = [stands_for, rest].concat();
                    return (whole != path).then(|| self.defines(module, &whole, deep + 1)).flatten();
                }
                here.globs.iter().find_map(|glob| self.defines(module, &[glob, path].concat(), deep + 1))
            }
        }
    }

    /// Whether a module is in a file, or a part of a module that is.
    fn is_part_of(&self, module: usize, file: usize) -> bool {
        let here = &self.modules[module];
        here.file == file || module != 0 && self.is_part_of(here.parent, file)
    }

    /// Which files each file stands on.
    fn arrows(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut arrows: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (number, module) in self.modules.iter().enumerate() {
            let below = arrows.entry(module.file).or_default();
            let defined = module.paths.iter().filter_map(|path| self.defines(number, path, 0));
            below.extend(defined.filter(|file| !self.is_part_of(number, *file)));
        }
        arrows
    }
}

/// What is left of arrows where files go that stand on no other, or on which no other stands, again and again.
fn circles(mut arrows: BTreeMap<usize, BTreeSet<usize>>) -> BTreeMap<usize, BTreeSet<usize>> {
    loop {
        let used: BTreeSet<usize> = arrows.values().flatten().copied().collect();
        let free: Vec<usize> =
            arrows.iter().filter(|(file, below)| below.is_empty() || !used.contains(file)).map(|(file, _)| *file).collect();
        if free.is_empty() {
            return arrows;
        }
        for file in free {
            arrows.remove(&file);
            for below in arrows.values_mut() {
                below.remove(&file);
            }
        }
    }
}

#[test]
fn no_files_go_round_in_circles() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for wing in fs::read_dir(root().join("crates")).unwrap() {
        for room in fs::read_dir(wing.unwrap().path()).unwrap() {
            let room = room.unwrap().path();
            for beginning in ["src/lib.rs", "src/main.rs"].map(|file| room.join(file)).into_iter().filter(|file| file.is_file()) {
                let read = Crate::read(&beginning);
                let arrows = read.arrows();
                count += arrows.values().map(BTreeSet::len).sum::<usize>();
                let name = |file: &usize| read.files[*file].strip_prefix(root()).unwrap().display().to_string();
                for (file, below) in circles(arrows) {
                    wrong.push(format!("{} stands on {}", name(&file), below.iter().map(name).collect::<Vec<_>>().join(", ")));
                }
            }
        }
    }
    assert!(count > 1500, "only {count} arrows are found");
    assert!(wrong.is_empty(), "these files stand on each other:\n{}", wrong.join("\n"));
}
