//! Certificates as a whole: made, written, read, checked.

use serval_budget::Budget;
use serval_petri::{Net, Property};

use crate::{Certificate, Evidence, Item, Refusal, Run, fingerprint};

/// `start` turns an `a` into a `b`, `stop` turns it back; nothing gives to `c`, which `never` needs.
pub(super) fn net() -> Net {
    let mut net = Net::new("a lock");
    let [a, b, c] = [("a", 2), ("my \"b\"", 0), ("c", 0)].map(|(name, tokens)| net.add_place(name, tokens).unwrap());
    net.add_transition("start", [(a, 1)], [(b, 1)]).unwrap();
    net.add_transition("stop", [(b, 1)], [(a, 1)]).unwrap();
    net.add_transition("never", [(c, 1)], [(a, 1)]).unwrap();
    net
}

fn run(word: &[u32]) -> Evidence {
    Evidence::Run(Run { word: word.iter().map(|&transition| Item::Fire(transition)).collect() })
}

fn checked(certificate: &Certificate) -> Result<(), Refusal> {
    certificate.check(&net(), &mut Budget::unlimited())
}

#[test]
fn written_and_read_they_are_the_same() {
    let net = net();
    let property = Property::parse("reaches:a = 1, \"my \\\"b\\\"\" = 1", &net).unwrap();
    let certificate = Certificate::new(&net, &property.text(&net).unwrap(), property.decides(), 1, vec![(0, run(&[0]))]).unwrap();
    assert_eq!(certificate.property, "reaches:a = 1, \"my \\\"b\\\"\" = 1");
    let text = certificate.to_json();
    assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
    assert_eq!(certificate.net, fingerprint(&net));
    checked(&certificate).unwrap();
}

