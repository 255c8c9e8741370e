"""Questions about programs on weak memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional, Sequence

from ._ask import given, limits, number, one
from ._reports.tso import TsoReport
from ._start import Source

__all__ = ["TsoReport", "check"]


def check(
    source: Source,
    questions: Sequence[str] = (),
    *,
    kind: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    copies: Optional[int] = None,
    final_states: bool = False,
    certificate: Optional[Path] = None,
) -> TsoReport:
    """Answers the questions of a program under SC and TSO, and whether it is robust.

    A text is a program, unless `kind` says "litmus".
    """
    names, text = given(source, kind or (None if isinstance(source, os.PathLike) else "tso"))
    options = ["tso", "check", "--format", "json", *limits(timeout, memory, None)]
    options += [f"--question={question}" for question in questions]
    if copies is not None:
        options += ["--copies", number(copies)]
    if final_states:
        options.append("--final-states")
    if certificate is not None:
        options.append(f"--certificate={os.fspath(certificate)}")
    return one(TsoReport, [*options, *names], text)
