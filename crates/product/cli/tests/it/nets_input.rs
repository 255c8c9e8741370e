//! `serval net` and inputs that are wrong: every mistake is shown where it is, with what may have been meant.

use std::fmt::Write as _;

use serval_effort::skips;

use crate::support::{directory, root, serval, text};

const HEAD: &str =
    "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">";

/// What is said of a net that cannot be read.
fn refused(kind: &str, content: &str) -> String {
    let output = serval(&["net", "check", "-", "--input", kind], content.as_bytes());
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    said
}

fn page(inside: &str) -> String {
    format!("{HEAD}\n<page id=\"page\">\n{inside}\n</page></net></pnml>")
}

#[test]
fn a_mistake_in_pnml_is_shown_in_its_line_with_what_was_meant() {
    for (inside, message, line, meant) in [
        ("  <plce id=\"p\"/>", "3:3: <plce> is not supported", " 3 |   <plce id=\"p\"/>\n   |   ^", "place"),
        (
            "<place id=\"p\"><initalMarking/></place>",
            "3:15: <initalMarking> within <place> is not supported",
            " 3 | <place id=\"p\"><initalMarking/></place>\n   |               ^",
            "initialMarking",
        ),
        (
            "<place id=\"idle\"/><transition id=\"grab\"/>\n<arc id=\"a\" source=\"idel\" target=\"grab\"/>",
            "4:1: there is no place or transition “idel”",
            " 4 | <arc id=\"a\" source=\"idel\" target=\"grab\"/>\n   | ^",
            "idle",
        ),
        (
            "<place id=\"idle\"/><transition id=\"grab\"/>\n<arc id=\"a\" source=\"idle\" target=\"garb\"/>",
            "4:1: there is no place or transition “garb”",
            "   | ^",
            "grab",
        ),
        (
            "<place id=\"busy\"/>\n<referencePlace id=\"r\" ref=\"buzy\"/>",
            "4:1: this reference leads to no place: there is no place “buzy”",
            " 4 | <referencePlace id=\"r\" ref=\"buzy\"/>",
            "busy",
        ),
    ] {
        let said = refused("pnml", &page(inside));
        assert!(said.starts_with(&format!("error: <stdin>:{message}\n")), "{said}");
        assert!(said.contains(line), "{said}");
        assert!(said.ends_with(&format!("help: did you mean “{meant}”?\n")), "{said}");
    }
    for (content, meant) in [("<pnlm/>", "pnml"), ("<pnml><nets/></pnml>", "net")] {
        assert!(refused("pnml", content).ends_with(&format!("help: did you mean “{meant}”?\n")));
    }
    // Nothing is near: nothing is proposed.
    assert!(!refused("pnml", &page("<capacity/>")).contains("did you mean"));
}

#[test]
fn a_mistake_in_a_net_of_tina_is_shown_in_its_line_with_what_was_meant() {
    let said = refused("net", "pl a (1)\n  trr t a -> b\n");
    assert_eq!(
        said,
        "error: <stdin>:2:3: expected `net`, `tr` or `pl`, found `t`\n 2 |   trr t a -> b\n   |   ^\nhelp: did you mean “tr”?\n"
    );
    let said = refused("net", "nett a\n");
    assert!(said.ends_with("help: did you mean “net”?\n"), "{said}");
}

#[test]
fn weights_that_are_none() {
    for (weight, message) in [
        ("0", "an arc of weight 0"),
        ("-1", "expected a weight, found `-`"),
        ("18446744073709551616", "`18446744073709551616` does not fit 64 bits"),
    ] {
        let said = refused("net", &format!("pl a (1)\ntr t a*{weight} -> b\n"));
        assert!(said.contains("<stdin>:2:") && said.contains(message) && said.contains(" 2 | tr t a*"), "{said}");
    }
}

#[test]
fn files_that_end_too_early_or_have_bytes_of_nobody() {
    assert!(refused("net", "pl a (").contains("expected a number of tokens, found the end"));
    assert!(refused("net", "pl {a").contains("this name has no closing `}`"));
    assert!(refused("net", "pl a\0b (1)").contains("found `\\0`"));
    for command in ["info", "run", "export"] {
        let more: &[&str] = if command == "export" { &["--to", "dot"] } else { &[] };
        let output = serval(&[&["net", command, "examples"], more].concat(), b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("examples is a directory"), "{command}: {}", text(&output.stderr));
    }
    let output = serval(&["net", "check", "examples/nets/pump.net", "--queries", "examples"], b"");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), "error: examples is a directory; give a file\n"));
}

#[test]
fn a_coloured_net_is_named_by_its_type() {
    for kind in ["highlevelnet", "pt-hlpng"] {
        let said = refused("pnml", &page("<place id=\"p\"/>").replace("grammar/ptnet", &format!("grammar/{kind}")));
        let wanted = format!("nets of the type “http://www.pnml.org/version-2009/grammar/{kind}” are not supported");
        assert!(said.contains(&wanted), "{said}");
    }
}

