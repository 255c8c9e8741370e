//! The same tokens with other blanks and comments between them.

use super::rng::SplitMix64;

/// `text`, which must hold no comments, with other blanks and some comments.
pub fn random_layout(text: &str, seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut out = String::with_capacity(text.len() * 2);
    blank(&mut rng, true, &mut out);
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        out.push_str(word);
        // The blank may go where a word meets a bracket, a comma or a
        // semicolon: they cannot merge into another token.
        let separates = |c: Option<char>| c.is_some_and(|c| "(){};,".contains(c));
        let following = words.peek().and_then(|next| next.chars().next());
        let optional = separates(word.chars().last()) || separates(following) || following.is_none();
        blank(&mut rng, optional, &mut out);
    }
    out
}

fn blank(rng: &mut SplitMix64, optional: bool, out: &mut String) {
    if optional && rng.chance(40) {
        return;
    }
    out.push_str(match rng.below(16) {
        0..6 => " ",
        6..8 => "\n",
        8 => "\t",
        9 => "\r\n",
        10 => "  ",
        11 => " // to the end; { of the \"line\n",
        12 => " /* within; } a line */ ",
        // After a division it would begin a comment to the end of the line.
        13 if !out.ends_with('/') => "/**/",
        14 => " /* over\n lines * / // */\n",
        _ => " //\n",
    });
}
