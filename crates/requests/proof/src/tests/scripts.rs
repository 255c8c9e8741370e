//! Scripts that are wrong in one way each, on systems for which believing them
//! would be a mistake.
//!
//! Systems are written in normal form: a list of nodes, first those on the way
//! by request, then the done nodes, and steps `[l, g, l', g']`. Most of the
//! systems here are not serializable, which is confirmed by trying all runs
//! with few requests; so a checker without the condition would say something
//! false about them.

use serval_budget::Budget;
use serval_model::{NetworkSystem, NormalForm, SystemBuilder, completed_multisets, serial_multisets};

use super::last;
use super::support::{Case, enough};
use super::switch::without;
use crate::script::{Dominated, Entry, Mover, Quotient, Reduced, Side, Track, WaitingElimination, Witness};
use crate::{Body, Claim, Condition, Part};

/// What is wrong about believing a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Harm {
    /// The system is not serializable.
    False,
    /// The certificate is not true to its word, but what it claims holds.
    Untidy,
}

/// A certificate that must not be accepted.
pub(super) struct Wrong {
    pub(super) case: Case,
    pub(super) harm: Harm,
}

/// A system in normal form. `nodes`: `"a!"` is an initial node of request `a`,
/// `"a"` one on the way, `"a/x"` where `a` has answered `x`.
pub(super) fn system(globals: u32, nodes: &[&str], steps: &[[u32; 4]]) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let global_ids: Vec<_> = (0..globals).map(|global| builder.global(&format!("g{global}"))).collect();
    let locals: Vec<_> = (0..nodes.len()).map(|node| builder.local(&format!("n{node}"))).collect();
    for (&name, &local) in nodes.iter().zip(&locals) {
        match (name.strip_suffix('!'), name.split_once('/')) {
            (Some(request), _) => {
                let request = builder.request(request);
                builder.start(request, local);
            }
            (None, Some((_, response))) => {
                let response = builder.response(response);
                builder.answer(local, response);
            }
            (None, None) => {}
        }
    }
    let index = |number: u32| usize::try_from(number).unwrap();
    for &[l, g, to_l, to_g] in steps {
        builder.step(locals[index(l)], global_ids[index(g)], locals[index(to_l)], global_ids[index(to_g)]);
    }
    let system = builder.finish(global_ids[0]);
    // The normal form is the one that was written down.
    let (form, _) = NormalForm::new(&system).unwrap();
    assert_eq!(form.nodes().len(), nodes.len(), "{nodes:?}");
    for (&name, node) in nodes.iter().zip(form.node_numbers()) {
        assert_eq!((form.is_initial(node), form.is_done(node)), (name.ends_with('!'), name.contains('/')), "{name}");
        assert!(system.request_name(form.nodes()[index(node)].0) == name.trim_end_matches('!').split('/').next().unwrap(), "{name}");
    }
    let mut sorted = steps.to_vec();
    sorted.sort_unstable();
    let of_form: Vec<[u32; 4]> = form.steps().iter().map(|step| [step.node, step.global, step.to_node, step.to_global]).collect();
    assert_eq!(of_form, sorted);
    system
}

/// A system and a script for it, in the making.
pub(super) struct Draft {
    system: NetworkSystem,
    script: Vec<Entry>,
    now: Reduced,
}

impl Draft {
    pub(super) fn of(globals: u32, nodes: &[&str], steps: &[[u32; 4]]) -> Self {
        let system = system(globals, nodes, steps);
        let now = Reduced::new(NormalForm::new(&system).unwrap().0);
        Self { system, script: Vec::new(), now }
    }

    /// Adds an entry, and does what it says.
    pub(super) fn then(mut self, entry: Entry) -> Self {
        self.now.apply(&entry, &mut enough()).unwrap();
        self.script.push(entry);
        self
    }

    pub(super) fn pairs(self) -> Self {
        self.then(Entry::Pairs)
    }

