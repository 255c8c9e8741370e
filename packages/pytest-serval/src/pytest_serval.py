"""Collects `*.ser` files as tests: with `--serval` each has to be what its header `// expect:` promises.

A file without a header has to be serializable. The counterexample is the message of the failure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, List, Optional, Tuple, Union

import pytest

__version__ = "0.1.0"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line."""
    group = parser.getgroup("serval")
    group.addoption("--serval", action="store_true", help="check *.ser files: each has to be what its header promises")
    group.addoption("--serval-timeout", type=float, metavar="SECONDS", help="how long one file may take")
    group.addoption("--serval-strict", action="store_true", help="ask for the order in time, too")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
    """A file to check, where that is asked for."""
    if file_path.suffix == ".ser" and parent.config.getoption("serval"):
        return SerFile.from_parent(parent, path=file_path)
    return None


class SerFile(pytest.File):
    """A file with a program."""

    def collect(self) -> Iterator[pytest.Item]:
        """The one test that it is."""
        yield SerItem.from_parent(self, name="verdict")


class SerItem(pytest.Item):
    """Whether a program is what it promises."""

    def runtest(self) -> None:
        """Decides; a file that cannot be used fails with the message about it."""
        from serval_check._checked import expect

        option = self.config.getoption
        expect(self.path, timeout=option("serval_timeout"), strict=option("serval_strict"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Union[str, Any]:
        """The counterexample, without lines of Python."""
        import serval_check

        if isinstance(excinfo.value, (serval_check.NotAsExpected, serval_check.Error)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> Tuple[Path, None, str]:
        """Where it is."""
        return self.path, None, f"{self.path.name}: verdict"


__all__: List[str] = []
