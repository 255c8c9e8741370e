//! The format of proofs for components: strict, deterministic, with places.

use serde_json::Value;

use super::support::{lost_update, misread};
use crate::script::{Dominated, Entry, Mover, Quotient, WaitingElimination, Witness};
use crate::{Body, CasesProof, Certificate, Claim, Part};

/// One of each rule.
fn script() -> Vec<Entry> {
    let mover = || Mover {
        points: vec![(1, vec![2, 3]), (4, Vec::new())],
        witnesses: vec![Witness { step: 5, other: 6, other_path: Vec::new(), own_path: vec![(7, 8), (9, u32::MAX)] }],
    };
    vec![
        Entry::Split(3),
        Entry::IdentityElimination(vec![(1, 2), (3, 4)]),
        Entry::Pairs,
        Entry::LocalQuotient(Quotient { relation: vec![(1, 2), (2, 1)], classes: vec![vec![1, 2], vec![5]] }),
        Entry::GlobalQuotient(Quotient { relation: Vec::new(), classes: vec![Vec::new()] }),
        Entry::Dominated(Dominated { locals: vec![(1, 2)], globals: vec![(3, 4)], drops: vec![(5, 6)] }),
        Entry::WaitingElimination(WaitingElimination { relation: vec![(1, 2)], points: vec![(3, 4)] }),
        Entry::Right(mover()),
        Entry::Left(mover()),
    ]
}

fn certificate(body: Body) -> Certificate {
    Certificate { input: "0".repeat(32), component: 0, claim: Claim::Serializable, body }
}

fn atomic() -> Certificate {
    certificate(Body::Part(Part::Atomic(script())))
}

fn components() -> Certificate {
    certificate(Body::Components(vec![Part::Atomic(script()), Part::Atomic(Vec::new()), Part::Atomic(vec![Entry::Pairs])]))
}

#[test]
fn what_is_written_is_read() {
    let empty = || certificate(Body::Part(Part::Atomic(Vec::new())));
    for certificate in [atomic(), components(), empty(), certificate(Body::Components(Vec::new()))] {
        let text = certificate.to_json();
        assert_eq!(Certificate::from_json(&text), Ok(certificate.clone()));
        assert_eq!(Certificate::from_json(&text).unwrap().to_json(), text);
        assert_eq!(Certificate::from_json(&format!("\u{feff}{text}")), Ok(certificate));
    }
    // One entry per line.
    let text = atomic().to_json();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + script().len());
    assert_eq!(
        lines[0],
        "{\"format\":\"serval-certificate\",\"version\":1,\"input\":\"00000000000000000000000000000000\",\"kind\":\"atomic\",\"claim\":\"serializable\",\"script\":["
    );
    assert_eq!(
        lines[1..],
        [
            r#"  {"split":3},"#,
            r#"  {"fold":[[1,2],[3,4]]},"#,
            r#"  "pairs","#,
            r#"  {"locals":{"relation":[[1,2],[2,1]],"classes":[[1,2],[5]]}},"#,
            r#"  {"globals":{"relation":[],"classes":[[]]}},"#,
            r#"  {"dominated":{"locals":[[1,2]],"globals":[[3,4]],"drops":[[5,6]]}},"#,
            r#"  {"closure":{"relation":[[1,2]],"points":[[3,4]]}},"#,
            r#"  {"right":{"points":[[1,[2,3]],[4,[]]],"witnesses":[[5,6,[],[[7,8],[9,4294967295]]]]}},"#,
            r#"  {"left":{"points":[[1,[2,3]],[4,[]]],"witnesses":[[5,6,[],[[7,8],[9,4294967295]]]]}}]}"#,
        ]
    );
}

