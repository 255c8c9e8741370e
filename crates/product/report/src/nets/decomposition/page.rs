//! The tree as one page that opens from disk.

use std::fmt::Write;

use serval_draw::PictureWords;

use super::{TreeAnswer, TreeNode, TreeReport};
use crate::escape::{line, name, xml as escaped};
use crate::html::head;

/// Sequences that are drawn on a page.
const DRAWN: usize = 200;

impl TreeReport {
    /// The page: the tree, and for each sequence its pieces, its covering graph, its equation and why it was replaced.
    pub fn to_html(&self, version: &str) -> String {
        let class = match self.answer {
            TreeAnswer::Reachable => "good",
            TreeAnswer::Unreachable | TreeAnswer::Error => "bad",
            TreeAnswer::Undecided => "open",
        };
        let (file, target) = (escaped(&name(&self.file)), escaped(&line(&self.target)));
        let mut out = String::new();
        out.push_str(&head(&format!("{}: {target}", self.answer.words()), serval_draw::style()));
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "<header class=\"{class}\">\n<p class=\"file\">{file}</p>\n<h1><span class=\"mark\" aria-hidden=\"true\"></span>{}</h1>\n<p>{}</p>\n</header>\n<main>\n",
            self.answer.words(),
            escaped(&self.headline())
        );
        if let Some(reason) = &self.reason {
            let _ = writeln!(out, "<p>{}</p>", escaped(&line(reason)));
        }
        let title = format!("Decomposition for {}", self.target);
        let words = PictureWords { title: &title, description: "Each box is a sequence; lines lead to what replaces it." };
        let _ = writeln!(
            out,
            "<section id=\"tree\">\n<h2>The tree</h2>\n<div class=\"wide figure\" tabindex=\"0\" role=\"region\" aria-label=\"The tree\">\n{}\n</div>\n</section>",
            self.picture().element("tree", &words)
        );
        for at in self.in_order().into_iter().take(DRAWN) {
            self.nodes[at].push_section(&mut out);
        }
        if let Some(run) = &self.run {
            let text = run.to_text(super::TextStyle { verbose: true, ..super::TextStyle::default() });
            let _ = writeln!(out, "<section id=\"run\">\n<h2>A run</h2>\n<pre>{}</pre>\n</section>", escaped(&text));
        }
        let _ = write!(out, "</main>\n<footer>serval {}</footer>\n</body>\n</html>\n", escaped(version));
        out
    }
}

impl TreeNode {
    fn push_section(&self, out: &mut String) {
        let number = self.number;
        let from = self.parent.map_or_else(String::new, |parent| format!(", case {} of <a href=\"#n{parent}\">{parent}</a>", self.case));
        let _ = writeln!(out, "<section id=\"n{number}\">\n<h2>Sequence {number}{from}</h2>\n<p>{}</p>", escaped(&line(&self.in_short())));
        let _ = writeln!(out, "<p>{}</p>", escaped(&line(&self.why)));
        let (title, description) = self.picture_words();
        let picture = self.picture().element(&format!("s{number}"), &PictureWords { title: &title, description });
        let _ = writeln!(
            out,
            "<details class=\"folded\">\n<summary>Show the graphs</summary>\n<div class=\"wide figure\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{picture}\n</div>\n</details>",
            escaped(&title)
        );
        if !self.equation.is_empty() {
            let rows = escaped(&self.equation.join("\n"));
            let _ = writeln!(out, "<details class=\"folded\">\n<summary>Show the equation</summary>\n<pre>{rows}</pre>\n</details>");
        }
        let _ = writeln!(out, "</section>");
    }
}
