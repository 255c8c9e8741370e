"""Are request handlers serializable? Decided by the program serval, which comes with this package.

    import serval_check

    report = serval_check.check("request add { x := N; yield; N := (x + 1) % 3; N }")
    report.verdict                     # "not-serializable"
    report.counterexample.anomaly      # "lost-update"

A call starts the program once and reads what it writes; other threads go on meanwhile. A text is given as `str`, a
file as `pathlib.Path`. Reports are frozen dataclasses with the fields of the schemas in `docs` of the repository.
"""

from __future__ import annotations

TYPE_CHECKING = False

__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from . import nets, tso
    from ._calls import Verified, check, check_many, explain, fix, format, run, shown, verify, version
    from ._checked import NotAsExpected, checked
    from ._program import Expression, Program
    from ._reports.check import Counterexample, Fault, Report
    from ._reports.fix import FixReport
    from ._reports.net import NetReport
    from ._reports.tso import TsoReport
    from ._start import Error, InputError, InternalError

# Where each name is: a module is loaded when one of its names is used, so that importing the package costs nothing.
_HOMES = {
    "_calls": ("Verified", "check", "check_many", "explain", "fix", "format", "run", "shown", "verify", "version"),
    "_checked": ("NotAsExpected", "checked"),
    "_program": ("Expression", "Program"),
    "_reports.check": ("Counterexample", "Fault", "Report"),
    "_reports.fix": ("FixReport",),
    "_reports.net": ("NetReport",),
    "_reports.tso": ("TsoReport",),
    "_start": ("Error", "InputError", "InternalError"),
    "nets": ("nets",),
    "tso": ("tso",),
}

__all__ = [
    "Counterexample",
    "Error",
    "Expression",
    "Fault",
    "FixReport",
    "InputError",
    "InternalError",
    "NetReport",
    "NotAsExpected",
    "Program",
    "Report",
    "TsoReport",
    "Verified",
    "check",
    "check_many",
    "checked",
    "explain",
    "fix",
    "format",
    "nets",
    "run",
    "shown",
    "tso",
    "verify",
    "version",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            module = import_module(f"{__name__}.{home}")
            value = module if name == home else getattr(module, name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> "list[str]":
    return sorted([*globals(), *__all__])
