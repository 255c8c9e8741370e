//! `serval net` at work: running by hand, watching, progress, how much is said, limits, other formats, and benchmarks
//! of nets.

use std::fs;

use serde_json::Value;
use serval_effort::side_by_side;

use crate::support::{self, directory, serval, text};

const RING: &str = "examples/nets/token-ring.pnml";
const FIGURE: &str = "examples/nets/figure-1.net";

#[test]
fn running_by_hand_and_taking_back() {
    let kept = directory("nets-by-hand").join("run.json");
    let typed = b"?\nu\nt2\nt33\n9\nt3\n2\nu\n1\n";
    let output = serval(&["net", "run", FIGURE, "--interactive", "--trace", kept.to_str().unwrap()], typed);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let wanted = [
        "Choose by number or by name; u takes the last choice back, ? shows the marking, q ends.\n",
        "   1  t1  p1 1 → 0, p3 0 → 1\n   2  t3  p2 0 → 1\n> ",
        "      p1=1\n",
        "      nothing has fired yet\n",
        "      t2 cannot fire now\n",
        "      a number from 1 to 2, the name of a transition, u, ? or q; did you mean t3?\n",
        "      t3  p2 0 → 1\n",
        "      t3  p2 1 → 2\n",
        "      t3 is taken back\n",
        "      t1  p1 1 → 0, p3 0 → 1\n",
        "fired     2\nmarking   p2=1, p3=1\n",
    ];
    let mut rest = said.as_str();
    for part in wanted {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} does not come next in {rest}"));
        rest = &rest[at + part.len()..];
    }
    let replayed = serval(&["net", "run", FIGURE, "--replay", kept.to_str().unwrap()], b"");
    assert_eq!(replayed.status.code(), Some(0));
    assert!(text(&replayed.stdout).contains("     2  t1          p1 1 → 0, p3 0 → 1\n  then the trace ends"), "{}", text(&replayed.stdout));
    // Where nothing can fire one can still go back.
    let output = serval(&["net", "run", FIGURE, "-i"], b"t1\n1\nu\nq\n");
    let said = text(&output.stdout);
    assert!(
        said.contains("      nothing can fire\n> ") && said.contains("t1 is taken back") && said.ends_with("marking   p1=1\n"),
        "{said}"
    );
    let output = serval(&["net", "run", "-", "--input", "net", "-i"], b"pl a (1)");
    assert_eq!(output.status.code(), Some(2));
    let output = serval(&["net", "run", FIGURE, "-i", "--steps", "3"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn how_much_is_said() {
    let said = |more: &[&str]| text(&serval(&[&["net", "check", FIGURE, "--no-times"], more].concat(), b"").stdout);
    assert_eq!(
        said(&["-q"]),
        "deadlock-free   does not hold  walk\none-safe        does not hold  walk\nquasi-live      does not hold  equation\n\
         no-dead-places  holds          walk\n"
    );
    assert!(said(&[]).contains("t0 is dead: ") && !said(&[]).contains(" ms"));
    let timed = text(&serval(&["net", "check", FIGURE, "-p", "one-safe"], b"").stdout);
    assert!(timed.contains(" ms\n"), "{timed}");
    // A long run is shown as a whole with -v only.
    let long = |more: &[&str]| {
        text(&serval(&[&["net", "check", "-", "--input", "net", "--no-times", "-p", "one-safe"], more].concat(), LONG).stdout)
    };
    assert!(long(&[]).contains(" rows, which -v shows"), "{}", long(&[]));
    assert!(!long(&["-v"]).contains("left out") && long(&["-v"]).lines().count() > 60);
}

/// Seventy steps before a place gets its second token.
const LONG: &[u8] = include_bytes!("../nets/long.net");

#[test]
fn progress_is_told_to_machines_in_objects_of_their_own() {
    let output = serval(&["net", "check", RING, "--format", "json", "--progress", "--no-times"], b"");
    let objects: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (events, answers): (Vec<&Value>, Vec<&Value>) = objects.iter().partition(|object| object.get("event").is_some());
    assert_eq!((events.len(), answers.len()), (4, 4));
    for (number, event) in (1..).zip(events) {
        assert!(event.get("answer").is_none());
        assert_eq!(
            (&event["event"], &event["file"], &event["number"], &event["of"]),
            (&"asking".into(), &RING.into(), &number.into(), &4.into())
        );
        assert_eq!(event["question"], answers[usize::try_from(number).unwrap() - 1]["question"]);
    }
    // For people there is nothing without a terminal, and the other formats have no events.
    for format in ["text", "mcc", "markdown", "sarif"] {
        let with = serval(&["net", "check", RING, "--format", format, "--progress", "--no-times"], b"");
        let without = serval(&["net", "check", RING, "--format", format, "--no-times"], b"");
        assert_eq!((&with.stdout, text(&with.stderr)), (&without.stdout, String::new()), "{format}");
    }
}

/// Least markings and stubborn sets are put in words, as other evidence is.
#[test]
fn evidence_against_a_goal_is_told_in_words() {
    let told = |asked: &[&str]| text(&serval(&[&["net", "check", "-v", "--no-times"], asked].concat(), b"").stdout);
    let barrier = told(&["examples/nets/coverability/barrier-4.spec"]);
    for sentence in [
        "has at least the tokens of one of these: coming + open; coming + through. Against",
        "need not be looked at: coming + waiting never grows: it is 4 in the beginning.",
    ] {
        assert!(barrier.contains(sentence), "{barrier}");
    }
    let controller = told(&["examples/nets/controller-and-workers.net", "-p", "coverable:p2=1, w1=1", "--method", "backward"]);
    assert!(controller.contains("no transition increases: l0 + p2 + w1 never changes: it is 1 in the beginning."), "{controller}");
    let philosophers = told(&["examples/nets/philosophers-ordered.net", "-p", "deadlock-free", "--method", "explicit"]);
    assert!(philosophers.contains("At each of 11 markings only some of the transitions need be followed"), "{philosophers}");
}

/// The page about any number of threads shows the evidence that is written.
#[test]
fn the_page_shows_the_certificates_of_the_controller() {
    let page = fs::read_to_string(support::root().join("docs/src/threads.md")).unwrap();
    for method in ["cover", "backward"] {
        let kept = directory(&format!("nets-page-{method}"));
        let net = "examples/nets/controller-and-workers.net";
        let asked = ["net", "check", net, "-p", "coverable:p2=1, w1=1", "--method", method, "--certificate", kept.to_str().unwrap()];
        assert_eq!(serval(&asked, b"").status.code(), Some(1));
        let written = fs::read_to_string(kept.join("coverable_p2_1_w1_1.certificate.json")).unwrap();
        let (_, evidence) = written.split_once(r#""evidence":[{"goal":0,"evidence":"#).unwrap();
        let evidence = evidence.trim_end().strip_suffix("}]}").unwrap();
        assert!(page.contains(&format!("```text\n{evidence}\n```\n")), "{evidence}");
    }
}

#[test]
fn the_memory_limit_ends_a_question_and_not_the_others() {
    let mut unbounded = "pl a (5)\ntr t a -> b\ntr u b -> a c\ntr v a*3 c*2 -> d c*2\ntr w d c*5 -> a*3 e c*5\ntr x e*2 c*3 -> e c*3 f\n\
                         tr y f*2 b -> f b g\ntr z g c*7 -> f*2 c*2\n"
        .to_owned();
    // With many places the limit is soon reached.
    let mut before = "b".to_owned();
    for number in 0..120 {
        unbounded += &format!("tr g{number} {before}*2 b -> {before} p{number} b\ntr h{number} p{number}*3 c -> {before}*2 c\n");
        before = format!("p{number}");
    }
    let output = serval(
        &[
            &["net", "check", "-", "--input", "net", "--no-times", "--memory", "32", "--timeout", "3600"][..],
            &["-p", "invariant:f + g + p119 <= c + 100000000", "-p", "one-safe"],
        ]
        .concat(),
        unbounded.as_bytes(),
    );
    let said = text(&output.stdout);
    assert!(said.contains("stopped at the memory limit of 32 MiB (--memory)"), "{said}");
    assert!(said.lines().any(|line| line.starts_with("one-safe") && line.contains("does not hold")), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_format_gives_the_same_status() {
    for format in ["text", "json", "mcc", "markdown", "sarif"] {
        for (net, code) in [(RING, 0), (FIGURE, 1), ("nowhere.net", 2)] {
            let output = serval(&["net", "check", net, "--format", format], b"");
            assert_eq!(output.status.code(), Some(code), "{net} {format}");
        }
        assert_eq!(serval(&["net", "check", FIGURE, "--format", format, "--exit-zero"], b"").status.code(), Some(0));
        assert_eq!(serval(&["net", "check", RING, "--format", format, "--timeout", "0.000001"], b"").status.code(), Some(3));
    }
}

#[test]
fn pictures_and_other_formats() {
    let exported = |net: &[u8], to: &str| {
        let output = serval(&["net", "export", "-", "--input", "net", "--to", to], net);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let net = "net {a; net}\npl {my \"place\"} (2)\npl q\ntr t {my \"place\"}*2 -> q\ntr {place} -> q*3\n".as_bytes();
    let (code, said, _) = exported(net, "mermaid");
    assert_eq!(
        (code, said.as_str()),
        (
            Some(0),
            "flowchart LR\n  p0((\"my #34;place#34;<br>2\"))\n  p1((\"q\"))\n  t0[\"t\"]\n  t1[\"place\"]\n  p0 -->|2| t0\n  t0 --> p1\n  t1 -->|3| p1\n"
        )
    );
    let (code, said, _) = exported(net, "lola");
    assert_eq!(
        (code, said.as_str()),
        (
            Some(0),
            "{ a net }\nPLACE\n  my%20%22place%22,\n  q;\nMARKING\n  my%20%22place%22: 2;\nTRANSITION t\nCONSUME\n  my%20%22place%22: 2;\nPRODUCE\n  q: 1;\n\
             TRANSITION %70lace\nCONSUME;\nPRODUCE\n  q: 3;\n"
        )
    );
    let (code, said, told) = exported(b"tr t ->", "lola");
    assert_eq!((code, said.as_str()), (Some(2), ""));
    assert_eq!(told, "error: <stdin>: the net has no place, and the format of LoLA needs one\n");
    let forms = ["net", "pnml", "dot", "svg", "mermaid", "lola", "smtlib", "lustre", "horn", "vmt", "nuxmv", "mist"];
    let examples = fs::read_dir(support::root().join("examples/nets")).unwrap().map(|example| example.unwrap().path());
    let wanted: Vec<_> =
        examples.filter(|path| path.is_file()).flat_map(|path| forms.map(|to| (path.to_str().unwrap().to_owned(), to))).collect();
    side_by_side(&wanted, |(path, to)| {
        let output = serval(&["net", "export", path, "--to", to], b"");
        assert_eq!(output.status.code(), Some(0), "{path} {to}: {}", text(&output.stderr));
        assert!(!output.stdout.is_empty());
    });
}

#[test]
fn a_net_comes_back_from_each_format_that_is_read() {
    for example in fs::read_dir(support::root().join("examples/nets")).unwrap() {
        let path = example.unwrap().path();
        let (Some(path), Some(ending)) = (path.to_str(), path.extension().and_then(|ending| ending.to_str())) else { continue };
        if ending == "tsv" {
            continue;
        }
        let export = |from: &[u8], kind: &str, to: &str| serval(&["net", "export", "-", "--input", kind, "--to", to], from).stdout;
        let first = export(&fs::read(path).unwrap(), ending, "net");
        let pnml = export(&first, "net", "pnml");
        assert_eq!(export(&pnml, "pnml", "net"), first, "{path}");
        assert_eq!(export(&first, "net", "net"), first, "{path}");
        assert_eq!(export(&pnml, "pnml", "pnml"), pnml, "{path}");
    }
}

/// Two nets with what is known of them, and queries of one.
fn benchmark(place: &str, table: &str) -> std::path::PathBuf {
    let directory = directory(place);
    fs::create_dir_all(directory.join("ring")).unwrap();
    fs::copy(support::root().join(RING), directory.join("ring/model.pnml")).unwrap();
    fs::copy(support::root().join(FIGURE), directory.join("figure.net")).unwrap();
    let query = |id: &str, place: &str| {
        format!(
            "<property><id>{id}</id><formula><exists-path><finally><integer-le><integer-constant>1</integer-constant><tokens-count><place>{place}</place>\
             </tokens-count></integer-le></finally></exists-path></formula></property>"
        )
    };
    let queries = format!("<property-set>{}{}</property-set>", query("ring-00", "s3"), query("ring-01", "t1"));
    fs::write(directory.join("ring/ReachabilityCardinality.xml"), queries).unwrap();
    fs::write(directory.join("expected.tsv"), table).unwrap();
    directory
}

#[test]
fn a_directory_of_nets_is_measured() {
    let place = benchmark(
        "nets-bench",
        "model\tdeadlock\tonesafe\tno-dead-places\tRC_16\nring\tFALSE\tTRUE\t?\tT?\nfigure\tTRUE\tFALSE\tTRUE\t-\n",
    );
    let place = place.to_str().unwrap();
    let bench = |more: &[&str]| serval(&[&["bench", place, "--no-times"], more].concat(), b"");
    let output = bench(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("ring/model.pnml  deadlock-free   holds          holds"), "{said}");
    assert!(said.contains("figure.net       one-safe        does not hold  does not hold"), "{said}");
    assert!(said.ends_with("7 questions, 6 right, 1 without an expected answer\n"), "{said}");
    // Parts of it make the whole.
    let kept = directory("nets-bench-parts");
    let parts: Vec<String> = (1..=3)
        .map(|number| {
            let path = kept.join(format!("{number}.json"));
            fs::write(&path, bench(&["--shard", &format!("{number}/3"), "--format", "json"]).stdout).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let merge = |more: &[&str]| serval(&[&["bench", "merge"], more].concat(), b"");
    let files: Vec<&str> = parts.iter().map(String::as_str).collect();
    for format in ["text", "json", "csv", "markdown"] {
        assert_eq!(
            text(&merge(&[&files[..], &["--format", format]].concat()).stdout),
            text(&bench(&["--format", format]).stdout),
            "{format}"
        );
    }
    let missing = merge(&files[..2]);
    assert_eq!((missing.status.code(), text(&missing.stderr).as_str()), (Some(2), "error: part 3 of 3 is missing\n"));
}

#[test]
fn what_is_not_as_expected_is_told() {
    let bench = |place: &str, table: &str, more: &[&str]| {
        let place = benchmark(place, table);
        let output = serval(&[&["bench", place.to_str().unwrap(), "--no-times"], more].concat(), b"");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, said, told) = bench("nets-bench-wrong", "model\tdeadlock\nring\tTRUE\nfigure\tTRUE\n", &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("does not hold (differs)") && told.contains("ring/model.pnml: deadlock-free: not as expected"), "{said}{told}");
    let (code, said, _) = bench("nets-bench-late", "model\tdeadlock\nring\tFALSE\n", &["--timeout", "0.000001"]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said, _) = bench("nets-bench-nowhere", "model\tdeadlock\nrings\tFALSE\nfigure\tTRUE\n", &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("line 2: there is no net rings") && said.contains("1 right, 1 not usable"), "{said}");
    let (code, said, _) = bench("nets-bench-queries", "model\tRC_16\nring\tTTT\n", &[]);
    assert!(code == Some(2) && said.contains("3 answers, and ReachabilityCardinality.xml has 2 queries"), "{said}");
    let (code, _, told) = bench("nets-bench-table", "model\tdeadlock\nring\tperhaps\n", &[]);
    assert!(code == Some(2) && told.contains("expected.tsv: line 2: perhaps is no answer"), "{told}");
    let (code, _, told) = bench("nets-bench-option", "model\tdeadlock\nring\tTRUE\n", &["--runs", "3"]);
    assert!(code == Some(2) && told.contains("--runs is for programs"), "{told}");
}
