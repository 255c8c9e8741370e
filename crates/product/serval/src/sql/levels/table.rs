//! What is known, as a report; and parts of the work put together again.

use std::collections::BTreeSet;

use serval_report::levels::{
    LEVELS_SCHEMA, LevelsPart, LevelsReport, LevelsVerdict, LowerLevels, LowestLevels, OpenLevels, SafeSets, ScriptLevel, levels_sentence,
};
use serval_sql::Isolation;

use super::known::{Allocation, ELSEWHERE, KnownVerdict};
use super::{LevelsSearch, PartSearch};

pub(super) fn report(search: &LevelsSearch, workload: &str, version: &str) -> LevelsReport {
    let parts: Vec<LevelsPart> = search.parts.iter().map(|part| part_of(search, part)).collect();
    let mut scripts = Vec::new();
    for (found, part) in parts.iter().zip(&search.parts) {
        for &script in &part.scripts {
            let name = &search.names[script];
            let level = match (found.lowest.first(), &part.serializable) {
                (Some(chosen), _) if chosen.raised.contains(name) => Isolation::RepeatableRead.name(),
                (Some(_), _) => Isolation::ReadCommitted.name(),
                (None, Some(Ok(()))) => Isolation::Serializable.name(),
                (None, _) => "undecided",
            };
            scripts.push((script, ScriptLevel { script: name.clone(), level: level.to_owned() }));
        }
    }
    scripts.sort_by_key(|(script, _)| *script);
    let scripts: Vec<ScriptLevel> = scripts.into_iter().map(|(_, one)| one).collect();
    let is = |level: &str| scripts.iter().any(|one| one.level == level);
    let verdict = match () {
        () if is("undecided") => LevelsVerdict::Undecided,
        () if is(Isolation::Serializable.name()) => LevelsVerdict::Assumed,
        () => LevelsVerdict::Proved,
    };
    let knowledge = &search.knowledge;
    LevelsReport {
        schema: LEVELS_SCHEMA,
        version: version.to_owned(),
        workload: workload.to_owned(),
        fingerprint: search.fingerprint.clone(),
        verdict,
        sentence: levels_sentence(&scripts, parts.iter().any(|part| part.undecided > 0)),
        scripts,
        allocations: search.allocations(),
        decided: knowledge.decided,
        bounds: search.bounds.clone(),
        parts,
        subsets: search.parts.iter().flat_map(|part| safe_sets(search, part)).collect(),
        counterexamples: knowledge.counterexamples.iter().map(|(_, run)| run.clone()).collect(),
        proofs: knowledge.proofs.iter().map(|proved| search.named(proved)).collect(),
        open: knowledge.open.iter().map(|(open, reason)| OpenLevels { scripts: search.named(open), reason: reason.clone() }).collect(),
        shard: search.shard,
    }
}

fn part_of(search: &LevelsSearch, part: &PartSearch) -> LevelsPart {
    let names = |raised: &[bool]| {
        let raised = part.scripts.iter().zip(raised).filter(|(_, raised)| **raised);
        raised.map(|(script, _)| search.names[*script].clone()).collect::<Vec<_>>()
    };
    let known = |what: &str, allocation: &Allocation| {
        let (counterexample, reason) = match search.knowledge.of(allocation) {
            Some(KnownVerdict::Refuted(number)) => (Some(number + 1), None),
            Some(KnownVerdict::Open(reason)) => (None, Some(reason.to_owned())),
            _ => (None, Some("it was not decided".to_owned())),
        };
        LowerLevels { what: what.to_owned(), counterexample, reason }
    };
    let mut chosen: Vec<&Vec<bool>> = part.walk.lowest.iter().collect();
    chosen.sort_by_key(|raised| (raised.iter().filter(|raised| **raised).count(), std::cmp::Reverse(raised.to_vec())));
    let lowest = chosen.into_iter().map(|raised| {
        let lower = (0..raised.len()).filter(|&at| raised[at]).map(|at| {
            let mut lowered = raised.clone();
            lowered[at] = false;
            known(&search.names[part.scripts[at]], &part.walk.allocation(&lowered))
        });
        LowestLevels { raised: names(raised), lower: lower.collect() }
    });
    let lowest: Vec<LowestLevels> = lowest.collect();
    let mut refuted = Vec::new();
    if lowest.is_empty() {
        for (raised, level) in [(false, Isolation::ReadCommitted), (true, Isolation::RepeatableRead)] {
            let allocation = part.walk.allocation(&vec![raised; part.scripts.len()]);
            let all = if search.parts.len() > 1 { names(&vec![true; part.scripts.len()]).join(", ") } else { "all".to_owned() };
            refuted.push(known(&format!("{all} at {}", level.name()), &allocation));
        }
    }
    let open = part.walk.open.iter().filter(|open| {
        // What was found out later may refute it.
        if matches!(search.knowledge.of(&part.walk.allocation(open)), Some(KnownVerdict::Refuted(_))) {
            return false;
        }
        let is_above = |lowest: &Vec<bool>| lowest.iter().zip(*open).all(|(lowest, open)| !lowest || *open);
        !part.walk.lowest.iter().any(is_above)
    });
    LevelsPart {
        scripts: names(&vec![true; part.scripts.len()]),
        lowest,
        refuted,
        uncovered: part.serializable.clone().and_then(Result::err),
        undecided: part.walk.left.saturating_add(u64::try_from(open.count()).unwrap_or(u64::MAX)),
    }
}

