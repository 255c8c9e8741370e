//! The pages of `check --html`, opened in a browser.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use serval_effort::{side_by_side, skips};
use serval_testkit::say;
use serval_testkit::suite::tool;

use crate::support::{directory, root, serval, text};

/// Eight programs and systems: what is asked, and a name for the page.
const PAGES: [&str; 8] = [
    "examples/lost-update.ser",
    "examples/doctors-on-call.ser",
    "examples/read-skew.ser",
    "examples/flap-damping.ser",
    "examples/smallbank.ser",
    "examples/ticket-lock.ser",
    "examples/spin-lock.ser",
    "examples/dhcp-lease.json",
];

/// Catches what goes wrong before anything else runs.
const CATCH: &str = "<script>window.servalErrors = []; window.addEventListener('error', function (e) { window.servalErrors.push(String(e.message)); });</script>";

/// Writes the page of a file, and beside it one that looks at itself.
fn page(file: &str, directory: &Path) -> (PathBuf, PathBuf) {
    let name = Path::new(file).file_stem().unwrap().to_str().unwrap();
    let plain = directory.join(format!("{name}.html"));
    let output = serval(&["check", file, "--no-times", "--html", plain.to_str().unwrap()], b"");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{file}: {}", text(&output.stderr));
    let page = std::fs::read_to_string(&plain).unwrap();
    for foreign in ["http://", "https://", " src=\"", "@import"] {
        let allowed = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!allowed.contains(foreign), "{file}: {foreign}");
    }
    let look = include_str!("../pages/look.js");
    let looking =
        page.replacen("<head>", &format!("<head>{CATCH}"), 1).replacen("</body>", &format!("<script>\n{look}\n</script>\n</body>"), 1);
    let other = directory.join(format!("{name}-looking.html"));
    std::fs::write(&other, looking).unwrap();
    (plain, other)
}

/// A page that shows another one in a narrow frame: windows have a least width.
fn framed(page: &Path, width: u32) -> PathBuf {
    let name = page.file_name().unwrap().to_str().unwrap();
    let frame = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><link rel=\"icon\" href=\"data:,\"><script>window.addEventListener('message', function (e) {{ \
         var out = document.createElement('pre'); out.id = 'serval-result'; out.textContent = e.data; document.body.appendChild(out); }});</script>\
         <body><iframe style=\"width:{width}px;height:900px;border:0\" src=\"{name}\"></iframe></body>"
    );
    let path = page.with_file_name(format!("{width}-{name}"));
    std::fs::write(&path, frame).unwrap();
    path
}

