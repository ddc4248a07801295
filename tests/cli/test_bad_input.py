"""What bad input gets: one line that says what, where and how to fix it, the right exit code, nothing half-written."""

from pathlib import Path

import pytest

from tests.conftest import DEAD, CommandLine
from tests.scripted import Fault, Garbage, Reply, ScriptedServer, known_errors


def test_an_unknown_model_gets_a_suggestion(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    done = run("ask", "-m", "llama3:lates", "hello")
    assert (done.code, done.stdout) == (2, "")
    assert done.complaint == (
        'model "llama3:lates" did not resolve to a route or a known model; did you mean llama3:latest?'
        "; `onbook model list` shows what there is"
    )
    assert not (workspace / ".onbook").exists()


def test_what_was_typed_in_two_lines_is_complained_about_in_one(run: CommandLine) -> None:
    done = run("ask", "--budget", "token=3\nonbook: all is well", "hello")
    assert done.code == 2
    assert done.complaint.startswith("--budget token=3 onbook: all is well: token is no limit; write as in ")


def test_a_dead_route_is_said_and_recorded(run: CommandLine) -> None:
    run.route("dead", f"http://{DEAD}/v1", model="m")
    done = run("ask", "-m", "dead", "hello")
    assert (done.code, done.stdout) == (5, "")
    assert f"onbook: dead: unreachable: cannot reach http://{DEAD}/v1: " in done.stderr
    assert (run.turns()[0].outcome, run.turns()[0].reply) == ("model_failed", "")


def test_no_model_at_all_gets_the_ways_to_one(run: CommandLine, workspace: Path) -> None:
    done = run("ask", "hello")
    assert (done.code, done.stdout) == (5, "")
    assert "`onbook model pull smollm2`" in done.complaint
    assert "`onbook route add NAME URL`" in done.complaint
    assert not (workspace / ".onbook").exists()


def test_missing_weights_get_the_command_that_fetches_them(run: CommandLine) -> None:
    done = run("ask", "-m", "smollm2", "hello")
    assert done.code == 5
    assert any("onbook model pull smollm2" in line for line in done.stderr.splitlines())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("model = ", ":1: not valid TOML: invalid value (at the end of the file)"),
        ('\n\nmodl = "x"\n', ":3: modl: unknown key; did you mean model?"),
        ('[[routes]]\nname = "x"\nurl = "ftp://h"\n', ":3: routes[0].url: unknown scheme ftp://; write one of "),
    ],
)
def test_bad_settings_are_named_with_file_and_line(
    run: CommandLine, workspace: Path, content: str, complaint: str
) -> None:
    (workspace / "onbook.toml").write_text(content)
    for command in (("ask", "hello"), ("config", "check")):
        done = run(*command)
        assert (done.code, done.stdout) == (2, "")
        assert done.complaint.startswith(f"{workspace}/onbook.toml{complaint}")


def test_a_bad_url_scheme_changes_nothing(run: CommandLine, user_settings: Path) -> None:
    done = run("route", "add", "x", "ftp://host")
    assert done.code == 2
    assert done.complaint.startswith("url: unknown scheme ftp://; write one of ollama:// ")
    assert not user_settings.exists()


@pytest.mark.parametrize(("url", "warned"), [("http://h:9", True), ("https://h/", True), ("http://h/v1", False)])
def test_a_url_without_a_path_is_taken_with_a_warning(run: CommandLine, url: str, warned: bool) -> None:  # noqa: FBT001
    done = run("route", "add", "x", url)
    assert done.code == 0
    assert ("OpenAI-compatible URLs usually end in /v1, as in " in done.stderr) == warned


def test_a_bad_context_window_is_named_by_its_option(run: CommandLine) -> None:
    done = run("route", "add", "x", "http://h/v1", "--context", "-4")
    assert done.code == 2
    assert done.complaint.startswith("invalid value for '--context': -4 is not 1 or more")


@pytest.mark.parametrize("place", ["/proc/self", "a file in the way"])
def test_a_workspace_that_cannot_be_written_is_said_before_anything_is_asked(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path, place: str
) -> None:
    if place == "a file in the way":
        (workspace / ".onbook").write_text("")
        place = str(workspace)
    done = run("ask", "--workspace", place, "hello")
    assert (done.code, done.stdout) == (1, "")
    assert "cannot write to " in done.stderr
    assert "; choose another folder with --workspace; give --no-record to go on without a transcript" in done.stderr
    assert "Traceback" not in done.stderr
    assert not scripted_model.chats
    assert run("ask", "--workspace", place, "--no-record", "hello").code == 0