#[test]
fn fields_may_come_in_any_order() {
    let moved = r#"{"script":["pairs",{"closure":{"points":[],"relation":[]}}],"claim":"serializable","kind":"atomic","input":"","version":1,"format":"serval-certificate"}"#;
    let closure = Entry::WaitingElimination(WaitingElimination { relation: Vec::new(), points: Vec::new() });
    let expected = Certificate { input: String::new(), ..certificate(Body::Part(Part::Atomic(vec![Entry::Pairs, closure]))) };
    assert_eq!(Certificate::from_json(moved), Ok(expected));
    let moved = r#"{"parts":[{"script":[],"kind":"atomic"}],"kind":"components","claim":"serializable","input":"","version":1,"format":"serval-certificate"}"#;
    let expected = Certificate { input: String::new(), ..certificate(Body::Components(vec![Part::Atomic(Vec::new())])) };
    assert_eq!(Certificate::from_json(moved), Ok(expected));
}

#[test]
fn errors_are_where_they_are() {
    // The line and the message, of an entry.
    for (from, to, line, message) in [
        ("{\"split\":3}", "{\"splits\":3}", 2, "unknown variant `splits`, expected one of `split`, `fold`, `pairs`, `locals`"),
        ("{\"split\":3}", "{\"split\":-3}", 2, "invalid value: integer `-3`, expected u32"),
        ("{\"split\":3}", "{\"split\":null}", 2, "invalid type: null, expected u32"),
        ("{\"split\":3}", "\"split\"", 3, "invalid type: unit variant, expected newtype variant"),
        ("[3,4]]}", "[3,4294967296]]}", 3, "invalid value: integer `4294967296`, expected u32"),
        ("[3,4]]}", "[3]]}", 3, "invalid length 1, expected a tuple of size 2"),
        ("\"pairs\"", "\"pair\"", 4, "unknown variant `pair`"),
        ("\"classes\":[[1,2],[5]]", "\"klasses\":[]", 5, "unknown field `klasses`, expected `relation` or `classes`"),
        (",\"classes\":[[1,2],[5]]", "", 5, "missing field `classes`"),
        ("\"relation\":[],", "\"relation\":[],\"relation\":[],", 6, "duplicate field `relation`"),
        ("\"drops\":[[5,6]]", "\"drops\":null", 7, "invalid type: null, expected a sequence"),
        ("\"witnesses\":[[5,6,[],", "\"witnesses\":[[5,6,", 9, "invalid length 3, expected a tuple of size 4"),
    ] {
        let error = misread(&atomic(), from, to);
        assert_eq!(error.line, line, "{from} → {to}: {error}");
        assert!(error.column > 1 && error.message.starts_with(message), "{from} → {to}: {error}");
        assert!(!error.message.contains(" at line ") && !error.message.contains('\n'), "{error}");
    }
    let error = misread(&components(), "{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"atomic\"}");
    // What a whole part lacks is noticed at its end.
    assert_eq!((error.line, error.message.as_str()), (12, "what is of kind `atomic` has `script`, and nothing else"));
    for (kind, fields) in [("run", "\"component\":0,\"steps\":[],\"completed\":[]"), ("components", "\"parts\":[]")] {
        let error = misread(&components(), "{\"kind\":\"atomic\",\"script\":[]}", &format!("{{\"kind\":\"{kind}\",{fields}}}"));
        assert_eq!(
            (error.line, error.message.as_str()),
            (
                12,
                "a component is proved by a proof of kind `atomic`, `flow`, `invariant`, `letters`, `cases`, `same`, `in-flight` or `points`"
            )
        );
        assert!(error.column > 1);
    }
    let text = atomic().to_json();
    let without = text.split(",\"script\"").next().unwrap().to_owned() + "}";
    assert_eq!(Certificate::from_json(&without).unwrap_err().message, "what is of kind `atomic` has `script`, and nothing else");
}

