//! The table of bindings and the program agree about what every name is.

use std::collections::BTreeSet;

use serval_effort::sweep;
use serval_ide::{Document, Span, SymbolKind};
use serval_syntax::{ExprKind, Program, Request, SyntaxKind, Variable};

use crate::support::{given, random};

/// The name of a variable as it is written: without the function that it is in, and without indices.
fn written(name: &str) -> &str {
    let name = name.split('[').next().unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name)
}

fn variable<'p>(program: &'p Program, request: &'p Request, variable: Variable) -> (&'p str, bool) {
    match variable {
        Variable::Global(global) => (&program.globals[global.index()].name, true),
        Variable::Local(local) => (&request.locals[local.index()].name, false),
    }
}

/// How many names of the program have been looked up, all of which agree.
fn agrees(name: &str, text: &str) -> usize {
    let document = Document::new(text);
    let Some(program) = document.program() else { return 0 };
    let table = document.bindings();
    let tokens = document.tree().descendants_with_tokens().filter_map(|element| element.into_token()).collect::<Vec<_>>();
    let place = |token: &serval_syntax::SyntaxToken| Span::new(token.text_range().start().into(), token.text_range().end().into());
    let names: BTreeSet<Span> = tokens.iter().filter(|token| token.kind() == SyntaxKind::Name).map(place).collect();
    // Every name is resolved, but for the two that are numbers.
    for &place in &names {
        let known = table.at(place.start).is_some_and(|one| one.span == place);
        assert!(known || matches!(document.slice(place), "true" | "false"), "{name}: `{}` means nothing\n{text}", document.slice(place));
    }
    let mut looked_up = 0;
    for request in &program.requests {
        request.body.visit(&mut |expr| {
            let (place, shared) = match &expr.kind {
                ExprKind::Read(one) => (expr.span, Some(variable(program, request, *one))),
                ExprKind::Assign { target, target_span, .. } => (*target_span, Some(variable(program, request, *target))),
                ExprKind::Constant(_) => (expr.span, None),
                _ => return,
            };
            // What the compiler puts in has the places of what it stands for, and another name.
            let is_other = shared.is_some_and(|(name, _)| written(name) != document.slice(place));
            if !names.contains(&place) || is_other || matches!(document.slice(place), "true" | "false") {
                return;
            }
            let found = table.at(place.start).unwrap();
            // So have assignments to the parameters of a call, at its arguments.
            if matches!(expr.kind, ExprKind::Assign { .. }) && !found.access.writes() {
                return;
            }
            let symbol = &table.symbols()[found.symbol];
            let at = document.lines().position(text, place.start);
            looked_up += 1;
            match shared {
                Some((variable, is_shared)) => {
                    assert_eq!(is_shared, symbol.kind.is_global(), "{name} at {at:?}: {symbol:?}\n{text}");
                    if !is_shared {
                        // Whose variable it is: of the function whose name stands before it, or of the request.
                        let base = |name: &str| name.split(['(', '#']).next().unwrap_or_default().to_owned();
                        let owner = variable.split_once('.').map_or_else(|| base(&request.name), |(function, _)| base(function));
                        let known = symbol.owner.map_or_else(|| "request".to_owned(), |owner| table.symbols()[owner].name.clone());
                        assert_eq!(owner, known, "{name} at {at:?}: {symbol:?}\n{text}");
                    }
                }
                None => {
                    use SymbolKind::{Constant, LoopVariable, Member, Param};
                    assert!(matches!(symbol.kind, Constant | Member | Param | LoopVariable), "{name} at {at:?}: {symbol:?}\n{text}");
                }
            }
        });
    }
    // Every shared variable of the program is in the table, as what it is.
    for global in &program.globals {
        let found = table.symbols().iter().any(|symbol| symbol.kind.is_global() && symbol.name == written(&global.name));
        assert!(found, "{name}: {} is not in the table\n{text}", global.name);
    }
    looked_up
}

#[test]
fn every_name_of_given_programs_means_what_it_means_in_the_program() {
    let found: usize = given().iter().map(|(name, text)| agrees(name, text)).sum();
    assert!(found > 2_000, "{found}");
}

#[test]
fn every_name_of_random_programs_means_what_it_means_in_the_program() {
    let sweep = sweep("ide.bindings", 500, 20_000);
    let found: usize = sweep.map(1, |seed| agrees(&format!("seed {seed}"), &random(seed))).into_iter().sum();
    assert!(found > 2_000 || !sweep.is_representative(), "{found}");
}
