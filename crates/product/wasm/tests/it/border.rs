//! The functions through the border, natively: what goes in and what comes out.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use serde_json::{Value, json};
use serval_testkit::suite::repository_root;
use serval_wasm::{border, call, limits};

const RACY: &str = "request add {\n  x := N;\n  yield;\n  N := (x + 1) % 3;\n  N\n}\n";

/// The answer of a function, which has to be one.
fn asked(name: &str, request: &Value) -> Value {
    let answer: Value = serde_json::from_str(&call(name, &request.to_string())).unwrap();
    answer.get("ok").unwrap_or_else(|| panic!("{name}: {answer}")).clone()
}

/// What a function says of a request that is none.
fn refused(name: &str, request: &str) -> String {
    let answer: Value = serde_json::from_str(&call(name, request)).unwrap();
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{name}: {answer}")).to_owned()
}

/// All fields that a schema demands are there, and no other than it knows.
fn fits(report: &Value, schema: &str) {
    let path = repository_root().join("docs").join(schema);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let known = schema["properties"].as_object().unwrap();
    for field in report.as_object().unwrap().keys() {
        assert!(known.contains_key(field), "{field} is not in the schema");
    }
    for field in schema["required"].as_array().unwrap() {
        assert!(report.get(field.as_str().unwrap()).is_some(), "{field} is not in {report}");
    }
}

#[test]
#[expect(unsafe_code, reason = "the host writes where the module says, and reads there")]
fn a_request_goes_through_two_buffers() {
    let request = json!({ "text": "request flip { X := 1 - X }" }).to_string();
    let place = border::input(request.len());
    // SAFETY: there is room for so many bytes until the next call.
    unsafe { std::slice::from_raw_parts_mut(place, request.len()).copy_from_slice(request.as_bytes()) };
    let length = border::check();
    // SAFETY: the answer is there and so long until the next call.
    let answer = unsafe { std::slice::from_raw_parts(border::output(), length) };
    let answer: Value = serde_json::from_slice(answer).unwrap();
    assert_eq!(answer["ok"]["reports"][0]["verdict"], "serializable");
    // The request is gone, so that it is not answered twice.
    let length = border::check();
    // SAFETY: as above.
    let answer = unsafe { std::slice::from_raw_parts(border::output(), length) };
    assert!(answer.starts_with(b"{\"error\""), "{}", String::from_utf8_lossy(answer));
}

#[test]
fn a_verdict_its_evidence_and_its_check() {
    let checked = asked("check", &json!({ "text": RACY, "name": "add.ser", "html": true }));
    assert_eq!((checked["status"].as_u64(), checked["kind"].as_str()), (Some(1), Some("ser")));
    fits(&checked["reports"][0], "check.schema.json");
    assert!(checked["output"].as_str().unwrap().starts_with("not serializable  add.ser   lost update"));
    assert_eq!(checked["reports"][0]["fix"]["alternatives"], json!([[[3, 3]]]));
    let html = checked["html"].as_str().unwrap();
    assert!(html.contains("<svg class=\"run\"") && html.contains("data-basis=") && !html.contains("style="), "{html}");
    let certificate = checked["certificates"][0].as_str().unwrap();
    let verified = asked("verify", &json!({ "text": RACY, "name": "add.ser", "certificate": certificate }));
    assert_eq!(verified["status"], 0, "{verified}");
    let other = asked("verify", &json!({ "text": RACY.replace('3', "4"), "name": "add.ser", "certificate": certificate }));
    assert_eq!(other["status"], 1, "{other}");
    let hint = asked("hint", &json!({ "text": RACY, "certificate": certificate }));
    let removal = hint["offers"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (removal["words"].as_str(), removal["text"].as_str()),
        (Some("remove the yield on line 3"), Some(&*RACY.replace("  yield;\n", "")))
    );
}

