"""Questions about Petri nets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, Optional, Sequence

from ._ask import given, limits, objects
from ._reports.net import NetReport
from ._start import Source

__all__ = ["NetReport", "check"]


def check(
    source: Source,
    properties: Sequence[str] = (),
    *,
    kind: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    jobs: Optional[int] = None,
    method: Optional[str] = None,
    certificate: Optional[Path] = None,
) -> List[NetReport]:
    """Decides properties of a net, a report each. Without properties: deadlocks, one token at most, what is dead.

    The kind of a text is "net", as Tina writes it, unless `kind` says "pnml", "spec" or "vass".
    """
    names, text = given(source, kind or (None if isinstance(source, os.PathLike) else "net"))
    options = ["net", "check", "--format", "json", *limits(timeout, memory, jobs)]
    options += [f"--property={one}" for one in properties]
    if method is not None:
        options.append(f"--method={method}")
    if certificate is not None:
        options.append(f"--certificate={os.fspath(certificate)}")
    return [NetReport.read(found) for found in objects([*options, *names], text)]
