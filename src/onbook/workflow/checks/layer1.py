"""Layer 1: the four commands and the scan, run by onbook itself. PASS or FAIL is computed here, never asked."""

import asyncio
import re
from typing import Literal

import msgspec

from onbook.excerpt import cut_middle, plain
from onbook.outcome import Outcome
from onbook.policy.effects import Run, one_line
from onbook.policy.hands import read_or_none
from onbook.policy.process import NotStarted, Ran
from onbook.policy.secrets import redact
from onbook.session.programs import ending
from onbook.workflow.checks.counts import counts_in
from onbook.workflow.checks.missing import CheckMissing, missing_in
from onbook.workflow.checks.output import Output
from onbook.workflow.files.changed import changed_files
from onbook.workflow.files.scope import folders_of
from onbook.workflow.state.state import State, Verdict
from onbook.workflow.telling import told_step
from onbook.workflow.work import Work

CheckName = Literal["build", "test", "lint", "type_check"]
CHECKS: tuple[CheckName, ...] = ("build", "test", "lint", "type_check")
LABELS: dict[CheckName, str] = {"build": "Build", "test": "Test", "lint": "Lint", "type_check": "Type check"}

SECONDS = 3600.0
"""A command that takes longer than this is stopped, and has failed."""
MOST_KEPT = 20_000
"""Characters of a command's output that the report keeps."""
_NO_TESTS = 5
"""pytest's exit code when it found no tests."""
_PYLINT_ERRORS = 1 | 2 | 32
"""Bits of pylint's exit code that are more than warnings: fatal, error, wrong usage."""
_LARGEST = 1 << 20
_MOST_MARKS = 100
_MARK = re.compile(rb"\b(?:TODO|FIXME|HACK)\b")


class Check(msgspec.Struct, frozen=True):
    """One command, and what came of it."""

    name: CheckName
    status: Verdict | Literal["SKIPPED"]
    command: str = ""
    said: str = ""
    """Why it was skipped, how it ended, or how many tests there were."""
    exit_code: int | None = None
    seconds: float = 0.0
    output: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.name]


class Mark(msgspec.Struct, frozen=True):
    """A line of a changed file that says that something is left to do."""

    path: str
    line: int
    text: str


class Layer1(msgspec.Struct, frozen=True):
    """All that was found out."""

    checks: tuple[Check, ...]
    marks: tuple[Mark, ...] = ()
    todo_blocking: bool = False

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.status == "FAIL")

    @property
    def result(self) -> Verdict:
        """Skipped never fails; what is left to do fails only where somebody wants it so."""
        return "FAIL" if self.failed or (self.marks and self.todo_blocking) else "PASS"


async def run_layer1(work: Work, address: str) -> Layer1:
    """Run the commands one after the other, then look through the changed files.

    CheckMissing for a command whose program is not there: that is neither PASS nor FAIL.
    """
    checks: list[Check] = []
    for name in CHECKS:
        broken = any(check.name == "build" and check.status == "FAIL" for check in checks)
        checks.append(await _check(work, name, f"{address}/{name}", broken=broken))
    files = await changed_files(work)
    marks = await asyncio.to_thread(_marks, work, files)
    return Layer1(tuple(checks), marks, work.state.verify.todo_blocking)


def command_of(state: State, name: CheckName) -> str | None:
    """The command as it is run: `{scope}` in it is where the scope lies, `.` without a limit."""
    commands = {
        "build": state.build_cmd,
        "test": state.test_cmd,
        "lint": state.lint_cmd,
        "type_check": state.type_check_cmd,
    }
    command = commands[name]
    return command.replace("{scope}", folders_of(state.scopes)) if command and command.strip() else None


def effect_of(command: str) -> Run:
    """The line in a shell of its own. Python must not keep what it compiles: it knows a file by its size and the second
    of its last change, so that one which is mended within that second would be verified as it was before."""
    return Run((f"export PYTHONDONTWRITEBYTECODE=1; {command}",), shell=True)  # noqa: S604 - as approved


async def _check(work: Work, name: CheckName, address: str, *, broken: bool) -> Check:
    command = command_of(work.state, name)
    if command is None:
        return Check(name, "SKIPPED", said="no command")
    if broken:
        return Check(name, "SKIPPED", command, said="the build failed")
    with told_step(work, address, command, "check") as step:
        check = await _carried_out(work, name, command)
        step.detail = check.said
        step.outcome = Outcome.FAILED if check.status == "FAIL" else Outcome.PASSED
        return check


async def _carried_out(work: Work, name: CheckName, command: str) -> Check:
    """The person who let the spec pass was shown this very line: it is run as theirs, shell and all."""
    output = Output(work, command)
    try:
        door = work.live.door.because("a person let the spec pass")
        ran = await door.run(effect_of(command), by="user", timeout=SECONDS, on_output=output.heard)
    except NotStarted as error:
        return Check(name, "FAIL", command, said=str(error), output=str(error))
    check = _judged(name, command, ran)
    output.ended(ran, check.output)
    if missing := missing_in(command, ran, check.output, work.root, work.live.door.environment()):
        flag = f"--{name.replace('_', '-')}-cmd"
        shown = one_line(command, 80)
        raise CheckMissing(work.words(f"check.{missing.why}", command=shown, program=missing.program, flag=flag))
    return check


def _judged(name: CheckName, command: str, ran: Ran) -> Check:
    output = redact(plain(ran.output)).strip("\n")
    status = _status(name, command, ran)
    counts = counts_in(output) if name == "test" else ""
    said = "no tests" if status == "SKIPPED" else counts or ("" if status == "PASS" else ending(ran))
    exit_code = None if ran.stopped else ran.exit_code
    return Check(name, status, command, said, exit_code, ran.seconds, cut_middle(output, MOST_KEPT))


def _status(name: CheckName, command: str, ran: Ran) -> Verdict | Literal["SKIPPED"]:
    if ran.stopped:
        return "FAIL"
    if name == "test" and ran.exit_code == _NO_TESTS and _names(command, "pytest"):
        return "SKIPPED"
    if name == "lint" and 0 < ran.exit_code < 64 and _names(command, "pylint"):
        return "FAIL" if ran.exit_code & _PYLINT_ERRORS else "PASS"
    return "PASS" if ran.exit_code == 0 else "FAIL"


def _names(command: str, program: str) -> bool:
    """Whether the program is among the words: `uv run pytest -q`, `.venv/bin/pytest`."""
    return any(word.rpartition("/")[2] == program for word in command.split())


def _marks(work: Work, files: tuple[str, ...]) -> tuple[Mark, ...]:
    """Lines of text files with TODO, FIXME or HACK as a word."""
    found: list[Mark] = []
    for path in files:
        data = read_or_none(work.root, path, _LARGEST) or b""
        if b"\0" in data:
            continue
        for number, line in enumerate(data.split(b"\n"), start=1):
            if _MARK.search(line):
                found.append(Mark(path, number, redact(plain(line)).strip()[:200]))
            if len(found) == _MOST_MARKS:
                return tuple(found)
    return tuple(found)
