"""The state of a workflow, version 2.0: every field of `state.json`, typed. What it may become is in `rules.py`."""

import time
from typing import Literal

import msgspec

from onbook.workflow.state.phase import Phase

VERSION = "2.0"
SKILL = "workflow"
LAYER1_RETRIES = 3
LAYER2_RETRIES = 2
NO_LIMIT = "(no limit)"

Mode = Literal["single", "standard", "multi"]
Style = Literal["auto", "phase", "step"]
Verdict = Literal["PASS", "FAIL"]
Applied = Literal["proposed", "applied", "passed", "stopped", "rejected", "apply_failed", "halted"]
Ending = Literal["passed", "accepted", "max_rounds"]
Finish = Literal["code", "all", "none"]

FROM_FILE = "file:"
"""What stands before the path of conventions that were found."""


class ModelConfig(msgspec.Struct, frozen=True):
    """Which model plays which role; None inherits the active one. Names are aliases, routes or models."""

    preset: str = "default"
    executor: str | None = None
    advisor: str | None = None
    evaluator: str | None = None
    verifier: str = "haiku"


class Flags(msgspec.Struct, frozen=True):
    """What the command line said, for the record only: nothing is computed from it again."""

    verifier_model: str | None = None
    output_dir: str | None = None


class Verify(msgspec.Struct, frozen=True):
    """What the checks have said, and how often the generator was sent back."""

    layer1_result: Verdict | None = None
    layer1_retries: int = 0
    layer2_result: Verdict | None = None
    layer2_retries: int = 0
    todo_blocking: bool = False
    autofix_attempted: bool = False


class Autofix(msgspec.Struct, frozen=True):
    """The one automatic fix of a workflow. Never cleared once it exists."""

    last_patch_path: str
    applied: Applied
    triggered_at: str
    round: int = 1
    """The round it belongs to: one of an older round does not steer a resume."""


class Dispatch(msgspec.Struct, frozen=True):
    """An agent that was sent out: what it must produce, and what stood there before and after."""

    persona: str
    artefact: str
    """Path from the root; empty for an agent that only says something."""
    before: str | None = None
    """SHA-256 of the artefact when the agent was sent out; None when there was none."""
    after: str | None = None
    """SHA-256 when it came back; None while it is out."""
    said: str = ""
    """Its first line."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One workflow. `msgspec.structs.replace` makes the next state, `store.Store.write` makes it last."""

    version: str = VERSION
    skill: str = SKILL
    task: str
    slug: str = ""
    docs_path: str = ""
    """Where what remains is written: relative, with a slash at its end."""
    mode: Mode | None = None
    run_style: Style = "auto"
    model_config: ModelConfig | None = None
    cli_flags: Flags = Flags()
    user_lang: str = "en"
    lang_stays: bool = False
    """Whether `--user-lang` has named it: then nothing that somebody writes changes it."""
    has_git: bool = False
    repo_name: str = ""
    repo_path: str = ""
    phase: Phase = "setup"
    round: int = 1
    max_rounds: int = 3
    max_files: int = 20
    scope: str = NO_LIMIT
    scopes: tuple[str, ...] = ()
    """Gitignore-style patterns from the root; empty for no limit."""
    branch: str = ""
    lang: str = "unknown"
    build_cmd: str | None = None
    test_cmd: str | None = None
    lint_cmd: str | None = None
    type_check_cmd: str | None = None
    verify: Verify = Verify()
    autofix: Autofix | None = None
    conventions: str | None = None
    """None: not looked for yet. `skipped`. `file:<path>`."""
    spec_sha256: str | None = None
    """Of the spec that was approved; None until somebody has approved one, and again when it has changed since."""
    base_commit: str | None = None
    """HEAD when the workflow began; changed files are told against it."""
    edits_before: tuple[str, ...] = ()
    """Paths that were changed already when it began: never committed."""
    dispatches: tuple[Dispatch, ...] = ()
    """Of the phase under way."""
    manifest: tuple[str, ...] = ()
    """Every file it made under `docs_path`, from the root: all that cleaning up may delete."""
    outcome: Ending | None = None
    finish: Finish | None = None
    """What is to be committed at the end, once somebody has said so."""
    finalized: bool = False
    created_at: str = ""
    updated_at: str = ""


def timestamp() -> str:
    """This moment, as the state tells it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
