"""
Feeds the tool-info module what the program really says.

SERVAL names the program. Needs benchexec; exits with 77 where there is none.
"""

import collections
import os
import subprocess
import tempfile
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
# A directory called benchexec lies beside this one's parent: only the root may be searched.
sys.path[:] = [ROOT] + [p for p in sys.path if os.path.abspath(p or ".") != HERE]

try:
    import benchexec.model
    import benchexec.result as result
    import benchexec.util as util
    from benchexec.tools.template import BaseTool2, UnsupportedFeatureException
except ImportError as error:
    print(f"benchexec: {error}")
    sys.exit(77)

MODULE = "contrib.benchexec.serval"
SERVAL = os.path.abspath(os.environ.get("SERVAL", "serval"))
Config = collections.namedtuple(
    "Config",
    "name output_path container timelimit walltimelimit memorylimit corelimit num_of_threads "
    "results_per_rundefinition results_per_taskset selected_run_definitions "
    "selected_sourcefile_sets description_file tool_directory",
)
CONFIG = Config(
    None, "test", False, None, None, None, None, None, False, False, None, None, None,
    os.path.dirname(SERVAL),
)  # fmt: skip


def load():
    return benchexec.model.load_tool_info(MODULE, CONFIG)[1]


class RealRuns(unittest.TestCase):
    """Command lines made by the module, run, and read by the module."""

    def run_serval(self, file, *options, limits=None):
        limits = limits or BaseTool2.ResourceLimits()
        task = BaseTool2.Task.with_files([file])
        command = load().cmdline(SERVAL, list(options), task, limits)
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # as BenchExec does it
            encoding="utf-8",
        )
        code = util.ProcessExitCode.create(value=done.returncode)
        output = BaseTool2.RunOutput(done.stdout.splitlines(keepends=True))
        return BaseTool2.Run(command, code, output, None)

    def verdict(self, *arguments, **named):
        return load().determine_result(self.run_serval(*arguments, **named))

    def test_serializable(self):
        self.assertEqual(self.verdict("examples/counter.ser"), result.RESULT_TRUE_PROP)

    def test_not_serializable(self):
        self.assertEqual(self.verdict("examples/lost-update.ser"), result.RESULT_FALSE_PROP)

    def test_network_system(self):
        self.assertIn(self.verdict("examples/print-spooler.json"), ("true", "false"))

    def test_exit_zero(self):
        verdict = self.verdict("examples/lost-update.ser", "--exit-zero")
        self.assertEqual(verdict, result.RESULT_FALSE_PROP)

    def test_progress(self):
        verdict = self.verdict("examples/lost-update.ser", "--progress")
        self.assertEqual(verdict, result.RESULT_FALSE_PROP)

    def test_unknown(self):
        verdict = self.verdict("examples/ticket-lock.ser", "--method", "reduce")
        self.assertEqual(verdict, result.RESULT_UNKNOWN)

    def test_timeout(self):
        # Looking for a counterexample where there is none never ends, however fast the machine is.
        verdict = self.verdict("examples/spin-lock.ser", "--method", "search", "--timeout", "0.2")
        self.assertEqual(verdict, result.RESULT_TIMEOUT)

    def test_fault(self):
        with tempfile.NamedTemporaryFile("w", suffix=".ser") as program:
            program.write("var X: 0..2\nrequest add { x := X; yield; if (x < 2) { X := X + 1 }; 0 }\n")
            program.flush()
            self.assertEqual(self.verdict(program.name), "unknown (can fail)")

    def test_mistake(self):
        self.assertEqual(self.verdict("docs/src/mistake.ser"), "ERROR (E0112)")

    def test_absent_file(self):
        self.assertEqual(self.verdict("nowhere.ser"), "ERROR (input)")

    def test_usage(self):
        verdict = self.verdict("examples/counter.ser", "--no-such-option")
        self.assertEqual(verdict, "ERROR (no verdict)")

    def test_limits(self):
        limits = BaseTool2.ResourceLimits(
            cputime=9, cputime_hard=10, walltime=20, memory=500 * 2**20, cpu_cores=1
        )
        run = self.run_serval("examples/counter.ser", limits=limits)
        self.assertEqual(load().determine_result(run), result.RESULT_TRUE_PROP)
        said = " ".join(run.cmdline)
        self.assertIn("--timeout 20 --memory 450 --jobs 1", said)
        own = self.run_serval("examples/counter.ser", "--timeout=7", limits=limits)
        self.assertNotIn("--timeout 20", " ".join(own.cmdline))

    def test_values(self):
        output = self.run_serval("examples/lost-update.ser").output
        value = load().get_value_from_output
        self.assertEqual(value(output, "counterexample.anomaly"), "lost-update")
        self.assertEqual(value(output, "counterexample.requests"), "2")
        self.assertEqual(value(output, "certificate.verified"), "true")
        self.assertGreater(float(value(output, "time_ms.total")), 0)
        self.assertIsNone(value(output, "no.such.field"))
        self.assertIsNone(value(BaseTool2.RunOutput([]), "method"))


