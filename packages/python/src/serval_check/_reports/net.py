"""What `docs/net-check.schema.json` says, class by class. Made by packages/python/generate; not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Optional, Tuple

from ._record import Fields, Record, frozen, many


@dataclass(frozen=True)
class Dead(Record):
    name: str
    why: str

    FIELDS: ClassVar[Fields] = (
        ("name", "name", True, None),
        ("why", "why", True, None),
    )


@dataclass(frozen=True)
class Stable(Record):
    name: str
    why: str

    FIELDS: ClassVar[Fields] = (
        ("name", "name", True, None),
        ("why", "why", True, None),
    )


@dataclass(frozen=True)
class Change(Record):
    place: str
    from_: int
    to: int

    FIELDS: ClassVar[Fields] = (
        ("place", "place", True, None),
        ("from", "from_", True, None),
        ("to", "to", True, None),
    )


@dataclass(frozen=True)
class Configuration(Record):
    """Where it leads, for a system with states."""

    state: str
    counters: Tuple[int, ...]

    FIELDS: ClassVar[Fields] = (
        ("state", "state", True, None),
        ("counters", "counters", True, frozen),
    )


@dataclass(frozen=True)
class Step(Record):
    fire: Tuple[str, ...]
    times: int
    changes: Tuple[Change, ...]
    # Where it leads, for a system with states.
    configuration: Optional[Configuration] = None

    FIELDS: ClassVar[Fields] = (
        ("fire", "fire", True, frozen),
        ("times", "times", True, None),
        ("changes", "changes", True, many(Change.read)),
        ("configuration", "configuration", False, Configuration.read),
    )


@dataclass(frozen=True)
class Run(Record):
    # Places that have tokens in the beginning, each with how many.
    initial: Tuple[Any, ...]
    steps: Tuple[Step, ...]
    shortest: bool
    end: str
    # Where it begins, for a system with states.
    configuration: Optional[Configuration] = None
    # What fires as a word in which words are repeated, a (b c^2)^3, where that is shorter than all steps.
    word: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("initial", "initial", True, frozen),
        ("steps", "steps", True, many(Step.read)),
        ("shortest", "shortest", True, None),
        ("end", "end", True, None),
        ("configuration", "configuration", False, Configuration.read),
        ("word", "word", False, None),
    )


@dataclass(frozen=True)
class Certificate(Record):
    kinds: Tuple[Literal["run", "runs", "weights", "equation", "dead", "inductive", "k-inductive", "states", "stubborn", "cover", "basis", "decomposition", "pump"], ...]
    verified: Literal[True]
    path: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("kinds", "kinds", True, frozen),
        ("verified", "verified", True, None),
        ("path", "path", False, None),
    )


@dataclass(frozen=True)
class NetReport(Record):
    """What `serval net check --format json` writes about one question"""

    schema: Literal[1]
    file: str
    # The property as on the command line, or the id of a query; empty where the input cannot be used.
    question: str
    answer: Literal["holds", "does-not-hold", "undecided", "error"]
    # The property in full, as the certificate has it.
    property: Optional[str] = None
    # The largest value, where that is asked; the property in full is that it is this one.
    value: Optional[str] = None
    methods: Optional[Tuple[Literal["walk", "weights", "equation", "guided", "explicit", "siphon", "induction", "pdr", "cover", "backward", "decompose"], ...]] = None
    # For undecided and error: what stopped it.
    reason: Optional[str] = None
    why: Optional[str] = None
    # Why a goal cannot be reached, in a paragraph: what never changes, what stays marked or empty, or the cases
    # of a decomposition.
    explanation: Optional[str] = None
    dead: Optional[Tuple[Dead, ...]] = None
    # Places that always have the same number of tokens, where the question is about that.
    stable: Optional[Tuple[Stable, ...]] = None
    # Of how many places or transitions it is not known whether they are dead or stable.
    open: Optional[int] = None
    run: Optional[Run] = None
    certificate: Optional[Certificate] = None
    trace: Optional[str] = None
    time_ms: Optional[float] = None

    FIELDS: ClassVar[Fields] = (
        ("schema", "schema", True, None),
        ("file", "file", True, None),
        ("question", "question", True, None),
        ("answer", "answer", True, None),
        ("property", "property", False, None),
        ("value", "value", False, None),
        ("methods", "methods", False, frozen),
        ("reason", "reason", False, None),
        ("why", "why", False, None),
        ("explanation", "explanation", False, None),
        ("dead", "dead", False, many(Dead.read)),
        ("stable", "stable", False, many(Stable.read)),
        ("open", "open", False, None),
        ("run", "run", False, Run.read),
        ("certificate", "certificate", False, Certificate.read),
        ("trace", "trace", False, None),
        ("time_ms", "time_ms", False, None),
    )
