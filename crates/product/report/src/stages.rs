//! What reports say of the stages of the published method.

use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

/// How large everything was in the published method.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct StageReport {
    /// States of the serial automaton.
    pub automaton_states: usize,
    /// Its edges.
    pub automaton_edges: usize,
    /// Symbols and operators of the regular expression.
    pub regex_size: u64,
    /// How deeply stars are nested in it.
    pub star_height: u64,
    /// Components of the semilinear set.
    pub components: usize,
    /// The most components of a set on the way.
    pub most_components: usize,
    /// Periods of all components.
    pub periods: usize,
    /// The most periods of a component.
    pub most_periods: usize,
    /// Disjuncts of the complement that were asked about.
    pub disjuncts: usize,
    /// How many of them slicing alone answered.
    pub sliced_away: usize,
    /// Places of the net.
    pub places: usize,
    /// Transitions of the net.
    pub transitions: usize,
    /// Places that slicing left, for all disjuncts together.
    pub places_left: usize,
    /// Transitions that it left.
    pub transitions_left: usize,
    /// Solutions of state equations that were excluded.
    pub refinements: usize,
    /// Clauses of the invariant.
    pub clauses: usize,
    /// Trees of its proof.
    pub trees: usize,
    /// How long the stages took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<StageTimes>,
}

/// How long the stages of the published method took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct StageTimes {
    /// From the automaton to the semilinear set.
    pub semilinear: f64,
    /// The net and its slices.
    pub slicing: f64,
    /// Questions about the net.
    pub reachability: f64,
    /// The invariant.
    pub certificate: f64,
    /// All of it.
    pub total: f64,
}

impl StageReport {
    pub(crate) fn lines(&self, out: &mut String) {
        let Self { automaton_states, automaton_edges, regex_size, star_height, components, periods, .. } = self;
        let _ = writeln!(out, "  automaton       {}, {}", counted(automaton_states, "state"), counted(automaton_edges, "edge"));
        let _ = writeln!(out, "  expression      size {regex_size}, star height {star_height}");
        let most = (self.most_components, self.most_periods);
        let _ = writeln!(
            out,
            "  semilinear set  {} (at most {} on the way), {} (at most {} in one)",
            counted(components, "component"),
            most.0,
            counted(periods, "period"),
            most.1
        );
        let _ = writeln!(out, "  net             {}, {}", counted(self.places, "place"), counted(self.transitions, "transition"));
        let (left, away) = ((self.places_left, self.transitions_left), self.sliced_away);
        let asked = self.disjuncts;
        let _ = writeln!(
            out,
            "  disjuncts       {asked}, {away} sliced away; {} and {} left of the others together",
            counted(left.0, "place"),
            counted(left.1, "transition")
        );
        let _ = writeln!(out, "  reachability    {} excluded", counted(self.refinements, "solution"));
        if self.clauses > 0 {
            let _ = writeln!(out, "  invariant       {}, {}", counted(self.clauses, "clause"), counted(self.trees, "tree"));
        }
        if let Some(StageTimes { semilinear, slicing, reachability, certificate, .. }) = self.time_ms {
            let _ = writeln!(
                out,
                "  times           {semilinear} ms semilinear set, {slicing} ms slicing, {reachability} ms reachability, {certificate} ms invariant"
            );
        }
    }
}
