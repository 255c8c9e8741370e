//! JSON that is rejected: where, with which code, and what is said.

use serval_model::{JSON_ERROR_CODES, JsonError, MAX_JSON_BYTES, NetworkSystem, systems_from_json};

/// Reads `text` without the mark `¦`, which stands where the error should be
/// reported, and checks place and code.
#[track_caller]
fn rejected(code: &str, marked: &str) -> JsonError {
    let at = marked.find('¦').expect("the text marks where the error is");
    let text = marked.replacen('¦', "", 1);
    let error = NetworkSystem::from_json(&text).expect_err("the text is rejected");
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.trim_start_matches('\u{feff}').chars().count()) + 1;
    assert_eq!((error.code, error.line, error.column, error.span.start), (code, line, column, at), "{error:?}");
    assert!(JSON_ERROR_CODES.iter().any(|&(known, _)| known == code));
    assert!(text.get(error.span.clone()).is_some());
    assert!(!error.expected.is_empty());
    error
}

#[track_caller]
fn says(error: &JsonError, message: &str, expected: &str, help: &str) {
    assert_eq!((error.message.as_str(), error.expected.as_str(), error.help.as_str()), (message, expected, help));
}

/// A valid text in which `requests` is replaced.
fn with_requests(requests: &str) -> String {
    format!("{{\"initial_global\": \"é\",\n \"requests\": {requests}, \"responses\": [], \"transitions\": []}}")
}

#[test]
fn codes_ascend_and_are_all_tested_here() {
    assert!(JSON_ERROR_CODES.is_sorted_by(|a, b| a.0 < b.0));
    let tests = include_str!("json_reject.rs");
    for (code, _) in JSON_ERROR_CODES {
        assert!(tests.contains(&format!("\"{code}\"")), "{code}");
    }
}

#[test]
fn syntax_e0401() {
    says(
        &rejected("E0401", "¦"),
        "the text is empty",
        "a network system: an object with the fields `initial_global`, `requests`, `responses` and `transitions`",
        "",
    );
    rejected("E0401", "\u{feff}¦  \n");
    rejected("E0401", "\u{feff}¦system");
    let error = rejected("E0401", "{\"requests\": [¦\n\n");
    says(&error, "the text ends too early", "a list of 2 names: request, local state", "close what is open: `]` and `}`");
    assert_eq!(rejected("E0401", "{¦").help, "close what is open: `}`");
    assert_eq!(rejected("E0401", "[{\"requests\": [[\"r\", \"l\"]]¦").help, "close what is open: `}` and `]`");
    assert_eq!(rejected("E0401", "[{\"requests\": [[\"r\", \"l\"¦ ").help, "close what is open: `]`, `]`, `}` and `]`");
    rejected("E0401", "{\"requests\"¦");
    says(&rejected("E0401", "{¦'requests': []}"), "unexpected `'`", "a field name in double quotes", "JSON has double quotes only");
    says(
        &rejected("E0401", "{¦requests: []}"),
        "unexpected \"requests\"",
        "a field name in double quotes",
        "strings are written in double quotes",
    );
    says(&rejected("E0401", "{\"requests\" ¦= []}"), "unexpected `=`", "`:` and the value of \"requests\"", "");
    says(&rejected("E0401", &with_requests("[[\"r\" ¦\"é\"]]")), "unexpected `\"`", "`,` or `]`", "is a comma missing?");
    says(&rejected("E0401", &with_requests("[[\"r\", \"é\"]¦,]")), "a comma before `]`", "a value", "remove the comma");
    rejected("E0401", &with_requests("[[\"r\", \"é\"¦}]"));
    rejected("E0401", &with_requests("[¦, [\"r\", \"é\"]]"));
    rejected("E0401", &with_requests("[[\"r\", \"é\"],¦, [\"r\", \"é\"]]"));
    says(&rejected("E0401", &with_requests("[] ¦// none")), "unexpected `/`", "`,` or `}`", "JSON has no comments");
    rejected("E0401", "{\"initial_global\": \"g\"¦,}");
    rejected("E0401", &with_requests("¦True"));
    rejected("E0401", &with_requests("¦01"));
    rejected("E0401", &with_requests("¦+1"));
    rejected("E0401", &with_requests("¦\u{2028}[]"));
    let error = rejected("E0401", &with_requests("[[¦\"r, 7]]\n]"));
    says(&error, "this string is not closed on its line", "`\"` at the end of the string", "a line break in a string is written \\n");
    says(
        &rejected("E0401", &with_requests("[[\"ré¦\t\", \"l\"]]")),
        "a string contains the control character U+0009",
        "characters from U+0020 on",
        "write \\u0009",
    );
    rejected("E0401", &with_requests("[[\"é¦\\x\", \"l\"]]"));
    rejected("E0401", &with_requests("[[\"é¦\\😀\", \"l\"]]"));
    rejected("E0401", &with_requests("[[\"é¦\\"));
    rejected("E0401", &with_requests("[[\"é¦\\u12é\", \"l\"]]"));
    rejected("E0401", &with_requests("[[\"é¦\\u+123\", \"l\"]]"));
    rejected("E0401", &with_requests("[[\"é\\ud800¦\\u\", \"l\"]]"));
}

