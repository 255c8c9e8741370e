"""What `docs/fix.schema.json` says, class by class. Made by packages/python/generate; not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Optional, Tuple

from ._record import Fields, Record, frozen, many


@dataclass(frozen=True)
class Refusal(Record):
    request: str
    answer: str

    FIELDS: ClassVar[Fields] = (
        ("request", "request", True, None),
        ("answer", "answer", True, None),
    )


@dataclass(frozen=True)
class Fix(Record):
    verified: Literal[True]
    diff: str
    yields: Optional[Tuple[Tuple[int, ...], ...]] = None
    # how a fix that keeps every yield does so; other fixes have no kind
    kind: Optional[Literal["check-again", "claim-first", "one-transaction", "lock", "version", "refuse"]] = None
    # what is done, in words, one for each place
    changes: Optional[Tuple[str, ...]] = None
    # answers that a request may give at any time then
    refusals: Optional[Tuple[Refusal, ...]] = None
    lock: Optional[str] = None
    requests: Optional[Tuple[str, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("verified", "verified", True, None),
        ("diff", "diff", True, None),
        ("yields", "yields", False, frozen),
        ("kind", "kind", False, None),
        ("changes", "changes", False, frozen),
        ("refusals", "refusals", False, many(Refusal.read)),
        ("lock", "lock", False, None),
        ("requests", "requests", False, frozen),
    )


@dataclass(frozen=True)
class Refused(Record):
    why: str
    yields: Optional[Tuple[Tuple[int, ...], ...]] = None
    lock: Optional[str] = None
    requests: Optional[Tuple[str, ...]] = None

    FIELDS: ClassVar[Fields] = (
        ("why", "why", True, None),
        ("yields", "yields", False, frozen),
        ("lock", "lock", False, None),
        ("requests", "requests", False, frozen),
    )


@dataclass(frozen=True)
class FixReport(Record):
    """What `serval fix --format json` writes"""

    schema: Literal[1]
    file: str
    verdict: Literal["serializable", "not-serializable", "strict", "not-strict", "fault", "unknown"]
    fix: Literal["not-needed", "found", "none", "unknown"]
    fixes: Tuple[Fix, ...]
    smallest: bool
    refused: Tuple[Refused, ...]
    # what fails in some run, where the verdict is fault
    fault: Optional[str] = None
    reason: Optional[str] = None

    FIELDS: ClassVar[Fields] = (
        ("schema", "schema", True, None),
        ("file", "file", True, None),
        ("verdict", "verdict", True, None),
        ("fix", "fix", True, None),
        ("fixes", "fixes", True, many(Fix.read)),
        ("smallest", "smallest", True, None),
        ("refused", "refused", True, many(Refused.read)),
        ("fault", "fault", False, None),
        ("reason", "reason", False, None),
    )
