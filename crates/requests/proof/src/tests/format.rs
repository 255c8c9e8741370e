//! The format: strict, deterministic, with places.

use super::support::{lost_update, misread};
use crate::{Certificate, FORMAT, FormatError, VERSION};

fn text() -> String {
    lost_update().certificate.to_json()
}

/// What is said about the text with the first `from` replaced.
fn refused(from: &str, to: &str) -> FormatError {
    misread(&lost_update().certificate, from, to)
}

#[test]
fn what_is_written_is_read() {
    let certificate = lost_update().certificate;
    let text = certificate.to_json();
    assert_eq!(Certificate::from_json(&text), Ok(certificate.clone()));
    assert_eq!(Certificate::from_json(&format!("\u{feff}{text}")), Ok(certificate));
    // One event per line.
    assert_eq!(text.lines().count(), 1 + 8 + 1);
    let first = r#"{"format":"serval-certificate","version":1,"input":""#;
    assert!(text.starts_with(first), "{text}");
    assert_eq!(text.lines().nth(1), Some(r#"  {"id":1,"kind":"spawn","request":"inc","local":"start"},"#));
}

#[test]
fn names_survive() {
    let mut case = lost_update();
    let names = ["", "\"", "\\", "\u{0}\u{1f}\n\t", "\u{2028}", "é", "e\u{301}", "\u{10ffff}", "{}", " at line 3"];
    for name in names {
        case.run().completed[0].request = name.to_owned();
        assert_eq!(Certificate::from_json(&case.certificate.to_json()), Ok(case.certificate.clone()));
    }
}

#[test]
fn fields_may_come_in_any_order() {
    let text = text();
    let header = format!("\"format\":\"{FORMAT}\",\"version\":{VERSION},");
    let moved = text.replacen(&header, "", 1).trim_end().strip_suffix('}').unwrap().to_owned() + "," + header.trim_end_matches(',') + "}";
    assert_eq!(Certificate::from_json(&moved), Certificate::from_json(&text));
}

#[test]
fn another_format_version_or_kind_is_an_error() {
    assert_eq!(refused(FORMAT, "other").message, "the format is \"other\", not \"serval-certificate\"");
    assert_eq!(
        refused("\"version\":1", "\"version\":2").to_string(),
        "line 1, column 42: this is version 2 of the format; this program reads version 1"
    );
    let error = refused("\"kind\":\"run\"", "\"kind\":\"Run\"");
    assert!(error.message.starts_with("unknown variant `Run`, expected one of `run`, `fault`, "), "{error}");
    assert_eq!(error.line, 1);
    // A run has a component and steps, proofs of other kinds have not.
    for kind in ["atomic", "components"] {
        let error = refused("\"kind\":\"run\"", &format!("\"kind\":\"{kind}\""));
        assert!(error.message.starts_with(&format!("what is of kind `{kind}` has ")) && error.line == 10, "{error}");
    }
    assert!(refused("not-serializable", "maybe").message.starts_with("unknown variant `maybe`"));
}

#[test]
fn errors_are_where_they_are() {
    let error = refused("\"request\":\"inc\"", "\"request\":7");
    assert_eq!((error.line, error.message.as_str()), (2, "invalid type: integer `7`, expected a string"));
    let error = refused("\"local\":\"start\"", "\"lokal\":\"start\"");
    assert_eq!(error.line, 2);
    assert!(error.message.starts_with("unknown field `lokal`"), "{error}");
    let error = refused("\"kind\":\"step\",", "");
    assert_eq!((error.line, error.message.as_str()), (3, "missing field `kind`"));
}

#[test]
fn everything_else_is_an_error() {
    for (from, to) in [
        // Unknown, repeated, missing.
        ("\"component\":0", "\"component\":0,\"more\":1"),
        ("\"component\":0", "\"component\":0,\"component\":0"),
        ("\"component\":0,", ""),
        ("\"version\":1,", ""),
        ("\"kind\":\"run\"", "\"kind\":\"run\",\"kind\":\"run\""),
        ("\"id\":1", "\"id\":1,\"id\":1"),
        ("\"count\":2", "\"count\":2,\"minimal\":true"),
        // Another type or another range.
        ("\"component\":0", "\"component\":-1"),
        ("\"component\":0", "\"component\":0.0"),
        ("\"component\":0", "\"component\":\"0\""),
        ("\"component\":0", "\"component\":null"),
        ("\"component\":0", "\"component\":0,\"phases\":null"),
        ("\"component\":0", "\"component\":0,\"script\":[]"),
        ("\"id\":1", "\"id\":0"),
        ("\"id\":1", "\"id\":4294967296"),
        ("\"count\":2", "\"count\":0"),
        ("\"count\":2", "\"count\":18446744073709551616"),
        ("\"version\":1", "\"version\":1.0"),
        // Fields of another kind of event, also as null.
        ("\"local\":\"start\"}", "\"local\":\"start\",\"response\":\"0\"}"),
        ("\"local\":\"start\"}", "\"local\":\"start\",\"response\":null}"),
        ("\"request\":\"inc\",\"local\":\"start\"", "\"local\":\"start\""),
        ("\"kind\":\"spawn\"", "\"kind\":\"respond\""),
        // Arrays for objects.
        ("{\"local\":\"start\",\"global\":\"0\"}", "[\"start\",\"0\"]"),
        ("{\"request\":\"inc\",\"response\":\"0\",\"count\":2}", "[\"inc\",\"0\",2]"),
        ("{\"id\":1,\"kind\":\"spawn\",\"request\":\"inc\",\"local\":\"start\"}", "[1,\"spawn\",\"inc\",\"start\"]"),
        (
            "{\"id\":1,\"kind\":\"spawn\",\"request\":\"inc\",\"local\":\"start\"}",
            "[1,{\"kind\":\"spawn\",\"request\":\"inc\",\"local\":\"start\"}]",
        ),
        ("\"kind\":\"spawn\"", "\"kind\":\"spawn\",\"kind\":\"spawn\""),
        ("\"request\":\"inc\"", "\"request\":\"inc\",\"request\":\"inc\""),
        ("\"request\":\"inc\"", "\"request\":null"),
        // No JSON.
        ("\"id\":1", "\"id\":01"),
        ("\"inc\"", "\"\\ud800\""),
        ("\"component\":0", "\"component\":0,"),
        ("{\"format\"", "// certificate\n{\"format\""),
    ] {
        let error = refused(from, to);
        assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
    }
    let text = text();
    for wrong in [
        "",
        " ",
        "null",
        "[]",
        "{}",
        "[[]]",
        "\"run\"",
        &text[1..],
        &text[..text.len() - 2],
        &format!("{text}{text}"),
        &format!("[{text}]"),
    ] {
        assert!(Certificate::from_json(wrong).is_err(), "{wrong}");
    }
    assert!(Certificate::from_json(r#"["serval-certificate",1,"run","","not-serializable",0,[],[]]"#).is_err());
}

#[test]
fn the_schema_has_the_same_fields() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../../../docs/certificate.schema.json")).unwrap();
    let certificate: serde_json::Value = serde_json::from_str(&text()).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let agree = |schema: &serde_json::Value, value: &serde_json::Value| {
        let mut required: Vec<_> = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        required.sort_unstable();
        assert_eq!(keys(&schema["properties"]), required);
        assert_eq!(keys(value), required);
        assert_eq!(schema["additionalProperties"], false);
    };
    let run = &schema["$defs"]["run"];
    agree(run, &certificate);
    assert_eq!(run["properties"]["format"]["const"], FORMAT);
    assert_eq!(run["properties"]["version"]["const"], VERSION);
    assert_eq!(run["properties"]["kind"]["const"], "run");
    agree(&schema["$defs"]["spawn"], &certificate["steps"][0]);
    agree(&schema["$defs"]["step"], &certificate["steps"][1]);
    agree(&schema["$defs"]["states"], &certificate["steps"][1]["from"]);
    agree(&schema["$defs"]["respond"], &certificate["steps"][5]);
    agree(&schema["$defs"]["completed"], &certificate["completed"][0]);
}