/// What is written piece by piece is the same text, and its length is known, also without writing it down.
#[test]
fn long_ones_are_the_same_piece_by_piece() {
    let net = net();
    let property = Property::DeadlockFree;
    let markings = (0..2_000_u64).map(|number| [number, number % 7 * 1_000, 9]);
    let states = Evidence::States(crate::States { markings: markings.collect() });
    for evidence in [states, run(&[0, 0, 1])] {
        let words = property.text(&net).unwrap();
        let certificate = Certificate::new(&net, &words, property.decides(), 1, vec![(0, evidence)]).unwrap();
        let (text, mut written) = (certificate.to_json(), Vec::new());
        certificate.write_json(&mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
        let length = u64::try_from(text.len()).unwrap();
        assert_eq!([length - 1, length, 1 << 20].map(|bytes| certificate.is_longer_than(bytes)), [true, false, false]);
        assert_eq!(serval_evidence::read_from::<Certificate>(text.as_bytes()).unwrap().unwrap(), certificate);
    }
}

#[test]
fn runs_that_begin_alike_are_one_word() {
    let mut net = Net::new("");
    let places: Vec<_> = ["a", "b", "c", "d"].map(|name| net.add_place(name, u64::from(name == "a")).unwrap()).to_vec();
    for (at, name) in ["t", "u", "v"].into_iter().enumerate() {
        net.add_transition(name, [(places[at], 1)], [(places[at + 1], 1)]).unwrap();
    }
    let evidence = vec![(0, run(&[])), (1, run(&[0])), (2, run(&[0, 1])), (3, run(&[0, 1, 2]))];
    let certificate =
        Certificate::new(&net, &Property::NoDeadPlaces.text(&net).unwrap(), Property::NoDeadPlaces.decides(), 4, evidence.clone()).unwrap();
    assert_eq!((certificate.runs.words.len(), certificate.evidence.len()), (1, 0));
    assert_eq!(certificate.runs.ends, [(0, 0, 0), (1, 0, 1), (2, 0, 2), (3, 0, 3)]);
    certificate.check(&net, &mut Budget::unlimited()).unwrap();
    assert_eq!(Certificate::from_json(&certificate.to_json()).unwrap(), certificate);
    assert_eq!(
        Certificate::new(&net, &Property::NoDeadPlaces.text(&net).unwrap(), Property::NoDeadPlaces.decides(), 4, evidence[1..].to_vec()),
        None
    );
}

#[test]
fn reading_is_strict() {
    let property = Property::DeadlockFree;
    let good = Certificate::new(&net(), &property.text(&net()).unwrap(), property.decides(), 1, vec![(0, run(&[0, 0]))]).unwrap().to_json();
    for (from, to, message) in [
        ("serval-net-certificate", "serval-certificate", "the format is \"serval-certificate\", not \"serval-net-certificate\""),
        ("\"version\":1", "\"version\":2", "this is version 2 of the format; this program reads version 1"),
        ("\"version\":1", "\"version\":1,\"version\":1", "duplicate field `version`"),
        (
            "\"holds\"",
            "\"hold\"",
            "unknown field `hold`, expected one of `format`, `version`, `net`, `property`, `holds`, `evidence`, `runs`",
        ),
        ("\"holds\":false,", "", "missing field `holds`"),
        ("\"holds\":false", "\"holds\":null", "invalid type: null, expected a boolean"),
        ("{\"word\":[0,0]}", "[[0,0]]", "invalid type: sequence, expected an object"),
        ("\"word\"", "\"words\"", "unknown field `words`, expected `word`"),
        (
            "\"run\"",
            "\"walk\"",
            "unknown variant `walk`, expected one of `run`, `weights`, `dead`, `equation`, `inductive`, `k-inductive`, `states`, `stubborn`, `toward`, `cover`, `basis`, `backward`, `separator`, `decomposition`, `pump`, `homes`, `lost`, `script`",
        ),
        ("[0,0]", "[0,-1]", "data did not match any variant of untagged enum Item"),
        ("[0,0]", "[0,4294967296]", "data did not match any variant of untagged enum Item"),
        ("}\n", "}}", "trailing characters"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        let error = Certificate::from_json(&bad).unwrap_err();
        assert_eq!(error.message, message);
        // The same piece by piece, with a byte order mark, too.
        for text in [bad.clone(), format!("\u{feff}{bad}")] {
            let piecewise = serval_evidence::read_from::<Certificate>(text.as_bytes()).unwrap().unwrap_err();
            // What comes piece by piece is read one letter ahead.
            assert_eq!((piecewise.line, &piecewise.message), (error.line, &error.message));
            assert!(piecewise.column.abs_diff(error.column) <= 1, "{piecewise:?} {error:?}");
        }
    }
    let array = "[\"serval-net-certificate\",1,\"\",\"\",true,[]]";
    assert_eq!(Certificate::from_json(array).unwrap_err().message, "invalid type: sequence, expected an object");
}

/// Each kind that the checker reads is in the schema with its fields, and the other way round.
#[test]
fn the_schema_has_the_same_fields() {
    use serde_json::Value;
    let schema: Value = serde_json::from_str(include_str!("../../../../../docs/net-certificate.schema.json")).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let agree = |schema: &Value, value: &Value| {
        assert_eq!(keys(&schema["properties"]), keys(value));
        assert_eq!(schema["additionalProperties"], false);
        // Whatever is required is missed.
        for field in schema["required"].as_array().unwrap() {
            assert!(value.get(field.as_str().unwrap()).is_some(), "{field}");
        }
    };
    let weights = crate::Weights { sums: vec![vec![(0, 1)]] };
    let kinds = [
        run(&[0]),
        Evidence::Weights(weights.clone()),
        Evidence::Dead(crate::Dead::default()),
        Evidence::Equation(crate::Equation { weights: weights.clone(), unfed: vec![vec![0]], ..crate::Equation::default() }),
        Evidence::Inductive(crate::Inductive::default()),
        Evidence::KInductive(crate::KInductive::default()),
        Evidence::States(crate::States::default()),
        Evidence::Stubborn(crate::Stubborn::default()),
        Evidence::Toward(crate::Toward::default()),
        Evidence::Cover(crate::Cover::default()),
        Evidence::Basis(crate::Basis { weights: weights.clone(), excluded: vec![crate::Excluded::default()], ..crate::Basis::default() }),
        Evidence::Backward(crate::Backward { evidence: Box::new(Evidence::States(crate::States::default())) }),
        Evidence::Separator(crate::Separator::default()),
        Evidence::Decomposition(crate::Decomposition::default()),
        Evidence::Pump(crate::Pump::default()),
        Evidence::Homes(crate::Homes::default()),
        Evidence::Script(crate::Script { entries: Vec::new(), evidence: Box::new(Evidence::States(crate::States::default())) }),
        Evidence::Lost(crate::Lost { word: vec![Item::Fire(0)], evidence: Box::new(Evidence::States(crate::States::default())) }),
    ];
    let runs = crate::Runs { words: vec![vec![Item::Fire(0)]], ends: vec![(0, 0, 1)] };
    let evidence = kinds.iter().map(|evidence| crate::About { goal: 0, evidence: evidence.clone() }).collect();
    let certificate = Certificate { net: fingerprint(&net()), property: "quasi-live".to_owned(), holds: true, evidence, runs };
    let written: Value = serde_json::from_str(&certificate.to_json()).unwrap();
    agree(&schema, &written);
    assert_eq!(schema["properties"]["format"]["const"], crate::certificate::FORMAT);
    assert_eq!(schema["properties"]["version"]["const"], crate::certificate::VERSION);
    agree(&schema["$defs"]["runs"], &written["runs"]);
    let named = keys(&schema["$defs"]["about"]["properties"]["evidence"]["properties"]);
    let mut all: Vec<String> = kinds.iter().map(|evidence| evidence.kind().to_owned()).collect();
    all.sort_unstable();
    assert_eq!(named, all);
    for (about, evidence) in written["evidence"].as_array().unwrap().iter().zip(&kinds) {
        agree(&schema["$defs"]["about"], about);
        agree(&schema["$defs"][evidence.kind()], &about["evidence"][evidence.kind()]);
        if let Evidence::Basis(_) = evidence {
            agree(&schema["$defs"]["excluded"], &about["evidence"]["basis"]["excluded"][0]);
        }
    }
}

#[test]
fn the_manual_names_every_condition() {
    let manual = include_str!("../../../../../docs/src/certificates.md");
    for condition in crate::Condition::ALL.iter().filter(|condition| !matches!(condition, crate::Condition::Tree(_))) {
        assert!(manual.contains(&format!("`{condition}`")), "{condition}");
    }
}
