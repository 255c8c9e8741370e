//! Questions of files in words: as they are asked, and what they mean.

use serval_petri::{Marking, Net, Property, mcc, pnml};
use serval_testkit::random::SplitMix64 as Rng;

/// A formula as a file has it.
enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Not(Box<Tree>),
    If(Box<Tree>, Box<Tree>),
    Constant(bool),
    Deadlock,
    Fires(Vec<usize>),
    Compared(usize, Sum, Sum),
}

enum Sum {
    Number(i64),
    Tokens(Vec<usize>),
    Plus(Vec<Sum>),
    Minus(Box<Sum>, Box<Sum>),
    Times(u64, Box<Sum>),
}

const PLACES: [&str; 3] = ["a", "my place", "not"];
const TRANSITIONS: [&str; 2] = ["t", "u v"];
const COMPARED: [(&str, &str); 6] =
    [("integer-le", "<="), ("integer-lt", "<"), ("integer-ge", ">="), ("integer-gt", ">"), ("integer-eq", "="), ("integer-ne", "!=")];

fn net() -> Net {
    let mut net = Net::new("net");
    let [a, b, c] = PLACES.map(|name| net.add_place(name, 1).unwrap());
    net.add_transition(TRANSITIONS[0], [(a, 2), (b, 1)], [(c, 1)]).unwrap();
    net.add_transition(TRANSITIONS[1], [(c, 1)], [(a, 1)]).unwrap();
    net
}

fn quoted(name: &str) -> String {
    if name.len() == 1 { name.to_owned() } else { format!("{name:?}") }
}

impl Sum {
    fn draw(rng: &mut Rng, depth: usize) -> Self {
        match rng.below(if depth == 0 { 2 } else { 5 }) {
            0 => Self::Number(i64::try_from(rng.below(5)).unwrap() - 1),
            1 => Self::Tokens((0..PLACES.len()).filter(|_| rng.below(2) == 0).collect()),
            2 => Self::Plus((0..=1 + rng.below(2)).map(|_| Self::draw(rng, depth - 1)).collect()),
            3 => Self::Minus(Box::new(Self::draw(rng, depth - 1)), Box::new(Self::draw(rng, depth - 1))),
            _ => Self::Times(u64::try_from(rng.below(4)).unwrap(), Box::new(Self::draw(rng, depth - 1))),
        }
    }

    fn xml(&self) -> String {
        let all = |parts: &[Self]| parts.iter().map(Self::xml).collect::<String>();
        match self {
            Self::Number(number) => format!("<integer-constant>{number}</integer-constant>"),
            Self::Tokens(places) => {
                let places: String = places.iter().map(|&place| format!("<place>{}</place>", PLACES[place])).collect();
                format!("<tokens-count>{places}</tokens-count>")
            }
            Self::Plus(parts) => format!("<integer-sum>{}</integer-sum>", all(parts)),
            Self::Minus(one, other) => format!("<integer-difference>{}{}</integer-difference>", one.xml(), other.xml()),
            Self::Times(factor, sum) => {
                format!("<integer-product><integer-constant>{factor}</integer-constant>{}</integer-product>", sum.xml())
            }
        }
    }

    fn words(&self, is_inside: bool) -> String {
        let (words, is_joined) = match self {
            Self::Number(number) => (number.to_string(), *number < 0),
            Self::Tokens(places) if places.is_empty() => ("0".to_owned(), false),
            Self::Tokens(places) => (places.iter().map(|&place| quoted(PLACES[place])).collect::<Vec<_>>().join(" + "), places.len() > 1),
            Self::Plus(parts) => (parts.iter().map(|part| part.words(true)).collect::<Vec<_>>().join(" + "), true),
            Self::Minus(one, other) => (format!("{} - {}", one.words(true), other.words(true)), true),
            Self::Times(factor, sum) => (format!("{factor} * {}", sum.words(true)), true),
        };
        if is_inside && is_joined { format!("({words})") } else { words }
    }

    fn value(&self, tokens: &[u64]) -> i64 {
        match self {
            Self::Number(number) => *number,
            Self::Tokens(places) => places.iter().map(|&place| i64::try_from(tokens[place]).unwrap()).sum(),
            Self::Plus(parts) => parts.iter().map(|part| part.value(tokens)).sum(),
            Self::Minus(one, other) => one.value(tokens) - other.value(tokens),
            Self::Times(factor, sum) => i64::try_from(*factor).unwrap() * sum.value(tokens),
        }
    }
}