    /// The number that a step has now.
    fn number(&self, [node, global, to_node, to_global]: [u32; 4]) -> u32 {
        let find = |step: &serval_model::NodeStep| (step.source(), step.target()) == ((node, global), (to_node, to_global));
        u32::try_from(self.now.form().steps().iter().position(find).unwrap()).unwrap()
    }

    /// Leaves out steps, each for the sake of another.
    fn dominated(self, locals: &[(u32, u32)], globals: &[(u32, u32)], drops: &[([u32; 4], [u32; 4])]) -> Self {
        let drops = drops.iter().map(|&(drop, keep)| (self.number(drop), self.number(keep))).collect();
        self.then(Entry::Dominated(Dominated { locals: locals.to_vec(), globals: globals.to_vec(), drops }))
    }

    /// Joins steps around `points`. Paths are given as the points after the first:
    /// the step, the other step, the path of the other, the own path.
    pub(super) fn mover(self, side: Side, points: &[(u32, &[u32])], paths: &[Paths<'_>]) -> Self {
        let witness = |&(step, other, other_path, own_path): &Paths<'_>| Witness {
            step: self.number(step),
            other: self.number(other),
            other_path: other_path.to_vec(),
            own_path: own_path.to_vec(),
        };
        let witnesses = paths.iter().map(witness).collect();
        self.then(joined(side, points, witnesses))
    }

    /// The certificate, about the system that was written down.
    pub(super) fn case(self) -> Case {
        Case::proved(self.system, Part::Atomic(self.script))
    }

    /// The certificate, for a system that is not serializable.
    pub(super) fn falsely(self) -> Wrong {
        Wrong { case: self.case(), harm: Harm::False }
    }

    /// The certificate, for a system that is serializable.
    fn untidily(self) -> Wrong {
        Wrong { case: self.case(), harm: Harm::Untidy }
    }
}

pub(super) type Paths<'a> = ([u32; 4], [u32; 4], &'a [(u32, u32)], &'a [(u32, u32)]);

fn closure(relation: &[(u32, u32)], points: &[(u32, u32)]) -> Entry {
    Entry::WaitingElimination(WaitingElimination { relation: relation.to_vec(), points: points.to_vec() })
}

fn track(group: &[u32], most: u8) -> Entry {
    Entry::Track(Track { groups: vec![group.to_vec()], most })
}

/// `a` looks and raises a flag later, and answers whether it was down; two may look before one of them raises it.
fn torn() -> Draft {
    Draft::of(2, &["a!", "a", "a/x", "a/y"], &[[0, 0, 1, 0], [0, 1, 3, 1], [1, 0, 2, 1], [1, 1, 2, 1]])
}

/// `a` raises a flag and lowers it again; `b` answers only while it is up.
/// Serially it never is.
fn flag() -> Draft {
    Draft::of(2, &["a!", "a", "b!", "a/x", "b/z"], &[[0, 0, 1, 1], [1, 1, 3, 0], [2, 1, 4, 1]])
}

/// `a` raises a flag and answers when it is down again; `b` lowers it.
/// Serially no request ever answers.
fn handshake() -> Draft {
    Draft::of(2, &["a!", "a", "b!", "a/x", "b/z"], &[[0, 0, 1, 1], [1, 0, 3, 0], [2, 1, 4, 0]])
}

/// `a` raises a flag and goes away for good; `b` answers only while it is up.
/// No global state is both left and come back to.
fn one_way() -> Draft {
    Draft::of(3, &["a!", "a", "b!", "a/x", "b/z"], &[[0, 0, 1, 1], [1, 1, 3, 2], [2, 1, 4, 1]])
}

/// `a` must have read 0 before `b` writes 1, and answers afterwards.
fn read_first() -> Draft {
    Draft::of(2, &["a!", "a", "b!", "a/x", "b/z"], &[[0, 0, 1, 0], [1, 1, 3, 1], [2, 0, 4, 1]])
}

/// One step, and no more.
fn whole() -> Draft {
    Draft::of(2, &["a!", "a/x"], &[[0, 0, 1, 1]])
}