fn safe_sets(search: &LevelsSearch, part: &PartSearch) -> Vec<SafeSets> {
    let named = |set: &BTreeSet<usize>| set.iter().map(|script| search.names[*script].clone()).collect::<Vec<_>>();
    let sets = |(level, walk): &(Isolation, super::SetsWalk)| {
        let mut sets: Vec<Vec<String>> = walk.largest.iter().map(named).collect();
        sets.sort();
        let is_open = |open: &&BTreeSet<usize>| !matches!(search.knowledge.of(&walk.allocation(open)), Some(KnownVerdict::Refuted(_)));
        let undecided =
            walk.open.iter().filter(is_open).filter(|open| !walk.largest.iter().any(|larger| open.is_subset(larger))).map(named).collect();
        SafeSets {
            level: level.name().to_owned(),
            of: part.scripts.iter().map(|script| search.names[*script].clone()).collect(),
            sets,
            undecided,
        }
    };
    part.sets.iter().map(sets).collect()
}

pub(super) fn merged(parts: &[(String, LevelsReport)]) -> Result<LevelsSearch, String> {
    let Some((_, first)) = parts.first() else { return Err("there is nothing to merge".to_owned()) };
    let mut there: Vec<usize> = Vec::new();
    let of = first.shard.map(|[_, of]| of);
    for (file, part) in parts {
        let Some([number, all]) = part.shard else { return Err(format!("{file} was made without --shard: there is nothing to merge")) };
        if part.fingerprint != first.fingerprint {
            return Err(format!("{file} is about other files than {}", parts[0].0));
        }
        if part.version != first.version {
            return Err(format!("{file} was made by serval {}, and {} by {}", part.version, parts[0].0, first.version));
        }
        if Some(all) != of {
            return Err(format!("{file} is one of {all} parts, the others are of {}", of.unwrap_or(0)));
        }
        if there.contains(&number) {
            return Err(format!("part {number} is given twice"));
        }
        there.push(number);
    }
    if let Some(missing) = (1..=of.unwrap_or(0)).find(|number| !there.contains(number)) {
        return Err(format!("part {missing} of {} is missing", of.unwrap_or(0)));
    }
    let names: Vec<String> = first.scripts.iter().map(|one| one.script.clone()).collect();
    let place =
        |name: &String| names.iter().position(|known| known == name).ok_or_else(|| format!("{name} is no script of {}", parts[0].0));
    let of_parts = first.parts.iter().map(|part| part.scripts.iter().map(place).collect::<Result<Vec<_>, _>>());
    let of_parts = of_parts.collect::<Result<Vec<_>, _>>()?;
    let mut search = LevelsSearch::of_parts(names, &of_parts, false, None);
    search.fingerprint.clone_from(&first.fingerprint);
    let unknown = |file: &String| format!("{file} names a script or a level that is not there");
    for (file, part) in parts {
        search.knowledge.decided += part.decided;
        for run in &part.counterexamples {
            let scripts = search.placed(&run.scripts).ok_or_else(|| unknown(file))?;
            // Parts of the work may have asked about the same group.
            if !search.knowledge.counterexamples.iter().any(|known| known.0 == scripts && known.1 == *run) {
                search.knowledge.counterexamples.push((scripts, run.clone()));
            }
        }
        for proved in &part.proofs {
            let scripts = search.placed(proved).ok_or_else(|| unknown(file))?;
            search.knowledge.proved(scripts);
        }
        for bound in part.bounds.iter().filter(|bound| !first.bounds.contains(bound)).chain(&first.bounds) {
            if !search.bounds.contains(bound) {
                search.bounds.push(bound.clone());
            }
        }
    }
    // What is open in all parts, and not because another one decides it.
    for (file, part) in parts {
        for open in &part.open {
            let scripts = search.placed(&open.scripts).ok_or_else(|| unknown(file))?;
            if open.reason != ELSEWHERE && search.knowledge.of(&scripts).is_none() {
                search.knowledge.open.insert(scripts, open.reason.clone());
            }
        }
        for (own, found) in search.parts.iter_mut().zip(&part.parts) {
            own.serializable = Some(found.uncovered.clone().map_or(Ok(()), Err));
        }
    }
    Ok(search)
}
