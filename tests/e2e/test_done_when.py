"""The session's promise: a model reads, edits, runs the tests and sees them pass, each effect on record; and what it
must not touch it cannot, whoever runs it and wherever."""

import pytest

from tests.conftest import CommandLine
from tests.e2e.conftest import ANSWER, SECRET, TESTS, Project
from tests.terminal.conftest import See

MEND = (
    (("read_file", {"path": "sums.py"}),),
    (("run_command", {"command": TESTS}),),
    (("edit_file", {"path": "sums.py", "old": "a - b", "new": "a + b"}),),
    (("run_command", {"command": TESTS}),),
)
"""Read, see the test fail, edit, see it pass."""

FORBIDDEN = (
    ("read_file", {"path": "../outside"}),
    ("read_file", {"path": "~/.ssh/id_ed25519"}),
    ("read_file", {"path": "link"}),
    ("read_file", {"path": "/etc/passwd"}),
    ("read_file", {"path": ".env"}),
    ("list_files", {"path": "~/.ssh"}),
    ("search_files", {"pattern": "nobody", "path": ".."}),
    ("write_file", {"path": "../outside", "content": "mine"}),
    ("edit_file", {"path": "../outside", "old": "nobody", "new": "anybody"}),
    ("run_command", {"command": "cat ../outside"}),
    ("run_command", {"command": "cat ~/.ssh/id_ed25519"}),
    ("run_command", {"command": "cat link"}),
    ("run_command", {"command": "sh -c 'cat ../outside'"}),
    ("git", {"args": "diff --no-index /dev/null ../outside"}),
)


def expect_mended(project: Project, answered: str) -> None:
    """The whole promise, whichever way it was kept. `answered` is the verdict on the edit."""
    assert (project.root / "sums.py").read_text() == "def add(a, b):\n    return a + b\n"
    read, failing, edited, passing = project.told
    assert "return a - b" in read
    assert "exit code 1" in failing
    assert "error" not in edited
    assert "exit code 0" in passing
    assert "OK" in passing
    decided = project.decided()
    assert ("read", "sums.py", "allow") in decided
    assert ("write", "sums.py", answered) in decided
    assert decided.count(("run", TESTS, "allow")) == 2
    assert project.audit.verify().whole
    used = project.turn.tools
    assert [use.call.partition("(")[0] for use in used] == ["read_file", "run_command", "edit_file", "run_command"]
    assert all(use.ok for use in used)
    assert "exit code 0" in (used[-1].result or "")
    assert project.turn.reply == ANSWER


def expect_refused(project: Project) -> None:
    """Everything forbidden was refused, logged and told; nothing of it got out."""
    assert len(project.told) == len(FORBIDDEN)
    for (name, arguments), told in zip(FORBIDDEN, project.told, strict=True):
        assert told.startswith("error: refused to"), f"{name} {arguments}: {told}"
    refused = {(kind, what) for kind, what, verdict in project.decided() if verdict == "deny"}
    assert {
        ("read", "../outside"),
        ("read", "~/.ssh/id_ed25519"),
        ("write", "../outside"),
        ("run", "cat ../outside"),
    } <= refused
    assert project.audit.verify().whole
    assert [use.ok for use in project.turn.tools] == [False] * len(FORBIDDEN)
    assert (project.root.parent / "outside").read_text() == SECRET
    assert not any(SECRET in request.conversation for request in project.chats)
    (transcript,) = (project.root / ".onbook" / "sessions").glob("*.fountain")
    assert SECRET not in transcript.read_text()


