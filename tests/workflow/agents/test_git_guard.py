"""An agent that is somebody else's program may write anything, but not what git will run for us."""

from pathlib import Path

import pytest

from onbook.outcome import Outcome
from onbook.workflow.files.git_guard import GitGuard
from onbook.workspace.errors import WorkspaceError
from tests.conftest import write_script
from tests.workflow.files.test_repository import of
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import DOCS, TASK, Whole
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


async def test_a_repository_made_nearer_than_one_s_own_is_refused(repository: Path) -> None:
    """git would take that one, with the hooks that are in it."""
    inner = repository / "app"
    inner.mkdir()
    places = await of(inner).places()
    assert places is not None
    with pytest.raises(WorkspaceError, match=r"app/\.git makes this another git repository"):
        async with GitGuard().watching(places):
            git(inner, "init", "-q")


async def test_programs_at_the_same_time_share_what_was_there_before(repository: Path) -> None:
    config = repository / ".git" / "config"
    before = config.read_text()
    places = await of(repository).places()
    assert places is not None
    guard = GitGuard()
    async with guard.watching(places):
        config.write_text("[core]\n")
        async with guard.watching(places) as changed:
            pass
        assert changed == [config]
        assert config.read_text() == before
