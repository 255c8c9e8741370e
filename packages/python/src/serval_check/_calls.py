"""Questions about programs of requests."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, List, Optional, Sequence, Union

from ._ask import given, limits, number, objects, one
from ._reports.check import Report
from ._reports.fix import FixReport
from ._start import InternalError, Source, answer, fail, start


def _check(
    kind: Optional[str],
    timeout: Optional[float],
    memory: Optional[int],
    jobs: Optional[int],
    strict: bool,
    method: Optional[str],
    certificate: Optional[Path],
    form: str = "json",
) -> List[str]:
    options = ["check", "--format", form, *limits(timeout, memory, jobs)]
    if strict:
        options.append("--strict")
    if method is not None:
        options.append(f"--method={method}")
    if certificate is not None:
        options.append(f"--certificate={os.fspath(certificate)}")
    return options


def check(
    source: Source,
    *,
    kind: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    jobs: Optional[int] = None,
    strict: bool = False,
    method: Optional[str] = None,
    certificate: Optional[Path] = None,
) -> Report:
    """Decides whether a program or network system is serializable.

    `timeout` is in seconds and `memory` in MiB; `certificate` is where the evidence is saved. A text with mistakes has
    a report, too: its verdict is "error".
    """
    names, text = given(source, kind)
    return one(Report, [*_check(kind, timeout, memory, jobs, strict, method, certificate), *names], text)


def check_many(
    paths: Iterable[Path],
    *,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    jobs: Optional[int] = None,
    strict: bool = False,
    method: Optional[str] = None,
) -> List[Report]:
    """Decides about many files with one process; the reports are in the order of the files."""
    files = [os.fspath(path) for path in paths]
    if not files:
        return []
    options = _check(None, timeout, memory, jobs, strict, method, None)
    return [Report.read(found) for found in objects([*options, "--", *files], None)]


def shown(
    source: Source,
    *,
    kind: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    jobs: Optional[int] = None,
    strict: bool = False,
) -> str:
    """What `serval check` shows people: the verdict with its run or proof, in words."""
    names, text = given(source, kind)
    options = _check(kind, timeout, memory, jobs, strict, None, None, "text")
    _, written, messages = start([*options, "--color", "never", "--no-times", *names], text)
    return written or messages


@dataclass(frozen=True)
class Verified:
    """What the checker says of a certificate."""

    valid: bool
    line: str


def verify(source: Source, certificate: Path, *, kind: Optional[str] = None) -> Verified:
    """Whether the checker accepts a certificate for a program, system, net or program on weak memory."""
    names, text = given(source, kind)
    status, written, messages = start(["verify", "--color", "never", *names, os.fspath(certificate)], text)
    if status not in (0, 1):
        fail(status, messages)
    return Verified(status == 0, written.strip() or messages)


def fix(
    source: Source,
    *,
    kind: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    jobs: Optional[int] = None,
    strict: bool = False,
    keep: Sequence[int] = (),
    lock: Optional[str] = None,
    apply: Optional[int] = None,
) -> FixReport:
    """Changes that make a program serializable, each proved. `apply` writes one of them, counted from 1, into the file."""
    names, text = given(source, kind)
    options = ["fix", "--format", "json", *limits(timeout, memory, jobs)]
    if strict:
        options.append("--strict")
    for line in keep:
        options += ["--keep", number(line)]
    if lock is not None:
        options.append(f"--lock={lock}")
    if apply is not None:
        options += ["--apply", number(apply)]
    return one(FixReport, [*options, *names], text)


def format(text: str, *, kind: str = "ser") -> str:
    """A program in the one layout; `kind` is "ser" or "tso"."""
    if not isinstance(text, str):
        raise TypeError(f"a text is expected, not {type(text).__name__}")
    return answer(["fmt", "--input", kind, "--", "-"], text)


def run(source: Source, *, kind: Optional[str] = None, requests: int = 3, seed: int = 0, steps: Optional[int] = None) -> str:
    """A random run, as `serval run` prints it; the same seed gives the same run."""
    names, text = given(source, kind)
    options = ["run", "--color", "never", "--requests", number(requests), "--seed", number(seed)]
    if steps is not None:
        options += ["--max-steps", number(steps)]
    return answer([*options, *names], text)


def explain(name: Optional[str] = None) -> str:
    """The page on an error code, a warning, a verdict or an anomaly; without a name, the list of all pages."""
    return answer(["explain", "--color", "never", *([] if name is None else ["--", name])])


def version() -> str:
    """The version of the program."""
    words: Union[List[str], None] = answer(["--version"]).split()
    if not words:
        raise InternalError("serval does not say which version it is")
    return words[-1]