/// Certificates that are refused for `condition` and for nothing else.
pub(super) fn violate(condition: Condition) -> Vec<Wrong> {
    match condition {
        Condition::PartsClaim => {
            let mut wrong = whole().untidily();
            wrong.case.certificate.claim = Claim::NotSerializable;
            vec![wrong]
        }
        Condition::PartsCover => {
            let mut wrong = flag().falsely();
            wrong.case.certificate.body = Body::Components(Vec::new());
            vec![wrong]
        }
        // Where a request has answered, it would have to go on; so none ever answers.
        Condition::SplitInitial => vec![flag().then(Entry::Split(3)).then(Entry::Split(4)).pairs().falsely()],
        // Answered requests would be counted for ever, and none that is not there could leave: no run would be
        // complete.
        Condition::TrackInner => vec![torn().then(track(&[2, 3], 1)).pairs().falsely(), torn().then(track(&[0], 1)).pairs().falsely()],
        // No request could leave where none are counted.
        Condition::TrackMost => vec![torn().then(track(&[1], 0)).pairs().falsely()],
        // Nothing lands on the initial node, so its identity step is just gone.
        Condition::FoldInitial => vec![torn().then(Entry::IdentityElimination(vec![(0, 1)])).pairs().falsely()],
        // `a` would answer without waiting for `b`.
        Condition::FoldPresent => vec![handshake().then(Entry::IdentityElimination(vec![(1, 3)])).pairs().falsely()],
        // A done node has no steps, so everything follows it; but having answered is not nothing.
        Condition::RelationNodes => vec![handshake().then(closure(&[(1, 3)], &[(1, 0)])).pairs().falsely()],
        // Node 1 is worth waiting for: under global state 1 it answers.
        Condition::RelationWeak => vec![
            read_first().then(closure(&[(0, 1)], &[(0, 0)])).pairs().falsely(),
            // Merged, `a` need not have come before `b`.
            read_first().then(Entry::LocalQuotient(Quotient { relation: vec![(0, 1), (1, 0)], classes: vec![vec![0, 1]] })).falsely(),
        ],
        // Node 1 can do what node 2 can, but only by going back and taking the step that is left out.
        Condition::RelationStrong => {
            let steps = [[0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0], [2, 0, 3, 1], [3, 1, 5, 0], [4, 1, 6, 1]];
            let draft = Draft::of(2, &["a!", "a", "a", "a", "b!", "a/x", "b/z"], &steps);
            vec![draft.dominated(&[(1, 2)], &[], &[([0, 0, 2, 0], [0, 0, 1, 0])]).pairs().falsely()]
        }
        // With one global state for two, no request needs to wait.
        Condition::RelationGlobalWeak => {
            let merged = Entry::GlobalQuotient(Quotient { relation: vec![(0, 1), (1, 0)], classes: vec![vec![0, 1]] });
            vec![handshake().then(merged).then(Entry::IdentityElimination(vec![(1, 3)])).pairs().falsely()]
        }
        // Under 2 everything goes as under 1, but only by way of the step that is left out.
        Condition::RelationGlobalStrong => {
            let steps = [[0, 0, 1, 1], [0, 0, 1, 2], [1, 1, 3, 0], [1, 2, 0, 0], [2, 1, 4, 1], [2, 2, 4, 2]];
            let draft = Draft::of(3, &["a!", "a", "b!", "a/x", "b/z"], &steps);
            vec![draft.dominated(&[], &[(2, 1)], &[([0, 0, 1, 1], [0, 0, 1, 2])]).pairs().falsely()]
        }
        // No harm is done: all members of classes that overlap are alike, so a node that is in
        // two of them may go with either. But then the classes are not what they say.
        Condition::QuotientDisjoint => {
            vec![whole().then(Entry::LocalQuotient(Quotient { relation: Vec::new(), classes: vec![vec![0], vec![0]] })).untidily()]
        }
        Condition::QuotientClasses => vec![
            // Waiting and having answered are not the same.
            handshake().then(Entry::LocalQuotient(Quotient { relation: Vec::new(), classes: vec![vec![3, 1]] })).falsely(),
            // One direction is not enough: node 1 can do what node 0 can, but not conversely.
            read_first().then(Entry::LocalQuotient(Quotient { relation: vec![(1, 0)], classes: vec![vec![1, 0]] })).falsely(),
            handshake()
                .then(Entry::GlobalQuotient(Quotient { relation: Vec::new(), classes: vec![vec![0, 1]] }))
                .then(Entry::IdentityElimination(vec![(1, 3)]))
                .pairs()
                .falsely(),
        ],
        // Each of two steps is as good as the other, and neither is kept.
        Condition::DominatedKept => {
            let steps = [[0, 0, 1, 1], [0, 0, 2, 1], [1, 1, 4, 0], [2, 1, 4, 0], [3, 1, 5, 1]];
            let draft = Draft::of(2, &["a!", "a", "a", "b!", "a/x", "b/z"], &steps);
            let (one, other) = (steps[0], steps[1]);
            vec![draft.dominated(&[(1, 2), (2, 1)], &[], &[(one, other), (other, one)]).pairs().falsely()]
        }
        Condition::DominatedBetter => {
            let steps = [[0, 0, 1, 1], [0, 0, 2, 1], [1, 1, 4, 0], [2, 0, 4, 0], [3, 1, 5, 1]];
            vec![
                flag().dominated(&[], &[], &[([0, 0, 1, 1], [1, 1, 3, 0])]).pairs().falsely(),
                // From the same point, but to a node of which nothing is known.
                Draft::of(2, &["a!", "a", "a", "b!", "a/x", "b/z"], &steps).dominated(&[], &[], &[(steps[0], steps[1])]).pairs().falsely(),
            ]
        }
        Condition::MoverEnds => vec![
            // A done node in the set: nothing follows, and the step disappears.
            one_way().mover(Side::Right, &[(3, &[2])], &[]).pairs().falsely(),
            // An initial node in the set: nothing comes before, and the step disappears.
            one_way().mover(Side::Left, &[(0, &[0])], &[]).pairs().falsely(),
        ],
        Condition::MoverPaths => vec![
            // `b` sees the flag; there is no way around it.
            flag().mover(Side::Right, &[(1, &[1])], &[]).pairs().falsely(),
            flag().pairs().mover(Side::Right, &[(1, &[1])], &[([0, 0, 1, 1], [2, 1, 4, 1], &[(4, 0)], &[(1, 1)])]).pairs().falsely(),
            flag().pairs().mover(Side::Right, &[(1, &[1])], &[([0, 0, 1, 1], [2, 1, 4, 1], &[], &[])]).pairs().falsely(),
            flag().pairs().mover(Side::Left, &[(1, &[1])], &[]).pairs().falsely(),
        ],
        Condition::MoverInner => vec![going_round().falsely()],
        _ if condition.name().starts_with("mover.last") => last::violate(condition),
        Condition::AtomicSteps => vec![flag().falsely(), handshake().pairs().falsely()],
        // Without the condition such an entry is left out, which is no harm.
        Condition::ScriptNumbers => out_of_range(2)
            .into_iter()
            .chain([Entry::LocalQuotient(Quotient { classes: vec![Vec::new()], ..Quotient::default() })])
            .map(|entry| {
                let mut wrong = whole().untidily();
                wrong.case.certificate.body = Body::Part(Part::Atomic(vec![entry]));
                wrong
            })
            .collect(),
        _ => panic!("no case for {condition}"),
    }
}

