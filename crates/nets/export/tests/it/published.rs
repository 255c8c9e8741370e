//! The published encoding is the published one.
//!
//! The listing of the satellite model, appendix A.1 of the paper, is in `published.lus` with what its conversion to
//! text had damaged repaired (`≥`, `→`). Both are parsed, so that layout and the order of declarations and equations do
//! not matter; `true and` is dropped and `enable_t` expanded.

use serval_net_export::lustre::{Encoding, Options, write};
use serval_net_export::sets;
use serval_petri::{Net, tina};

use crate::examples::example;
use crate::programs::{Expr, Node, parse};

/// Without `true and`, and with `enable_t` written out where `firing_t` uses it.
fn normal(node: &Node) -> Node {
    let mut node = node.clone();
    for list in [&mut node.inputs, &mut node.outputs, &mut node.locals, &mut Vec::new()] {
        list.sort();
    }
    node.properties.sort();
    let enable: Vec<(String, Expr)> = node
        .equations
        .iter()
        .filter(|(name, _)| name.starts_with("enable_"))
        .map(|(name, expr)| (name.clone(), plain(expr, &[])))
        .collect();
    for (name, expr) in &mut node.equations {
        *expr = plain(expr, if name.starts_with("firing_") { &enable } else { &[] });
    }
    for expr in &mut node.asserts {
        *expr = plain(expr, &[]);
    }
    node
}

fn plain(expr: &Expr, known: &[(String, Expr)]) -> Expr {
    let go = |expr: &Expr| Box::new(plain(expr, known));
    match expr {
        Expr::Name(name) => known.iter().find(|one| one.0 == *name).map_or_else(|| expr.clone(), |one| one.1.clone()),
        Expr::Binary("and", left, right) => {
            // In a row, whatever the brackets.
            let mut all = Vec::new();
            conjuncts(&plain(left, known), &mut all);
            conjuncts(&plain(right, known), &mut all);
            all.retain(|one| *one != Expr::Bool(true));
            all.into_iter().reduce(|left, right| Expr::Binary("and", Box::new(left), Box::new(right))).unwrap_or(Expr::Bool(true))
        }
        Expr::Binary(operator, left, right) => Expr::Binary(operator, go(left), go(right)),
        Expr::Not(inner) => Expr::Not(go(inner)),
        Expr::Pre(inner) => Expr::Pre(go(inner)),
        Expr::Call(name, inner) => Expr::Call(name.clone(), go(inner)),
        Expr::If(parts) => Expr::If(Box::new([*go(&parts[0]), *go(&parts[1]), *go(&parts[2])])),
        Expr::Bool(_) | Expr::Int(_) => expr.clone(),
    }
}

fn conjuncts(expr: &Expr, all: &mut Vec<Expr>) {
    match expr {
        Expr::Binary("and", left, right) => {
            conjuncts(left, all);
            conjuncts(right, all);
        }
        _ => all.push(expr.clone()),
    }
}

fn same(ours: &Node, theirs: &Node) {
    let (ours, theirs) = (normal(ours), normal(theirs));
    assert_eq!(ours.inputs, theirs.inputs);
    assert_eq!(ours.outputs, theirs.outputs);
    assert_eq!(ours.locals, theirs.locals);
    assert_eq!(ours.properties, theirs.properties);
    assert_eq!(ours.asserts, theirs.asserts);
    for (name, expr) in &theirs.equations {
        assert_eq!(&ours.equations[name], expr, "{name}");
    }
    assert_eq!(ours.equations.len(), theirs.equations.len());
}

/// The net of the listing, which the contest calls SatelliteMemory-PT-X00100Y0003, with its nodes in the order of the
/// listing.
fn satellite() -> Net {
    tina::read(include_str!("satellite.net")).unwrap()
}

fn published(net: &Net, sets: &str) -> Vec<Node> {
    let sets = sets::read(sets, net).unwrap();
    parse(&write(net, &Options { encoding: Encoding::Published, sets: &sets, asked: &[], assumed: &[] }).unwrap())
}

