//! The conditions that a certificate must meet, by name.
//!
//! Each is stated once, where it is checked, with `require!` or `obtain!`.
//! The tests switch off one condition at a time and show for each a
//! certificate that is then accepted, so that no condition is there for
//! nothing and none hides behind another.

serval_evidence::conditions! {
    /// What a certificate must meet.
    #[expect(missing_docs, reason = "what each asks for is said where it is checked, and in the manual")]
    pub enum Condition {
        Input = "input", ComponentsRequests = "components.requests", Component = "component",
        RunClaim = "run.claim", RunReplaySpawn = "run.replay.spawn", RunReplayFresh = "run.replay.fresh",
        RunReplayThread = "run.replay.thread", RunReplayFromLocal = "run.replay.from.local",
        RunReplayFromGlobal = "run.replay.from.global", RunReplayStep = "run.replay.step",
        RunReplayRespondLocal = "run.replay.respond.local", RunReplayResponse = "run.replay.response", RunEnd = "run.end",
        RunCompleted = "run.completed", RunSerial = "run.serial", RunOrder = "run.order",
        StrictKind = "strict.kind",
        InFlightNumbers = "in-flight.numbers", InFlightInitial = "in-flight.initial", InFlightStep = "in-flight.step",
        InFlightComplete = "in-flight.complete", InFlightClosed = "in-flight.closed",
        PointsPlaces = "points.places", PointsBad = "points.bad",
        FaultClaim = "fault.claim", FaultThread = "fault.thread", FaultLocal = "fault.local", FaultGlobal = "fault.global",
        FaultStep = "fault.step", FaultKind = "fault.kind",
        ClosureClaim = "closure.claim", ClosureCover = "closure.cover", ClosureTables = "closure.tables",
        ClosureInitial = "closure.initial", ClosureFault = "closure.fault", ClosureClosed = "closure.closed",
        ClosureCount = "closure.count",
        PartsClaim = "parts.claim", PartsCover = "parts.cover",
        SamePart = "same.part", SameMaps = "same.maps", SameInitial = "same.initial", SameNodes = "same.nodes",
        SameSteps = "same.steps",
        SharedNumbers = "shared.numbers", SharedForest = "shared.forest", SharedSerial = "shared.serial",
        SplitInitial = "split.initial", TrackInner = "track.inner", TrackMost = "track.most", FoldInitial = "fold.initial", FoldPresent = "fold.present",
        RelationNodes = "relation.nodes", RelationWeak = "relation.weak", RelationStrong = "relation.strong",
        RelationGlobalWeak = "relation.global.weak", RelationGlobalStrong = "relation.global.strong",
        QuotientDisjoint = "quotient.disjoint", QuotientClasses = "quotient.classes", DominatedKept = "dominated.kept",
        DominatedBetter = "dominated.better",
        MoverEnds = "mover.ends", MoverPaths = "mover.paths", MoverInner = "mover.inner",
        MoverLastOther = "mover.last.other", MoverLastOwn = "mover.last.own", MoverLastSingle = "mover.last.single",
        MoverLastLeaves = "mover.last.leaves",
        AtomicSteps = "atomic.steps", ScriptNumbers = "script.numbers",
        FlowPhases = "flow.phases", FlowForward = "flow.forward", FlowBackward = "flow.backward", FlowEdges = "flow.edges",
        FlowBase = "flow.base", FlowPeriod = "flow.period", FlowConnected = "flow.connected",
        InvariantNumbers = "invariant.numbers", InvariantInitial = "invariant.initial",
        InvariantArrival = "invariant.arrival", InvariantStep = "invariant.step", InvariantEnds = "invariant.ends",
        LettersNumbers = "letters.numbers", LettersFree = "letters.free", LettersGuard = "letters.guard",
        LettersKept = "letters.kept", LettersTouch = "letters.touch", LettersStart = "letters.start",
        LettersRelation = "letters.relation", LettersClasses = "letters.classes", LettersTwins = "letters.twins",
        LettersReach = "letters.reach", LettersPairs = "letters.pairs",
        LettersApart = "letters.apart", LettersGroups = "letters.groups", LettersDiamond = "letters.diamond", LettersVisits = "letters.visits",
        LettersRegionNumbers = "letters.region.numbers", LettersRegionTree = "letters.region.tree", LettersRegionSpans = "letters.region.spans",
        CasesNets = "cases.nets", CasesRead = "cases.read", CasesOpen = "cases.open", CasesRest = "cases.rest", CasesSplit = "cases.split",
        CasesExcluded = "cases.excluded",
        ReductionProgram = "reduction.program", ReductionClaim = "reduction.claim", ReductionNumbers = "reduction.numbers",
        ReductionAddition = "reduction.addition",
        ReductionValidated = "reduction.validated", ReductionAttempt = "reduction.attempt", ReductionRange = "reduction.range", ReductionSlow = "reduction.slow",
        ReductionLocal = "reduction.local", ReductionKnown = "reduction.known", ReductionOwner = "reduction.owner",
        ReductionCount = "reduction.count", ReductionSum = "reduction.sum", ReductionExclusion = "reduction.exclusion",
        ReductionDoom = "reduction.doom", ReductionPhases = "reduction.phases", ReductionExchange = "reduction.exchange",
        ReductionErrors = "reduction.errors", ReductionNowhere = "reduction.nowhere",
        ReductionLate = "reduction.late", ReductionTicket = "reduction.ticket", ReductionTurns = "reduction.turns",
        ReductionShapes = "reduction.shapes", ReductionPatterns = "reduction.patterns", ReductionAlike = "reduction.alike",
    } and {
        /// What proof trees must meet.
        Tree(serval_linear::TreeCondition)
    }
}
