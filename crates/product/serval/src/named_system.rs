//! A network system whose states and answers are called as the program calls
//! them: `State=Running` instead of `State=1`. It is for pictures alone;
//! whatever is read again has the names that the compiler gives.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serval_model::{NetworkSystem, SystemBuilder};
use serval_syntax::{GlobalVar, Program};

use crate::value_names::ValueNames;

impl ValueNames {
    /// The system with names for values. States keep their ids; an answer that means different things to different
    /// requests becomes several.
    pub fn in_system<'s>(&self, program: &Program, system: &'s NetworkSystem) -> Cow<'s, NetworkSystem> {
        if self.is_empty() {
            return Cow::Borrowed(system);
        }
        let globals = system.globals().map(|id| (system.global_name(id), self.global_words(program, system.global_name(id))));
        let locals = system.locals().map(|id| (system.local_name(id), self.local_words(program, system.local_name(id))));
        let mut builder = SystemBuilder::new();
        let global_ids: Vec<_> = distinct(globals.collect()).iter().map(|name| builder.global(name)).collect();
        let local_ids: Vec<_> = distinct(locals.collect()).iter().map(|name| builder.local(name)).collect();
        let request_ids: Vec<_> = system.requests().map(|id| builder.request(system.request_name(id))).collect();
        for &(request, local) in system.starts() {
            builder.start(request_ids[request.index()], local_ids[local.index()]);
        }
        for &(local, response) in system.answers() {
            let request = system.local_name(local).split_once('@').map_or("", |(request, _)| request);
            let answer = system.response_name(response);
            let response = builder.response(&self.answer_words(program, request, answer).unwrap_or_else(|| answer.to_owned()));
            builder.answer(local_ids[local.index()], response);
        }
        for step in system.steps() {
            let [from, to] = [step.global, step.to_global].map(|global| global_ids[global.index()]);
            builder.step(local_ids[step.local.index()], from, local_ids[step.to_local.index()], to);
        }
        Cow::Owned(builder.finish(global_ids[system.initial_global().index()]))
    }

    /// `State[0]=1 X=2` as `State[Left]=Running X=2`.
    fn global_words(&self, program: &Program, name: &str) -> String {
        let word = |part: &str| {
            let (variable, value) = part.split_once('=')?;
            let global = (0..).zip(&program.globals).find(|(_, global)| global.name == variable).map(|(number, _)| GlobalVar(number))?;
            let value = value.parse().ok().and_then(|value| self.global(global, value)).unwrap_or_else(|| value.to_owned());
            let variable = self.variables().get(variable).map_or(variable, String::as_str);
            Some(format!("{variable}={value}"))
        };
        name.split(' ').map(|part| word(part).unwrap_or_else(|| part.to_owned())).collect::<Vec<_>>().join(" ")
    }

    /// `main@yield1 m=1` as `main@yield1 m=On`, and `main@end 1` as `main@end On`.
    fn local_words(&self, program: &Program, name: &str) -> String {
        let Some((request, rest)) = name.split_once('@') else { return name.to_owned() };
        let at_end = rest.starts_with("end ");
        let word = |(position, part): (usize, &str)| {
            let known = match part.split_once('=') {
                None if at_end && position == 1 => self.answer_words(program, request, part),
                None => None,
                Some((local, value)) => {
                    agreed(program, request, |body| self.local(body, local, value.parse().ok()?)).map(|value| format!("{local}={value}"))
                }
            };
            known.unwrap_or_else(|| part.to_owned())
        };
        let words: Vec<String> = rest.split(' ').enumerate().map(word).collect();
        format!("{request}@{}", words.join(" "))
    }

    fn answer_words(&self, program: &Program, request: &str, answer: &str) -> Option<String> {
        agreed(program, request, |body| self.answer(body, answer.parse().ok()?))
    }
}

/// What all bodies of a request say, where they agree.
fn agreed(program: &Program, request: &str, of: impl Fn(usize) -> Option<String>) -> Option<String> {
    let bodies = program.requests.iter().enumerate().filter(|(_, body)| body.name == request);
    let mut said = bodies.map(|(number, _)| of(number));
    let first = said.next()??;
    said.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The new names, where all of them are different from each other, and the old ones where they are not: states must not
/// become one because they are called the same.
fn distinct(names: Vec<(&str, String)>) -> Vec<String> {
    let all: BTreeSet<&str> = names.iter().map(|(_, new)| new.as_str()).collect();
    if all.len() == names.len() {
        names.into_iter().map(|(_, new)| new).collect()
    } else {
        names.into_iter().map(|(old, _)| old.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serval_budget::Budget;
    use serval_compile::{Options, compile};
    use serval_syntax::analyze;

    use super::*;

    #[test]
    fn values_have_names_in_the_system() {
        let text = "enum Mode { Off, On }\nenum Side { Left, Right }\nvar Now: Mode\nvar Count[Side]: 0..1\n\
                    request flip { m := Now; yield; if (m == Off) { Now := On } else { Now := Off }; yield; m }\n\
                    request count(s: Side) { Count[s] := 1; Count[s] }\n";
        let program = analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
        let mut all = BTreeSet::new();
        for component in compiled.components() {
            let (system, named) = (component.system(), names.in_system(&program, component.system()));
            named.check_invariants();
            assert_eq!((named.local_count(), named.global_count()), (system.local_count(), system.global_count()));
            assert_eq!((named.steps(), named.starts()), (system.steps(), system.starts()));
            all.extend(named.globals().map(|id| named.global_name(id).to_owned()));
            all.extend(named.locals().map(|id| named.local_name(id).to_owned()));
            all.extend(named.responses().map(|id| format!("answer {}", named.response_name(id))));
        }
        for name in
            ["Now=Off", "Now=On", "flip@yield1 m=On", "flip@end Off", "answer On", "answer 1", "Count[Left]=0", "count(Right)@end 1"]
        {
            assert!(all.contains(name), "{name}: {all:?}");
        }
    }
}
