"""Files that have to be what they promise, for tests."""

from __future__ import annotations

import functools
import inspect
import os
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar, Union

from ._ask import one
from ._calls import _check, shown
from ._reports.check import Report

F = TypeVar("F", bound=Callable[..., Any])

# What a file without a header has to be.
GOOD = ("serializable", "assumed")


class NotAsExpected(AssertionError):
    """A file is not what its header promises, or has no header and is not serializable."""

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


def expect(path: Path, *, timeout: Optional[float] = None, strict: bool = False) -> Report:
    """Decides about a file and compares with its header `// expect:`; without one it has to be serializable."""
    options = [*_check(None, timeout, None, None, strict, None, None), "--expected"]
    report = one(Report, [*options, "--", os.fspath(path)], None)
    holds = report.verdict in GOOD if report.expected is None else report.expected.holds
    if not holds:
        promised = "" if report.expected is None else f"{path} promises {report.expected.verdict}\n\n"
        raise NotAsExpected(promised + shown(path, timeout=timeout, strict=strict), report)
    return report


def checked(path: Union[str, Path], *, timeout: Optional[float] = None, strict: bool = False) -> Callable[[F], F]:
    """A test that first decides about a file, whose path is relative to the file of the test.

    The counterexample is the message of the failure.
    """

    def decorate(test: F) -> F:
        place = Path(inspect.getfile(test)).resolve().parent / path

        if inspect.iscoroutinefunction(test):

            @functools.wraps(test)
            async def later(*given: Any, **named: Any) -> Any:
                expect(place, timeout=timeout, strict=strict)
                return await test(*given, **named)

            return later  # type: ignore[return-value]

        @functools.wraps(test)
        def first(*given: Any, **named: Any) -> Any:
            expect(place, timeout=timeout, strict=strict)
            return test(*given, **named)

        return first  # type: ignore[return-value]

    return decorate
