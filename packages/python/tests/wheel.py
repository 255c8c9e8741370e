#!/usr/bin/env python3
"""Builds the wheel from programs that are there and uses it in a fresh virtual environment.

  SERVAL_PROGRAMS=FOLDER tests/wheel.py [PLACE]

The environment is below PLACE, in a folder whose name has a blank. Where SERVAL_PYTEST names a folder of modules
with pytest, pytest-xdist and mypy, pytest-serval and the types are tried, too. Exits with 77 where Python cannot make virtual environments.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.dont_write_bytecode = True
os.environ["SERVAL_LEVEL"] = "1"
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def run(*command, **more):
    ended = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {ended.returncode}\n{ended.stdout}")
    return ended.stdout


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts)


def main():
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        sys.exit(77)
    place = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve() / "a home"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    backend = HERE.parent / "backend/serval_build.py"
    wheels = [pathlib.Path(run(sys.executable, backend, "wheel", place / one).strip()) for one in ("first", "second")]
    assert wheels[0].read_bytes() == wheels[1].read_bytes(), "two builds differ"

    # Nothing of the machine's own settings, and another serval in PATH: the module takes the one beside it.
    other = place / "other"
    other.mkdir()
    (other / "serval").write_text("#!/bin/sh\necho the wrong serval; exit 9\n")
    (other / "serval").chmod(0o755)
    keep = {name: os.environ[name] for name in ("LANG", "SERVAL_PYTEST") if name in os.environ}
    environment = {**keep, "HOME": str(place), "PATH": f"{other}{os.pathsep}{os.environ['PATH']}", "SERVAL_CACHE_DIR": "", "PYTHONDONTWRITEBYTECODE": "1"}
    run(sys.executable, "-m", "venv", place / "venv")
    python, programs = place / "venv/bin/python", place / "venv/bin"
    before = everything(place / "venv")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "install", "--no-index", "--no-compile", wheels[0], env=environment)
    print(run(python, HERE / "inside.py", cwd=place, env=environment), end="")

    if "SERVAL_PYTEST" in os.environ:
        modules = {**environment, "PYTHONPATH": os.environ["SERVAL_PYTEST"]}
        run(sys.executable, "-m", "mypy", "--cache-dir", place / "types", cwd=HERE.parent, env=modules)

    # The program itself is started, not Python; and it is replaced while it runs.
    version = run(programs / "serval", "--version", env=environment).split()[-1]
    assert version in wheels[0].name and (programs / "serval").read_bytes()[:2] != b"#!"
    running = subprocess.Popen([str(programs / "serval"), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    run(*pip, "install", "--no-index", "--no-compile", "--force-reinstall", wheels[0], env=environment)
    assert running.poll() is None, "replacing the program has ended the one that runs"
    running.kill()
    running.wait()
    running.stdin.close()

    run(*pip, "uninstall", "--yes", "serval-check", env=environment)
    left = [name for name in everything(place / "venv") if name not in before]
    assert not left, f"left after pip uninstall: {left}"
    shutil.rmtree(place)
    print("wheel: used as its page says")


main()