/// What a page says about itself in a window of this size.
fn opened(chromium: &Path, page: &Path, width: u32, dark: bool) -> Value {
    let scheme = if dark { 0 } else { 1 };
    // Two browsers cannot share a profile.
    let profile = page.with_file_name(format!("profile-{:?}", std::thread::current().id()));
    let output = Command::new(chromium)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--enable-logging=stderr",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--window-size={width},900"))
        .args(["--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let console = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = console.lines().filter(|line| line.contains(":CONSOLE")).collect();
    assert!(said.is_empty(), "{}: the console says {said:?}", page.display());
    let start = dom.find("<pre id=\"serval-result\">").unwrap_or_else(|| panic!("{}: no result\n{console}", page.display()));
    let rest = &dom[start + "<pre id=\"serval-result\">".len()..];
    let json = rest[..rest.find("</pre>").unwrap()].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap()
}

/// The windows in which pages are opened: how wide they are, and whether the user wants dark colours.
const WINDOWS: [(u32, bool); 5] = [(1280, false), (1280, true), (800, true), (500, false), (400, false)];

/// Every page in every window, in such an order that a few of them are all pages and all windows.
fn views() -> Vec<(&'static str, (u32, bool))> {
    let view = |number: usize| {
        let (round, page) = (number / PAGES.len(), number % PAGES.len());
        (PAGES[page], WINDOWS[(page + round) % WINDOWS.len()])
    };
    (0..PAGES.len() * WINDOWS.len()).map(view).collect()
}

#[test]
fn pages_can_be_read_by_everybody() {
    let Some(chromium) = tool("chromium") else { return };
    let directory = directory("pages");
    let pages: BTreeMap<&str, (PathBuf, PathBuf)> = PAGES.into_iter().map(|file| (file, page(file, &directory))).collect();
    let counted = pages.values().any(|(plain, _)| {
        let page = std::fs::read_to_string(plain).unwrap();
        page.contains("<em>flow</em>") || page.contains("<em>letters</em>")
    });
    assert!(counted, "no page of a proof by counting");
    let sweep = serval_effort::sweep("cli.pages", 8, 40);
    let views: Vec<(&str, (u32, bool))> = views().into_iter().take(usize::try_from(sweep.count()).unwrap()).collect();
    side_by_side(&views, |&(file, (width, dark))| {
        let looking = &pages[file].1;
        let shown = if width < 500 { framed(looking, width) } else { looking.clone() };
        let seen = opened(&chromium, &shown, width.max(500), dark);
        let at = format!("{file} at {width}, dark {dark}: {seen}");
        assert_eq!(seen["width"], width, "{at}");
        assert_eq!(seen["dark"], dark, "{at}");
        for nothing in ["errors", "problems", "requests"] {
            assert_eq!(seen[nothing], serde_json::json!([]), "{nothing}: {at}");
        }
        // Pictures of states are folded away at first.
        assert!(seen["folded"].as_u64().unwrap() >= 3, "{at}");
        assert!(seen["contrast"].as_f64().unwrap() >= 4.5, "{at}");
        let graphs = seen["graphs"].as_array().unwrap();
        assert!(graphs.len() >= 3 && graphs.iter().all(|graph| graph["nodes"].as_u64().unwrap() > 0), "{at}");
        if seen["lanes"].is_null() {
            let verdict = std::fs::read_to_string(looking).unwrap().contains("<title>serializable");
            assert!(verdict, "no lanes: {at}");
        } else {
            assert!(seen["lanes"]["steps"].as_u64().unwrap() > 1, "{at}");
            assert_eq!(seen["told"], seen["lanes"]["steps"], "{at}");
            if file.ends_with(".ser") {
                assert!(seen["opened"]["lines"].as_u64().unwrap() > 0 && seen["opened"]["diffs"].as_u64().unwrap() > 0, "{at}");
                assert_eq!(seen["opened"]["explained"], 1, "{at}");
            }
            // A system has no variables, and so no conflicts of variables.
            assert!(file.ends_with(".json") || seen["lanes"]["arrows"].as_u64().unwrap() >= 2, "{at}");
        }
    });
    say(&format!("{} pages, opened in {} ways", pages.len(), views.len()));
}

#[test]
fn what_is_wrong_with_a_page_is_seen() {
    if skips("cli.bad-pages") {
        return;
    }
    let Some(chromium) = tool("chromium") else { return };
    let directory = directory("bad-pages");
    let (_, looking) = page("examples/lost-update.ser", &directory);
    let good = std::fs::read_to_string(&looking).unwrap();
    let mistakes = [
        ("--quiet: #565d66", "--quiet: #b9bec6", "contrast"),
        ("</main>", "<div style=\"width:3000px\">wide</div></main>", "the page is"),
        ("step.addEventListener(\"mouseenter\"", "step.addEventListener(\"nothing\"", "hovering shows no state"),
        ("ArrowDown: position + 1", "ArrowDown: position", "arrow keys"),
        ("writeText(from.textContent)", "writeText(button.textContent)", "the button copies no change"),
        ("font: 12.5px", "font: 19px", "leaves its box"),
        ("flex-wrap: wrap", "flex-wrap: nowrap", "a run is cut"),
        ("</main>", "<img alt=\"\" src=\"gone.png\"></main>", "gone.png"),
        (".details th, .details td { overflow-wrap: normal; }", ".details { max-width: 5rem; }", "a word is broken"),
        ("stays-beside { position: static; }", "stays-beside { position: static; margin-left: -260px; }", "hide a lane"),
        ("<main>", "<main><script>undefinedFunction();</script>", "undefinedFunction"),
    ];
    let numbered: Vec<_> = mistakes.into_iter().enumerate().collect();
    side_by_side(&numbered, |&(number, (old, new, told))| {
        assert!(good.contains(old), "{old}");
        let bad = directory.join(format!("bad-{number}.html"));
        std::fs::write(&bad, good.replacen(old, new, 1)).unwrap();
        let seen = std::panic::catch_unwind(|| opened(&chromium, &bad, 600, false).to_string());
        // An error on the console is noticed on the way.
        assert!(seen.as_ref().map_or(true, |seen| seen.contains(told)), "{told}: {seen:?}");
    });
}

#[test]
fn names_are_never_markup() {
    let directory = directory("hostile-pages");
    let bad = "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(2)>";
    let system = serde_json::json!({
        "initial_global": bad,
        "requests": [[bad, format!("{bad}0")]],
        "responses": [[format!("{bad}2"), bad], [format!("{bad}3"), format!("{bad}!")]],
        "transitions": [
            [format!("{bad}0"), bad, format!("{bad}1"), bad],
            [format!("{bad}1"), bad, format!("{bad}2"), "other"],
            [format!("{bad}1"), "other", format!("{bad}3"), bad],
        ],
    });
    let file = directory.join("hostile.json");
    std::fs::write(&file, system.to_string()).unwrap();
    let (plain, looking) = page(file.to_str().unwrap(), &directory);
    let page = std::fs::read_to_string(&plain).unwrap();
    assert_eq!(page.matches("<script>").count(), 1, "one script, our own");
    assert!(!page.contains("<img") && page.contains("&lt;img"));
    let Some(chromium) = tool("chromium") else { return };
    let seen = opened(&chromium, &looking, 1100, false);
    assert_eq!((&seen["errors"], &seen["problems"]), (&serde_json::json!([]), &serde_json::json!([])), "{seen}");
}

#[test]
fn a_page_without_pictures_says_so() {
    let directory = directory("large-page");
    let program = serval(&["bench", "--family", "counter_racy", "--n", "300", "--emit"], b"");
    let path = directory.join("large.html");
    let output = serval(&["check", "-", "--input", "ser", "--no-fix", "--html", path.to_str().unwrap()], &program.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.contains("too many states to draw") && page.contains("svg class=\"run\""));
}

#[test]
fn every_example_has_a_page() {
    if skips("cli.pages-of-examples") {
        return;
    }
    let directory = directory("all-pages");
    let output = serval(&["check", "examples", "--no-times", "-q", "--html", directory.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(1));
    let pages = std::fs::read_dir(&directory).unwrap().count();
    let programs = std::fs::read_dir(root().join("examples")).unwrap();
    let programs =
        programs.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "ser" || end == "json")).count();
    // And one that leads to them.
    assert_eq!(pages, programs + 1);
    for entry in std::fs::read_dir(&directory).unwrap() {
        let page = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    }
}