#[test]
fn fixes_and_layout() {
    let fixed = asked("fix", &json!({ "text": RACY, "name": "add.ser" }));
    assert_eq!((fixed["status"].as_u64(), fixed["texts"][0].as_str().is_some()), (Some(0), true));
    fits(&fixed["report"], "fix.schema.json");
    for text in fixed["texts"].as_array().unwrap() {
        assert_eq!(asked("check", &json!({ "text": text }))["status"], 0, "{text}");
    }
    let tidy = asked("format", &json!({ "text": "request  flip{X:=1-X;X}", "kind": "ser" }));
    assert_eq!(tidy["text"], "request flip {\n  X := 1 - X;\n  X\n}\n");
    assert!(refused("format", &json!({ "text": "request a {", "kind": "ser" }).to_string()).contains("E0"));
    let tidy = asked("format", &json!({ "text": "memory x=0;thread A{x:=1;}", "kind": "tso" }));
    assert!(tidy["text"].as_str().unwrap().contains("memory x = 0;"));
}

#[test]
fn nets_and_weak_memory() {
    let net = json!({ "text": "pl free (1)\ntr take free -> held\ntr give held -> free\n", "kind": "net", "html": true });
    let checked = asked("check", &net);
    assert_eq!((checked["status"].as_u64(), checked["reports"].as_array().unwrap().len()), (Some(0), 4), "{checked}");
    fits(&checked["reports"][0], "net-check.schema.json");
    assert_eq!(checked["certificates"].as_array().unwrap().len(), 4);
    for certificate in checked["certificates"].as_array().unwrap() {
        let verified = asked("verify", &json!({ "text": net["text"], "kind": "net", "certificate": certificate }));
        assert_eq!(verified["status"], 0, "{verified}");
    }
    let text = std::fs::read_to_string(repository_root().join("examples/tso/store-buffering.tso")).unwrap();
    let checked = asked("check", &json!({ "text": text, "name": "store-buffering.tso", "html": true }));
    fits(&checked["reports"][0], "tso-check.schema.json");
    assert_eq!((checked["kind"].as_str(), checked["status"].as_u64()), (Some("tso"), Some(1)));
    let certificate = &checked["certificates"][0];
    assert_eq!(asked("verify", &json!({ "text": text, "kind": "tso", "certificate": certificate }))["status"], 0);
    let fixed = asked("fix", &json!({ "text": text, "kind": "tso", "name": "sb.tso" }));
    fits(&fixed["report"], "tso-fix.schema.json");
    assert_eq!(asked("check", &json!({ "text": fixed["texts"][0], "kind": "tso" }))["reports"][0]["robust"], "robust");
}

#[test]
fn mistakes_have_places_that_javascript_counts() {
    let text = "// 𝄞 é\nrequest a { X := }";
    let analyzed = asked("analyze", &json!({ "text": text }));
    let first = &analyzed["diagnostics"][0];
    assert_eq!((first["severity"].as_str(), first["code"].as_str().map(|code| code.starts_with('E'))), (Some("error"), Some(true)));
    let units: Vec<u16> = text.encode_utf16().collect();
    let begin = usize::try_from(first["place"][0].as_u64().unwrap()).unwrap();
    assert_eq!(String::from_utf16(&units[begin..]).unwrap(), "}");
    let tokens = analyzed["tokens"].as_array().unwrap();
    assert_eq!(tokens[0], json!([0, 7, "comment"]));
    assert_eq!(tokens[1], json!([8, 15, "keyword"]));
    let net = asked("analyze", &json!({ "text": "pl p (1)\ntr t p ->\nxx\n", "kind": "net" }));
    assert!(net["diagnostics"][0]["place"][0].as_u64().unwrap() >= 9, "{net}");
}

