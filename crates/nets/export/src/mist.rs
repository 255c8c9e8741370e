//! Specifications of mist: coverability.
//!
//! The format asks whether a marking can be reached that is at least one of some markings. So it can say goals that are
//! lower bounds of single places, under `all` and `any`, and no others: a deadlock, for one, is an upper bound.

use serval_petri::{Constraint, Net, Target};

use crate::step::variable;
use crate::text::{Text, comment};
use crate::{ExportRefusal, NamedProperty};

/// Markings that a target is made of at most.
const MARKINGS: usize = 1 << 20;

/// The specification for a property with one goal.
pub fn write(net: &Net, asked: &NamedProperty) -> Result<String, ExportRefusal> {
    let Some(first) = net.places().next() else {
        return Err(ExportRefusal("the net has no place, and the format of mist needs one".to_owned()));
    };
    let (goal, is_reachable) = asked.goal(net)?;
    let targets =
        goal.targets(MARKINGS).ok_or_else(|| ExportRefusal(format!("{} is about more than {MARKINGS} markings", asked.property.name())))?;
    let targets = targets.iter().map(least).collect::<Option<Vec<_>>>().ok_or_else(|| {
        ExportRefusal(format!(
            "the format of mist asks whether places get at least so many tokens, and {} asks more",
            asked.property.name()
        ))
    })?;
    let targets: Vec<_> = targets.into_iter().flatten().collect();
    if targets.is_empty() {
        return Err(ExportRefusal(format!("no marking is in the goal of {}, and the format of mist needs one", asked.property.name())));
    }
    let names: Vec<String> = net.places().map(|place| variable(net, place)).collect();
    let mut text = Text::default();
    text.line(&format!("# {}", comment(net.name())));
    text.line(&format!("# {}", comment(&asked.name)));
    text.line(if is_reachable { "# it holds iff the target can be covered" } else { "# it holds iff the target cannot be covered" });
    text.line("vars");
    names.iter().for_each(|name| text.word(name));
    text.end();
    text.line("rules");
    for transition in net.transitions() {
        let guards: Vec<String> = net.inputs(transition).iter().map(|arc| format!("{} >= {}", names[arc.0.index()], arc.1)).collect();
        text.joined(guards, ",", &format!("{} >= 0", names[first.index()]));
        text.word("->");
        let mut changed: Vec<(usize, i128)> = Vec::new();
        for (arcs, sign) in [(net.inputs(transition), -1), (net.outputs(transition), 1)] {
            changed.extend(arcs.iter().map(|arc| (arc.0.index(), sign * i128::from(arc.1))));
        }
        changed.sort_unstable();
        let mut sums: Vec<(usize, i128)> = Vec::new();
        for (place, change) in changed {
            match sums.last_mut() {
                Some((last, sum)) if *last == place => *sum += change,
                _ => sums.push((place, change)),
            }
        }
        let after = sums.iter().filter(|sum| sum.1 != 0).map(|&(place, change)| {
            let (name, sign) = (&names[place], if change > 0 { '+' } else { '-' });
            format!("{name}' = {name} {sign} {}", change.unsigned_abs())
        });
        let same = format!("{0}' = {0}", names[first.index()]);
        let after: Vec<String> = after.collect();
        text.joined(if after.is_empty() { vec![same] } else { after }, ",", "");
        text.close(";");
        text.end();
    }
    text.line("init");
    text.joined(net.places().zip(&names).map(|(place, name)| format!("{name} = {}", net.initial_tokens(place))), ",", "");
    text.end();
    text.line("target");
    for target in targets {
        text.joined(
            target.iter().map(|&(place, least)| format!("{} >= {least}", names[place])),
            ",",
            &format!("{} >= 0", names[first.index()]),
        );
        text.end();
    }
    Ok(text.into_string())
}

/// The least marking of a target, if it is all that is at least one; `Some(None)` where nothing is in the target.
#[expect(clippy::option_option, reason = "no such marking is not the same as no marking")]
fn least(target: &Target) -> Option<Option<Vec<(usize, i64)>>> {
    let mut least: Vec<(usize, i64)> = Vec::new();
    for constraint in target.constraints() {
        let Constraint::AtLeastZero(linear) = constraint else { return None };
        match (linear.terms(), linear.constant()) {
            ([], 0..) => {}
            ([], _) => return Some(None),
            // a·p + c ≥ 0 with a > 0 is p ≥ ⌈−c / a⌉.
            ([(place, factor)], constant) if *factor > 0 => {
                let bound = constant.checked_neg()?.checked_add(factor - 1)?.div_euclid(*factor);
                if bound > 0 {
                    least.push((place.index(), bound));
                }
            }
            _ => return None,
        }
    }
    Some(Some(least))
}