/// Entries in which a number is wrong for a system with two nodes, two global
/// states and one step: this one, from 2 on, or the one before it for steps.
pub(super) fn out_of_range(number: u32) -> Vec<Entry> {
    let step = number - 1;
    let quotient = |relation: &[(u32, u32)], class: &[u32]| Quotient { relation: relation.to_vec(), classes: vec![class.to_vec()] };
    let dominated = |locals: &[(u32, u32)], globals: &[(u32, u32)], drops: &[(u32, u32)]| {
        Entry::Dominated(Dominated { locals: locals.to_vec(), globals: globals.to_vec(), drops: drops.to_vec() })
    };
    let witness = |step, other, other_path: &[(u32, u32)], own_path: &[(u32, u32)]| {
        joined(Side::Right, &[], vec![Witness { step, other, other_path: other_path.to_vec(), own_path: own_path.to_vec() }])
    };
    vec![
        Entry::Split(number),
        track(&[number], 1),
        Entry::IdentityElimination(vec![(number, 0)]),
        Entry::IdentityElimination(vec![(0, number)]),
        Entry::LocalQuotient(quotient(&[(number, number)], &[0])),
        Entry::LocalQuotient(quotient(&[], &[0, number])),
        Entry::GlobalQuotient(quotient(&[(number, number)], &[0])),
        Entry::GlobalQuotient(quotient(&[(0, number)], &[0])),
        Entry::GlobalQuotient(quotient(&[], &[number])),
        dominated(&[(0, number)], &[], &[]),
        dominated(&[], &[(0, number)], &[]),
        dominated(&[], &[], &[(step, 0)]),
        dominated(&[], &[], &[(0, step)]),
        closure(&[(number, 0)], &[]),
        closure(&[], &[(number, 0)]),
        closure(&[], &[(0, number)]),
        joined(Side::Right, &[(number, &[])], Vec::new()),
        joined(Side::Left, &[(1, &[0, number])], Vec::new()),
        witness(step, 0, &[], &[]),
        witness(0, step, &[], &[]),
        witness(0, 0, &[(0, 0), (number, 0)], &[]),
        witness(0, 0, &[], &[(0, 0), (0, number)]),
    ]
}

