//! What kind of net it is, by its arcs alone.

use serval_budget::{Budget, Stopped};
use serval_net_engine::weights::PlaceBounds;
use serval_petri::{Net, PlaceId};

/// Classes of nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetClass {
    /// All arcs have the weight 1.
    pub ordinary: bool,
    /// Ordinary, and each place has at most one transition that gives to it and one that takes from it.
    pub marked_graph: bool,
    /// Ordinary, and each transition takes from exactly one place and gives to exactly one.
    pub state_machine: bool,
    /// Ordinary, and transitions that share a place that they take from take from the same places.
    pub free_choice: bool,
    /// Each transition takes at most one token.
    pub communication_free: bool,
    /// Each transition gives as many tokens as it takes.
    pub conservative: bool,
}

impl NetClass {
    /// The names of the classes, each with whether the net is in it.
    pub fn named(&self) -> [(&'static str, bool); 6] {
        [
            ("ordinary", self.ordinary),
            ("marked graph", self.marked_graph),
            ("state machine", self.state_machine),
            ("free choice", self.free_choice),
            ("communication-free", self.communication_free),
            ("conservative", self.conservative),
        ]
    }
}

/// The classes that a net is in.
pub fn classify(net: &Net) -> NetClass {
    let ordinary = net.transitions().all(|one| net.inputs(one).iter().chain(net.outputs(one)).all(|arc| arc.1 == 1));
    let (mut takers, mut givers) = (vec![Vec::new(); net.place_count()], vec![0_usize; net.place_count()]);
    for transition in net.transitions() {
        net.inputs(transition).iter().for_each(|arc| takers[arc.0.index()].push(transition));
        net.outputs(transition).iter().for_each(|arc| givers[arc.0.index()] += 1);
    }
    let total = |arcs: &[(PlaceId, u64)]| arcs.iter().map(|arc| u128::from(arc.1)).sum::<u128>();
    let alike = |takers: &Vec<_>| takers.windows(2).all(|pair| net.inputs(pair[0]) == net.inputs(pair[1]));
    NetClass {
        ordinary,
        marked_graph: ordinary && takers.iter().all(|all| all.len() <= 1) && givers.iter().all(|&all| all <= 1),
        state_machine: ordinary && net.transitions().all(|one| net.inputs(one).len() == 1 && net.outputs(one).len() == 1),
        free_choice: ordinary && takers.iter().all(alike),
        communication_free: net.transitions().all(|one| total(net.inputs(one)) <= 1),
        conservative: net.transitions().all(|one| total(net.inputs(one)) == total(net.outputs(one))),
    }
}

/// Bounds of places by weighted sums that no transition increases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetSums {
    /// By place its bound, where there is one, and the sum that it comes from.
    pub bounds: Vec<Option<(i128, usize)>>,
    /// The sums: places with their weights.
    pub sums: Vec<Vec<(u32, u64)>>,
}

/// Places that one sum bounds by the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumBound<'a> {
    /// The number.
    pub bound: i128,
    /// The names of the places, in the order of the net.
    pub places: Vec<&'a str>,
    /// The sum: the names of places with their weights, in the order of the net.
    pub sum: Vec<(u64, &'a str)>,
}

/// Places that no sum bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbounded<'a> {
    /// Their names, in the order of the net.
    pub places: Vec<&'a str>,
    /// From how many of them a transition takes, at most.
    pub taken_together: usize,
}

impl NetSums {
    /// The bounds by sum and number.
    ///
    /// ```
    /// use serval::nets::{NetInput, NetKind, sums};
    /// let input = NetInput::read("pl free (1)\ntr take free -> held\n", NetKind::Tina).unwrap();
    /// let found = sums(input.net(), &mut serval_budget::Budget::unlimited()).unwrap();
    /// let bounds = found.by_sum(input.net());
    /// let held = bounds.iter().find(|one| one.places == ["held"]).unwrap();
    /// assert_eq!((held.bound, &held.sum[..]), (1, &[(1, "free"), (1, "held")][..]));
    /// assert!(found.unbounded(input.net()).places.is_empty());
    /// ```
    pub fn by_sum<'a>(&self, net: &'a Net) -> Vec<SumBound<'a>> {
        let mut all = Vec::new();
        for (number, sum) in self.sums.iter().enumerate() {
            let mut bounds: Vec<i128> = self.bounds.iter().flatten().filter(|one| one.1 == number).map(|one| one.0).collect();
            bounds.sort_unstable();
            bounds.dedup();
            let weight = |place: PlaceId| sum.iter().find(|one| usize::try_from(one.0) == Ok(place.index())).map(|one| one.1);
            let terms: Vec<(u64, &str)> = net.places().filter_map(|place| Some((weight(place)?, net.place_name(place)))).collect();
            all.extend(bounds.into_iter().map(|bound| {
                let bounded = net.places().filter(|place| self.bounds[place.index()] == Some((bound, number)));
                SumBound { bound, places: bounded.map(|place| net.place_name(place)).collect(), sum: terms.clone() }
            }));
        }
        all
    }

    /// The places that have no bound.
    pub fn unbounded<'a>(&self, net: &'a Net) -> Unbounded<'a> {
        let is_free = |place: PlaceId| self.bounds[place.index()].is_none();
        let taken = net.transitions().map(|one| net.inputs(one).iter().filter(|arc| is_free(arc.0)).count());
        Unbounded {
            places: net.places().filter(|&place| is_free(place)).map(|place| net.place_name(place)).collect(),
            taken_together: taken.max().unwrap_or(0),
        }
    }
}

/// The bounds of all places.
pub fn sums(net: &Net, budget: &mut Budget) -> Result<NetSums, Stopped> {
    let mut known = PlaceBounds::new(net);
    known.bound_all(net, budget)?;
    Ok(NetSums { bounds: known.bounds_with_sums(), sums: known.into_sums() })
}