#[test]
fn a_quiet_page_has_all_its_sections() {
    let directory = directory("quiet-page");
    let sections = |options: &[&str]| {
        let path = directory.join("page.html");
        let page = path.to_str().unwrap();
        serval(&[&["check", "examples/lost-update.ser", "--no-cache", "--html", page], options].concat(), b"");
        let text = std::fs::read_to_string(&path).unwrap();
        let ids: Vec<String> = text.split("<section id=\"").skip(1).map(|part| part.split('"').next().unwrap().to_owned()).collect();
        (ids, text.matches("<strong>Fix:</strong>").count(), text.matches("class=\"diff\"").count())
    };
    assert_eq!(sections(&["-q"]), sections(&[]));
    assert_eq!(sections(&["-q"]).1, 1);
}

/// Three requests have six orders, of which two at a time give the same.
#[test]
fn the_table_of_answers_has_at_most_six_orders_and_marks_what_differs() {
    let directory = directory("answers-page");
    let path = directory.join("page.html");
    let program = "var X: 0..1\nvar Y: 0..1\nvar Z: 0..1\n\
                   request first { seen := Y; yield; if (seen == 0) { X := 1 }; seen }\n\
                   request second { seen := Z; yield; if (seen == 0) { Y := 1 }; seen }\n\
                   request third { seen := X; yield; if (seen == 0) { Z := 1 }; seen }\n";
    serval(&["check", "-", "--no-cache", "--no-fix", "--html", path.to_str().unwrap()], program.as_bytes());
    let page = std::fs::read_to_string(&path).unwrap();
    let table = page.split("class=\"answers\"").nth(1).unwrap().split("</table>").next().unwrap();
    let body = table.split("<tbody>").nth(1).unwrap();
    let rows: Vec<&str> = body.split("<tr").skip(1).collect();
    assert!((3..=7).contains(&rows.len()) && rows[0].contains("together"), "{table}");
    assert!(rows[1..].iter().all(|row| row.contains("class=\"differs\"")), "{table}");
}

