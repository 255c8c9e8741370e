"""What `docs/tso-check.schema.json` says, class by class. Made by packages/python/generate; not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Optional, Tuple

from ._record import Fields, Record, frozen, many


@dataclass(frozen=True)
class Event(Record):
    thread: int
    text: str
    memory: Tuple[int, ...]
    buffers: Tuple[Any, ...]
    line: Optional[int] = None
    value: Optional[int] = None

    FIELDS: ClassVar[Fields] = (
        ("thread", "thread", True, None),
        ("text", "text", True, None),
        ("memory", "memory", True, frozen),
        ("buffers", "buffers", True, frozen),
        ("line", "line", False, None),
        ("value", "value", False, None),
    )


@dataclass(frozen=True)
class Run(Record):
    threads: Tuple[str, ...]
    cells: Tuple[str, ...]
    events: Tuple[Event, ...]

    FIELDS: ClassVar[Fields] = (
        ("threads", "threads", True, frozen),
        ("cells", "cells", True, frozen),
        ("events", "events", True, many(Event.read)),
    )


@dataclass(frozen=True)
class Question(Record):
    text: str
    # Line and column, from 1; 1 and 1 for a question of the command line.
    at: Tuple[int, ...]
    kind: Literal["never", "exists", "forall", "assert"]
    sc: Literal["reachable", "unreachable", "undecided"]
    tso: Literal["reachable", "unreachable", "undecided"]
    reason: Optional[str] = None
    # How many copies of each `thread*` the run has.
    copies: Optional[int] = None
    run: Optional[Run] = None

    FIELDS: ClassVar[Fields] = (
        ("text", "text", True, None),
        ("at", "at", True, frozen),
        ("kind", "kind", True, None),
        ("sc", "sc", True, None),
        ("tso", "tso", True, None),
        ("reason", "reason", False, None),
        ("copies", "copies", False, None),
        ("run", "run", False, Run.read),
    )


@dataclass(frozen=True)
class Cycle(Record):
    """Both by their numbers in the run, from 1."""

    from_: int
    to: int
    why: str

    FIELDS: ClassVar[Fields] = (
        ("from", "from_", True, None),
        ("to", "to", True, None),
        ("why", "why", True, None),
    )


@dataclass(frozen=True)
class Violation(Record):
    run: Run
    cycle: Tuple[Cycle, ...]

    FIELDS: ClassVar[Fields] = (
        ("run", "run", True, Run.read),
        ("cycle", "cycle", True, many(Cycle.read)),
    )


@dataclass(frozen=True)
class Note(Record):
    code: str
    severity: Literal["warning"]
    message: str
    # Line and column of the beginning and of the end, from 1.
    span: Tuple[int, ...]
    help: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("code", "code", True, None),
        ("severity", "severity", True, None),
        ("message", "message", True, None),
        ("span", "span", True, frozen),
        ("help", "help", False, None),
    )


@dataclass(frozen=True)
class State(Record):
    values: Tuple[int, ...]
    sc: Literal["reachable", "unreachable", "undecided"]
    tso: Literal["reachable", "unreachable", "undecided"]

    FIELDS: ClassVar[Fields] = (
        ("values", "values", True, frozen),
        ("sc", "sc", True, None),
        ("tso", "tso", True, None),
    )


@dataclass(frozen=True)
class FinalStates(Record):
    names: Tuple[str, ...]
    states: Tuple[State, ...]
    # Whether it is shown that there are no others.
    complete: bool

    FIELDS: ClassVar[Fields] = (
        ("names", "names", True, frozen),
        ("states", "states", True, many(State.read)),
        ("complete", "complete", True, None),
    )


@dataclass(frozen=True)
class Certificate(Record):
    verified: Literal[True]
    path: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("verified", "verified", True, None),
        ("path", "path", False, None),
    )


@dataclass(frozen=True)
class TsoReport(Record):
    """What `serval tso check --format json` writes about one file"""

    schema: Literal[1]
    file: str
    verdict: Literal["fine", "defect", "undecided", "error"]
    questions: Tuple[Question, ...]
    # For an error: what is wrong.
    reason: Optional[str] = None
    robust: Optional[Literal["robust", "not-robust", "undecided"]] = None
    # Why robustness is undecided.
    robust_reason: Optional[str] = None
    violation: Optional[Violation] = None
    # How many copies of each `thread*` the violation has.
    copies: Optional[int] = None
    # So many copies of each `thread*` were asked for.
    instance: Optional[int] = None
    notes: Optional[Tuple[Note, ...]] = None
    final_states: Optional[FinalStates] = None
    certificate: Optional[Certificate] = None
    time_ms: Optional[float] = None

    FIELDS: ClassVar[Fields] = (
        ("schema", "schema", True, None),
        ("file", "file", True, None),
        ("verdict", "verdict", True, None),
        ("questions", "questions", True, many(Question.read)),
        ("reason", "reason", False, None),
        ("robust", "robust", False, None),
        ("robust_reason", "robust_reason", False, None),
        ("violation", "violation", False, Violation.read),
        ("copies", "copies", False, None),
        ("instance", "instance", False, None),
        ("notes", "notes", False, many(Note.read)),
        ("final_states", "final_states", False, FinalStates.read),
        ("certificate", "certificate", False, Certificate.read),
        ("time_ms", "time_ms", False, None),
    )