fn joined(side: Side, points: &[(u32, &[u32])], witnesses: Vec<Witness>) -> Entry {
    let points = points.iter().map(|&(node, globals)| (node, globals.to_vec())).collect();
    let mover = Mover { points, witnesses };
    if side == Side::Right { Entry::Right(mover) } else { Entry::Left(mover) }
}

/// The path given for `a` passes through the set, where it could be interrupted
/// by `b` again, and then again.
///
/// `b` can make two steps while `a` is at node 1. For the first, `a` makes that
/// step itself; to get behind the second, `b` makes both of its steps.
fn going_round() -> Draft {
    let steps = [[0, 0, 1, 1], [1, 1, 1, 2], [1, 2, 3, 0], [1, 3, 1, 4], [1, 3, 3, 3], [1, 4, 1, 3], [2, 1, 2, 2], [2, 2, 4, 3]];
    Draft::of(5, &["a!", "a", "b!", "a/x", "b/z"], &steps)
        .pairs()
        .mover(
            Side::Right,
            &[(1, &[1, 2])],
            &[(steps[0], steps[6], &[], &[(1, 1), (1, 2)]), (steps[1], steps[7], &[(2, 2), (4, 3)], &[(1, 4), (1, 3)])],
        )
        .pairs()
}

/// Whether all that up to four requests can do, they can do one after the other.
pub(super) fn looks_serializable(system: &NetworkSystem) -> bool {
    let budget = &mut Budget::unlimited();
    let serial = serial_multisets(system, 4, budget).unwrap();
    completed_multisets(system, 4, budget).unwrap().is_subset(&serial)
}

/// Whether a script is accepted as far as it goes, whatever it leaves.
fn holds(draft: Draft) -> Result<(), String> {
    let case = draft.case();
    match without(Condition::AtomicSteps, || case.check()) {
        Ok(()) => Ok(()),
        Err(refusal) => Err(refusal.to_string()),
    }
}