class TestAtATerminal:
    def test_a_model_mends_the_project_with_one_yes(self, see: See, project: Project) -> None:
        project.script(*MEND)
        terminal = see(PATH=project.search_path)
        terminal.ready()
        terminal.enter("make the tests pass")
        terminal.until("May the model write sums.py")
        assert (project.root / "sums.py").read_text().endswith("a - b\n"), "it was asked first"
        terminal.enter("o")
        terminal.until(ANSWER)
        terminal.ready()
        assert terminal.leave() == 0
        expect_mended(project, "once")

    def test_enter_means_no_and_the_model_is_told(self, see: See, project: Project) -> None:
        project.script(MEND[2], answer="Then not.")
        terminal = see(PATH=project.search_path)
        terminal.ready()
        terminal.enter("make the tests pass")
        terminal.until("May the model write sums.py")
        terminal.enter("")
        terminal.until("Then not.")
        assert terminal.leave() == 0
        assert (project.root / "sums.py").read_text().endswith("a - b\n")
        assert "a person said no" in project.told[0]
        assert project.decided()[-1] == ("write", "sums.py", "no")

    def test_what_lies_outside_is_refused_without_a_question(self, see: See, project: Project) -> None:
        project.script(FORBIDDEN, answer="I cannot reach it.")
        terminal = see(PATH=project.search_path)
        terminal.ready()
        terminal.enter("read the keys")
        terminal.until("I cannot reach it.")
        assert "May the model" not in terminal.all
        terminal.ready()
        assert terminal.leave() == 0
        expect_refused(project)

    def test_undo_takes_the_edit_back_and_audit_verifies(self, see: See, project: Project) -> None:
        project.script(MEND[2])
        terminal = see(PATH=project.search_path)
        terminal.ready()
        terminal.enter("make the tests pass")
        terminal.until("May the model write sums.py")
        terminal.enter("s")
        terminal.until(ANSWER)
        terminal.enter("/diff")
        terminal.until("+    return a + b")
        terminal.enter("/undo")
        terminal.until(lambda: (project.root / "sums.py").read_text().endswith("a - b\n"))
        terminal.ready()
        terminal.enter("/exit")
        assert terminal.end() == 0
        assert project.audit.verify().whole


class TestWithoutATerminal:
    def test_allow_lets_ask_mend_the_project(self, run: CommandLine, project: Project) -> None:
        project.script(*MEND)
        finished = run("ask", "--allow", "write", "make the tests pass", PATH=project.search_path)
        assert (finished.code, finished.stdout) == (0, f"{ANSWER}\n")
        expect_mended(project, "session")

    def test_without_allow_nothing_is_written_and_the_model_is_told(self, run: CommandLine, project: Project) -> None:
        project.script(MEND[2], answer="I may not.")
        finished = run("ask", "make the tests pass", PATH=project.search_path)
        assert (finished.code, finished.stdout) == (0, "I may not.\n")
        assert (project.root / "sums.py").read_text().endswith("a - b\n")
        assert "there is nobody to ask; --allow would permit it" in project.told[0]

    def test_a_piped_line_is_a_turn(self, run: CommandLine, project: Project) -> None:
        project.script(*MEND)
        finished = run("--allow", "write:sums.py", stdin="make the tests pass\n", PATH=project.search_path)
        assert (finished.code, finished.stdout) == (0, f"{ANSWER}\n")
        expect_mended(project, "session")

    @pytest.mark.parametrize("piped", [True, False])
    def test_what_lies_outside_is_refused_whatever_is_allowed(
        self, run: CommandLine, project: Project, *, piped: bool
    ) -> None:
        project.script(FORBIDDEN, answer="I cannot reach it.")
        allow = ("--allow", "write", "--allow", "read", "--allow", "run", "--allow", "delete", "--allow", "connect")
        if piped:
            finished = run(*allow, stdin="read the keys\n", PATH=project.search_path)
        else:
            finished = run("ask", *allow, "read the keys", PATH=project.search_path)
        assert (finished.code, finished.stdout) == (0, "I cannot reach it.\n")
        expect_refused(project)

    def test_the_events_tell_the_same_story(self, run: CommandLine, project: Project) -> None:
        project.script(*MEND)
        finished = run("ask", "--json", "--allow", "write", "make the tests pass", PATH=project.search_path)
        types = [event["type"] for event in finished.events]
        assert types.count("tool.called") == types.count("tool.finished") == 4
        assert [event["exit_code"] for event in finished.events if event["type"] == "process.finished"] == [1, 0]
        (last,) = [event for event in finished.events if event["type"] == "run.finished"]
        assert (last["outcome"], last["exit_code"]) == ("passed", 0)
