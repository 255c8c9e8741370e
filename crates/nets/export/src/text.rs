//! Text in lines of bounded width.

/// How wide a line is, unless a word is wider.
const WIDTH: usize = 110;

/// A text that breaks lines between words.
#[derive(Default)]
pub(crate) struct Text {
    text: String,
    column: usize,
    /// Whether the next word follows without a blank.
    is_glued: bool,
}

impl Text {
    /// A whole line.
    pub(crate) fn line(&mut self, line: &str) {
        self.end();
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// A word, on this line or on the next.
    pub(crate) fn word(&mut self, word: &str) {
        let glued = std::mem::take(&mut self.is_glued) || self.column == 0;
        if !glued && self.column + 1 + word.len() > WIDTH {
            self.text.push_str("\n   ");
            self.column = 3;
        }
        if !glued {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += word.len();
    }

    /// The words of a phrase.
    pub(crate) fn words(&mut self, phrase: &str) {
        phrase.split(' ').filter(|word| !word.is_empty()).for_each(|word| self.word(word));
    }

    /// What the next word follows without a blank.
    pub(crate) fn open(&mut self, bracket: &str) {
        self.word(bracket);
        self.is_glued = true;
    }

    /// What follows the last word without a blank.
    pub(crate) fn close(&mut self, bracket: &str) {
        self.is_glued = false;
        self.text.push_str(bracket);
        self.column += bracket.len();
    }

    /// Words with others between them, or what stands for none.
    pub(crate) fn joined<W: AsRef<str>>(&mut self, words: impl IntoIterator<Item = W>, between: &str, none: &str) {
        let mut is_first = true;
        for word in words {
            match between {
                _ if is_first => {}
                "" => {}
                "," => self.close(","),
                _ => self.word(between),
            }
            is_first = false;
            self.words(word.as_ref());
        }
        if is_first && !none.is_empty() {
            self.word(none);
        }
    }

    /// Ends the line, if one has begun.
    pub(crate) fn end(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
        self.is_glued = false;
    }

    pub(crate) fn into_string(mut self) -> String {
        self.end();
        self.text
    }
}

/// Words of the input as part of a comment, which they do not leave.
pub(crate) fn comment(words: &str) -> String {
    words.trim().chars().map(|letter| if letter.is_control() || !letter.is_ascii() { '?' } else { letter }).collect()
}