#[test]
fn a_program_is_recognized() {
    let help = "this looks like a program: give the file the ending `.ser`, or say `--input ser`";
    let says_so = |marked: &str| assert_eq!(rejected("E0401", marked).help, help, "{marked}");
    says_so("¦request main {\n  X := 1 - X\n}\n");
    says_so("\u{feff}\n ¦request");
    says_so("¦A := 100, B := 50\nrequest r { A }");
    says_so("¦x:=1");
    says_so("¦// expect: serializable\n/* é */ request r { 0 }");
    let says_not = |marked: &str| assert_ne!(rejected("E0401", marked).help, help, "{marked}");
    says_not("¦requests");
    says_not("¦:= 2");
    says_not("¦// only a comment");
    says_not("¦/* only a comment");
    says_not("¦é := 1");
    says_not("{¦request := 1}");
    // Behind a system it is text too much and nothing else.
    rejected("E0409", &format!("{} ¦request r {{ 0 }}", with_requests("[]")));
}

#[test]
fn unknown_field_e0402() {
    let error = rejected("E0402", "{\"initial_global\": \"é\", ¦\"Transition\": []}");
    says(
        &error,
        "a network system has no field \"Transition\"",
        "one of `initial_global`, `requests`, `responses` and `transitions`",
        "did you mean `transitions`?",
    );
    assert_eq!(error.span.len(), "\"Transition\"".len());
    assert_eq!(rejected("E0402", "{¦\"\": 1}").help, "");
    assert_eq!(rejected("E0402", &format!("{{¦\"{}\": 1}}", "x".repeat(10_000))).message.chars().count(), 73);
}

#[test]
fn wrong_type_e0403() {
    says(&rejected("E0403", "\n ¦\"G0\""), "a string in place of a network system", "an object, or an array of objects", "");
    says(
        &rejected("E0403", "{\"initial_global\": ¦-1.5e3}"),
        "a number in place of `initial_global`",
        "a string",
        "names are strings: put it in double quotes",
    );
    rejected("E0403", "{\"initial_global\": ¦null}");
    rejected("E0403", "{\"initial_global\": ¦[]}");
    says(&rejected("E0403", &with_requests("¦{}")), "an object in place of `requests`", "a list of lists of 2 names", "");
    rejected("E0403", &with_requests("¦\"r\""));
    says(
        &rejected("E0403", &with_requests("[\n¦\"r\"]")),
        "a string in place of an entry of `requests`",
        "a list of 2 names: request, local state",
        "",
    );
    says(&rejected("E0403", &with_requests("[[\"é\", ¦true]]")), "true in place of the local state in `requests`", "a string", "");
    rejected("E0403", &with_requests("[[\"é\", ¦{\"a\": 1}]]"));
    // Deep nesting is wrong where it begins, however deep it is.
    rejected("E0403", &with_requests(&format!("[[¦{}", "[".repeat(1_000_000))));
    rejected("E0403", &format!("[¦{}", "[".repeat(1_000_000)));
    says(&rejected("E0403", "[¦7]"), "a number in place of a network system", "an object", "");
}

#[test]
fn duplicate_field_e0404() {
    let error = rejected("E0404", "{\"requests\": [],\n \"responses\": [], ¦\"requests\": []}");
    says(&error, "the field `requests` is given twice", "each field once", "the first one is on line 1");
    rejected("E0404", "{\"initial_global\": \"g\", ¦\"initial_global\": \"g\"}");
    // The same name, written differently.
    rejected("E0404", "{\"initial_global\": \"g\", ¦\"initial\\u005fglobal\": \"g\"}");
}

