//! Certificates about handlers: saved, and checked for the file and for its program.

use crate::handlers::built::has_node;
use crate::support::{directory, root, serval, text};

/// What `verify` says, and its status.
fn verified(arguments: &[&str]) -> (String, Option<i32>) {
    let output = serval(&[&["verify"], arguments].concat(), b"");
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

#[test]
fn certificates_are_about_the_file_and_about_its_program() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-certificate");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for (name, verdict) in [("token.js", "not serializable"), ("token-fixed.js", "serializable")] {
        let source = std::fs::read_to_string(root().join("docs/src/handlers").join(name)).unwrap();
        let (file, certificate, program) = (path(name), path("a.cert"), path("a.ser"));
        std::fs::write(&file, &source).unwrap();
        let options = ["--values", "3", "--keys", "1"];
        serval(&[&["check", &file, "--certificate", &certificate], &options[..]].concat(), b"");
        let (said, status) = verified(&[&file, &certificate]);
        assert!(status == Some(0) && said.contains(&format!("{name} is {verdict}")), "{said}");
        assert_eq!(verified(&[&file, &certificate, "--values", "3"]).1, Some(0));
        let (said, status) = verified(&[&file, &certificate, "--keys", "2"]);
        assert!(status == Some(1) && said.contains("it was made with another --keys"), "{said}");
        // The program, with the same options.
        serval(&[&["export", &file, "--to", "ser", "--out", &program], &options[..]].concat(), b"");
        let (said, status) = verified(&[&program, &certificate]);
        assert!(status == Some(0) && said.contains("the file was not read") && said.lines().count() == 1, "{said}");
        serval(&["export", &file, "--to", "ser", "--out", &program], b"");
        assert_eq!(verified(&[&program, &certificate]).1, Some(1), "other options, another program");
        // One byte.
        std::fs::write(&file, format!("{source}\n")).unwrap();
        let (said, status) = verified(&[&file, &certificate]);
        assert!(status == Some(1) && said.contains(&format!("it is about another text than {file}")), "{said}");
        std::fs::write(&file, &source).unwrap();
        let text = std::fs::read_to_string(&certificate).unwrap();
        for (from, to) in [("\"values\":3", "\"values\":2"), ("\"keys\":1", "\"keys\":2"), ("\"values\":3", "\"values\":300")] {
            assert!(text.contains(from));
            std::fs::write(&certificate, text.replacen(from, to, 1)).unwrap();
            assert_ne!(verified(&[&file, &certificate]).1, Some(0), "{from}");
        }
        std::fs::write(&certificate, "{}").unwrap();
        let (said, status) = verified(&[&file, &certificate]);
        assert!(status == Some(2) && said.contains("this is no certificate about a file of handlers"), "{said}");
    }
}
