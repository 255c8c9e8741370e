//! The report on a file as a page.

use serval_report::FileReport;
use serval_report::html::Page;

use crate::input::{Content, Input};

/// The page, with pictures of the states.
pub(super) fn page(input: &Input, report: &FileReport) -> String {
    let page = Page {
        text: &input.text,
        is_program: matches!(input.content, Content::Program(_)),
        version: env!("CARGO_PKG_VERSION"),
        ..Page::default()
    };
    report.to_html(&page)
}
