"""What the installed package does; run with the Python of the environment that it is installed in."""
import contextlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import serval_check
from serval_check import InputError, InternalError, NotAsExpected, Program

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
EXAMPLES = ROOT / "examples"
LOST = "request add { x := N; yield; N := (x + 1) % 3; N }"
GOOD = "request add { N := (N + 1) % 3; N }"
# Deciding this takes much longer than it is given.
LONG = "var N: 0..1500000 wrap\nrequest add { N := N + 1; N }\nrequest take { N := N - 1; N }\n"


def written(*arguments):
    ended = subprocess.run([serval_check._start.program(), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in ended.stdout.decode().splitlines()]


class Reports(unittest.TestCase):
    maxDiff = None

    def test_pages(self):
        for page in ("packages/python/README.md", "docs/src/python.md"):
            text, before = (ROOT / page).read_text(), os.getcwd()
            names = {}
            with tempfile.TemporaryDirectory() as place:
                os.chdir(place)
                for block in re.findall(r"```python\n(.*?)```", text, re.S):
                    # What stands before a value is an expression; the rest is run in one piece.
                    pending = ""
                    for line in block.splitlines():
                        code, _, value = line.partition("  # ")
                        if value:
                            exec(pending, names)
                            pending = ""
                            self.assertEqual(repr(eval(code, names)), value.strip(), line)
                        else:
                            pending += line + "\n"
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(pending, names)
                os.chdir(before)

    def test_the_form_is_that_of_the_program(self):
        for name in ("lost-update", "counter", "write-skew-on-call", "spin-lock", "compare-and-swap"):
            path = EXAMPLES / f"{name}.ser"
            if path.is_file():
                [found] = written("check", "--format", "json", "--no-times", "--no-cache", path)
                report = serval_check.check(path).to_json()
                report.pop("time_ms")
                self.assertEqual(report, found, name)
        path = EXAMPLES / "lost-update.ser"
        self.assertEqual(serval_check.fix(path).to_json(), written("fix", "--format", "json", path)[0])
        for path in sorted((EXAMPLES / "nets").glob("*.net"))[:4]:
            reports = [one.to_json() for one in serval_check.nets.check(path)]
            for report in reports:
                report.pop("time_ms")
            self.assertEqual(reports, written("net", "check", "--format", "json", "--no-times", path), path)
        for name in ("dekker", "peterson-fenced"):
            path = EXAMPLES / f"tso/{name}.tso"
            if path.is_file():
                report = serval_check.tso.check(path).to_json()
                report.pop("time_ms")
                self.assertEqual(report, written("tso", "check", "--format", "json", "--no-times", path)[0], name)

    def test_texts_and_mistakes(self):
        report = serval_check.check("request f {")
        self.assertEqual((report.verdict, report.notes[0].code), ("error", "E0116"))
        self.assertEqual(serval_check.check(pathlib.Path("--not-there.ser")).verdict, "error")
        self.assertEqual(serval_check.format("request f{x:=1}"), "request f { x := 1 }\n")
        with self.assertRaises(InputError):
            serval_check.format("request f {")
        with self.assertRaises(TypeError):
            serval_check.check(b"request f { 1 }")
        with self.assertRaises(InputError):
            serval_check.explain("nothing of that name")
        self.assertIn("lost update", serval_check.shown(LOST))
        self.assertIn("seed 7", serval_check.run(LOST, seed=7))
        self.assertEqual(serval_check.version(), serval_check.__version__)
        self.assertEqual([one.verdict for one in serval_check.check_many([])], [])

    def test_a_frozen_report(self):
        report = serval_check.check(LOST)
        with self.assertRaises(AttributeError):
            report.verdict = "serializable"
        self.assertIsInstance(report.counterexample.steps, tuple)

    def test_expectations(self):
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "add.ser"
            path.write_text(LOST)
            with self.assertRaises(NotAsExpected) as caught:
                serval_check._checked.expect(path)
            self.assertIn("lost update", str(caught.exception))
            path.write_text("// expect: not-serializable\n" + LOST)
            self.assertEqual(serval_check._checked.expect(path).verdict, "not-serializable")


class Processes(unittest.TestCase):
    def test_sixty_calls_from_four_threads(self):
        wrong, calls = [], 60

        def work(number):
            for at in range(number, calls, 4):
                text, verdict = (LOST, "not-serializable") if at % 2 else (GOOD, "serializable")
                found = serval_check.check(text, jobs=1).verdict
                if found != verdict:
                    wrong.append((at, found))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_ctrl_c(self):
        # A group of its own, as a shell makes one: the interrupt reaches Python and the program.
        # Where the tests run in the background of a shell, interrupts are ignored, and Python leaves it at that.
        listen = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        code = f"{listen}import serval_check\ntry:\n  serval_check.check({LONG!r}, method='reduce')\nexcept KeyboardInterrupt:\n  print('stopped')\n"
        for whole in (True, False):
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True)
            below = f"/proc/{child.pid}/task/{child.pid}/children"
            while not (started := pathlib.Path(below).read_text().split()):
                time.sleep(0.02)
            # At work as soon as it has said how it wants to be interrupted.
            while not self.catches(started[0]):
                time.sleep(0.02)
            (os.killpg if whole else os.kill)(child.pid, signal.SIGINT)
            self.assertEqual(child.communicate()[0], "stopped\n")
            self.assertFalse(pathlib.Path(f"/proc/{started[0]}").exists(), "the program is still there")

    def catches(self, process):
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        name = re.search(r"^Name:\s+(\S+)", status)[1]
        return name == "serval" and int(re.search(r"SigCgt:\s+(\w+)", status)[1], 16) & 2

    def test_an_end_without_an_answer(self):
        with tempfile.TemporaryDirectory() as place:
            program = pathlib.Path(place) / "serval"
            os.environ["SERVAL"] = str(program)
            try:
                for text, words in (
                    ("#!/bin/sh\necho out of order >&2; exit 4\n", "out of order"),
                    ("#!/bin/sh\necho no JSON\n", "said nothing"),
                    ("#!/bin/sh\nkill -9 $$\n", "SIGKILL"),
                    ("\x7fELF of another machine", "source distribution"),
                ):
                    program.write_text(text)
                    program.chmod(0o755)
                    with self.assertRaises(InternalError) as caught:
                        serval_check.check(LOST)
                    self.assertIn(words, str(caught.exception))
                program.unlink()
                with self.assertRaises(InternalError):
                    serval_check.check(LOST)
            finally:
                del os.environ["SERVAL"]


