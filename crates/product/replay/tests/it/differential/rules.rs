//! Workloads that notice a rule: where the translation without the rule gives other answers, the server has to give those
//! of the translation with it.

use std::collections::BTreeMap;

use serval_sql::{Rule, bundle, read, translate_without};
use serval_testkit::{postgres, say};

use super::draw::{Drawn, LEVELS, drawn};
use super::{Compared, Form, compared, modelled, translate};
use crate::support::side_by_side;

/// How many workloads are looked at for ones that notice a rule.
const CANDIDATES: u64 = 1200;

/// The level at which a rule is one.
fn level(rule: Rule) -> &'static str {
    match rule {
        Rule::Locks | Rule::Gaps | Rule::StaysHeld | Rule::InsertWaits | Rule::Versions => LEVELS[0],
        _ => LEVELS[1],
    }
}

/// The rules without which a workload has other answers.
fn noticed(drawn: &Drawn, rules: &[Rule]) -> Vec<Rule> {
    let Some(workload) = read(&bundle(&drawn.files())).workload else { return Vec::new() };
    let Some(with) = translate(&workload, Form::Exact).ok().and_then(|translation| modelled(&translation)) else { return Vec::new() };
    let differs = |rule: &&Rule| {
        let without = translate_without(&workload, Form::Exact, **rule).ok();
        without.and_then(|translation| modelled(&translation)).is_some_and(|without| without != with)
    };
    rules.iter().filter(differs).copied().collect()
}

#[test]
fn each_rule_is_noticed_and_right() {
    let Some(server) = postgres() else { return };
    let (addresses, _guard) = side_by_side(server, 2);
    let mut chosen: BTreeMap<Rule, u64> = BTreeMap::new();
    for seed in 50_000..50_000 + CANDIDATES {
        let at = LEVELS[usize::try_from(seed % 2).unwrap()];
        let missing: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| level(*rule) == at && !chosen.contains_key(rule)).collect();
        if chosen.len() == Rule::ALL.len() {
            break;
        }
        if !missing.is_empty() {
            chosen.extend(noticed(&drawn(seed, at), &missing).into_iter().map(|rule| (rule, seed)));
        }
    }
    let mut orders = 0;
    for (rule, seed) in &chosen {
        match compared(&drawn(*seed, level(*rule)), &addresses) {
            Compared::Equal { orders: performed } => orders += performed,
            Compared::Large | Compared::Outside => say(&format!("{rule:?}: seed {seed} is too large")),
            Compared::Different(told) => panic!("{rule:?}: seed {seed}: {told}"),
        }
    }
    let unnoticed: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| !chosen.contains_key(rule)).collect();
    say(&format!("rules: {chosen:?} in {orders} orders; stepped alone: {unnoticed:?}"));
    assert!(chosen.len() >= 6, "{unnoticed:?}");
}
