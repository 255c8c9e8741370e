//! What the two formats in XML share.

use roxmltree::{Document, Node, ParsingOptions};

use super::{FormatError, Limits};

/// More `=` without a `<` between them than elements have attributes, and more
/// namespaces than documents declare. The parser compares each attribute with
/// all before it, and copies the namespaces of an element to those within it.
const MAX_EQUALS: usize = 1000;

/// An XML document within the limits, or what is wrong with it: every reader of an XML format begins here.
pub fn parse<'a>(text: &'a str, limits: &Limits) -> Result<Document<'a>, FormatError> {
    limits.check_length(text)?;
    let (mut equals, mut start) = (0, 0);
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => (equals, start) = (0, position),
            b'=' => equals += 1,
            _ => {}
        }
        if equals > MAX_EQUALS {
            return Err(FormatError::at(text, start, format!("more than {MAX_EQUALS} attributes")));
        }
    }
    if let Some((position, _)) = text.match_indices("xmlns").nth(MAX_EQUALS) {
        return Err(FormatError::at(text, position, format!("more than {MAX_EQUALS} declarations of namespaces")));
    }
    // Not a limit of its own: there are fewer nodes than bytes.
    let options = ParsingOptions { nodes_limit: u32::try_from(text.len()).unwrap_or(u32::MAX).max(16), ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        let (line, column) = (usize::try_from(place.row).unwrap_or(0), usize::try_from(place.col).unwrap_or(0));
        // The message of the parser ends with the place as well.
        let message = error.to_string();
        let message = message.strip_suffix(&format!(" at {place}")).unwrap_or(&message).to_owned();
        FormatError::new(line, column, format!("not well-formed XML: {message}"))
    })
}

/// An error where `node` begins.
pub(super) fn error(node: Node<'_, '_>, message: impl Into<String>) -> FormatError {
    FormatError::at(node.document().input_text(), node.range().start, message)
}

/// Whether `<text>` can hold it exactly. A carriage return cannot be told from a
/// line feed by all parsers, even where it is written as a reference.
pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| match letter {
        '\t' | '\n' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => letter >= ' ',
    })
}

/// Appends `text` so that it is read back exactly where [`is_plain`]; other
/// characters become `�`.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            // So that what is written never meets the limits of `parse`.
            '=' => out.push_str("&#61;"),
            'm' if out.ends_with('x') => out.push_str("&#109;"),
            _ if is_plain(letter.encode_utf8(&mut [0; 4])) => out.push(letter),
            _ => out.push('\u{fffd}'),
        }
    }
}

/// The child elements with their local names.
pub(super) fn elements<'a, 'i: 'a>(node: Node<'a, 'i>) -> impl Iterator<Item = (&'a str, Node<'a, 'i>)> {
    node.children().filter(Node::is_element).map(|child| (child.tag_name().name(), child))
}

/// The text of an element that has no elements within it.
pub(super) fn text_of(node: Node<'_, '_>) -> Result<String, FormatError> {
    let mut text = String::new();
    for child in node.children() {
        if child.is_element() {
            return Err(error(
                child,
                format!("<{}> within <{}>, where text was expected", child.tag_name().name(), node.tag_name().name()),
            ));
        }
        if child.is_text() {
            text.push_str(child.text().unwrap_or(""));
        }
    }
    Ok(text)
}

/// The only child element called `name`, if there is one.
pub(super) fn only_child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Option<Node<'a, 'i>>, FormatError> {
    let mut found = node.children().filter(|child| child.is_element() && child.tag_name().name() == name);
    let first = found.next();
    match found.next() {
        Some(second) => Err(error(second, format!("a second <{name}>"))),
        None => Ok(first),
    }
}