#[test]
fn what_is_nearly_wrong_is_accepted() {
    // Two identity steps, one after the other, where one was missing.
    let steps = [[0, 0, 1, 1], [1, 0, 3, 0], [1, 1, 3, 1], [2, 1, 4, 0]];
    let draft = Draft::of(2, &["a!", "a", "b!", "a/x", "b/z"], &steps);
    assert_eq!(draft.then(Entry::IdentityElimination(vec![(1, 3)])).pairs().case().check(), Ok(()));
    // A copy of an initial node, and the initial node folded into what follows.
    let steps = [[0, 0, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 2, 0]];
    let draft = Draft::of(2, &["a!", "a", "a/x"], &steps);
    assert_eq!(holds(draft.then(Entry::Split(0)).then(Entry::IdentityElimination(vec![(0, 1)]))), Ok(()));
    // The dominated step leads where less can be done, step by step.
    let steps = [[0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 3, 0], [1, 1, 3, 0], [2, 0, 3, 0]];
    let draft = Draft::of(2, &["a!", "a", "a", "a/x"], &steps);
    let draft = draft.dominated(&[(1, 2)], &[], &[(steps[1], steps[0])]).then(Entry::IdentityElimination(vec![(1, 3)])).pairs();
    assert_eq!(draft.case().check(), Ok(()));
    // `b` is counted while it waits for `a`; who has begun while the flag is up never ends, and all that is left is `a`
    // alone.
    let steps = [[0, 0, 1, 1], [1, 1, 4, 0], [2, 1, 3, 2], [3, 2, 5, 2]];
    let draft = Draft::of(3, &["a!", "a", "b!", "b", "a/x", "b/z"], &steps).then(track(&[1, 3], 2)).then(track(&[1], 1)).pairs();
    assert_eq!(draft.mover(Side::Right, &[(1, &[1])], &[]).pairs().case().check(), Ok(()));
    // A lock: while it is held, no other request can do anything.
    let steps = [[0, 0, 1, 1], [1, 1, 3, 0], [2, 0, 4, 0]];
    let lock = || Draft::of(2, &["a!", "a", "b!", "a/x", "b/z"], &steps).pairs();
    assert_eq!(lock().mover(Side::Right, &[(1, &[1])], &[]).pairs().case().check(), Ok(()));
    assert_eq!(lock().mover(Side::Left, &[(1, &[1])], &[]).pairs().case().check(), Ok(()));
    // The weaker last condition: both read before both write.
    let steps = [[0, 0, 1, 0], [1, 0, 2, 1], [1, 1, 2, 1], [0, 1, 1, 1]];
    let draft = Draft::of(2, &["a!", "a", "a/x"], &steps).pairs().mover(Side::Right, &[(1, &[0, 1])], &[]).pairs();
    assert_eq!(draft.case().check(), Ok(()));
}

#[test]
fn waiting_in_circles_is_left_out_at_once() {
    // Leaving out one identity step after the other, with their composites added, would never end here.
    let steps = [
        [0, 0, 1, 0],
        [0, 1, 1, 1],
        [1, 0, 2, 0],
        [2, 0, 3, 0],
        [3, 0, 2, 0],
        [1, 1, 5, 1],
        [2, 1, 5, 1],
        [1, 2, 6, 2],
        [3, 2, 6, 2],
        [4, 0, 7, 1],
        [4, 1, 7, 2],
        [4, 2, 7, 0],
    ];
    let system = || Draft::of(3, &["a!", "a", "a", "a", "b!", "a/x", "a/y", "b/z"], &steps);
    let before = system().case().system;
    // Node 0 can do what node 1 can under 0 and 1; under 2 it cannot, so this is refused.
    assert!(holds(system().then(closure(&[(0, 1)], &[(0, 0)]))).is_err());
    let relation = [(2, 3), (3, 2), (1, 2), (1, 3)];
    let weak: Vec<(u32, u32)> = relation.into_iter().filter(|&pair| holds(system().then(closure(&[pair], &[]))).is_ok()).collect();
    let draft = system().then(closure(&weak, &[(0, 0), (1, 0), (2, 0), (3, 0)]));
    assert_eq!(holds(system().then(closure(&weak, &[(0, 0), (1, 0), (2, 0), (3, 0)]))), Ok(()));
    let after = draft.now.form().to_system(&before);
    let budget = &mut Budget::unlimited();
    assert_eq!(completed_multisets(&before, 4, budget), completed_multisets(&after, 4, budget));
    assert_eq!(serial_multisets(&before, 4, budget), serial_multisets(&after, 4, budget));
}
