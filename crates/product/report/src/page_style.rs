//! The style of what reports draw, for a page that holds them.

/// The style of reports as elements of a page, with that of pictures and of tables of weak memory.
pub fn page_style() -> String {
    [crate::html::STYLE, serval_draw::style(), crate::tso::BUFFERS].join("\n")
}
