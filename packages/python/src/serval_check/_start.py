"""Finding the program, starting it, and what its end means."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NoReturn, Optional, Sequence, Tuple, Union

# A text, or the path of a file.
Source = Union[str, Path]

# Which numbers a call may end with that has answered: all well, a problem was found, undecided.
ANSWERED = (0, 1, 3)
# What the program ends with where what it was given cannot be used.
MISTAKE = 2
# How long the program may take to end after it has been asked to.
PATIENCE = 2.0


class Error(Exception):
    """Something that has no report."""


class InputError(Error, ValueError):
    """What was given cannot be used; the message is that of the program."""


class InternalError(Error):
    """The program has ended without an answer, or cannot be started: a defect of it or of how it is installed."""


def _places(name: str) -> Iterator[Path]:
    import shutil
    import sysconfig

    told = os.environ.get(name.upper().replace("-", "_"))
    if told:
        yield Path(told)
        return
    end = sysconfig.get_config_var("EXE") or ""
    yield Path(sysconfig.get_path("scripts")) / (name + end)
    # Beside a module that was installed with --target or --prefix.
    here = Path(__file__).resolve().parent.parent
    yield here / "bin" / (name + end)
    yield here.parent.parent.parent / "bin" / (name + end)
    schemes = sysconfig.get_scheme_names()
    user = "nt_user" if os.name == "nt" else "posix_user"
    if user in schemes:
        yield Path(sysconfig.get_path("scripts", user)) / (name + end)
    found = shutil.which(name)
    if found:
        yield Path(found)


def program(name: str = "serval") -> str:
    """Where the program is: what the variable SERVAL says, that of this package, or the one in PATH."""
    for place in _places(name):
        if place.is_file():
            return str(place)
    raise InternalError(f"the program {name} is not installed beside this module: pip install --force-reinstall serval-check")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends the program and waits until it is gone."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def start(arguments: Sequence[str], text: Optional[str] = None) -> Tuple[int, str, str]:
    """Runs the program to its end: its exit status, what it wrote, and its messages."""
    command = [program(), *arguments]
    try:
        # Not a text stream: line ends stay as they are.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise InternalError(_no_start(command[0], error)) from error
    try:
        given = None if text is None else text.encode("utf-8", "surrogateescape")
        written, said = process.communicate(given)
    except BaseException:
        # Ctrl-C reaches the program as well; where it does not end by itself it is ended.
        _end(process)
        raise
    status = process.returncode
    messages = said.decode("utf-8", "replace").strip()
    if status in (130, -signal.SIGINT):
        raise KeyboardInterrupt(messages)
    return status, written.decode("utf-8", "replace"), messages


def _no_start(path: str, error: OSError) -> str:
    if error.errno in (errno.ENOEXEC, errno.ENOENT) or getattr(error, "winerror", None) == 193:
        return (
            f"{path} is not a program for this machine ({sys.platform}): "
            "install the source distribution instead, with Rust: pip install --no-binary serval-check serval-check"
        )
    return f"{path} cannot be started: {error.strerror}"


def fail(status: int, messages: str) -> NoReturn:
    """The error for an end without an answer."""
    if status == MISTAKE:
        raise InputError(messages or "serval could not use its input and did not say why")
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        messages = f"serval was ended by {name}" + (f": {messages}" if messages else "")
    raise InternalError(messages or f"serval ended with status {status} and said nothing")


def answer(arguments: Sequence[str], text: Optional[str] = None) -> str:
    """What the program writes, where it has answered."""
    status, written, messages = start(arguments, text)
    if status not in ANSWERED:
        fail(status, messages)
    return written
