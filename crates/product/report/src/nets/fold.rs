//! Runs as words in which words are repeated: `make^3 go (carry wait^2)^6`.

use serval_petri::words::quoted;

use super::NetStep;

/// The longest word that is looked for as a repeated one, in items.
const LONGEST: usize = 16;
/// Items beyond which nothing is looked for.
const MOST_ITEMS: usize = 5_000;

/// A transition, or a word with the number of its repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FoldItem {
    Fire(String),
    Repeat(Vec<FoldItem>, u64),
}

impl FoldItem {
    /// How many transitions are written.
    fn size(&self) -> usize {
        match self {
            Self::Fire(_) => 1,
            Self::Repeat(word, _) => word.iter().map(Self::size).sum(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Fire(name) => quoted(name),
            Self::Repeat(word, times) => match &word[..] {
                [Self::Fire(name)] => format!("{}^{times}", quoted(name)),
                _ => format!("({})^{times}", written(word)),
            },
        }
    }
}

fn written(word: &[FoldItem]) -> String {
    word.iter().map(FoldItem::text).collect::<Vec<_>>().join(" ")
}

/// Words of some length that stand side by side are written once, the shortest first: what is inside a longer one is
/// folded then.
fn fold(mut word: Vec<FoldItem>) -> Vec<FoldItem> {
    for length in 1..=LONGEST {
        let mut next: Vec<FoldItem> = Vec::with_capacity(word.len());
        let mut at = 0;
        while at < word.len() {
            let block = word.get(at..at + length);
            let times = block.map_or(1, |block| word[at..].chunks_exact(length).take_while(|other| *other == block).count());
            match block {
                Some(block) if times > 1 => {
                    next.push(FoldItem::Repeat(block.to_vec(), u64::try_from(times).unwrap_or(u64::MAX)));
                    at += times * length;
                }
                _ => {
                    next.push(word[at].clone());
                    at += 1;
                }
            }
        }
        word = next;
    }
    word
}

/// The steps of a run as one word, where that is shorter by half, or something is repeated already.
pub fn folded(steps: &[NetStep]) -> Option<String> {
    if steps.len() > MOST_ITEMS {
        return None;
    }
    let fire = |name: &String| FoldItem::Fire(name.clone());
    let items: Vec<FoldItem> = steps
        .iter()
        .map(|step| match (&step.fire[..], step.times) {
            ([name], 1) => fire(name),
            (word, times) => FoldItem::Repeat(fold(word.iter().map(fire).collect()), times),
        })
        .collect();
    let is_repeated = items.iter().any(|item| matches!(item, FoldItem::Repeat(..)));
    let word = fold(items);
    let size: usize = word.iter().map(FoldItem::size).sum();
    (is_repeated || size * 2 <= steps.len()).then(|| written(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<NetStep> {
        let step = |name: &str| NetStep { fire: vec![name.to_owned()], times: 1, changes: Vec::new(), configuration: None };
        text.split_whitespace().map(step).collect()
    }

    /// What a word stands for, written out.
    fn unfolded(word: &[FoldItem], out: &mut Vec<String>) {
        for item in word {
            match item {
                FoldItem::Fire(name) => out.push(name.clone()),
                FoldItem::Repeat(word, times) => (0..*times).for_each(|_| unfolded(word, out)),
            }
        }
    }

    #[test]
    fn words_are_nested() {
        assert_eq!(folded(&steps("a a a b c c c c")).unwrap(), "a^3 b c^4");
        assert_eq!(folded(&steps("a b b a b b a b b")).unwrap(), "(a b^2)^3");
        assert_eq!(folded(&steps("a b c")), None);
        let repeated = NetStep { fire: vec!["a".into(), "b".into(), "b".into()], times: 7, changes: Vec::new(), configuration: None };
        assert_eq!(folded(&[repeated]).unwrap(), "(a b^2)^7");
    }

    /// All words of three letters up to some length are what they are after folding.
    #[test]
    fn folding_loses_nothing() {
        for length in 0..8_u32 {
            for number in 0..3_u32.pow(length) {
                let letters = (0..length).map(|at| ["a", "b", "c"][(number / 3_u32.pow(at) % 3) as usize].to_owned());
                let letters: Vec<String> = letters.collect();
                let mut out = Vec::new();
                unfolded(&fold(letters.iter().cloned().map(FoldItem::Fire).collect()), &mut out);
                assert_eq!(out, letters);
            }
        }
    }
}