#[test]
fn the_satellite_is_the_published_listing() {
    let sets = r#"[["t0","t4","t8"],["t1","t6"],["t2"],["t3","t7","t9"],["t5"]]"#;
    let listing =
        concat!("node bool2int(b : bool) returns (i : int);\nlet\ni = if b then 1 else 0;\ntel;\n", include_str!("published.lus"));
    let (ours, theirs) = (published(&satellite(), sets), parse(listing));
    same(&ours[1], &theirs[1]);
    same(&ours[0], &theirs[0]);
}

#[test]
fn the_satellite_is_that_of_the_contest() {
    let Some(directory) = serval_testkit::suite::data_dir("petri") else { return };
    let text = std::fs::read_to_string(directory.join("SatelliteMemory-PT-X00100Y0003/model.pnml")).unwrap();
    let (theirs, ours) = (serval_petri::pnml::read(&text).unwrap().net, satellite());
    let sorted = |net: &Net| {
        let mut places: Vec<(String, u64)> =
            net.places().map(|place| (net.place_name(place).to_owned(), net.initial_tokens(place))).collect();
        places.sort();
        let arcs = |arcs: &[serval_petri::Arc]| {
            let mut arcs: Vec<(String, u64)> = arcs.iter().map(|arc| (net.place_name(arc.0).to_owned(), arc.1)).collect();
            arcs.sort();
            arcs
        };
        let mut transitions: Vec<_> =
            net.transitions().map(|one| (net.transition_name(one).to_owned(), arcs(net.inputs(one)), arcs(net.outputs(one)))).collect();
        transitions.sort();
        (places, transitions)
    };
    assert_eq!(sorted(&ours), sorted(&theirs));
}

/// What section 3 of the paper shows of its example net.
#[test]
fn the_example_is_the_published_one() {
    let net = example("figure-1.net");
    let node = published(&net, r#"[["t0"],["t1"],["t2"],["t3"]]"#).pop().unwrap();
    let expected = "node bool2int(b : bool) returns (i : int); let i = if b then 1 else 0; tel;
        node main(act_t0, act_t1, act_t2, act_t3 : bool)
        returns (p1, p2, p3 : int; firing_t0, firing_t1, firing_t2, firing_t3 : bool);
        var deadlock, trans_set0, trans_set1, trans_set2, trans_set3, enable_t0, enabled_t0, marked_p1, prop_oneSafe : bool;
        let
        enable_t0 = p1 >= 1 and p3 >= 1;
        trans_set0 = act_t0; trans_set1 = act_t1; trans_set2 = act_t2; trans_set3 = act_t3;
        firing_t0 = act_t0 and enable_t0;
        p1 = 1 -> if pre firing_t0 then pre p1 - 1 else if pre firing_t1 then pre p1 - 1
            else if pre firing_t3 then pre p1 - 0 else pre p1;
        enabled_t0 = false -> if enable_t0 then true else pre enabled_t0;
        marked_p1 = false -> if 0 < p1 then true else pre marked_p1;
        prop_oneSafe = 1 >= p1 and 1 >= p2 and 1 >= p3;
        p2 = 0; p3 = 0; firing_t1 = act_t1; firing_t2 = act_t2; firing_t3 = act_t3;
        deadlock = true;
        tel;";
    let shown = parse(expected).pop().unwrap();
    let (ours, shown) = (normal(&node), normal(&shown));
    assert_eq!((&ours.inputs, &ours.outputs), (&shown.inputs, &shown.outputs));
    // The last two lines only make the excerpt a program.
    let made_up = ["p2", "p3", "firing_t1", "firing_t2", "firing_t3", "deadlock"];
    for (name, expr) in shown.equations.iter().filter(|one| !made_up.contains(&one.0.as_str())) {
        assert_eq!(&ours.equations[name], expr, "{name}");
    }
}