#[test]
fn a_run_by_choices() {
    let begun = asked("simulate", &json!({ "text": RACY }));
    assert_eq!(begun["choices"].as_array().unwrap().len(), 1);
    assert_eq!(begun["choices"][0]["kind"], "spawn");
    // Both come, both read, both write.
    let mut choices: Vec<usize> = Vec::new();
    let mut now = begun;
    for step in 0..20 {
        let offered = now["choices"].as_array().unwrap().clone();
        let wanted = if step < 2 { "spawn" } else { "step" };
        let found = offered.iter().rposition(|one| one["kind"] == wanted);
        let Some(choice) = found.or_else(|| offered.iter().position(|one| one["kind"] == "respond")) else { break };
        if now["answers"].as_array().unwrap().len() == 2 {
            break;
        }
        choices.push(choice);
        now = asked("simulate", &json!({ "text": RACY, "choices": choices }));
    }
    assert_eq!(now["answers"].as_array().unwrap().len(), 2, "{now}");
    assert!(refused("simulate", &json!({ "text": RACY, "choices": [99] }).to_string()).contains("counted from 0"));
}

#[test]
fn what_can_be_looked_up() {
    assert!(asked("explain", &json!({ "name": "lost-update" }))["text"].as_str().unwrap().contains("lost-update"));
    assert!(refused("explain", r#"{"name": "lost-updat"}"#).contains("did you mean lost-update?"));
    let examples = asked("examples", &json!({}));
    let all = examples["examples"].as_array().unwrap();
    assert!(all.len() > 100, "{}", all.len());
    for example in all {
        assert!(!example["group"].as_str().unwrap().is_empty(), "{} is in no group", example["name"]);
    }
    let defaults = asked("defaults", &json!({}));
    // What the module says are the defaults is a request.
    asked("version", &defaults["request"]);
    assert_eq!(defaults["kinds"].as_array().unwrap().len(), 8);
    assert!(defaults["style"].as_str().unwrap().contains("svg.run"));
}

#[test]
fn forms_of_other_tools() {
    let export = |form: &str| asked("export", &json!({ "text": RACY, "name": "add.ser", "format": form }));
    for form in ["core", "ns", "dot", "mermaid", "nfa-dot", "svg", "nfa-svg", "net-svg", "net", "pnml", "query", "regex", "semilinear"] {
        assert!(!export(form)["text"].as_str().unwrap().is_empty(), "{form}");
    }
    assert!(refused("export", &json!({ "text": RACY, "format": "pdf" }).to_string()).contains("there are core, ns"));
}

#[test]
fn what_is_no_request_is_refused() {
    assert!(refused("check", "").contains("cannot be read"));
    assert!(refused("check", r#"{"txet": ""}"#).contains("txet"));
    assert!(refused("check", r#"{"text": "\ud800"}"#).contains("cannot be read"));
    assert!(refused("check", r#"{"text": "", "kind": "doc"}"#).contains("there are ser, json"));
    assert!(refused("check", &json!({ "text": RACY, "methods": ["magic"] }).to_string()).contains("magic is not a method"));
    assert!(refused("dance", "{}").contains("no function dance"));
    let long = "// a\n".repeat(1 << 20);
    let checked = asked("check", &json!({ "text": long, "kind": "ser" }));
    assert_eq!(checked["status"], 2, "a text of 5 MB");
}

#[test]
fn hostile_texts_stay_texts() {
    let text = "// <img src=x onerror=alert(1)> \u{202e}\nrequest __proto__ { N := 1 - N; N }\n";
    let checked = asked("check", &json!({ "text": text, "name": "<b>\u{202e}.ser", "kind": "ser", "html": true }));
    let html = checked["html"].as_str().unwrap();
    assert!(!html.contains("<b>") && !html.contains("<img") && !html.contains('\u{202e}'), "{html}");
}

#[test]
fn a_host_that_stops_gets_an_answer() {
    border::native::STOP.set(|| 2);
    let checked = asked("check", &json!({ "text": "request next { yield; N := (N + 1) % 50; N }", "methods": ["letters"] }));
    assert_eq!((checked["status"].as_u64(), checked["ended"].as_str()), (Some(3), Some("time")), "{checked}");
    assert_eq!(checked["reports"][0]["reason"], "stopped at the time limit");
    assert_eq!(limits::ended(), Some(limits::EndedBy::Time));
    border::native::STOP.set(|| 0);
    // It is forgotten with the next request.
    assert_eq!(asked("check", &json!({ "text": "request flip { X := 1 - X }" }))["status"], 0);
}
