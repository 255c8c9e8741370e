//! What evidence must meet.

serval_evidence::conditions! {
    /// What evidence must meet.
    pub enum Condition {
        /// The certificate is about this program.
        Input = "tso.input",
        /// What is shown of a program with a `thread*` is about any number of copies, or about some number.
        Fixed = "tso.fixed",
        /// The number of copies is at least one and at most the number of threads that a program may have; and they are
        /// copies of a `thread*`.
        Copies = "tso.copies",
        /// A question is one of the program.
        Question = "tso.question",
        /// What an answer rests on is there.
        Given = "tso.given",
        /// An answer under store buffers that rests on robustness is about control points and registers, or about final
        /// states.
        Local = "tso.local",
        /// Each step of a run is possible.
        RunStep = "tso.run.step",
        /// The run ends in a state that the question looks for.
        RunEnd = "tso.run.end",
        /// There is a set of live registers for every control point.
        LiveShape = "tso.live.shape",
        /// What a step reads is live before it.
        LiveUses = "tso.live.uses",
        /// What is live after a step and not assigned by it is live before it.
        LiveFlow = "tso.live.flow",
        /// What a question speaks of is live where the question looks.
        LiveQuestion = "tso.live.question",
        /// A group of threads has ascending numbers of threads.
        AlikeGroups = "tso.alike.groups",
        /// The threads of a group have the same code, and equally many registers.
        AlikeCode = "tso.alike.code",
        /// Exchanging threads of a group turns the questions into each other.
        AlikeQuestion = "tso.alike.question",
        /// A state has as many numbers as it should, and names points and cells that there are.
        StatesShape = "tso.states.shape",
        /// The initial state is in the list.
        StatesInitial = "tso.states.initial",
        /// Every step from a state of the list leads into the list.
        StatesClosed = "tso.states.closed",
        /// No step from a state of the list leaves the range of values.
        StatesFault = "tso.states.fault",
        /// No state of the list is what the question looks for.
        StatesQuestion = "tso.states.question",
        /// A list that has not every order of steps is about final states.
        FinalsQuestion = "tso.finals.question",
        /// What threads and cells may be, and the members of a basis, are what the rule says.
        BasisShape = "tso.basis.shape",
        /// What threads and cells may be has the beginning, and with everything what each step makes of it.
        BasisReach = "tso.basis.reach",
        /// What the question looks for is above a member of the basis.
        BasisSought = "tso.basis.sought",
        /// What leads to a member, or above it, is above a member.
        BasisClosed = "tso.basis.closed",
        /// The initial configuration is above no member.
        BasisInitial = "tso.basis.initial",
        /// There is a list for every attacker, which is empty for those that are like an earlier one.
        RobustAttackers = "tso.robust.attackers",
        /// No state of a list is a violation.
        RobustViolation = "tso.robust.violation",
        /// All stores of the run have reached memory.
        TraceLanded = "tso.trace.landed",
        /// A cycle goes through steps of the run that access memory, at least two.
        TraceCycle = "tso.trace.cycle",
        /// Each event of the cycle happens before the next.
        TraceEdge = "tso.trace.edge",
        /// Changes are at points that can be changed so, each once.
        FencesPlaces = "tso.fences.places",
        /// The changed program is shown to meet the goal, by a certificate that speaks neither of changes nor of some
        /// number of copies only.
        FencesGoal = "tso.fences.goal",
        /// A witness against reaching nothing bad reaches what a demand forbids.
        FencesQuestion = "tso.fences.question",
        /// All sets cost the same, and no cheaper set of places meets every witness.
        FencesFewest = "tso.fences.fewest",
        /// Where all sets are said to be there, they are.
        FencesAll = "tso.fences.all",
        /// Every place costs at least 1.
        FencesCost = "tso.fences.cost",
        /// Where no set is given, some witness cannot be prevented.
        FencesNone = "tso.fences.none",
    }
}
