"""What a program that the user allowed can still not do for a model."""

import json

import pytest

from onbook.policy.sandbox import sandbox_state
from tests.conftest import CommandLine
from tests.e2e.conftest import PYTHON, SECRET, Project

KEY = "sk-ant-api03-" + "a1B2" * 20
ALLOW = ("--allow", "write", "--allow", "delete", "--allow", "run", "--allow", "connect")


def ran(program: str) -> tuple[tuple[str, dict[str, str]], ...]:
    """A round in which the model runs a line of Python."""
    return (("run_command", {"command": f"{PYTHON.name} -c {json.dumps(program)}"}),)


def test_keys_of_the_environment_do_not_reach_programs(run: CommandLine, project: Project) -> None:
    project.script(ran("import os; print(sorted(os.environ))"), answer="No keys here.")
    run("ask", "look around", PATH=project.search_path, ANTHROPIC_API_KEY=KEY, MY_SERVICE_TOKEN="very-private")
    assert "PATH" in project.told[0]
    assert "ANTHROPIC_API_KEY" not in project.told[0]
    assert "MY_SERVICE_TOKEN" not in project.told[0]


def test_a_key_that_a_program_prints_is_redacted_everywhere(run: CommandLine, project: Project) -> None:
    (project.root / "notes.txt").write_text(f"the key is {KEY}\n")
    project.script(
        (("read_file", {"path": "notes.txt"}),), ran("print(open('notes.txt').read())"), answer=f"It is {KEY}."
    )
    finished = run("ask", "--json", "what is the key?", PATH=project.search_path)
    assert finished.code == 0
    assert all("the key is [redacted]" in told for told in project.told)
    everything = [finished.stdout, finished.stderr, *(request.conversation for request in project.chats)]
    everything += [path.read_text(errors="replace") for path in (project.root / ".onbook").rglob("*") if path.is_file()]
    assert not any(KEY in text for text in everything)


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", ".git/config", ".onbook/memory.jsonl", ".onbook/audit/audit.jsonl", ".GIT/config"]
)
def test_records_and_hooks_are_refused_whatever_is_allowed(run: CommandLine, project: Project, path: str) -> None:
    project.script((("write_file", {"path": path, "content": "mine"}),), answer="No.")
    run("ask", *ALLOW, "write it", PATH=project.search_path)
    assert project.told[0].startswith(f"error: refused to write {path}")
    assert project.audit.verify().whole


@pytest.mark.skipif(not sandbox_state("auto").active, reason="bubblewrap does not work here")
class TestSandbox:
    @pytest.mark.parametrize("spelt", ["../outside", "~/.ssh/id_ed25519"])
    def test_a_program_sees_nothing_of_what_lies_outside(self, run: CommandLine, project: Project, spelt: str) -> None:
        program = f"import os; print(open(os.path.expanduser('{spelt[::-1]}'[::-1])).read())"  # past the door's eyes
        project.script(ran(program), answer="No.")
        run("ask", *ALLOW, "read it", PATH=project.search_path)
        assert "No such file" in project.told[0]
        assert SECRET not in project.told[0]

    def test_a_program_cannot_change_the_records(self, run: CommandLine, project: Project) -> None:
        project.script(ran("open('.onbook/audit/audit.jsonl', 'w').write('nothing happened')"), answer="No.")
        run("ask", *ALLOW, "clean up", PATH=project.search_path)
        assert "Read-only file system" in project.told[0]
        assert project.audit.verify().whole

    def test_a_program_cannot_plant_a_hook_where_there_is_no_folder_for_it(
        self, run: CommandLine, project: Project
    ) -> None:
        program = "import os; os.makedirs('.git/hooks', exist_ok=True); open('.git/hooks/pre-commit', 'w')"
        project.script(ran(program), answer="No.")
        run("ask", *ALLOW, "plant it", PATH=project.search_path)
        assert "Read-only file system" in project.told[0]
        assert list((project.root / ".git").rglob("pre-commit")) == []

    def test_a_program_reaches_no_host(self, run: CommandLine, project: Project) -> None:
        port = int(project.server.url.rpartition(":")[2])
        project.script(ran(f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)"), answer="No.")
        run("ask", *ALLOW, "call home", PATH=project.search_path)
        assert "exit code 1" in project.told[0]
        assert "Error" in project.told[0]
