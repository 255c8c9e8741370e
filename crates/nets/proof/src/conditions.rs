//! What evidence must meet.

use crate::Refusal;

serval_evidence::conditions! {
    /// What evidence must meet.
    pub enum Condition {
        /// The certificate is about this net.
        Input = "net.input",
        /// The property is one of this net.
        Property = "net.property",
        /// Evidence is about a goal of the property.
        Goal = "net.goal",
        /// What the goals are shown to be decides the property as claimed.
        Complete = "net.complete",
        /// The kind of evidence can show what is claimed.
        Claimed = "net.claim",
        /// A run names transitions of the net.
        RunTransition = "net.run.transition",
        /// Each transition is enabled when it fires.
        RunEnabled = "net.run.enabled",
        /// The run ends in the goal.
        RunEnd = "net.run.end",
        /// A goal is in a word that is there.
        RunsWord = "net.runs.word",
        /// There is a weight for each place.
        WeightsPlaces = "net.weights.places",
        /// No transition increases the weighted sum.
        WeightsFalling = "net.weights.falling",
        /// The bounds exclude the goal.
        BoundsGoal = "net.bounds.goal",
        /// Places are those of the net.
        DeadPlaces = "net.dead.places",
        /// The places are empty in the beginning.
        DeadEmpty = "net.dead.empty",
        /// Whatever gives to the places takes from them.
        DeadSiphon = "net.dead.siphon",
        /// Traps are sets of places of the net.
        TrapPlaces = "net.trap.places",
        /// Whatever takes from a trap gives to it.
        TrapClosed = "net.trap.closed",
        /// A trap is marked in the beginning.
        TrapMarked = "net.trap.marked",
        /// Sets that need to be fed are sets of places of the net.
        UnfedPlaces = "net.unfed.places",
        /// They are empty in the beginning.
        UnfedEmpty = "net.unfed.empty",
        /// Clauses are about places of the net.
        InductivePlaces = "net.inductive.places",
        /// Clauses hold in the beginning.
        InductiveInitial = "net.inductive.initial",
        /// A tree is for a clause and a transition that are there.
        InductiveNumber = "net.inductive.number",
        /// No transition ends a clause.
        InductiveStep = "net.inductive.step",
        /// Markings have a number for each place.
        StatesPlaces = "net.states.places",
        /// The initial marking is listed.
        StatesInitial = "net.states.initial",
        /// What can fire leads to what is listed.
        StatesClosed = "net.states.closed",
        /// No marking that is listed is in the goal.
        StatesGoal = "net.states.goal",
        /// The goal is a deadlock.
        StubbornGoal = "net.stubborn.goal",
        /// Each marking has a set of transitions of the net.
        StubbornSets = "net.stubborn.sets",
        /// A member of the set is enabled.
        StubbornEnabled = "net.stubborn.enabled",
        /// With an enabled member all that share an input with it are members.
        StubbornConflict = "net.stubborn.conflict",
        /// For a member that is not enabled some place has too few tokens, and all that give to it are members.
        StubbornWaiting = "net.stubborn.waiting",
        /// A set has what helps the goal.
        TowardGoal = "net.toward.goal",
        /// ω-markings have a number or ω for each place.
        CoverPlaces = "net.cover.places",
        /// The initial marking is below a member.
        CoverInitial = "net.cover.initial",
        /// What a member leads to is below a member.
        CoverClosed = "net.cover.closed",
        /// No marking of the goal is below a member.
        CoverGoal = "net.cover.goal",
        /// Members have numbers for the places that are bounded.
        CoverFinite = "net.cover.finite",
        /// Members are about places of the net.
        BasisPlaces = "net.basis.places",
        /// The initial marking is not in the set.
        BasisInitial = "net.basis.initial",
        /// The goal is in the set.
        BasisGoal = "net.basis.goal",
        /// No transition leads into the set.
        BasisClosed = "net.basis.closed",
        /// Every sequence that is open has its step.
        DecompositionOpen = "net.decomposition.open",
        /// No step is left over.
        DecompositionRest = "net.decomposition.rest",
        /// A step is about a piece of the sequence.
        DecompositionPiece = "net.decomposition.piece",
        /// Vertices of a covering graph are vertices of the piece with labels.
        DecompositionVertices = "net.decomposition.vertices",
        /// A covering graph begins where the piece does.
        DecompositionRoot = "net.decomposition.root",
        /// There is an edge for each arc that can fire.
        DecompositionEdges = "net.decomposition.edges",
        /// Edges lead to what covers what is reached.
        DecompositionClosed = "net.decomposition.closed",
        /// Each vertex has a number, which falls along no arc.
        DecompositionOrder = "net.decomposition.order",
        /// A piece that is left has numbers.
        DecompositionOrdered = "net.decomposition.ordered",
        /// Places are those of the net.
        DecompositionPlace = "net.decomposition.place",
        /// Arcs are those of the piece, ascending.
        DecompositionArcs = "net.decomposition.arcs",
        /// What is repeated takes from no place.
        PumpRising = "net.pump.rising",
        /// A place that is claimed grows without end.
        PumpPlace = "net.pump.place",
        /// The weights bound every place that is claimed.
        BoundedWeights = "net.bounded.weights",
        /// Each marking has a rank.
        HomesRanks = "net.homes.ranks",
        /// What is no home leads to a smaller rank.
        HomesFalling = "net.homes.falling",
        /// Each home has a word, and no word is left over.
        HomesWords = "net.homes.words",
        /// All goals are on the way from a home.
        HomesGoal = "net.homes.goal",
        /// Reductions name nodes of the net so far, in order.
        ScriptNodes = "net.script.nodes",
        /// The goal does not speak of places that are left out.
        ScriptAsked = "net.script.asked",
        /// A transition that is left out as idle changes nothing.
        ScriptIdle = "net.script.idle",
        /// A transition that is left out for another does the same, and needs no less; the other stays.
        ScriptLike = "net.script.like",
        /// A place whose givers fire together with its takers is empty in the beginning.
        ScriptEmpty = "net.script.empty",
        /// Each giver gives it 1, each taker takes 1 from it, and none does both.
        ScriptOne = "net.script.one",
        /// No transition touches two of these places.
        ScriptApart = "net.script.apart",
        /// Its takers take from nothing else, or its givers give to nothing else.
        ScriptAlone = "net.script.alone",
        /// Something takes from it.
        ScriptTaken = "net.script.taken",
        /// Nothing but its givers takes what these take.
        ScriptConflict = "net.script.conflict",
        /// An implicit place has a factor, and others that stay have weights.
        ScriptWeights = "net.script.weights",
        /// No transition lets an implicit place lose against the others.
        ScriptFalling = "net.script.falling",
        /// An implicit place has enough for each transition that takes from it.
        ScriptEnough = "net.script.enough",
        /// What a place is divided by divides the weights of all its arcs.
        ScriptDivisor = "net.script.divisor",
    }
    and {
        /// Of a proof tree.
        Tree(serval_linear::TreeCondition)
    }
}

/// Numbers that are too large.
pub(crate) const NUMBERS: Refusal = Refusal::TooLarge { what: "bits of a number", limit: 127 };