#[test]
fn everything_else_is_an_error() {
    let check = |certificate: &Certificate, from: &str, to: &str| {
        let error = misread(certificate, from, to);
        assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
    };
    for (from, to) in [
        // Unknown, repeated, missing.
        ("\"script\":", "\"more\":1,\"script\":"),
        ("\"script\":", "\"component\":0,\"script\":"),
        ("\"script\":", "\"parts\":[],\"script\":"),
        ("\"script\":", "\"script\":[],\"script\":"),
        ("\"claim\":", "\"claim\":\"serializable\",\"claim\":"),
        ("\"script\":", "\"steps\":"),
        ("\"kind\":\"atomic\"", "\"kind\":\"components\""),
        ("\"kind\":\"atomic\"", "\"kind\":\"run\""),
        // Another type or another range.
        ("{\"split\":3}", "{\"split\":3,\"fold\":[]}"),
        ("{\"split\":3}", "{\"split\":3,\"split\":3}"),
        ("{\"split\":3}", "{\"split\":3.0}"),
        ("{\"split\":3}", "{\"split\":\"3\"}"),
        ("{\"split\":3}", "{\"split\":[3]}"),
        ("{\"split\":3}", "{\"split\":4294967296}"),
        ("{\"split\":3}", "{\"split\":100000000000000000000000}"),
        ("{\"split\":3}", "[\"split\",3]"),
        ("{\"split\":3}", "{}"),
        ("{\"split\":3}", "null"),
        ("{\"split\":3}", "3"),
        ("{\"split\":3}", "[]"),
        ("{\"fold\":[[1,2]", "{\"fold\":[[1,2,3]"),
        ("{\"fold\":[[1,2]", "{\"fold\":[{\"0\":1,\"1\":2}"),
        ("{\"fold\":[[1,2]", "{\"fold\":[null"),
        ("\"pairs\"", "{\"pairs\":[]}"),
        ("\"pairs\"", "{\"pairs\":{}}"),
        ("\"pairs\"", "[\"pairs\"]"),
        ("{\"relation\":[[1,2],[2,1]],\"classes\":[[1,2],[5]]}", "[[[1,2],[2,1]],[[1,2],[5]]]"),
        ("{\"relation\":[[1,2],[2,1]],\"classes\":[[1,2],[5]]}", "null"),
        ("{\"locals\":[[1,2]],", "{\"locals\":[[1,2]],\"side\":\"right\","),
        ("\"points\":[[1,[2,3]]", "\"points\":[[1,2]"),
        ("\"points\":[[1,[2,3]]", "\"points\":[[1,[2,3],4]"),
        ("\"witnesses\":[[5,6,[],", "\"witnesses\":[[5,6,[],[],"),
        ("\"witnesses\":[[5,6,[],", "\"witnesses\":[[5,6,null,"),
        // No JSON.
        ("{\"split\":3}", "{\"split\":03}"),
        ("{\"split\":3}", "{\"split\":3,}"),
        ("{\"split\":3}", "{split:3}"),
    ] {
        check(&atomic(), from, to);
    }
    for (from, to) in [
        ("\"parts\":", "\"script\":[],\"parts\":"),
        ("\"parts\":", "\"parts\":[],\"parts\":"),
        ("\"parts\":", "\"component\":0,\"parts\":"),
        ("\"parts\":", "\"part\":"),
        ("\"kind\":\"components\"", "\"kind\":\"atomic\""),
        ("{\"kind\":\"atomic\",\"script\":[]}", "null"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "[\"atomic\",[]]"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"script\":[]}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"atomic\",\"script\":null}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"atomic\",\"script\":{}}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"atomic\",\"script\":[],\"claim\":\"serializable\"}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"atomic\",\"kind\":\"atomic\",\"script\":[]}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"atomic\",\"script\":[],\"script\":[]}"),
        ("{\"kind\":\"atomic\",\"script\":[]}", "{\"kind\":\"run\",\"steps\":[],\"completed\":[]}"),
    ] {
        check(&components(), from, to);
    }
    let list = components().to_json();
    let parts = &list[list.find("\"parts\":[").unwrap()..];
    assert!(Certificate::from_json(&list.replace(parts, "\"parts\":{}}")).is_err());
    assert!(Certificate::from_json(&list.replace(parts, "\"parts\":null}")).is_err());
    // A run inside.
    let run = lost_update().certificate.to_json();
    assert!(Certificate::from_json(&list.replace(parts, &format!("\"parts\":[{run}]}}"))).is_err());
    assert!(Certificate::from_json(r#"["serval-certificate",1,"atomic","","serializable",[]]"#).is_err());
    for text in [atomic().to_json(), list] {
        for cut in 0..text.len() - 1 {
            assert!(Certificate::from_json(&text[..cut]).is_err(), "{cut}");
        }
    }
}

#[test]
fn deep_and_long_texts() {
    let header = r#"{"format":"serval-certificate","version":1,"kind":"atomic","input":"","claim":"serializable","#;
    let list = header.replace("atomic", "components");
    let size = 5 << 20;
    for text in [
        format!("{header}\"script\":{}", "[".repeat(size)),
        format!("{header}\"script\":[{}", "{\"locals\":".repeat(size / 10)),
        format!("{header}\"script\":[{}", "\"pairs\",".repeat(size / 8)),
        format!("{header}\"script\":[{{\"{}\":1}}]}}", "x".repeat(size)),
        format!("{header}\"script\":[\"{}\"]}}", "\\n".repeat(size / 2)),
        format!("{header}\"script\":[{{\"split\":{}}}]}}", "9".repeat(size)),
        format!("{header}\"script\":[{{\"fold\":[{}", "[0,0],".repeat(size / 6)),
        format!("{header}\"script\":[]{}", ",\"script\":[]".repeat(size / 12)),
        format!("{list}\"parts\":[{}", "{\"kind\":\"atomic\",\"script\":[]},".repeat(size / 30)),
        format!("{list}\"parts\":{}", "[{\"parts\":".repeat(size / 10)),
    ] {
        let error = Certificate::from_json(&text).unwrap_err();
        assert!(error.message.len() < 2_000 && !error.message.contains('\n'), "{}", error.message.len());
    }
}

#[test]
fn the_schema_has_the_same_fields() {
    let schema: Value = serde_json::from_str(include_str!("../../../../../docs/certificate.schema.json")).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let agree = |name: &str, value: &Value| {
        let schema = &schema["$defs"][name];
        let mut required: Vec<_> = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        required.sort_unstable();
        assert_eq!(keys(&schema["properties"]), required, "{name}");
        assert_eq!(keys(value), required, "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    };
    let written = |certificate: &Certificate| serde_json::from_str::<Value>(&certificate.to_json()).unwrap();
    let atomic = written(&atomic());
    agree("atomic", &atomic);
    let components = written(&components());
    agree("components", &components);
    agree("atomic-part", &components["parts"][0]);
    let rules = atomic["script"].as_array().unwrap();
    for (rule, entry) in rules.iter().zip(script()) {
        if entry != Entry::Pairs {
            agree(&format!("rule-{}", entry.rule()), rule);
        }
    }
    agree("quotient", &rules[3]["locals"]);
    agree("mover", &rules[7]["right"]);
    let inner = |rule: &str| keys(&schema["$defs"][format!("rule-{rule}")]["properties"][rule]["properties"]);
    assert_eq!(inner("dominated"), keys(&rules[5]["dominated"]));
    assert_eq!(inner("closure"), keys(&rules[6]["closure"]));
}

#[test]
fn cases_are_kept_as_they_are_written() {
    let proof = CasesProof { cases: "[ {\"split\": 0},\n  {\"other\": [1.5, null, \"]\"]} ]".to_owned(), ..CasesProof::default() };
    let part = Part::Cases(Box::new(proof));
    for body in [Body::Part(part.clone()), Body::Components(vec![Part::Atomic(Vec::new()), part])] {
        let certificate = Certificate { body, ..atomic() };
        assert_eq!(Certificate::from_json(&certificate.to_json()).as_ref(), Ok(&certificate));
        let error = misread(&certificate, "\"cases\":[", "\"cases\":[,");
        assert!(error.message.starts_with("expected value"), "{error}");
        let error = misread(&certificate, "\"sets\":[],", "");
        assert_eq!(error.message, "what is of kind `cases` has `script`, `sets` and `cases`, and nothing else");
    }
}
