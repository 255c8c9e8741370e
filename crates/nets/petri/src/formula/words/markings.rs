//! Markings as people write them: `p = 1, q = 3`, with a star at the end where the rest is free.

use super::{Parsed, Parser, WordToken, WordsError, formula, lex};
use crate::{Constraint, Formula, Linear, Marking, Net, PlaceId};

/// Reads a marking of a net: `p = 1, q = 3`, the rest 0.
pub fn marking(text: &str, net: &Net) -> Parsed<Marking> {
    let (tokens, rest) = partial_marking(text, net)?;
    if let Some((start, end)) = rest {
        let message = "all places have a number of tokens here, so that “*” stands for nothing".to_owned();
        return Err(WordsError { start, end, message, unknown: None });
    }
    Ok(Marking::new(tokens.into_iter().map(Option::unwrap_or_default).collect()))
}

/// The tokens of the places that a marking names, and where the star stands that says that the rest is free.
type Partial = (Vec<Option<u64>>, Option<(usize, usize)>);

/// Reads a marking that may leave places free: in `p = 1, *` the rest may have any number; without the star it has 0.
///
/// ```
/// use serval_petri::{Net, words};
/// let mut net = Net::new("a lock");
/// net.add_place("free", 1).unwrap();
/// net.add_place("held", 0).unwrap();
/// assert_eq!(words::partial_marking("free = 2, *", &net).unwrap(), (vec![Some(2), None], Some((10, 11))));
/// assert_eq!(words::partial_marking("free = 2", &net).unwrap().1, None);
/// assert_eq!(words::partial_marking("free = -1", &net).unwrap_err().message, "no place ever has fewer than 0 tokens");
/// ```
pub fn partial_marking(text: &str, net: &Net) -> Parsed<Partial> {
    let mut parser = Parser { net, tokens: lex(text)?, at: 0, depth: 0 };
    let mut tokens: Vec<Option<u64>> = vec![None; net.place_count()];
    while *parser.token() != WordToken::End {
        let span = parser.span();
        if parser.takes("*") {
            return match parser.token() {
                WordToken::End => Ok((tokens, Some(span))),
                _ => Err(parser.here("nothing comes after “*”, which stands for all other places")),
            };
        }
        let name = parser.name("the name of a place")?;
        let place = parser.place(name, span)?;
        parser.expect("=")?;
        let number = match parser.token() {
            WordToken::Number(number) => *number,
            WordToken::Sign("-") => return Err(parser.here("no place ever has fewer than 0 tokens")),
            other => return Err(parser.here(format!("expected a number of tokens, found {}", other.told()))),
        };
        parser.at += 1;
        if tokens[place.index()].replace(number).is_some() {
            let message = format!("“{}” is named twice", net.place_name(place));
            return Err(WordsError { start: span.0, end: span.1, message, unknown: None });
        }
        if *parser.token() != WordToken::End {
            parser.expect(",")?;
        }
    }
    Ok((tokens, None))
}

/// Reads where to begin: a marking, in which `*` stands for what the net says itself.
pub fn start(text: &str, net: &Net) -> Parsed<Marking> {
    let (tokens, rest) = partial_marking(text, net)?;
    let begins = net.places().map(|place| if rest.is_some() { net.initial_tokens(place) } else { 0 });
    Ok(Marking::new(begins.zip(tokens).map(|(begins, tokens)| tokens.unwrap_or(begins)).collect()))
}

/// Reads what is to be reached: a marking, which may leave places free, or a formula.
pub fn target(text: &str, net: &Net) -> Parsed<Formula> {
    let as_marking = match partial_marking(text, net) {
        Ok((tokens, rest)) => {
            let places = net.places().zip(tokens).filter_map(|(place, tokens)| match (tokens, rest) {
                (None, Some(_)) => None,
                (tokens, _) => Some((place, tokens.unwrap_or(0))),
            });
            let exact = |(place, tokens): (PlaceId, u64)| {
                let linear = Linear::from_wide([(place, 1)], -i128::from(tokens));
                linear.map(|linear| Formula::constraint(Constraint::Zero(linear)))
            };
            let all = places.map(exact).collect::<Option<Vec<_>>>();
            let message = "a number does not fit 63 bits".to_owned();
            return all.map(Formula::all).ok_or(WordsError { start: 0, end: text.len(), message, unknown: None });
        }
        Err(error) => error,
    };
    // Which of both is meant is said by how far it can be read.
    formula(text, net).map_err(|error| if error.start > as_marking.start { error } else { as_marking })
}