class Readings(unittest.TestCase):
    """What no run of a sound program shows."""

    def read(self, lines, value=None, signal=None, reason=None):
        code = util.ProcessExitCode.create(value=value, signal=signal)
        run = BaseTool2.Run(["serval"], code, BaseTool2.RunOutput(lines), reason)
        return load().determine_result(run)

    def test_killed(self):
        self.assertEqual(self.read([], signal=9, reason="walltime"), result.RESULT_ERROR)
        # A verdict before the signal does not count.
        line = '{"verdict":"serializable"}\n'
        self.assertEqual(self.read([line], signal=11), result.RESULT_ERROR)

    def test_bug(self):
        self.assertEqual(self.read(["internal error\n"], value=4), "ERROR (bug in serval)")

    def test_memory(self):
        line = '{"verdict":"unknown","reason":"stopped at the memory limit (--memory)"}\n'
        self.assertEqual(self.read([line], value=3), "OUT OF MEMORY")

    def test_contradiction(self):
        differ = "ERROR (verdict and exit status differ)"
        self.assertEqual(self.read(['{"verdict":"serializable"}\n'], value=1), differ)
        self.assertEqual(self.read(['{"verdict":"not-serializable"}\n'], value=3), differ)

    def test_broken_output(self):
        self.assertEqual(self.read(['{"verdict":\n', "{}\n"], value=0), "ERROR (no verdict)")

    def test_one_file_per_task(self):
        task = BaseTool2.Task.with_files(["a.ser", "b.ser"])
        with self.assertRaises(UnsupportedFeatureException):
            load().cmdline("serval", [], task, BaseTool2.ResourceLimits())


class Program(unittest.TestCase):
    """What BenchExec asks about the program before it runs it."""

    def test_found(self):
        locator = BaseTool2.ToolLocator(tool_directory=os.path.dirname(SERVAL))
        executable = load().executable(locator)
        self.assertTrue(os.path.samefile(executable, SERVAL))
        self.assertRegex(load().version(executable), r"^[0-9]+\.[0-9]+\.[0-9]+")


class Benchmark(unittest.TestCase):
    """The example, read by BenchExec itself."""

    def test_definition(self):
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            benchmark = benchexec.model.Benchmark(
                os.path.join(HERE, "serval.xml"), CONFIG, util.read_local_time()
            )
        finally:
            os.chdir(before)
        self.assertEqual([run_set.name for run_set in benchmark.run_sets], ["auto.examples", "classic.examples"])
        expected = {}
        for run_set in benchmark.run_sets:
            for run in run_set.runs:
                (answer,) = run.expected_results.values()
                expected[os.path.basename(run.identifier)] = answer.result
        self.assertEqual(expected, {"counter.yml": True, "lost-update.yml": False})


if __name__ == "__main__":
    unittest.main()