class Programs(unittest.TestCase):
    def test_a_program_that_is_made(self):
        program = Program()
        stock = program.var("Stock", 0, 2, initial=2)
        seen = program.array("Seen", 2, 0, 1)
        with program.request("buy") as buy:
            with buy.if_(stock == 0):
                buy.return_(-1)
            with buy.else_():
                buy.set(seen[stock - 1], 1)
            left = buy.let("left", stock)
            buy.yield_()
            buy.set(stock, (left - 1) * 1)
            buy.return_(left + (2 - seen[0]) % 2)
        self.assertEqual(
            program.text(),
            "var Stock: 0..2 := 2\nvar Seen[0..1]: 0..1\n\nrequest buy {\n  if (Stock == 0) {\n    return -1;\n  } else {\n"
            "    Seen[Stock - 1] := 1;\n  };\n  left := Stock;\n  yield;\n  Stock := (left - 1) * 1;\n"
            "  return left + ((2 - Seen[0]) % 2);\n}\n",
        )
        self.assertEqual(serval_check.check(program.text()).verdict, "not-serializable")

    def test_what_is_no_name(self):
        program = Program()
        for name in ("", "a b", "N; yield", "1N", "yield", "N\n", "Ünder", None, 7):
            with self.assertRaises(ValueError, msg=name):
                program.var(name)
        for name in ("n", "_N"):
            with self.assertRaises(ValueError, msg=name):
                program.var(name)
        number = program.var("N")
        with self.assertRaises(ValueError):
            program.var("N")
        with program.request("r") as body:
            for value in ("N", 1.5, None, 2**63):
                with self.assertRaises((TypeError, ValueError), msg=value):
                    body.set(number, value)
            with self.assertRaises(TypeError):
                body.set(number + 1, 1)
            with self.assertRaises(TypeError):
                bool(number == 1)


TESTED = """
import serval_check

@serval_check.checked("good.ser")
def test_good():
    pass

@serval_check.checked("lost.ser")
def test_lost():
    pass
"""


@unittest.skipUnless(os.environ.get("SERVAL_PYTEST"), "pytest: not there, skipped")
class Pytest(unittest.TestCase):
    def test_the_plugin(self):
        modules = os.environ["SERVAL_PYTEST"]
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name)
            (place / "good.ser").write_text(GOOD)
            (place / "lost.ser").write_text(LOST)
            (place / "known.ser").write_text("// expect: not-serializable\n" + LOST)
            (place / "bad.ser").write_text("request f {")
            (place / "test_models.py").write_text(TESTED)
            plugin = ROOT / "packages/pytest-serval/src"
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(plugin), modules]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            for more in ([], ["-p", "xdist", "-n", "2"]):
                command = [sys.executable, "-m", "pytest", "-p", "pytest_serval", "-p", "no:cacheprovider", "--serval", *more, str(place)]
                ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=place)
                self.assertIn("3 failed, 3 passed", ended.stdout)
                self.assertIn("lost update", ended.stdout)
                self.assertIn("E0116", ended.stdout)
                self.assertEqual(ended.returncode, 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