impl Tree {
    fn draw(rng: &mut Rng, depth: usize) -> Self {
        let several = |rng: &mut Rng| (0..2 + rng.below(2)).map(|_| Self::draw(rng, depth - 1)).collect();
        match rng.below(if depth == 0 { 4 } else { 8 }) {
            0 => Self::Constant(rng.below(2) == 0),
            1 => Self::Deadlock,
            2 => Self::Fires((0..TRANSITIONS.len()).filter(|_| rng.below(2) == 0).collect()),
            3 | 4 => Self::Compared(rng.below(6), Sum::draw(rng, 2), Sum::draw(rng, 2)),
            5 => Self::All(several(rng)),
            6 => Self::Any(several(rng)),
            _ if rng.below(2) == 0 => Self::Not(Box::new(Self::draw(rng, depth - 1))),
            _ => Self::If(Box::new(Self::draw(rng, depth - 1)), Box::new(Self::draw(rng, depth - 1))),
        }
    }

    fn xml(&self) -> String {
        let all = |parts: &[Self]| parts.iter().map(Self::xml).collect::<String>();
        match self {
            Self::All(parts) => format!("<conjunction>{}</conjunction>", all(parts)),
            Self::Any(parts) => format!("<disjunction>{}</disjunction>", all(parts)),
            Self::Not(part) => format!("<negation>{}</negation>", part.xml()),
            Self::If(one, other) => format!("<implication>{}{}</implication>", one.xml(), other.xml()),
            Self::Constant(value) => format!("<{value}/>"),
            Self::Deadlock => "<deadlock/>".to_owned(),
            Self::Fires(which) => {
                let which: String = which.iter().map(|&one| format!("<transition>{}</transition>", TRANSITIONS[one])).collect();
                format!("<is-fireable>{which}</is-fireable>")
            }
            Self::Compared(operator, one, other) => {
                let name = COMPARED[*operator].0;
                format!("<{name}>{}{}</{name}>", one.xml(), other.xml())
            }
        }
    }

    fn words(&self, is_inside: bool) -> String {
        let joined = |parts: &[Self], operator: &str| parts.iter().map(|part| part.words(true)).collect::<Vec<_>>().join(operator);
        let (words, is_joined) = match self {
            Self::All(parts) => (joined(parts, " and "), true),
            Self::Any(parts) => (joined(parts, " or "), true),
            Self::Not(part) => (format!("not {}", part.words(true)), false),
            Self::If(one, other) => (format!("{} -> {}", one.words(true), other.words(true)), true),
            Self::Constant(value) => (value.to_string(), false),
            Self::Deadlock => ("deadlock".to_owned(), false),
            Self::Fires(which) if which.is_empty() => ("false".to_owned(), false),
            Self::Fires(which) => {
                let names: Vec<String> = which.iter().map(|&one| quoted(TRANSITIONS[one])).collect();
                (format!("fireable({})", names.join(", ")), false)
            }
            Self::Compared(operator, one, other) => {
                (format!("{} {} {}", one.words(false), COMPARED[*operator].1, other.words(false)), true)
            }
        };
        if is_inside && is_joined { format!("({words})") } else { words }
    }

    fn holds(&self, tokens: &[u64]) -> bool {
        let fires = |which: usize| if which == 0 { tokens[0] >= 2 && tokens[1] >= 1 } else { tokens[2] >= 1 };
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(tokens)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(tokens)),
            Self::Not(part) => !part.holds(tokens),
            Self::If(one, other) => !one.holds(tokens) || other.holds(tokens),
            Self::Constant(value) => *value,
            Self::Deadlock => !fires(0) && !fires(1),
            Self::Fires(which) => which.iter().any(|&one| fires(one)),
            Self::Compared(operator, one, other) => {
                let (one, other) = (one.value(tokens), other.value(tokens));
                [one <= other, one < other, one >= other, one > other, one == other, one != other][*operator]
            }
        }
    }
}

/// The words are the file's own, and mean what the file means.
#[test]
fn questions_keep_their_words() {
    let net = net();
    let ids = pnml::Ids::named(&net);
    let sweep = serval_effort::sweep("petri.asked", 400, 20_000);
    let kept = sweep.map(0, |seed| {
        let mut rng = Rng::new(seed);
        let tree = Tree::draw(&mut rng, 3);
        let (path, step, name) =
            [("exists-path", "finally", "reachable"), ("all-paths", "globally", "invariant")][usize::try_from(seed % 2).unwrap()];
        let text = format!(
            "<property-set><property><id>q</id><formula><{path}><{step}>{}</{step}></{path}></formula></property></property-set>",
            tree.xml()
        );
        let query = mcc::each_property(&text, &net, &ids).unwrap().remove(0).unwrap();
        let asked = query.asked.unwrap();
        for markings in 0..27_u64 {
            let tokens = [markings % 3, markings / 3 % 3, markings / 9];
            for property in [&query.property, &Property::parse(&asked, &net).unwrap()] {
                let (Property::Reachable(formula) | Property::Invariant(formula)) = property else { continue };
                assert_eq!(formula.holds(&Marking::new(tokens.to_vec())), tree.holds(&tokens), "{asked}\n{text}");
            }
        }
        asked == format!("{name}:{}", tree.words(false))
    });
    let (kept, all) = (kept.iter().filter(|kept| **kept).count(), kept.len());
    assert!(kept * 1000 >= all * 995, "{kept} of {all}");
}
