"""Tool-info module for BenchExec: how to run serval and read what it says."""

import json

import benchexec.result as result
import benchexec.tools.template

EXIT_STATUS = {"serializable": 0, "not-serializable": 1, "fault": 1, "error": 2, "unknown": 3}


class Tool(benchexec.tools.template.BaseTool2):
    """
    Tool info for serval, which decides whether request handlers are serializable.

    The property is serializability: "true" is serializable, "false" is not serializable.
    A task is one program (.ser) or network system (.json).
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("serval")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="serval")

    def name(self):
        return "serval"

    def cmdline(self, executable, options, task, rlimits):
        options = list(options)

        def add(option, value):
            given = any(o == option or o.startswith(option + "=") for o in options)
            if value is not None and not given:
                options.extend([option, str(value)])

        add("--format", "json")
        # The limits of BenchExec count: ours (60 s, 80 % of the machine's memory) must not
        # come first, and it is better to hear from serval that memory ran out than to kill it.
        add("--timeout", rlimits.walltime or rlimits.cputime_hard or rlimits.cputime)
        if rlimits.memory:
            add("--memory", max(32, rlimits.memory // 2**20 * 9 // 10))
        add("--jobs", rlimits.cpu_cores)
        return [executable, "check", *options, task.single_input_file]

    def determine_result(self, run):
        if run.exit_code.signal:
            # BenchExec says which signal, or which limit.
            return result.RESULT_ERROR
        report = self._report(run.output)
        if run.exit_code.value == 4:
            return "ERROR (bug in serval)"
        if report is None:
            return "ERROR (no verdict)"
        verdict = report["verdict"]
        # With --exit-zero the status says nothing.
        if run.exit_code.value not in (0, EXIT_STATUS.get(verdict)):
            return "ERROR (verdict and exit status differ)"
        if verdict == "serializable":
            return result.RESULT_TRUE_PROP
        if verdict == "not-serializable":
            return result.RESULT_FALSE_PROP
        if verdict == "fault":
            # A step can fail; whether the answers are serializable is not said.
            return f"{result.RESULT_UNKNOWN} (can fail)"
        reason = report.get("reason", "")
        if verdict == "unknown":
            if "(--timeout)" in reason:
                return result.RESULT_TIMEOUT
            if "(--memory)" in reason:
                return "OUT OF MEMORY"
            return result.RESULT_UNKNOWN
        codes = [note["code"] for note in report.get("notes", []) if note["severity"] == "error"]
        return f"ERROR ({codes[0]})" if codes else "ERROR (input)"

    def get_value_from_output(self, output, identifier):
        """
        A field of the JSON report, such as "method", "time_ms.decide", "sizes.steps",
        "certificate.kind" or "counterexample.anomaly". Of a list, its length: so
        "counterexample.requests" is how many requests the counterexample has.
        """
        value = self._report(output)
        for field in identifier.split("."):
            if not isinstance(value, dict) or field not in value:
                return None
            value = value[field]
        if isinstance(value, list):
            return str(len(value))
        if isinstance(value, (dict, bool)):
            return json.dumps(value)
        return str(value)

    @staticmethod
    def _report(output):
        """The last line that is a report; diagnostics and progress stand around it."""
        for line in reversed(list(output)):
            if line.startswith("{"):
                try:
                    report = json.loads(line)
                except ValueError:
                    continue
                if isinstance(report, dict) and "verdict" in report:
                    return report
        return None