#[test]
fn a_page_of_nine_requests_has_the_closest_order_and_no_empty_steps() {
    let directory = directory("nine-page");
    let path = directory.join("nine.html");
    serval(&["check", "examples/flap-damping.ser", "--no-cache", "--html", path.to_str().unwrap()], b"");
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.contains("one at a time, change → 0 (× 8), and then <mark>watch answers 0, not 1</mark>"), "{page}");
    serval(&["check", "examples/two-phase-commit.ser", "--no-cache", "--html", path.to_str().unwrap()], b"");
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(!page.contains(">runs</text>") && !page.contains("touches nothing that is shared"), "{page}");
    assert!(page.contains("class=\"copy\" data-copy=\"diff-1\""), "{page}");
}

#[test]
fn a_page_opens_at_the_decisive_step_with_fixes_to_copy_and_pictures_folded() {
    let directory = directory("decisive-page");
    let path = directory.join("lost.html");
    serval(&["check", "examples/lost-update.ser", "--no-cache", "--html", path.to_str().unwrap()], b"");
    let page = std::fs::read_to_string(&path).unwrap();
    // One step is chosen, it is the write that overwrites, and its lines can be marked.
    assert_eq!(page.matches("class=\"step chosen\"").count(), 1, "{page}");
    let chosen = page.split("class=\"step chosen\"").nth(1).unwrap().split('>').next().unwrap();
    assert!(chosen.contains("data-detail=\"detail-4\"") && chosen.contains("data-lines=\"13"), "{chosen}");
    assert!(page.contains("data-copy=\"diff-1\"") && page.contains("<a href=\"#explain\">"), "{page}");
    let figures = page.matches("class=\"wide figure\"").count();
    assert!(figures >= 3 && page.matches("<summary>Show the picture</summary>").count() == figures, "{page}");
}

/// The part of a page about a file with this id.
fn section(file: &str, directory: &Path, id: &str) -> String {
    let path = directory.join("section.html");
    serval(&["check", file, "--no-cache", "--html", path.to_str().unwrap()], b"");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("{file} has no {id}: {page}"));
    page[start..].split_once("</section>").unwrap().0.to_owned()
}

#[test]
fn a_proof_is_in_the_words_of_engineers_and_what_is_formal_is_folded() {
    let directory = directory("proof-page");
    for (file, words, formal) in [
        (
            "examples/spin-lock.ser",
            ["Every request has a commit point.", "LOCK = 1 exactly while one request is between line 12 and line 16"],
            "reduction",
        ),
        (
            "examples/ticket-lock.ser",
            ["Which answers can be given together", "work answers 1 at most as often as work answers 0"],
            "letters",
        ),
    ] {
        let proof = section(file, &directory, "proof");
        let (told, folded) = proof.split_once("<details class=\"folded\">\n<summary>The proof in full</summary>").unwrap();
        for words in words {
            assert!(told.contains(words), "{words}: {proof}");
        }
        for trade in [" iff ", "commutes", "certificate", "@"] {
            assert!(!told.contains(trade), "{trade}: {proof}");
        }
        assert!(folded.contains(&format!("of kind <em>{formal}</em>")), "{proof}");
    }
    assert!(section("examples/ticket-lock.ser", &directory, "proof").contains("<dd>in flight: "));
}

/// What the compiler keeps for itself, such as an index while a value is computed, is no variable of the program.
#[test]
fn what_the_compiler_has_made_up_is_not_on_the_page() {
    let directory = directory("temporaries-page");
    let path = directory.join("page.html");
    let program = "var A[0..1]: 0..2\nvar I: 0..1\nrequest add { A[I] := (A[I] + (yield; 1)) % 3; A[0] }\nrequest turn { I := 1 - I }\n";
    serval(&["check", "-", "--no-cache", "--no-fix", "--html", path.to_str().unwrap()], program.as_bytes());
    let page = std::fs::read_to_string(&path).unwrap();
    let details: Vec<&str> = page.split("<div class=\"detail\"").skip(1).map(|part| part.split("</div>").next().unwrap()).collect();
    let names: Vec<&str> = details
        .iter()
        .flat_map(|detail| detail.split("<th scope=\"row\">").skip(1).map(|row| row.split("</th>").next().unwrap()))
        .collect();
    assert!(names.contains(&"I") && names.contains(&"A[0]"), "{names:?}");
    assert!(names.iter().all(|name| ["I", "A[0]", "A[1]"].contains(name)), "{names:?}");
}
