"""What `docs/check.schema.json` says, class by class. Made by packages/python/generate; not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Mapping, Optional, Tuple

from ._record import Fields, Record, frozen, many


@dataclass(frozen=True)
class Note(Record):
    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    span: Tuple[int, ...]
    # of a workload of SQL: the file in which the place is
    file: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("code", "code", True, None),
        ("severity", "severity", True, None),
        ("message", "message", True, None),
        ("span", "span", True, frozen),
        ("file", "file", False, None),
    )


@dataclass(frozen=True)
class Stuck(Record):
    request: str
    local: str
    at: Optional[Tuple[int, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("request", "request", True, None),
        ("local", "local", True, None),
        ("at", "at", False, frozen),
    )


@dataclass(frozen=True)
class Strict(Record):
    """What is known about the order in time, for what is serializable."""

    # Whether it is strict; null where that is open or was not asked for.
    holds: Optional[bool]
    # Whether there are never more in flight.
    closed: bool
    # The kind of evidence that says so.
    by: Optional[Literal["run", "atomic", "reduction", "components", "in-flight", "points"]] = None
    # With how many requests in flight it was looked at.
    in_flight: Optional[int] = None
    # Where it is open: whether for any one moment some order has what had answered before it before what came
    # after it.
    at_a_moment: Optional[bool] = None
    # The requests of a run that is not strict, which a quick look found and no checker has seen.
    requests: Optional[int] = None

    FIELDS: ClassVar[Fields] = (
        ("holds", "holds", True, None),
        ("closed", "closed", True, None),
        ("by", "by", False, None),
        ("in_flight", "in_flight", False, None),
        ("at_a_moment", "at_a_moment", False, None),
        ("requests", "requests", False, None),
    )


@dataclass(frozen=True)
class RuledOut(Record):
    requests_up_to: int
    concurrent_up_to: Optional[int] = None

    FIELDS: ClassVar[Fields] = (
        ("requests_up_to", "requests_up_to", True, None),
        ("concurrent_up_to", "concurrent_up_to", False, None),
    )


@dataclass(frozen=True)
class Open(Record):
    request: str
    response: str
    count: int
    # the member of an enum, or the named constant, that the response is
    name: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("request", "request", True, None),
        ("response", "response", True, None),
        ("count", "count", True, None),
        ("name", "name", False, None),
    )


@dataclass(frozen=True)
class Closest(Record):
    """The method that came closest to an answer."""

    method: Literal["search", "lipton", "reduce", "letters", "flow", "bounded", "sample", "classic", "decompose"]
    words: str

    FIELDS: ClassVar[Fields] = (
        ("method", "method", True, None),
        ("words", "words", True, None),
    )


@dataclass(frozen=True)
class Largest(Record):
    """What multiplies the states most, as it is written; the pairs of states of this program, if they are
    known, and with half of its values.
    """

    written: str
    line: int
    halved: int
    states: Optional[int] = None

    FIELDS: ClassVar[Fields] = (
        ("written", "written", True, None),
        ("line", "line", True, None),
        ("halved", "halved", True, None),
        ("states", "states", False, None),
    )


@dataclass(frozen=True)
class Tried(Record):
    """The same program with fewer values, as that is written there, and what it is."""

    written: str
    verdict: Literal["serializable", "not-serializable", "unknown"]
    states: Optional[int] = None
    time_ms: Optional[float] = None
    # With --scale and this number it is that program.
    scale: Optional[int] = None
    # How many requests its counterexample has.
    requests: Optional[int] = None

    FIELDS: ClassVar[Fields] = (
        ("written", "written", True, None),
        ("verdict", "verdict", True, None),
        ("states", "states", False, None),
        ("time_ms", "time_ms", False, None),
        ("scale", "scale", False, None),
        ("requests", "requests", False, None),
    )


@dataclass(frozen=True)
class Advice(Record):
    """For unknown, and for errors E0301 and E0305: what may help. What was tried is another program; its
    verdict is not one on this file.
    """

    # The method that came closest to an answer.
    closest: Optional[Closest] = None
    # What multiplies the states most, as it is written; the pairs of states of this program, if they are known,
    # and with half of its values.
    largest: Optional[Largest] = None
    # The same program with fewer values, as that is written there, and what it is.
    tried: Optional[Tried] = None

    FIELDS: ClassVar[Fields] = (
        ("closest", "closest", False, Closest.read),
        ("largest", "largest", False, Largest.read),
        ("tried", "tried", False, Tried.read),
    )


@dataclass(frozen=True)
class TimeMs(Record):
    total: float
    parse: float
    compile: float
    decide: float
    certify: float
    verify: float
    fix: Optional[float] = None

    FIELDS: ClassVar[Fields] = (
        ("total", "total", True, None),
        ("parse", "parse", True, None),
        ("compile", "compile", True, None),
        ("decide", "decide", True, None),
        ("certify", "certify", True, None),
        ("verify", "verify", True, None),
        ("fix", "fix", False, None),
    )


@dataclass(frozen=True)
class Reduced(Record):
    globals: int
    locals: int
    steps: int

    FIELDS: ClassVar[Fields] = (
        ("globals", "globals", True, None),
        ("locals", "locals", True, None),
        ("steps", "steps", True, None),
    )


@dataclass(frozen=True)
class Sizes(Record):
    globals: int
    locals: int
    steps: int
    components: int
    reduced: Optional[Reduced] = None

    FIELDS: ClassVar[Fields] = (
        ("globals", "globals", True, None),
        ("locals", "locals", True, None),
        ("steps", "steps", True, None),
        ("components", "components", True, None),
        ("reduced", "reduced", False, Reduced.read),
    )


@dataclass(frozen=True)
class StageTimeMs(Record):
    semilinear: float
    slicing: float
    reachability: float
    certificate: float
    total: float

    FIELDS: ClassVar[Fields] = (
        ("semilinear", "semilinear", True, None),
        ("slicing", "slicing", True, None),
        ("reachability", "reachability", True, None),
        ("certificate", "certificate", True, None),
        ("total", "total", True, None),
    )


@dataclass(frozen=True)
class Stage(Record):
    """What the published method did with one component."""

    automaton_states: int
    automaton_edges: int
    regex_size: int
    star_height: int
    components: int
    most_components: int
    periods: int
    most_periods: int
    disjuncts: int
    sliced_away: int
    places: int
    transitions: int
    places_left: int
    transitions_left: int
    refinements: int
    clauses: int
    trees: int
    time_ms: Optional[StageTimeMs] = None

    FIELDS: ClassVar[Fields] = (
        ("automaton_states", "automaton_states", True, None),
        ("automaton_edges", "automaton_edges", True, None),
        ("regex_size", "regex_size", True, None),
        ("star_height", "star_height", True, None),
        ("components", "components", True, None),
        ("most_components", "most_components", True, None),
        ("periods", "periods", True, None),
        ("most_periods", "most_periods", True, None),
        ("disjuncts", "disjuncts", True, None),
        ("sliced_away", "sliced_away", True, None),
        ("places", "places", True, None),
        ("transitions", "transitions", True, None),
        ("places_left", "places_left", True, None),
        ("transitions_left", "transitions_left", True, None),
        ("refinements", "refinements", True, None),
        ("clauses", "clauses", True, None),
        ("trees", "trees", True, None),
        ("time_ms", "time_ms", False, StageTimeMs.read),
    )


@dataclass(frozen=True)
class Proof(Record):
    """What a proof says, a sentence each: of one component about the answers of all runs (kinds letters and
    cases), or of the program on its text (kind reduction, component 0).
    """

    kind: Literal["letters", "cases", "components", "reduction"]
    component: int
    facts: Tuple[str, ...]
    # True where the proof takes integers to be unbounded; else it is not there.
    unbounded: Optional[bool] = None

    FIELDS: ClassVar[Fields] = (
        ("kind", "kind", True, None),
        ("component", "component", True, None),
        ("facts", "facts", True, frozen),
        ("unbounded", "unbounded", False, None),
    )


@dataclass(frozen=True)
class Sampled(Record):
    """For a counterexample of the method sample: the schedule, the number of runs drawn until then, and the
    requests of the run before some were left out.
    """

    schedule: Literal["walk", "pct", "late", "victim", "rotate", "turns"]
    runs: int
    requests: int

    FIELDS: ClassVar[Fields] = (
        ("schedule", "schedule", True, None),
        ("runs", "runs", True, None),
        ("requests", "requests", True, None),
    )


@dataclass(frozen=True)
class Certificate(Record):
    kind: Literal["run", "fault", "atomic", "flow", "invariant", "letters", "cases", "components", "reduction", "closure", "in-flight", "points"]
    verified: bool
    path: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("kind", "kind", True, None),
        ("verified", "verified", True, None),
        ("path", "path", False, None),
    )


@dataclass(frozen=True)
class Expected(Record):
    """With --expected, where the file is decided and its header promises a verdict: which, and whether it is
    so.
    """

    verdict: Literal["serializable", "not-serializable", "fault", "strict", "not-strict"]
    holds: bool

    FIELDS: ClassVar[Fields] = (
        ("verdict", "verdict", True, None),
        ("holds", "holds", True, None),
    )


@dataclass(frozen=True)
class Refusal(Record):
    request: str
    answer: str

    FIELDS: ClassVar[Fields] = (
        ("request", "request", True, None),
        ("answer", "answer", True, None),
    )


@dataclass(frozen=True)
class Kept(Record):
    kind: Literal["check-again", "claim-first", "one-transaction", "lock", "version", "refuse"]
    changes: Tuple[str, ...]
    refusals: Optional[Tuple[Refusal, ...]] = None
    lock: Optional[str] = None
    requests: Optional[Tuple[str, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("kind", "kind", True, None),
        ("changes", "changes", True, frozen),
        ("refusals", "refusals", False, many(Refusal.read)),
        ("lock", "lock", False, None),
        ("requests", "requests", False, frozen),
    )


@dataclass(frozen=True)
class Fix(Record):
    outcome: Literal["found", "none", "unknown"]
    alternatives: Tuple[Tuple[Tuple[int, ...], ...], ...]
    smallest: bool
    # fixes that keep every yield, the best first
    kept: Optional[Tuple[Kept, ...]] = None
    reason: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("outcome", "outcome", True, None),
        ("alternatives", "alternatives", True, frozen),
        ("smallest", "smallest", True, None),
        ("kept", "kept", False, many(Kept.read)),
        ("reason", "reason", False, None),
    )


@dataclass(frozen=True)
class Grown(Record):
    """With --grow, of a workload of SQL: the verdict with one more row for each table and twice the range of
    each column.
    """

    verdict: str
    bounds: Tuple[str, ...]
    reason: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("verdict", "verdict", True, None),
        ("bounds", "bounds", True, frozen),
        ("reason", "reason", False, None),
    )


@dataclass(frozen=True)
class Request(Record):
    id: int
    request: str
    response: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("id", "id", True, None),
        ("request", "request", True, None),
        ("response", "response", False, None),
    )


@dataclass(frozen=True)
class Statement(Record):
    id: int
    step: int
    file: str
    span: Tuple[int, ...]
    statement: str
    shows: Optional[Tuple[str, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("id", "id", True, None),
        ("step", "step", True, None),
        ("file", "file", True, None),
        ("span", "span", True, frozen),
        ("statement", "statement", True, None),
        ("shows", "shows", False, frozen),
    )


@dataclass(frozen=True)
class Fault(Record):
    """The step that fails in some run, and the run before it. A request without a response has not answered."""

    code: str
    message: str
    span: Tuple[int, ...]
    id: int
    request: str
    needs: Literal["one-request", "one-at-a-time", "overlap", "unknown"]
    # How many requests have come and not answered, at most.
    at_once: int
    requests: Tuple[Request, ...]
    steps: Tuple[Mapping[str, Any], ...]
    states: Mapping[str, Any]
    # of a workload of SQL: the file in which the place is
    file: Optional[str] = None
    # Of a workload of SQL: the statements of the run, each with its session, its step (from 0), its place, and
    # what it reads, sets or waits for.
    statements: Optional[Tuple[Statement, ...]] = None
    component: Optional[int] = None

    FIELDS: ClassVar[Fields] = (
        ("code", "code", True, None),
        ("message", "message", True, None),
        ("span", "span", True, frozen),
        ("id", "id", True, None),
        ("request", "request", True, None),
        ("needs", "needs", True, None),
        ("at_once", "at_once", True, None),
        ("requests", "requests", True, many(Request.read)),
        ("steps", "steps", True, frozen),
        ("states", "states", True, None),
        ("file", "file", False, None),
        ("statements", "statements", False, many(Statement.read)),
        ("component", "component", False, None),
    )


@dataclass(frozen=True)
class CounterexampleRequest(Record):
    id: int
    request: str
    response: str
    # the member of an enum, or the named constant, that the response is
    name: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("id", "id", True, None),
        ("request", "request", True, None),
        ("response", "response", True, None),
        ("name", "name", False, None),
    )


@dataclass(frozen=True)
class From(Record):
    local: str
    global_: str

    FIELDS: ClassVar[Fields] = (
        ("local", "local", True, None),
        ("global", "global_", True, None),
    )


@dataclass(frozen=True)
class To(Record):
    local: str
    global_: str

    FIELDS: ClassVar[Fields] = (
        ("local", "local", True, None),
        ("global", "global_", True, None),
    )


@dataclass(frozen=True)
class Access(Record):
    var: str
    op: Literal["read", "write"]
    value: int
    span: Tuple[int, ...]
    # the member of an enum, or the named constant, that the value is
    name: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("var", "var", True, None),
        ("op", "op", True, None),
        ("value", "value", True, None),
        ("span", "span", True, frozen),
        ("name", "name", False, None),
    )


@dataclass(frozen=True)
class Step(Record):
    id: int
    kind: Literal["spawn", "step", "respond"]
    component: Optional[int] = None
    request: Optional[str] = None
    local: Optional[str] = None
    response: Optional[str] = None
    # the member of an enum, or the named constant, that the response is
    name: Optional[str] = None
    from_: Optional[From] = None
    to: Optional[To] = None
    span: Optional[Tuple[int, ...]] = None
    accesses: Optional[Tuple[Access, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("id", "id", True, None),
        ("kind", "kind", True, None),
        ("component", "component", False, None),
        ("request", "request", False, None),
        ("local", "local", False, None),
        ("response", "response", False, None),
        ("name", "name", False, None),
        ("from", "from_", False, From.read),
        ("to", "to", False, To.read),
        ("span", "span", False, frozen),
        ("accesses", "accesses", False, many(Access.read)),
    )


@dataclass(frozen=True)
class Never(Record):
    request: str
    response: str
    # the member of an enum, or the named constant, that the response is
    name: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("request", "request", True, None),
        ("response", "response", True, None),
        ("name", "name", False, None),
    )


@dataclass(frozen=True)
class Side(Record):
    writes: bool
    value: str
    span: Tuple[int, ...]
    step: int

    FIELDS: ClassVar[Fields] = (
        ("writes", "writes", True, None),
        ("value", "value", True, None),
        ("span", "span", True, frozen),
        ("step", "step", True, None),
    )


@dataclass(frozen=True)
class Circle(Record):
    from_: int
    to: int
    var: str
    first: Side
    second: Side

    FIELDS: ClassVar[Fields] = (
        ("from", "from_", True, None),
        ("to", "to", True, None),
        ("var", "var", True, None),
        ("first", "first", True, Side.read),
        ("second", "second", True, Side.read),
    )


@dataclass(frozen=True)
class Nearest(Record):
    """The serial order whose reads agree longest with those of the run: who comes before, one at a time; the
    request that then reads `variable` at `span`, where it finds `serial` and in the run (`step`) found `here`;
    what it can answer then (none where that is not known); what it set in the run and does not set then.
    """

    before: Tuple[int, ...]
    id: int
    variable: str
    span: Tuple[int, ...]
    step: int
    serial: str
    here: str
    answers: Tuple[str, ...]
    leaves: Optional[Tuple[str, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("before", "before", True, frozen),
        ("id", "id", True, None),
        ("variable", "variable", True, None),
        ("span", "span", True, frozen),
        ("step", "step", True, None),
        ("serial", "serial", True, None),
        ("here", "here", True, None),
        ("answers", "answers", True, frozen),
        ("leaves", "leaves", False, frozen),
    )


@dataclass(frozen=True)
class Why(Record):
    """Why no serial order gives these answers. Requests by their numbers, steps by their positions in the run,
    values as people see them.
    """

    words: Tuple[str, ...]
    # Conflicts, each of which puts one request before another, the last one the first again.
    circle: Optional[Tuple[Circle, ...]] = None
    # The serial order whose reads agree longest with those of the run: who comes before, one at a time; the
    # request that then reads `variable` at `span`, where it finds `serial` and in the run (`step`) found
    # `here`; what it can answer then (none where that is not known); what it set in the run and does not set
    # then.
    nearest: Optional[Nearest] = None

    FIELDS: ClassVar[Fields] = (
        ("words", "words", True, frozen),
        ("circle", "circle", False, many(Circle.read)),
        ("nearest", "nearest", False, Nearest.read),
    )


@dataclass(frozen=True)
class Counterexample(Record):
    requests: Tuple[CounterexampleRequest, ...]
    minimal: bool
    steps: Tuple[Step, ...]
    states: Mapping[str, Any]
    # Of a workload of SQL: the statements of the run, each with its session, its step (from 0), its place, and
    # what it reads, sets or waits for.
    statements: Optional[Tuple[Statement, ...]] = None
    # Answers of this run that no serial run of any length gives.
    never: Optional[Tuple[Never, ...]] = None
    anomaly: Optional[Literal["check-then-act", "dirty-write", "dirty-read", "intermediate-read", "lost-update", "order-in-time", "phantom", "read-skew", "stale-read", "write-skew"]] = None
    # For not-strict: pairs of requests of which the first had answered when the second came, as few as leave no
    # order.
    precedence: Optional[Tuple[Tuple[int, ...], ...]] = None
    component: Optional[int] = None
    # for globals of an enum, the names of its values, from that of 0
    enums: Optional[Mapping[str, Tuple[str, ...]]] = None
    # Why no serial order gives these answers. Requests by their numbers, steps by their positions in the run,
    # values as people see them.
    why: Optional[Why] = None

    FIELDS: ClassVar[Fields] = (
        ("requests", "requests", True, many(CounterexampleRequest.read)),
        ("minimal", "minimal", True, None),
        ("steps", "steps", True, many(Step.read)),
        ("states", "states", True, None),
        ("statements", "statements", False, many(Statement.read)),
        ("never", "never", False, many(Never.read)),
        ("anomaly", "anomaly", False, None),
        ("precedence", "precedence", False, frozen),
        ("component", "component", False, None),
        ("enums", "enums", False, frozen),
        ("why", "why", False, Why.read),
    )


@dataclass(frozen=True)
class Report(Record):
    """What `serval check --format json` writes about one file"""

    schema: Literal[1]
    file: str
    # assumed: of a workload of SQL, by what the server promises at SERIALIZABLE; there is no certificate
    verdict: Literal["serializable", "assumed", "not-serializable", "fault", "safe", "strict", "not-strict", "unknown", "error"]
    notes: Tuple[Note, ...]
    stuck: Tuple[Stuck, ...]
    # With --scale: what is declared instead; the verdict is about that program.
    scaled: Optional[Tuple[str, ...]] = None
    # What is known about the order in time, for what is serializable.
    strict: Optional[Strict] = None
    method: Optional[Literal["search", "lipton", "reduce", "letters", "flow", "bounded", "sample", "classic", "decompose"]] = None
    reason: Optional[str] = None
    help: Optional[str] = None
    # What serializable and unknown take for granted, such as how many versions are held at once.
    assumes: Optional[Tuple[str, ...]] = None
    ruled_out: Optional[RuledOut] = None
    open: Optional[Tuple[Open, ...]] = None
    # For unknown, and for errors E0301 and E0305: what may help. What was tried is another program; its verdict
    # is not one on this file.
    advice: Optional[Advice] = None
    time_ms: Optional[TimeMs] = None
    sizes: Optional[Sizes] = None
    stages: Optional[Tuple[Stage, ...]] = None
    proof: Optional[Tuple[Proof, ...]] = None
    # For a counterexample of the method sample: the schedule, the number of runs drawn until then, and the
    # requests of the run before some were left out.
    sampled: Optional[Sampled] = None
    certificate: Optional[Certificate] = None
    # With --expected, where the file is decided and its header promises a verdict: which, and whether it is so.
    expected: Optional[Expected] = None
    fix: Optional[Fix] = None
    # With --grow, of a workload of SQL: the verdict with one more row for each table and twice the range of
    # each column.
    grown: Optional[Grown] = None
    # The step that fails in some run, and the run before it. A request without a response has not answered.
    fault: Optional[Fault] = None
    counterexample: Optional[Counterexample] = None

    FIELDS: ClassVar[Fields] = (
        ("schema", "schema", True, None),
        ("file", "file", True, None),
        ("verdict", "verdict", True, None),
        ("notes", "notes", True, many(Note.read)),
        ("stuck", "stuck", True, many(Stuck.read)),
        ("scaled", "scaled", False, frozen),
        ("strict", "strict", False, Strict.read),
        ("method", "method", False, None),
        ("reason", "reason", False, None),
        ("help", "help", False, None),
        ("assumes", "assumes", False, frozen),
        ("ruled_out", "ruled_out", False, RuledOut.read),
        ("open", "open", False, many(Open.read)),
        ("advice", "advice", False, Advice.read),
        ("time_ms", "time_ms", False, TimeMs.read),
        ("sizes", "sizes", False, Sizes.read),
        ("stages", "stages", False, many(Stage.read)),
        ("proof", "proof", False, many(Proof.read)),
        ("sampled", "sampled", False, Sampled.read),
        ("certificate", "certificate", False, Certificate.read),
        ("expected", "expected", False, Expected.read),
        ("fix", "fix", False, Fix.read),
        ("grown", "grown", False, Grown.read),
        ("fault", "fault", False, Fault.read),
        ("counterexample", "counterexample", False, Counterexample.read),
    )
