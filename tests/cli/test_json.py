"""`--json`: the documented events, one a line, and nothing else."""

from tests.conftest import CommandLine
from tests.scripted import Cut, Reply, ScriptedServer, Status, Times
from tests.test_events import documented

KEY = "correct-horse-battery-staple"


def test_every_line_is_an_event_of_the_documented_vocabulary(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Times(1, Status(503)), Reply("One two.", reasoning="Hm.", usage=(9, 4)))
    done = run("ask", "--json", "Count")
    assert (done.code, done.stderr) == (0, "")
    assert [event["type"] for event in done.events] == [
        "note",
        "run.started",
        "note",
        "reasoning.delta",
        "text.delta",
        "text.delta",
        "run.finished",
        "note",
    ]
    for line, event in zip(done.stdout.splitlines(), done.events, strict=True):
        assert line.startswith('{"v":1,')
        assert event.keys() >= {"v", "type", "run", "time"}
        assert event.keys() <= documented()[event["type"]] | {"v", "type"}
    started, finished = done.events[1], done.events[6]
    assert started["input"] == "Count"
    assert started["speaker"] == {"name": "Harvey", "model": "llama3:latest", "remote": False}
    assert len({event["run"] for event in done.events if event["run"]}) == 1
    assert (finished["outcome"], finished["exit_code"], finished["text"]) == ("passed", 0, "One two.")
    assert finished["totals"]["prompt_tokens"] == 9
    assert "trying again in" in done.events[2]["text"]


def test_a_failed_run_finishes_with_its_error_and_exit_code(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Cut(after_chunks=2))
    done = run("ask", "--json", "Count", "--no-record")
    finished = done.events[-1]
    assert (done.code, finished["exit_code"], finished["outcome"]) == (5, 5, "model_failed")
    assert finished["text"] == "The quick"
    assert finished["error"].startswith("scripted: malformed stream: ")
    assert done.stderr == ""


def test_a_command_that_cannot_begin_complains_on_standard_error(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    done = run("ask", "--json", "-m", "scriptd", "hello")
    assert (done.code, done.stdout) == (2, "")
    assert "did you mean scripted?" in done.complaint


def test_a_key_reaches_neither_screen_nor_record(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.route("keyed", scripted_model.openai_url, model="m", key_env="MY_KEY")
    echoed = Reply(f"The key is {KEY}, all right.", cut_every=5, reasoning=f"{KEY}!")
    scripted_model.replies(echoed, echoed, Status(401, {"error": {"message": f"bad key {KEY}"}}))
    shown = run("ask", "-m", "keyed", f"Is it {KEY}?", MY_KEY=KEY)
    as_json = run("ask", "-m", "keyed", "--json", f"Is it {KEY}?", MY_KEY=KEY)
    refused = run("ask", "-m", "keyed", f"Is it {KEY}?", MY_KEY=KEY)
    assert all(chat.key == KEY and KEY in chat.last for chat in scripted_model.chats)
    assert shown.stdout == "The key is [redacted], all right.\n"
    assert as_json.events[-2]["text"] == "The key is [redacted], all right."
    assert "keyed: refused: bad key [redacted]" in refused.stderr
    assert len(run.transcripts) == 3
    recorded = [path.read_text() for path in run.transcripts]
    for text in (*recorded, *(part for done in (shown, as_json, refused) for part in (done.stdout, done.stderr))):
        assert KEY not in text


def test_a_key_that_is_not_set_is_named_by_its_variable(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.route("keyed", scripted_model.openai_url, model="m", key_env="MY_KEY")
    done = run("ask", "-m", "keyed", "hello")
    assert done.code == 5
    assert done.complaint == ("keyed: refused: the environment variable MY_KEY is not set; its key is read from there")


def test_a_run_that_could_not_be_recorded_finishes_with_the_exit_code_of_the_command(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("word " * 2000))
    done = run.shell("unset ${!COV@}; ulimit -f 4; $onbook ask --json go")
    finished = done.events[-1]
    assert (done.code, finished["exit_code"], finished["outcome"]) == (1, 1, "passed")
    assert finished["text"] == "word " * 2000
    assert finished["error"].startswith("not recorded: ")
    assert done.stderr == ""