#[test]
fn missing_field_e0405() {
    let all = "the fields `initial_global`, `requests`, `responses` and `transitions`";
    says(
        &rejected("E0405", "\n ¦{\"initial_global\": \"g\", \"requests\": [], \"responses\": []}"),
        "this network system lacks the field `transitions`",
        all,
        "a list may be empty: []",
    );
    says(
        &rejected("E0405", "¦{\"requests\": [], \"responses\": [], \"transitions\": []}"),
        "this network system lacks the field `initial_global`",
        all,
        "",
    );
    let message = rejected("E0405", "¦{}").message;
    assert_eq!(message, "this network system lacks the fields `initial_global`, `requests`, `responses` and `transitions`");
    let one = with_requests("[]");
    rejected("E0405", &format!("[{one},\n  ¦{{}}]"));
}

#[test]
fn wrong_length_e0406() {
    let expected = "2 names: request, local state";
    says(
        &rejected("E0406", &with_requests("[[¦]]")),
        "this entry of `requests` has 0 names",
        expected,
        "add the request and the local state",
    );
    says(&rejected("E0406", &with_requests("[[\"é\" ¦]]")), "this entry of `requests` has 1 name", expected, "add the local state");
    let error = rejected("E0406", &with_requests("[[\"é\", \"l\", ¦\"x\"]]"));
    says(&error, "this entry of `requests` has more than 2 names", expected, "each request with its local state is an entry of its own");
    let error = rejected("E0406", "{\"responses\": [[\"l\", \"x\"], [\"l\", \"x\", ¦1]]}");
    assert_eq!(error.help, "each local state with its response is an entry of its own");
    let error = rejected("E0406", "{\"transitions\": [[\"l\", \"g\", \"l\"¦]]}");
    assert_eq!(error.help, "add the global state afterwards");
    let error = rejected("E0406", "{\"transitions\": [[\"l\"¦]]}");
    assert_eq!(error.help, "add the global state, the local state afterwards and the global state afterwards");
    let error = rejected("E0406", "{\"transitions\": [[\"l\", \"g\", \"l\", \"g\", ¦\"l\"]]}");
    assert_eq!(error.help, "a transition does not name its request; the local state tells which it is");
}

#[test]
fn not_unicode_e0407() {
    let error = rejected("E0407", &with_requests("[[\"é¦\\uD83D\", \"l\"]]"));
    assert_eq!(error.message, "\\ud83d is half of a surrogate pair, the other half is missing");
    assert_eq!(error.help, "write the other half after it, or remove it");
    let error = rejected("E0407", &with_requests("[[\"é¦\\udc00\", \"l\"]]"));
    assert_eq!(error.help, "write the other half before it, or remove it");
    rejected("E0407", &with_requests("[[\"é¦\\ud83d\\u0041\", \"l\"]]"));
    rejected("E0407", &with_requests("[[\"é¦\\udc00\\ud83d\", \"l\"]]"));
}

#[test]
fn too_large_e0408() {
    let fits = with_requests("[]") + &" ".repeat(MAX_JSON_BYTES - with_requests("[]").len());
    assert!(NetworkSystem::from_json(&fits).is_ok());
    let error = NetworkSystem::from_json(&(fits + " ")).unwrap_err();
    assert_eq!((error.code, error.line, error.column), ("E0408", 1, 1));
    says(&error, "the text has 67108865 bytes", "at most 67108864 bytes", "");
}

#[test]
fn trailing_text_e0409() {
    let one = with_requests("[]");
    let help = "several systems are written as an array: [{…}, {…}]";
    says(&rejected("E0409", &format!("{one}\n¦{one}")), "there is text after the end of the system", "the end", help);
    says(&rejected("E0409", &format!("{one} ¦]")), "there is text after the end of the system", "the end", "");
    rejected("E0409", &format!("[{one}] ¦x"));
    rejected("E0409", &format!("{one}¦\0"));
}

#[test]
fn not_one_system_e0410() {
    says(&rejected("E0410", "\n¦[ ]"), "this array holds no system", "one network system", "");
    let one = with_requests("[]");
    let help = "these are the components of a program; choose one of them";
    says(&rejected("E0410", &format!("¦[{one}, {one}]")), "this array holds 2 systems", "one network system", help);
}

#[test]
fn shared_request_e0411() {
    let one = with_requests("[[\"é\", \"l\"], [\"é\", \"m\"]]");
    let other = with_requests("[[\"x\", \"l\"], [¦\"é\", \"m\"]]");
    let error = rejected("E0411", &format!("[{one}, {other}]"));
    assert_eq!(error.message, "system 1 of this array has a request \"é\" too");
    assert_eq!(systems_from_json(&format!("[{one}]")).unwrap().len(), 1);
}
