//! The pages of `serval explain NAME`.
//!
//! A page is a Markdown file in `pages/`, named after what it explains: a code
//! such as `E0103`, or a word such as `lost-update`. The pages of codes show a
//! program with the mistake and the same program without it; the tests run
//! both.
//!
//! ```
//! use serval_report::explain;
//! let page = explain::page("e0103").unwrap();
//! assert!(page.starts_with("# E0103: "));
//! assert_eq!(explain::similar("lost-updat"), Some("lost-update"));
//! ```

use crate::parts::Verdict;
use crate::words::hyphened;

/// The codes of mistakes in reading input, which the binary reports, with what
/// each means, in ascending order.
pub const INPUT_CODES: &[(&str, &str)] = &[
    ("E0501", "the file is not UTF-8 text"),
    ("E0502", "the file cannot be read"),
    ("E0503", "unknown kind of input"),
    ("E0504", "a setting that is not understood"),
    ("E0510", "the trace file is not a trace"),
    ("E0511", "the trace is not a run of this program"),
];

/// Name and text of every page, in the order given.
macro_rules! pages {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../pages/", $name, ".md"))),)*]
    };
}

/// Every page: the words in alphabetical order, then the codes in theirs.
static PAGES: &[(&str, &str)] = pages! {
    "answers-about-others"
    "assumed"
    "bound"
    "bounded"
    "cases"
    "check-then-act"
    "commit-point"
    "components"
    "coverable"
    "deadlock-free"
    "decomposition"
    "dirty-read"
    "dirty-write"
    "fault"
    "fence"
    "fix"
    "global"
    "happens-before"
    "intermediate-read"
    "invariant"
    "isolation"
    "k-induction"
    "letters"
    "live"
    "lost-update"
    "network-system"
    "no-dead-places"
    "not-as-expected"
    "not-serializable"
    "not-strict"
    "one-safe"
    "order-in-time"
    "pdr"
    "phantom"
    "quasi-live"
    "reachable"
    "reaches"
    "read-skew"
    "reduction"
    "request"
    "reversible"
    "robust"
    "safe"
    "sample"
    "serializable"
    "stable-marking"
    "stale-read"
    "store-buffering"
    "strict"
    "stuck"
    "uncertified"
    "undecided"
    "vacuous"
    "version"
    "write-skew"
    "yield"
    "E0101"
    "E0102"
    "E0103"
    "E0104"
    "E0105"
    "E0106"
    "E0107"
    "E0110"
    "E0111"
    "E0112"
    "E0113"
    "E0114"
    "E0115"
    "E0116"
    "E0117"
    "E0118"
    "E0119"
    "E0120"
    "E0121"
    "E0122"
    "E0123"
    "E0124"
    "E0125"
    "E0126"
    "E0127"
    "E0128"
    "E0129"
    "E0130"
    "E0131"
    "E0132"
    "E0133"
    "E0199"
    "E0210"
    "E0211"
    "E0212"
    "E0213"
    "E0214"
    "E0215"
    "E0216"
    "E0217"
    "E0218"
    "E0219"
    "E0220"
    "E0221"
    "E0222"
    "E0223"
    "E0224"
    "E0225"
    "E0226"
    "E0228"
    "E0235"
    "E0240"
    "E0241"
    "E0242"
    "E0250"
    "E0251"
    "E0252"
    "E0301"
    "E0302"
    "E0303"
    "E0304"
    "E0305"
    "E0308"
    "E0320"
    "E0401"
    "E0402"
    "E0403"
    "E0404"
    "E0405"
    "E0406"
    "E0407"
    "E0408"
    "E0409"
    "E0410"
    "E0411"
    "E0501"
    "E0502"
    "E0503"
    "E0504"
    "E0510"
    "E0511"
    "E0601"
    "E0602"
    "E0603"
    "E0604"
    "E0605"
    "E0606"
    "E0607"
    "E0608"
    "E0609"
    "E0610"
    "E0611"
    "E0620"
    "E0621"
    "E0622"
    "E0701"
    "E0702"
    "E0703"
    "E0704"
    "E0705"
    "E0706"
    "E0707"
    "E0708"
    "E0709"
    "E0710"
    "E0711"
    "E0714"
    "N0202"
    "N0207"
    "N0307"
    "N0310"
    "N0311"
    "N0312"
    "N0712"
    "N0713"
    "W0201"
    "W0203"
    "W0204"
    "W0205"
    "W0206"
    "W0208"
    "W0209"
    "W0227"
    "W0306"
    "W0309"
    "W0621"
    "W0622"
    "W0623"
};

/// The page called `name`, whatever its case. What stands behind a colon is left out: `safe:3` is explained as `safe`.
/// A verdict has one page for its word on the screen and its word in JSON, and blanks may stand for hyphens.
pub fn page(name: &str) -> Option<&'static str> {
    let name = hyphened(name.split(':').next().unwrap_or(name));
    let called = |name: &str| PAGES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, text)| text);
    called(&name).or_else(|| {
        let verdict = Verdict::named(&name)?;
        called(verdict.in_json()).or_else(|| called(&hyphened(verdict.on_screen())))
    })
}

/// Every name with the title of its page: words first, then codes.
pub fn names() -> Vec<(&'static str, &'static str)> {
    PAGES.iter().map(|&(name, text)| (name, title(name, text))).collect()
}

/// The first line of a page without the mark of a heading and, for a code,
/// without the code.
fn title(name: &str, text: &'static str) -> &'static str {
    let line = text.lines().next().unwrap_or_default().trim_start_matches("# ");
    line.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(line)
}

/// The name nearest to one that has no page, if one is near enough to suggest.
///
/// Blanks and underscores count as hyphens, and a code may lack its zero or
/// have the wrong letter: `lost update`, `E103` and `E0201` are near
/// `lost-update`, `E0103` and `W0201`.
pub fn similar(name: &str) -> Option<&'static str> {
    let name = name.trim();
    let mut known = PAGES.iter().map(|&(known, _)| known);
    match code_digits(name) {
        // A number is used once, whatever the letter.
        Some(digits) => known.find(|known| code_digits(known) == Some(digits)),
        None => serval_diagnostic::similar(name, known.filter(|known| code_digits(known).is_none())),
    }
}

/// The number of a code: of `E0103`, `e103` and `103`.
fn code_digits(name: &str) -> Option<u32> {
    let digits = name.trim_start_matches(['e', 'w', 'n', 'E', 'W', 'N']);
    if name.len() - digits.len() > 1 || digits.len() > 4 { None } else { digits.parse().ok() }
}
