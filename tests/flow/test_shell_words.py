"""Which words of a command may name files, and what hangs on it: what runs again, what is asked about again."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.flow.self_starting import ask_to_start
from onbook.flow.shell_words import words_named, words_read
from onbook.flow.steps import Flow, Once, Script
from onbook.policy.door import Denied
from tests.conftest import CommandLine, write_script
from tests.flow.conftest import Theatre, sh


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("./a.sh; ./b.sh", {"./a.sh", "./b.sh"}),
        ("./a.sh|./b.sh&&(c.sh)", {"./a.sh", "./b.sh", "c.sh"}),
        ("python3 'a b.py' --rules=c.txt", {"python3", "a b.py", "c.txt"}),
        ("echo it's", {"echo", "it's"}),
        ("echo $(./a.sh) `./b.sh`", {"./a.sh", "./b.sh"}),
        ("""ssh-agent bash -c 'sh -c "./a.sh | sort"'""", {"bash", "./a.sh"}),
    ],
)
def test_operators_end_a_word_and_quotes_keep_it_whole(line: str, words: set[str]) -> None:
    assert words <= set(words_named([line]))


@pytest.mark.parametrize("line", ["./a.sh >> log", "./a.sh>log", "./a.sh 2> log", "./a.sh >| log", "./a.sh &> log"])
def test_what_is_written_to_is_not_read(line: str) -> None:
    assert "./a.sh" in words_read([line])
    assert "log" not in words_read([line])


@pytest.mark.parametrize("line", ["./a.sh >> log", "bash -c './a.sh > log'"])
def test_what_is_written_to_is_asked_about(line: str) -> None:
    assert "log" in words_named([line])


def test_what_is_written_and_then_read_is_read() -> None:
    assert "b.sh" in words_read(["./a.sh > b.sh; sh b.sh"])


@given(st.text())
def test_any_line_has_words(line: str) -> None:
    assert set(words_read([line])) <= set(words_named([line]))


@pytest.fixture
def failed(run: CommandLine, workspace: Path) -> Path:
    """A run that failed after a line of shell that starts a script and writes to a file."""
    first = '[[pipelines.steps]]\nname = "first"\ncommand = "./a.sh; echo ran >> log"\nshell = true\n'
    second = '[[pipelines.steps]]\nname = "second"\ncommand = "./b.sh"\n'
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "lines"\n{first}{second}')
    script(workspace, "a.sh", "echo a")
    script(workspace, "b.sh", "exit 1")
    assert run("script", "run", "lines").code == 1
    script(workspace, "b.sh", "cat")
    return workspace


def script(workspace: Path, name: str, line: str) -> None:
    write_script(workspace / name, line)


def test_a_step_does_not_run_again_because_of_what_it_wrote(run: CommandLine, failed: Path) -> None:
    assert run("runs", "resume").stdout == "a\n"
    assert (failed / "log").read_text() == "ran\n"


def test_a_step_runs_again_when_a_script_before_an_operator_has_changed(run: CommandLine, failed: Path) -> None:
    script(failed, "a.sh", "echo other")
    assert run("runs", "resume").stdout == "other\n"


@pytest.mark.parametrize("step", [sh("./a.sh; cat"), Once("step", Script(("bash", "-c", "./a.sh | sort")))])
async def test_what_starts_by_itself_is_asked_about_again_when_such_a_script_has_changed(
    theatre: Theatre, step: Once
) -> None:
    flow = Flow("play", "pipeline", (step,))
    for line in ("echo a", "echo other"):
        script(theatre.root, "a.sh", line)
        with pytest.raises(Denied):
            await ask_to_start(flow, theatre.door)
    lines = (theatre.root / ".onbook" / "audit" / "audit.jsonl").read_text().splitlines()
    first, second = (json.loads(line)["effect"]["fingerprint"] for line in lines)
    assert first != second
