"""What all questions have in common: how a source and its limits are given to the program, and how reports are read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from ._reports._record import Record
from ._start import Source, fail, start

R = TypeVar("R", bound=Record)


def given(source: Source, kind: Optional[str]) -> Tuple[List[str], Optional[str]]:
    """The arguments that name a source, and what the program reads from its standard input."""
    if isinstance(source, (Path, os.PathLike)):
        # A path that begins with a dash is no option.
        return [*([] if kind is None else ["--input", kind]), "--", os.fspath(source)], None
    if not isinstance(source, str):
        raise TypeError(f"a text as str or a file as pathlib.Path is expected, not {type(source).__name__}")
    return ["--input", kind or "ser", "--", "-"], source


def limits(timeout: Optional[float], memory: Optional[int], jobs: Optional[int]) -> List[str]:
    """The options for limits: seconds, MiB and threads."""
    options = []
    for name, value in (("--timeout", timeout), ("--memory", memory), ("--jobs", jobs)):
        if value is not None:
            options += [name, number(value)]
    return options


def number(value: Union[int, float]) -> str:
    """A number as the command line takes it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"a number is expected, not {value!r}")
    return repr(value)


def objects(arguments: Sequence[str], text: Optional[str]) -> List[Mapping[str, Any]]:
    """The objects that the program writes, a line each."""
    status, written, messages = start(arguments, text)
    try:
        found = [json.loads(line) for line in written.splitlines() if line.strip()]
    except ValueError:
        found = []
    if not found:
        fail(status, messages)
    return found


def one(of: Type[R], arguments: Sequence[str], text: Optional[str]) -> R:
    """The only report."""
    return of.read(objects(arguments, text)[-1])
