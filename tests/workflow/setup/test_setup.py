"""Seed 4, Step 1: from a task to a state in which planning can begin, in the seed's order, after a kill again."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from onbook.events import Note
from onbook.outcome import UsageError
from onbook.policy.door import Door
from onbook.workflow.agents.sending import open_agents
from onbook.workflow.answers import Gates, GivenAnswers
from onbook.workflow.files.repository import Repository
from onbook.workflow.gates import Stopped, Waiting
from onbook.workflow.messages import catalogue
from onbook.workflow.options import options_of
from onbook.workflow.setup.conventions import conventions
from onbook.workflow.setup.setup import first_state, is_spec_given, setup
from onbook.workflow.state.state import Flags, ModelConfig, State
from onbook.workflow.state.store import Store
from onbook.workflow.work import Work
from tests.commands.conftest import Typed
from tests.commands.conftest import typed as typed
from tests.scripted import ScriptedServer
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository

TASK = "Add a login"
PLACE = "docs/harness/add-a-login/"
ASKED_NOTHING: dict[str, Any] = {"mode": "single", "models": "default"}


@dataclass
class Beginning:
    """`await begin(task, mode="single")` is `onbook workflow "task" --mode single` as far as setup goes."""

    typed: Typed
    store: Store
    work: Work = field(init=False)

    async def __call__(self, task: str = TASK, **given: Any) -> State:
        options = options_of([task] if task else [], given)
        self.store.create(await first_state(self.typed.live, options))
        return await self.again(task, **given)

    async def again(self, task: str = TASK, **given: Any) -> State:
        """Setup once more, from the early checkpoint on."""
        options = options_of([task] if task else [], given)
        live = self.typed.live
        gates = Gates(live.emit, "r", GivenAnswers(options.answers), None)
        work = Work(live, "r", self.store, gates, await open_agents(live), catalogue(self.store.state.user_lang))
        await setup(work, options)
        self.work = work
        return self.store.state

    @property
    def said(self) -> list[str]:
        return [note.text for note in self.typed.seen.of(Note) if note.run == "r"]


@pytest.fixture
def presets(user_settings: Path, scripted_model: ScriptedServer) -> None:
    with user_settings.open("a") as file:
        file.write('[workflow]\nmode = "multi"\nmodel = "economy"\n')


@pytest_asyncio.fixture
async def begin(repository: Path, typed: Typed) -> AsyncIterator[Beginning]:
    with Store.open(repository) as store:
        yield Beginning(typed, store)


async def test_the_early_checkpoint_knows_the_task_and_its_place(begin: Beginning) -> None:
    state = await first_state(begin.typed.live, options_of([TASK], {"verifier_model": "opus", "output_dir": "out/"}))
    assert (state.phase, state.version, state.skill, state.slug) == ("setup", "2.0", "workflow", "add-a-login")
    assert (state.docs_path, state.cli_flags) == ("out/add-a-login/", Flags("opus", "out"))
    assert (state.user_lang, state.has_git, state.mode, state.model_config) == ("en", True, None, None)
    assert state.created_at


async def test_a_workflow_that_is_set_up_is_ready_to_plan(begin: Beginning, repository: Path) -> None:
    (repository / "pyproject.toml").write_text("[tool.ruff]\n[tool.mypy]\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Tools")
    state = await begin(**ASKED_NOTHING)
    assert (state.phase, state.mode, state.model_config) == ("plan_ready", "single", ModelConfig())
    assert (state.lang, state.test_cmd, state.build_cmd) == ("python", "pytest", None)
    assert (state.lint_cmd, state.type_check_cmd, state.scope) == ("ruff check .", "mypy .", "(no limit)")
    assert (state.branch, state.base_commit) == ("harness/add-a-login", git(repository, "rev-parse", "HEAD").strip())
    assert (state.max_rounds, state.max_files, state.round, state.edits_before) == (3, 20, 1, ())
    assert (repository / PLACE).is_dir()
    assert state.manifest == (f"{PLACE}.workflow",)


async def test_the_summary_is_the_seed_s(begin: Beginning, repository: Path) -> None:
    await begin(**ASKED_NOTHING, scopes=("src/**",), verifier_model="opus", lint_cmd="make lint")
    *_, summary, warning = begin.said
    assert summary == "\n".join(
        [
            "[harness] Task started!",
            f"Directory : {repository}",
            "Branch    : harness/add-a-login",
            "Mode      : single",
            "Model     : default",
            "Verifier  : opus",
            "Style     : auto",
            "Language  : unknown",
            "Test      : none",
            "Build     : none",
            "Lint      : make lint",
            "TypeCheck : none",
            "Scope     : src/**",
            f"Output    : {PLACE}",
        ]
    )
    assert warning == ("⚠ Verifier set to opus — high cost for mechanical verification. haiku is usually sufficient.")


async def test_what_was_said_wins_over_what_is_found(begin: Beginning, repository: Path) -> None:
    (repository / "pyproject.toml").write_text("[tool.ruff]\n")
    state = await begin(
        **ASKED_NOTHING,
        answers=("dirty=continue",),
        test_cmd="make test",
        build_cmd="make",
        lint_cmd="make lint",
        type_check_cmd="make types",
        max_files="5",
        max_rounds="2",
        todo_blocking=True,
        user_lang="de",
    )
    commands = (state.test_cmd, state.build_cmd, state.lint_cmd, state.type_check_cmd)
    assert commands == ("make test", "make", "make lint", "make types")
    assert (state.max_files, state.max_rounds, state.verify.todo_blocking, state.user_lang) == (5, 2, True, "de")
    assert begin.said[-1].startswith("[harness]")


@pytest.mark.parametrize(
    ("directory", "complaint"),
    [
        ("", "output-dir cannot be empty."),
        (".harness", "output-dir value starts with a reserved directory name."),
        ("docs/../../etc", "output-dir must not contain '..'."),
        (r"\\server\share", "UNC paths are not allowed."),
        ("/absolute/path", "output-dir must be a relative path."),
        ("docs/other", "output-dir under docs/ must be docs/harness/..."),
    ],
)
async def test_a_place_that_is_not_allowed_is_refused_before_anything_is_written(
    begin: Beginning, repository: Path, directory: str, complaint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        await begin(**ASKED_NOTHING, output_dir=directory)
    assert str(refused.value) == complaint
    assert not (repository / ".harness").exists()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"models": "executor:nobody"}, '--model-config: model "nobody" did not resolve'),
        ({"verifier_model": "nobody"}, '--verifier-model: model "nobody" did not resolve'),
        ({"answers": ("model=executor:nobody",)}, '--answer model: model "nobody" did not resolve'),
    ],
)
async def test_a_model_that_does_not_exist_is_refused_before_anything_is_written(
    begin: Beginning, repository: Path, given: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        await begin(**given)
    assert str(refused.value).startswith(complaint)
    assert not (repository / ".harness").exists()


async def test_without_a_task_nothing_begins(begin: Beginning) -> None:
    with pytest.raises(UsageError, match="workflow needs a task"):
        await begin("")


@pytest.mark.parametrize("gate", ["dirty", "mode", "model"])
async def test_a_gate_that_nobody_answers_waits_and_setup_runs_again(
    begin: Beginning, repository: Path, gate: str
) -> None:
    (repository / "mine.py").write_text("x")
    answers = {"dirty": "dirty=continue", "mode": "mode=multi", "model": "model=economy"}
    given = tuple(text for name, text in answers.items() if name != gate)
    with pytest.raises(Waiting) as waiting:
        await begin(answers=given)
    assert (waiting.value.question.gate, begin.store.state.phase) == (gate, "setup")
    state = await begin.again("", answers=tuple(answers.values()))
    assert (state.phase, state.mode, state.edits_before) == ("plan_ready", "multi", ("mine.py",))
    assert state.model_config == ModelConfig("economy", "haiku", "sonnet", "sonnet")
    assert state.branch == "harness/add-a-login"


async def test_what_was_said_first_still_counts_after_a_kill(begin: Beginning) -> None:
    with pytest.raises(Waiting):
        await begin(mode="multi", scopes=("src/",), verifier_model="opus", max_rounds="5", test_cmd="make test")
    state = await begin.again("", answers=("model=default",))
    assert (state.mode, state.scopes, state.max_rounds, state.test_cmd) == ("multi", ("src/",), 5, "make test")
    assert state.model_config == ModelConfig(verifier="opus")


async def test_somebody_may_stop_at_a_dirty_tree_and_nothing_has_changed(begin: Beginning, repository: Path) -> None:
    (repository / "README.md").write_text("mine\n")
    with pytest.raises(Stopped):
        await begin(**ASKED_NOTHING, answers=("dirty=stop",))
    assert git(repository, "branch", "--list", "harness/*") == ""
    assert (repository / "README.md").read_text() == "mine\n"


async def test_the_dirty_gate_names_what_is_not_committed(begin: Beginning, repository: Path) -> None:
    for number in range(7):
        (repository / f"{number}.py").write_text("x")
    with pytest.raises(Waiting) as waiting:
        await begin(**ASKED_NOTHING)
    assert "(7): 0.py, 1.py, 2.py, 3.py, 4.py, …." in waiting.value.question.text


@pytest.mark.usefixtures("presets")
async def test_settings_answer_mode_and_model_beforehand(begin: Beginning) -> None:
    state = await begin()
    assert (state.mode, state.model_config) == ("multi", ModelConfig("economy", "haiku", "sonnet", "sonnet"))


@pytest.mark.usefixtures("presets")
async def test_an_answer_of_this_call_wins_over_the_settings(begin: Beginning) -> None:
    state = await begin(answers=("mode=single", "model=default"))
    assert (state.mode, state.model_config) == ("single", ModelConfig())


async def test_a_wrong_model_at_its_gate_is_told_and_asked_again_at_most_three_times(
    begin: Beginning, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["executor:nobody"] * 4)
    monkeypatch.setattr(GivenAnswers, "take", lambda _, question: _answer(question, answers))
    begin.store.create(await first_state(begin.typed.live, options_of([TASK], {"mode": "single"})))
    state = await begin.again(mode="single")
    assert state.model_config == ModelConfig("balanced", "sonnet", "opus", "opus")
    assert sum("nobody" in line for line in begin.said) == 4


def _answer(question: Any, answers: Any) -> Any:
    from onbook.workflow.gates import Answer

    return Answer(next(answers)) if question.gate == "model" else None


async def test_a_task_in_korean_is_spoken_to_in_korean(begin: Beginning) -> None:
    state = await begin("설정 페이지에 다크 모드를 추가해줘", **ASKED_NOTHING)
    assert (state.user_lang, state.branch) == ("ko", f"harness/{state.slug}")


async def test_a_folder_of_somebody_else_gets_a_number(begin: Beginning, repository: Path) -> None:
    (repository / PLACE).mkdir(parents=True)
    (repository / PLACE / "notes.txt").write_text("mine")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Notes")
    state = await begin(**ASKED_NOTHING)
    assert (state.slug, state.docs_path) == ("add-a-login-2", "docs/harness/add-a-login-2/")


async def test_a_folder_of_an_earlier_task_with_the_same_name_gets_a_number(begin: Beginning) -> None:
    await begin(**ASKED_NOTHING)
    begin.store.discard()
    goes_on = ASKED_NOTHING | {"answers": ("dirty=continue",)}
    assert (await begin("Add a login!", **goes_on)).docs_path == "docs/harness/add-a-login-2/"
    begin.store.discard()
    assert (await begin(**goes_on)).docs_path == PLACE


async def test_what_spec_left_behind_is_taken_over_and_is_no_edit_of_yours(begin: Beginning, repository: Path) -> None:
    (repository / PLACE).mkdir(parents=True)
    for name in ("spec.md", "qa_notes.md", "critic_findings.md", "conventions.md"):
        (repository / PLACE / name).write_text(name)
    state = await begin(**ASKED_NOTHING)
    assert (state.docs_path, state.edits_before) == (PLACE, ())
    assert state.manifest == (f"{PLACE}.workflow",), "only what we made may ever be deleted"
    assert not is_spec_given(state)


async def test_a_given_spec_goes_to_its_gate_without_planning(begin: Beginning, repository: Path) -> None:
    folder = repository / "specs" / "login"
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("# Login with a password\n\nThere is a form.\n")
    state = await begin("", **ASKED_NOTHING, from_spec="specs/login")
    assert (state.task, state.slug, state.docs_path) == ("Login with a password", "login", "specs/login/")
    await conventions(begin.work)
    assert (begin.work.state.phase, state.manifest) == ("plan_done", ("specs/login/.workflow",))


async def test_a_given_spec_is_still_given_after_a_kill(begin: Beginning, repository: Path) -> None:
    folder = repository / "specs" / "login"
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("# Login\n")
    with pytest.raises(Waiting):
        await begin("", from_spec="specs/login")
    state = await begin.again("", **ASKED_NOTHING)
    assert (state.phase, is_spec_given(state), state.docs_path) == ("plan_ready", True, "specs/login/")


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({}, "--from-spec: specs/x/spec.md is missing or empty"),
        ({"spec.md": " \n"}, "--from-spec: specs/x/spec.md is missing or empty"),
        ({"spec.md": "# A", "changes.md": "x"}, "--from-spec: specs/x/changes.md is there already"),
    ],
)
async def test_a_folder_that_holds_no_finished_spec_is_refused(
    begin: Beginning, repository: Path, files: dict[str, str], complaint: str
) -> None:
    (repository / "specs" / "x").mkdir(parents=True)
    for name, text in files.items():
        (repository / "specs" / "x" / name).write_text(text)
    with pytest.raises(UsageError) as refused:
        await begin("", from_spec="specs/x")
    assert str(refused.value).startswith(complaint)


async def test_without_git_there_is_a_snapshot_and_no_branch(typed: Typed, workspace: Path) -> None:
    (workspace / "mine.py").write_text("x")
    with Store.open(workspace) as store:
        begin = Beginning(typed, store)
        state = await begin(**ASKED_NOTHING)
    assert (state.has_git, state.branch, state.base_commit) == (False, "", None)
    assert "Branch" not in begin.said[-1]
    assert "mine.py" in (workspace / ".harness" / "snapshot.json").read_text()


async def test_every_git_command_passes_the_door(begin: Beginning, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = Door.run

    async def seen(door: Door, effect: Any, **how: Any) -> Any:
        asked.append(how["by"])
        return await run(door, effect, **how)

    monkeypatch.setattr(Door, "run", seen)
    await begin(**ASKED_NOTHING)
    assert asked
    assert set(asked) == {"user"}
    assert await Repository(begin.typed.live.door).current_branch() == "harness/add-a-login"


@pytest.mark.parametrize("write", range(1, 4))
async def test_a_kill_after_any_write_ends_in_the_same_state(
    begin: Beginning, repository: Path, monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    (repository / "mine.py").write_text("x")
    given: dict[str, Any] = ASKED_NOTHING | {"answers": ("dirty=continue",), "scopes": ("src/",)}
    left = iter(range(write - 1, -1, -1))
    whole = Store.write

    def cut_off(store: Store, state: State) -> None:
        whole(store, state)
        if next(left) == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "write", cut_off)
    with pytest.raises(KeyboardInterrupt):
        await begin(**given)
    monkeypatch.setattr(Store, "write", whole)
    state = await begin.again("", answers=("dirty=continue",))
    assert (state.phase, state.docs_path, state.branch) == ("plan_ready", PLACE, "harness/add-a-login")
    assert (state.edits_before, state.scopes, state.mode) == (("mine.py",), ("src/",), "single")
    assert git(repository, "branch", "--list", "harness/*").split() == ["*", "harness/add-a-login"]
    assert [path.name for path in (repository / "docs/harness").iterdir()] == ["add-a-login"]
