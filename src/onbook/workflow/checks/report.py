"""`verify_report.md`: written by onbook alone, and read back where a later step goes by it.

The headings stay English in every language, since code reads them. Whoever evaluates may read this file too: it says
what the checks found, and nothing of who made the changes or how often.
"""

import re
from pathlib import Path

from onbook.policy.effects import one_line
from onbook.policy.secrets import redact
from onbook.session.pending import fenced
from onbook.workflow.checks.diagnosis import failing_files
from onbook.workflow.checks.layer1 import Check, Layer1

_RESULT = "Result: "
_SUMMARY = "Summary: "
_FAILING = "## Failing files"
_RAN = re.compile(r"\| [^|]+ \| (?:PASS|FAIL) ")


def report_of(layer1: Layer1, summary: str, root: Path) -> str:
    """The whole report. What commands have printed comes last: nothing of it can pass for what is read back. Models
    read it, and it may be committed: keys that a check has printed are left out."""
    head = f"# Verify report: Layer 1\n\n{_RESULT}{layer1.result}\n{_SUMMARY}{one_line(redact(summary), 500)}"
    rows = ("| Check | Result | Exit code | Time | Command |", "| --- | --- | --- | --- | --- |")
    table = "\n".join((*rows, *(_row(check) for check in layer1.checks)))
    paths = [f"- {path}" for path in failing_files(layer1, root)]
    failing = "\n".join((_FAILING, "", *(paths or ["None."])))
    outputs = [
        f"## {check.label}\n\n{fenced('output', redact(check.output) or '(no output)')}" for check in layer1.failed
    ]
    return "\n\n".join((head, table, failing, redact(_marks(layer1)), *outputs)) + "\n"


def summary_of(layer1: Layer1, diagnosis: str = "") -> str:
    """`PASS — test: 3 passed; lint; build, type check skipped`, or `FAIL — ` and what is wrong."""
    if layer1.result == "FAIL":
        return f"FAIL — {diagnosis}"
    done = [f"{_name(check)}: {check.said}" if check.said else _name(check) for check in layer1.checks if _ran(check)]
    skipped = [_name(check) for check in layer1.checks if not _ran(check)]
    if skipped:
        done.append(f"{', '.join(skipped)} skipped")
    if layer1.marks:
        done.append(f"{len(layer1.marks)} × TODO/FIXME/HACK")
    return f"PASS — {'; '.join(done)}"


def summary_in(report: str) -> str:
    """The one line of a report that was written; empty where there is none."""
    return next((line.removeprefix(_SUMMARY) for line in report.splitlines() if line.startswith(_SUMMARY)), "")


def has_run(report: str) -> bool:
    """Whether any check of the report was carried out."""
    head, _, _ = report.partition(f"\n{_FAILING}\n")
    return any(_RAN.match(line) for line in head.splitlines())


def failing_in(report: str) -> tuple[str, ...]:
    """The paths below `Failing files`, as they stand there: whoever uses them validates them first."""
    _, _, below = report.partition(f"\n{_FAILING}\n")
    section, _, _ = below.partition("\n#")
    return tuple(line.removeprefix("- ") for line in section.split("\n") if line.startswith("- "))


def _row(check: Check) -> str:
    said = f"{check.status} ({check.said})" if check.said else check.status
    code = "" if check.exit_code is None else str(check.exit_code)
    took = f"{check.seconds:.2f} s" if _ran(check) else ""
    return "| " + " | ".join(_cell(text) for text in (check.label, said, code, took, check.command)) + " |"


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def _marks(layer1: Layer1) -> str:
    how = "blocking" if layer1.todo_blocking else "warning only"
    heading = f"## TODO, FIXME, HACK in changed files ({how})"
    lines = [f"- {mark.path}:{mark.line}: {one_line(mark.text)}" for mark in layer1.marks] or ["None."]
    return "\n".join([heading, "", *lines])


def _name(check: Check) -> str:
    return check.label.lower()


def _ran(check: Check) -> bool:
    return check.status != "SKIPPED"
