//! Reports in Markdown; their fences would end those of a session.

use crate::support;

#[test]
fn markdown_has_the_table_and_a_diagram() {
    let output = support::serval(&["check", "--format", "markdown", "examples/read-skew.ser", "examples/counter.ser"], b"");
    assert_eq!(output.status.code(), Some(1));
    let found = support::text(&output.stdout);
    let path = support::root().join("crates/product/cli/tests/markdown.md");
    if std::env::var_os("SERVAL_UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(path).unwrap());
}