#[test]
fn a_mistake_in_queries_is_shown_in_its_line_with_what_was_meant() {
    let place = directory("nets-query-mistakes");
    let path = place.join("queries.xml");
    let net = "examples/nets/token-ring.pnml";
    let said = |content: &str, more: &[&str]| {
        std::fs::write(&path, content).unwrap();
        let output = serval(&[&["net", "check", net, "--queries", path.to_str().unwrap()], more].concat(), b"");
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
        text(&output.stderr)
    };
    let query = |inside: &str| {
        format!(
            "<property-set>\n<property><id>first</id><formula><exists-path><finally>\n{inside}\n</finally></exists-path></formula></property>\n</property-set>"
        )
    };
    // Ids of the example are `t1`, `s1`, … and too short for a near one: a net with longer ids.
    let longer = place.join("longer.pnml");
    std::fs::write(&longer, page("<place id=\"waiting\"/><transition id=\"release\"/>")).unwrap();
    let of_longer = |inside: &str| {
        std::fs::write(&path, query(inside)).unwrap();
        text(&serval(&["net", "check", longer.to_str().unwrap(), "--queries", path.to_str().unwrap()], b"").stderr)
    };
    let told =
        of_longer("<integer-le><tokens-count><place>wating</place></tokens-count><integer-constant>1</integer-constant></integer-le>");
    assert!(told.contains("queries.xml:3:27: there is no place “wating”\n 3 | <integer-le>"), "{told}");
    assert!(told.ends_with("help: did you mean “waiting”?\n"), "{told}");
    let told = of_longer("<is-fireable><transition>relaese</transition></is-fireable>");
    assert!(told.contains("3:14: there is no transition “relaese”") && told.ends_with("help: did you mean “release”?\n"), "{told}");
    let told = of_longer("<conjuction><true/></conjuction>");
    assert!(told.contains("3:1: <conjuction> is not supported here") && told.ends_with("did you mean “conjunction”?\n"), "{told}");
    let told = said("<property-set>\n <propery/>\n</property-set>", &[]);
    assert!(told.contains("queries.xml:2:2: expected <property>, found <propery>") && told.contains("did you mean “property”?"), "{told}");
    let told = said("<property-set><property><id>a</id><formla/></property></property-set>", &[]);
    assert!(told.contains("a <property> without <formula>") && told.contains("did you mean “formula”?"), "{told}");
    let told = said(&query("<true/>"), &["--query", "frist"]);
    assert_eq!(told, "error: no query is called frist; did you mean first?\n");
    for content in ["", "\0", "<property-set>", &query("<true/>")[..40]] {
        assert!(said(content, &[]).contains("not well-formed XML"), "{content:?}");
    }
}

#[test]
fn a_hundred_thousand_nodes_are_read() {
    if skips("cli.nets-large") {
        return;
    }
    let mut pnml = page("");
    pnml.truncate(pnml.len() - "\n</page></net></pnml>".len());
    let mut net = String::from("net chain\n");
    for node in 0..50_000 {
        let (next, tokens) = ((node + 1) % 50_000, u8::from(node == 0));
        let _ = writeln!(
            pnml,
            "<place id=\"p{node}\"><initialMarking><text>{tokens}</text></initialMarking></place><transition id=\"t{node}\"/>\
             <arc id=\"i{node}\" source=\"p{node}\" target=\"t{node}\"/><arc id=\"o{node}\" source=\"t{node}\" target=\"p{next}\"/>"
        );
        let _ = writeln!(net, "pl p{node} ({tokens})\ntr t{node} p{node} -> p{next}");
    }
    pnml.push_str("</page></net></pnml>");
    for (kind, content) in [("pnml", pnml), ("net", net)] {
        let output = serval(&["net", "run", "-", "--input", kind, "--steps", "2"], content.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("2  t1          p1 1 → 0, p2 0 → 1"), "{}", text(&output.stdout));
    }
}

/// The annotation is a hint, in every format and for every question.
#[test]
fn a_false_annotation_changes_no_certificate() {
    let net = |safe: &str| {
        page(&format!(
            "<toolspecific tool=\"nupn\" version=\"1.1\"><structure units=\"1\" root=\"u\" safe=\"{safe}\"><unit id=\"u\"><places>p q</places>\
             <subunits/></unit></structure></toolspecific><place id=\"p\"><initialMarking><text>2</text></initialMarking></place><place id=\"q\"/>\
             <transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/>"
        ))
    };
    let place = directory("nets-annotation");
    let answers: Vec<(String, Vec<String>)> = ["true", "false"]
        .into_iter()
        .map(|safe| {
            let kept = place.join(safe);
            let output = serval(
                &["net", "check", "-", "--input", "pnml", "--no-times", "--certificate", kept.to_str().unwrap()],
                net(safe).as_bytes(),
            );
            let certificate = |name: &str| std::fs::read_to_string(kept.join(format!("{name}.certificate.json"))).unwrap();
            let kept = ["deadlock-free", "one-safe", "quasi-live", "no-dead-places"].map(certificate).to_vec();
            (text(&output.stdout).replace(&place.join(safe).display().to_string(), ""), kept)
        })
        .collect();
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].0.contains("one-safe        does not hold"), "{}", answers[0].0);
    assert!(root().is_dir());
}
