"""What a newcomer tries first: --version, --help, help, doctor, the Tab key."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pexpect
import pytest

from onbook import __version__
from onbook.cli.app import COMMANDS, onbook
from tests.conftest import DEAD, CommandLine, Terminal
from tests.scripted import ScriptedServer

SOURCE = Path(__file__).parent.parent.parent / "src"


def test_version_is_answered_before_anything_is_imported() -> None:
    code = (
        "import sys; sys.argv[1:] = ['--version']\nfrom onbook.__main__ import main\nassert main() == 0\n"
        "print(*{'click', 'msgspec', 'asyncio', 'httpx2', 'pathlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", _found(code)], capture_output=True, text=True, check=True)
    assert done.stdout == f"onbook {__version__}\n\n"


@pytest.mark.parametrize("redirection", ["> /dev/full", ">&-"])
def test_a_version_that_cannot_be_written_leaves_no_traceback(run: CommandLine, redirection: str) -> None:
    done = run.shell(f"$onbook --version {redirection}")
    if redirection == ">&-":
        assert (done.code, done.stderr) == (0, "")
    else:
        assert (done.code, done.complaint) == (1, "standard output: No space left on device")


def test_help_imports_no_command() -> None:
    code = (
        "import sys; sys.argv[1:] = ['--help']\nfrom onbook.__main__ import main\nmain()\n"
        "print(*{'msgspec', 'asyncio', 'httpx2', 'onbook.cli.ask'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n\n")
    assert all(f"  {name} " in done.stdout for name in COMMANDS)


def test_help_has_the_pages_and_the_commands(run: CommandLine) -> None:
    topics = run("help").stdout
    assert " events" in topics
    assert run("help", "events").stdout.startswith("# Events\n")
    assert run("help", "route", "add").stdout.startswith("Usage: onbook route add ")
    unknown = run("help", "evnts")
    assert unknown.code == 2
    assert unknown.complaint == 'no topic "evnts"; did you mean events? `onbook help` lists them'


def test_a_topic_may_be_written_as_a_link_has_it_or_in_words(run: CommandLine) -> None:
    page = run("help", "workflow-agents").stdout
    assert page.startswith("# The agents of a workflow\n")
    assert run("help", "workflow-agents.md#templates").stdout == page
    assert run("help", "Workflow", "agents").stdout == page


def test_onbook_itself_is_a_topic(run: CommandLine) -> None:
    assert run("help", "onbook").stdout == run("--help").stdout
    assert run("help", "onbook", "route", "add").stdout == run("help", "route", "add").stdout


def test_pages_beside_the_manual_are_topics_too(run: CommandLine) -> None:
    assert run("help", "contributing").stdout.startswith("# Working on onbook\n")
    assert run("help", "changelog").stdout.startswith("# Changelog\n")


def test_a_page_is_drawn_to_fit_a_terminal(terminal: Terminal) -> None:
    child = terminal("help", "settings-reference")
    child.expect(pexpect.EOF)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", child.before).splitlines()
    assert max(map(len, lines)) <= 100
    assert any("safe_mode" in line and "|" not in line for line in lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_help_that_the_list_promises(name: str) -> None:
    command = onbook.get_command(click.Context(onbook), name)
    assert command is not None
    assert command.get_help(click.Context(command, info_name=name)).startswith(f"Usage: {name} ")
    assert command.help


def test_doctor_finds_nothing_wrong_where_a_model_answers(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    done = run("doctor")
    assert (done.code, done.stderr) == (0, "")
    assert "✓ route scripted: answers, 1 model" in done.stdout
    assert "✓ model: llama3:latest would answer (onbook.toml)" in done.stdout
    assert "– weights: smollm2 is not pulled; onbook model pull smollm2" in done.stdout
    assert not (workspace / ".onbook").exists()


def test_doctor_says_how_to_fix_what_is_wrong(run: CommandLine, workspace: Path) -> None:
    run.route("dead", f"http://{DEAD}/v1")
    (workspace / ".onbook").write_text("in the way")
    done = run("doctor", "--json")
    found = {finding["what"]: finding for finding in done.events}
    assert done.code == 1
    assert {"python", "system", "extra local", "extra cloud", "git", "sandbox", "terminal", "trust"} <= found.keys()
    assert found["route dead"]["state"] == "problem"
    assert found["route dead"]["fix"] == "is the server running? onbook route rm dead removes it"
    assert found["workspace"]["state"] == "problem"
    assert found["model"]["state"] == "problem"
    assert found["model"]["fix"] == found["route dead"]["fix"]


def test_doctor_says_two_ways_to_get_a_model(run: CommandLine) -> None:
    model = _found_by_doctor(run)["model"]
    assert (model["state"], model["detail"]) == ("problem", "there is none to ask")
    assert "onbook model pull smollm2" in model["fix"]
    assert "onbook route add NAME URL" in model["fix"]


def test_doctor_names_the_variable_of_a_missing_key(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.route("keyed", scripted_model.openai_url, key_env="MY_KEY")
    assert _found_by_doctor(run)["route keyed"]["fix"] == "export MY_KEY=…"


def test_doctor_looks_at_everything_else_when_the_settings_are_broken(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "onbook.toml").write_text("broken")
    found = _found_by_doctor(run)
    assert found["settings"]["state"] == "problem"
    assert found["settings"]["detail"].startswith(f"{workspace}/onbook.toml:1: not valid TOML")
    assert found["route scripted"]["state"] == found["model"]["state"] == "good"
    assert {"git", "sandbox", "terminal", "trust"} <= found.keys()
    assert run("doctor").code == 1


def _found_by_doctor(run: CommandLine) -> dict[str, dict[str, str]]:
    return {finding["what"]: finding for finding in run("doctor", "--json").events}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed(run: CommandLine, shell: str) -> None:
    assert f"_ONBOOK_COMPLETE={shell}_complete" in run("completion", shell).stdout


def completed(run: CommandLine, words: str) -> list[str]:
    """What bash would offer after these words."""
    done = run(_ONBOOK_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_tab_completes_commands_options_models_and_sessions(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("hello", "hi"))
    assert completed(run, "onbook ") == sorted(COMMANDS)
    assert completed(run, "onbook route a") == ["add"]
    assert "--attach" in completed(run, "onbook ask --a")
    assert completed(run, "onbook ask -m s") == ["scripted", "smollm2"]
    assert completed(run, "onbook --continue 2") == [run.transcripts[0].stem]
    assert completed(run, "onbook ask --session 2") == [run.transcripts[0].stem]
    assert completed(run, "onbook route rm ") == ["scripted"]
    assert completed(run, "onbook route probe s") == ["scripted"]
    assert completed(run, "onbook help ev") == ["events"]
    assert completed(run, "onbook help route a") == ["add"]
    assert completed(run, "onbook help /mod") == ["/model"]
    assert completed(run, "onbook help /session s") == ["show"]


def test_tab_stays_silent_when_something_is_broken(run: CommandLine, workspace: Path) -> None:
    (workspace / "onbook.toml").write_text("broken")
    assert completed(run, "onbook ask -m ") == ["smollm2"]
    assert completed(run, "onbook show ") == []


@pytest.mark.parametrize(("shell", "at", "expected"), [("zsh", "2", "plain\nadd\n"), ("fish", "a", "plain,add\t")])
def test_tab_works_in_other_shells(run: CommandLine, shell: str, at: str, expected: str) -> None:
    done = run(_ONBOOK_COMPLETE=f"{shell}_complete", COMP_WORDS="onbook route a", COMP_CWORD=at)
    assert done.stdout.startswith(expected), done


def test_bash_itself_completes(run: CommandLine) -> None:
    done = run.shell(
        'onbook() { command $onbook "$@"; }; eval "$($onbook completion bash)"\n'
        'export COMP_WORDS COMP_CWORD; COMP_WORDS=(onbook tru) COMP_CWORD=1; PATH="$SHIM:$PATH"\n'
        '_onbook_completion onbook; echo "${COMPREPLY[@]}"',
        SHIM=str(_shim(run)),
    )
    assert done.stdout == "trust\n", done


def _shim(run: CommandLine) -> Path:
    """A folder with `onbook` in it, as an installation has."""
    folder = run.workspace.parent / "bin"
    folder.mkdir()
    script = folder / "onbook"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m onbook "$@"\n')
    script.chmod(0o755)
    return folder


def _found(code: str) -> str:
    """The code, with this onbook importable though site is not loaded."""
    return f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{code}"
