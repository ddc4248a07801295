"""What `onbook workflow …` and `/workflow …` were asked for: one table of options and one reading of them.

The two commands are made from `OPTIONS`; what they were given comes back here as text, so that both refuse the same
things in the same words.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec

from onbook.outcome import UsageError
from onbook.policy.effects import one_line
from onbook.workflow.gates import GateName, check_answer
from onbook.workflow.setup.models import check_model_words
from onbook.workflow.state.state import Mode, Style

Action = Literal["start", "plan", "generate", "verify", "evaluate", "status", "resume", "discard", "clean"]
WITH_TASK: tuple[Action, ...] = ("start", "plan")
"""They begin a workflow; all others need one that was begun."""
_STYLES: dict[Action, Style] = {"plan": "phase", "generate": "phase", "verify": "step", "evaluate": "step"}
Kind = Literal["text", "number", "switch", "several"]


class OptionRow(msgspec.Struct, frozen=True):
    """One option, as click and the manual need it."""

    flag: str
    field: str
    """Its field of `WorkflowOptions`."""
    help: str
    metavar: str = ""
    kind: Kind = "text"
    only: tuple[Action, ...] = ()
    """The actions that it goes with; empty for all."""


_NEW = (*WITH_TASK, "resume")
"""A workflow that was stopped in the middle of setup is set up again, so what is said then still counts."""

OPTIONS: tuple[OptionRow, ...] = (
    OptionRow("--mode", "mode", "how many heads plan and review", "single|standard|multi", only=_NEW),
    OptionRow(
        "--model-config",
        "models",
        "which model plays which role: default, all-opus, balanced, economy or executor:M,advisor:M,evaluator:M",
        "PRESET",
        only=_NEW,
    ),
    OptionRow("--lint-cmd", "lint_cmd", "the command that lints, in place of the one found", "CMD", only=_NEW),
    OptionRow(
        "--type-check-cmd",
        "type_check_cmd",
        "the command that checks types, in place of the one found",
        "CMD",
        only=_NEW,
    ),
    OptionRow("--test-cmd", "test_cmd", "the command that tests, in place of the one found", "CMD", only=_NEW),
    OptionRow("--build-cmd", "build_cmd", "the command that builds, in place of the one found", "CMD", only=_NEW),
    OptionRow(
        "--verifier-model", "verifier_model", "the model that words a failure; haiku by default", "NAME", only=_NEW
    ),
    OptionRow("--output-dir", "output_dir", "the folder for the results; docs/harness by default", "DIR", only=_NEW),
    OptionRow("--from-spec", "from_spec", "a folder with a finished spec.md: planning is skipped", "DIR", only=_NEW),
    OptionRow("--scope", "scopes", "only these files may change, written as in .gitignore", "PATTERN", "several", _NEW),
    OptionRow("--max-files", "max_files", "so many files may change at most; 20 by default", "N", "number", _NEW),
    OptionRow("--max-rounds", "max_rounds", "so many rounds at most; 3 by default", "N", "number", _NEW),
    OptionRow("--todo-blocking", "todo_blocking", "a TODO, FIXME or HACK fails the checks", "", "switch", _NEW),
    OptionRow(
        "--user-lang", "user_lang", "the language to speak, as in de, in place of the one found", "CODE", only=_NEW
    ),
    OptionRow("--answer", "answers", "answer a gate beforehand", "GATE=CHOICE", "several"),
    OptionRow(
        "--all",
        "everything",
        "with clean: also folders that no workflow has marked, /memory's too",
        "",
        "switch",
        ("clean",),
    ),
)
COMMANDS = ("build_cmd", "test_cmd", "lint_cmd", "type_check_cmd")
"""The commands of the checks: the fields of their options, and of the state."""


class WorkflowOptions(msgspec.Struct, frozen=True):
    """One call, checked as far as its words alone tell."""

    action: Action = "start"
    task: str = ""
    mode: Mode | None = None
    models: str | None = None
    """A preset, or `executor:…,advisor:…,evaluator:…`."""
    lint_cmd: str | None = None
    type_check_cmd: str | None = None
    test_cmd: str | None = None
    build_cmd: str | None = None
    verifier_model: str | None = None
    output_dir: str | None = None
    from_spec: str | None = None
    scopes: tuple[str, ...] = ()
    max_files: int | None = None
    max_rounds: int | None = None
    todo_blocking: bool = False
    user_lang: str | None = None
    answers: tuple[tuple[GateName, str], ...] = ()
    """In the order they were given."""
    everything: bool = False

    @property
    def run_style(self) -> Style:
        """How far this call goes by itself."""
        return _STYLES.get(self.action, "auto")

    @property
    def only_looks(self) -> bool:
        """Whether it says how far a workflow is, or what is next, and changes nothing."""
        return self.action == "status" or (self.action == "start" and not (self.task or self.from_spec))

    def answers_gate(self, gate: GateName) -> bool:
        """Whether this call answers it, so that the settings need not."""
        return any(name == gate for name, _ in self.answers)


def options_of(words: Sequence[str], given: Mapping[str, Any]) -> WorkflowOptions:
    """The call that `words` (what is no option) and `given` (field to text, texts, or true) make.

    UsageError, before anything starts, for what cannot be.
    """
    action, rest = _action(words)
    task = " ".join(rest).strip()
    present = {field: value for field, value in given.items() if value not in (None, (), [], False)}
    _check_words(action, task, present)
    return WorkflowOptions(action, task, **{field: _read(_BY_FIELD[field], value) for field, value in present.items()})


def _action(words: Sequence[str]) -> tuple[Action, Sequence[str]]:
    """A task in quotes is one word with spaces in it, so `"verify the login"` is a task and no action."""
    named = next((action for action in get_args(Action) if words and action == words[0] and action != "start"), None)
    return (named, words[1:]) if named else ("start", words)


def _check_words(action: Action, task: str, present: Mapping[str, Any]) -> None:
    if task and action not in WITH_TASK:
        raise UsageError(
            f"workflow {action} takes no task; a task that begins so stands in quotes: "
            f'workflow "{action} {one_line(task, 60)}"'
        )
    if action == "plan" and not task:
        raise UsageError('workflow plan needs a task, as in workflow plan "add a --version flag"')
    if "from_spec" in present and "output_dir" in present:
        raise UsageError("--from-spec names the folder for the results too; leave --output-dir out")
    if "from_spec" in present and action == "plan":
        raise UsageError("--from-spec brings a finished plan; leave out either it or the word plan")
    for row in OPTIONS:
        if row.field in present and row.only and action not in row.only:
            places = " and ".join("a task" if each == "start" else f"workflow {each}" for each in row.only)
            raise UsageError(f"{row.flag} goes only with {places}")


def _read(row: OptionRow, value: Any) -> Any:
    if row.kind == "switch":
        return True
    if row.kind == "several":
        values = tuple(str(each) for each in value)
        return tuple(_answer(each) for each in values) if row.field == "answers" else tuple(map(_scope, values))
    if row.kind == "number":
        return _number(row.flag, str(value))
    return _TEXTS.get(row.field, _line)(row.flag, str(value))


def _line(flag: str, value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise UsageError(f"{flag} must be one line of text, and not empty")
    return value.strip()


def _mode(flag: str, value: str) -> str:
    modes = get_args(Mode)
    if value not in modes:
        raise UsageError(f"{flag}: there is no mode {one_line(value, 40)}; modes are {', '.join(modes)}")
    return value


def _models(flag: str, value: str) -> str:
    try:
        return check_model_words(value)
    except UsageError as error:
        raise UsageError(f"{flag}: {error}") from None


def _language(flag: str, value: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*", value):
        raise UsageError(f"{flag} must be the code of a language, as in de or pt-BR")
    return value


def _folder(_: str, value: str) -> str:
    """What the validator of paths says about it is said when the root is known; empty is one of those things."""
    return value


_TEXTS = {
    "mode": _mode,
    "models": _models,
    "user_lang": _language,
    "output_dir": _folder,
    "from_spec": _folder,
}


def _number(flag: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 7 and int(value) >= 1):
        raise UsageError(f"{flag} must be a whole number of at least 1")
    return int(value)


def _scope(value: str) -> str:
    scope = _line("--scope", value)
    if ".." in scope.split("/"):
        raise UsageError(f"--scope {one_line(scope, 60)}: write it from the root of the workspace, without ..")
    return scope


def _answer(value: str) -> tuple[GateName, str]:
    gate, equals, choice = value.partition("=")
    if not equals or not choice:
        raise UsageError(f"--answer {one_line(value, 60)}: write it as GATE=CHOICE, as in --answer spec=proceed")
    return check_answer(gate.strip(), choice.strip()), choice.strip()


_BY_FIELD = {row.field: row for row in OPTIONS}
