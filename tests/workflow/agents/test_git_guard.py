"""An agent that is somebody else's program may write anything, but not what git will run for us."""

from pathlib import Path

import pytest

from onbook.outcome import Outcome
from onbook.workflow.files.git_guard import GitGuard, put_back_remembered
from onbook.workflow.files.git_memory import GitMemory
from onbook.workspace.errors import WorkspaceError
from tests.conftest import CommandLine, write_script
from tests.workflow.cast import Cast
from tests.workflow.files.test_repository import of
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import ANSWERS, DOCS, TASK, Whole, play
from tests.workflow.whole import whole as whole

MAKES = f"cat >/dev/null; echo 'def add(a, b): return a + b' >calc.py; echo '- `calc.py`' >{DOCS}changes.md"
SAYS = "echo '1 file changed — by hand'"


@pytest.fixture
def program(repository: Path) -> Path:
    """The program that plays the generator; its settings are there before the session begins."""
    path = repository.parent / "bin" / "mine"
    (repository / "onbook.toml").write_text(f'[workflow.agents]\ngenerator = {{ command = "{path}" }}\n')
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Settings")
    return path


@pytest.fixture
def memory(repository: Path) -> GitMemory:
    return GitMemory(repository, repository.parent / "kept")


def hook(path: Path, word: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {word} >>../ran\n")
    path.chmod(0o755)


def ran(whole: Whole) -> str:
    found = whole.root.parent / "ran"
    return found.read_text() if found.exists() else ""


async def test_a_planted_hook_does_not_run_and_ones_own_does(program: Path, whole: Whole) -> None:
    hook(whole.root / ".git" / "hooks" / "pre-commit", "own")
    planted = "#!/bin/sh\\necho planted >>../ran\\n"
    write_script(
        program,
        f"{MAKES}\nfor name in pre-commit post-commit; do\n"
        f"printf '{planted}' >.git/hooks/$name; chmod +x .git/hooks/$name; done\n{SAYS}",
    )
    assert await whole(TASK) is Outcome.PASSED
    assert ran(whole) == "own\n"
    assert not (whole.root / ".git" / "hooks" / "post-commit").exists()
    assert "[harness] ⚠ generator: changed .git/hooks/pre-commit, which decides what git runs; it was put back" in (
        whole.said
    )


async def test_settings_of_git_are_as_they_were_before_git_runs_again(program: Path, whole: Whole) -> None:
    before = (whole.root / ".git" / "config").read_text()
    write_script(
        program,
        f"{MAKES}\ngit config filter.x.clean 'sh -c \"echo clean >>../ran; cat\"'\ngit config core.hooksPath ..\n"
        f"echo '* filter=x' >.git/info/attributes\nprintf '#!/bin/sh\\necho planted >>../ran\\n' >../pre-commit\n"
        f"chmod +x ../pre-commit\n{SAYS}",
    )
    assert await whole(TASK) is Outcome.PASSED
    assert ran(whole) == ""
    assert (whole.root / ".git" / "config").read_text() == before
    assert not (whole.root / ".git" / "info" / "attributes").exists()


async def test_a_folder_of_hooks_that_became_a_link_is_a_folder_again(program: Path, whole: Whole) -> None:
    hook(whole.root / ".git" / "hooks" / "pre-commit", "own")
    write_script(program, f"{MAKES}\nmv .git/hooks ../away; mkdir ../evil; ln -s ../../evil .git/hooks\n{SAYS}")
    assert await whole(TASK) is Outcome.PASSED
    assert not (whole.root / ".git" / "hooks").is_symlink()
    assert ran(whole) == "own\n"


async def test_hooks_among_the_project_s_files_do_not_run_when_the_workflow_has_changed_them(
    program: Path, whole: Whole
) -> None:
    git(whole.root, "config", "core.hooksPath", "hooks")
    write_script(
        program,
        f"{MAKES}\nmkdir hooks; printf '#!/bin/sh\\necho new >>../ran\\n' >hooks/pre-commit\n"
        f"chmod +x hooks/pre-commit\n{SAYS}",
    )
    assert await whole(TASK) is Outcome.PASSED
    assert ran(whole) == ""
    assert "hooks/pre-commit" in whole.committed
    assert any("hooks do not run with this commit" in line for line in whole.said)


async def test_a_repository_made_nearer_than_one_s_own_is_refused(repository: Path, memory: GitMemory) -> None:
    """git would take that one, with the hooks that are in it; so it is, by every later call, until it is gone."""
    inner = repository / "app"
    inner.mkdir()
    places = await of(inner).places()
    assert places is not None
    with pytest.raises(WorkspaceError, match=r"app/\.git makes this another git repository"):
        async with GitGuard(memory).watching(places):
            git(inner, "init", "-q")
    with pytest.raises(WorkspaceError, match=r"app/\.git makes this another git repository"):
        put_back_remembered(memory)


async def test_programs_at_the_same_time_share_what_was_there_before(repository: Path, memory: GitMemory) -> None:
    config = repository / ".git" / "config"
    before = config.read_text()
    places = await of(repository).places()
    assert places is not None
    guard = GitGuard(memory)
    async with guard.watching(places):
        config.write_text("[core]\n")
        async with guard.watching(places) as changed:
            pass
        assert changed == [config]
        assert config.read_text() == before


async def test_files_that_another_program_has_made_hooks_of_are_not_taken_away(
    repository: Path, memory: GitMemory
) -> None:
    letters = repository.parent / "letters"
    hook(letters / "to-ada", "dear")
    before = await of(repository).places()
    assert before is not None
    guard = GitGuard(memory)
    async with guard.watching(before):
        git(repository, "config", "core.hooksPath", str(letters))
        now = await of(repository).places()
        assert now is not None
        async with guard.watching(now):
            pass
    assert (letters / "to-ada").exists()
    assert await of(repository).places() == before


def test_a_program_that_plants_a_hook_and_kills_onbook_has_planted_nothing(
    program: Path, repository: Path, run: CommandLine, cast: Cast
) -> None:
    play(cast, DOCS)
    git(repository, "config", "user.name", "Ada")
    git(repository, "config", "user.email", "ada@example.org")
    hook(repository / ".git" / "hooks" / "pre-commit", "own")
    planted = "#!/bin/sh\necho planted >>../ran\n"
    write_script(
        program,
        f"if [ -e ../again ]; then {MAKES}; {SAYS}; exit; fi\ntouch ../again\n"
        f"printf '{planted.encode('unicode_escape').decode()}' >.git/hooks/pre-commit\n"
        f"git config core.hooksPath ..\nkill -9 $PPID",
    )
    answers = [f"--answer={gate}={choice}" for gate, choice in ANSWERS.items()]
    assert run("workflow", TASK, "--trust", "--test-cmd=true", *answers).code == -9
    assert git(repository, "config", "core.hooksPath").strip() == ".."

    done = run("workflow", "resume", *answers)
    assert (done.code, (repository.parent / "ran").read_text()) == (0, "own\n"), done.stderr
    assert done.stderr.count("it decides what git runs, and was put back") == 2
    told = "onbook: .git/hooks/pre-commit was changed while a program worked here and was killed"
    (line,) = (line for line in done.stderr.splitlines() if line.startswith(told))
    assert Path(line.rpartition("; what was there is kept in ")[2]).read_text() == planted
    assert "was killed" not in run("workflow", "clean").stderr


async def test_hooks_that_were_moved_away_and_linked_to_are_all_there_again(
    repository: Path, memory: GitMemory
) -> None:
    """Through the link each of them looks as it did."""
    hooks = repository / ".git" / "hooks"
    hook(hooks / "pre-commit", "own")
    before = sorted(path.name for path in hooks.iterdir())
    places = await of(repository).places()
    assert places is not None
    async with GitGuard(memory).watching(places):
        hooks.rename(repository.parent / "away")
        hooks.symlink_to(repository.parent / "away")
    assert not hooks.is_symlink()
    assert sorted(path.name for path in hooks.iterdir()) == before


async def test_when_no_program_has_changed_anything_nothing_is_remembered(repository: Path, memory: GitMemory) -> None:
    places = await of(repository).places()
    assert places is not None
    async with GitGuard(memory).watching(places):
        assert memory.path.stat().st_mode & 0o777 == 0o600
    assert memory.recall() is None


@pytest.mark.parametrize("content", [b"", b"\xc1", b"{}", b"\x82\xa6places\x01\xa6before\x02"])
def test_a_memory_that_cannot_be_read_puts_nothing_back(memory: GitMemory, content: bytes) -> None:
    memory.path.parent.mkdir(parents=True)
    memory.path.write_bytes(content)
    assert put_back_remembered(memory) == {}