@pytest.mark.usefixtures("scripted_model")
@pytest.mark.parametrize("words", [("pipeline", "90%", "a.md"), ("workflow", "a task")])
def test_no_record_is_advised_only_where_it_helps(run: CommandLine, workspace: Path, words: tuple[str, ...]) -> None:
    (workspace / "a.md").write_text("Say hello.")
    (workspace / ".onbook").write_text("")
    assert "--no-record" not in run(*words).stderr
    assert run(*words[:1], "--no-record", *words[1:]).code != 0


def test_a_workspace_that_is_not_there_is_a_usage_error(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("ask", "--workspace", "nowhere", "hello")
    assert (done.code, done.complaint) == (2, "workspace nowhere does not exist")


def test_a_current_folder_that_is_gone_is_a_usage_error(run: CommandLine) -> None:
    done = run.shell("mkdir gone && cd gone && rmdir ../gone && $onbook ask hello")
    assert (done.code, done.complaint) == (2, "the current folder is gone; change to another one")


def test_a_corrupt_transcript_is_named_with_its_line(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    sessions = workspace / ".onbook" / "sessions"
    sessions.mkdir(parents=True)
    broken = sessions / "20260101T000000Z-abcdef.fountain"
    broken.write_bytes(b"Title: onbook session\nCredit: Recorded by onbook\n\nFADE IN:\n\nINT. A\0B")
    for command in (("show", "abcdef"), ("ask", "--session", "abcdef", "hello"), ("--continue", "abcdef")):
        done = run(*command)
        assert (done.code, done.stdout) == (1, "")
        assert done.complaint == f"{broken}: line 6: not text (a NUL byte)"
    assert not scripted_model.requests


def test_an_unknown_session_gets_the_ones_there_are(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("hello", "hi"))
    done = run("show", "nonsense")
    assert done.code == 2
    assert run.transcripts[0].stem in done.complaint


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        (known_errors.openai_overflow(), "scripted: context limit exceeded: This model's maximum context length is"),
        (Garbage(after_chunks=0), "scripted: malformed stream: a chunk is not what it should be"),
        (Reply(""), "scripted: the model returned nothing"),
    ],
)
def test_a_model_that_fails_gets_one_line(
    run: CommandLine, scripted_model: ScriptedServer, fault: Fault | Reply, complaint: str
) -> None:
    scripted_model.replies(fault)
    done = run("ask", "hello")
    assert (done.code, done.stdout) == (5, "")
    _, said, _ = done.stderr.splitlines()
    assert said.startswith(f"onbook: {complaint}")
    assert run.turns()[0].outcome == "model_failed"


def test_an_unknown_command_gets_a_suggestion(run: CommandLine) -> None:
    done = run("asc")
    assert (done.code, done.complaint) == (2, 'no command "asc"; did you mean ask?')
    done = run("frobnicate")
    assert (done.code, done.complaint) == (2, 'no command "frobnicate"; see onbook --help')


@pytest.mark.usefixtures("scripted_model")
@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("ask", "--workspace", "", "hi"), "'--workspace'"),
        (("ask", "--model", "", "hi"), "'-m' / '--model'"),
        (("ask", "--session", "", "hi"), "'--session'"),
        (("--continue", ""), "'--continue'"),
        (("show", ""), "'[SESSION]'"),
        (("init", "--workspace", ""), "'--workspace'"),
    ],
)
def test_a_shells_variable_that_was_never_set_does_not_mean_the_default(
    run: CommandLine, workspace: Path, words: tuple[str, ...], option: str
) -> None:
    run.record(("hello", "hi"))
    done = run(*words)
    assert (done.code, done.stdout) == (2, "")
    assert done.complaint.startswith(f"invalid value for {option}: it is empty; see onbook")
    assert not (workspace / "onbook.toml").exists()


def test_a_misused_command_gets_one_line(run: CommandLine) -> None:
    assert run("ask", "--jsn", "hi").complaint == "no such option --jsn; did you mean --json?"
    assert run("ask", "--nope", "hi").complaint == "no such option --nope; see onbook ask --help"
    assert run("route", "lst").complaint == 'no command "lst"; did you mean list?'
    assert run("route", "add", "x").complaint == "missing argument 'URL'; see onbook route add --help"
    assert (
        run("-m", "x", "ask", "hi").complaint
        == "give options after the command: onbook ask --option; see onbook --help"
    )
