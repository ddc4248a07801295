"""What outlives a session, and what a skill adds to one: real processes, one after the other."""

from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.e2e.conftest import Project
from tests.terminal.conftest import See


@pytest.fixture
def skill(project: Project) -> Path:
    """A skill that came with the workspace: about tests, and content with reading."""
    path = project.root / ".claude" / "skills" / "testing" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        "---\nname: testing\ndescription: How tests are written here.\n"
        "trigger: tests\nallowed-tools: Read\n---\nWrite the test first.\n"
    )
    return path


def test_a_fact_is_there_in_the_next_session(run: CommandLine, project: Project) -> None:
    run(stdin="/memory add the tests are run with unittest\n")
    finished = run("ask", "hello")
    assert "onbook: remembered: 1  the tests are run with unittest (ada, 20" in finished.stderr
    assert "- the tests are run with unittest (ada, 20" in project.chats[-1].conversation


def test_at_a_terminal_memory_is_shown_and_a_skill_goes_with_what_was_typed(
    see: See, run: CommandLine, project: Project, skill: Path
) -> None:
    run(stdin="/memory add the tests are run with unittest\n")
    project.script((("write_file", {"path": "sums.py", "content": ""}),), answer="I only read.")
    terminal = see(PATH=project.search_path)
    terminal.until("remembered: 1  the tests are run with unittest (ada, 20")
    terminal.ready()
    terminal.enter("mend the tests")
    terminal.until("I only read.")
    assert "skill testing fits and goes with this message" in terminal.all
    assert terminal.leave() == 0
    assert "Write the test first." in project.chats[0].said
    assert "there is no tool write_file" in project.told[0]


def test_a_skill_is_not_set_off_by_what_was_piped_in(run: CommandLine, project: Project, skill: Path) -> None:
    run("ask", "sum this up", stdin="a text about tests\n")
    assert "Write the test first." not in project.chats[-1].conversation
    run("ask", "sum up the tests", stdin="a text\n")
    assert "Write the test first." in project.chats[-1].conversation
