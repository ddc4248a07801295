"""`onbook ask`: what goes where, what is sent, what is kept."""

import base64
import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.scripted import Reply, ScriptedServer

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_the_answer_is_all_there_is_on_standard_output(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Hello, Ada.\nHow are you?", usage=(12, 7)))
    done = run("ask", "Say", "hello")
    assert (done.code, done.stdout) == (0, "Hello, Ada.\nHow are you?\n")
    assert scripted_model.chats[0].last == "Say hello"
    notice, statistics, recorded = done.stderr.splitlines()
    assert notice == "onbook: model: llama3:latest (route scripted, onbook.toml)"
    assert statistics.startswith("llama3:latest · 12 + 7 tokens · ")
    assert recorded == f"onbook: recorded in .onbook/sessions/{run.transcripts[0].name}"


def test_no_control_codes_are_written_when_nobody_looks(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Fine.", reasoning="Hm.", delay=0.2))
    done = run("ask", "How are you?", TERM="xterm-256color")
    assert done.stdout == "Fine.\n"
    assert not {"\x1b", "\r"} & set(done.stdout + done.stderr)


def test_an_aside_begins_a_line_of_its_own_in_a_file_that_takes_everything(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("And then", finish_reason="length"))
    lines = run.shell("$onbook ask 'Go on' 2>&1 | cat").stdout.splitlines()
    assert lines[1:3] == ["And then", "onbook: the answer was cut off at the model's length limit"]
    scripted_model.replies(Reply("And then", finish_reason="length"))
    assert run("ask", "Go on").stdout == "And then\n"


def test_standard_input_is_appended_to_the_text(run: CommandLine, scripted_model: ScriptedServer) -> None:
    assert run("ask", "Summarise", stdin="line one\nline two\n").code == 0
    assert scripted_model.chats[0].last == "Summarise\n\nline one\nline two"


def test_standard_input_alone_is_a_question(run: CommandLine, scripted_model: ScriptedServer) -> None:
    assert run("ask", stdin="Who are you?\n").stdout == "You said: Who are you?\n"


@pytest.mark.parametrize("stdin", [None, "", " \n"])
def test_nothing_to_ask_is_a_usage_error(run: CommandLine, scripted_model: ScriptedServer, stdin: str | None) -> None:
    done = run("ask", stdin=stdin)
    assert (done.code, done.stdout) == (2, "")
    assert done.complaint.startswith("nothing to ask: ")
    assert not scripted_model.requests


@pytest.mark.parametrize(
    ("stdin", "complaint"),
    [
        pytest.param(b"caf\xe9", "standard input is not UTF-8 text", id="latin-1"),
        pytest.param(b"a\0b", "standard input is binary", id="binary"),
        pytest.param(b"a" * ((16 << 20) + 1), "standard input is larger than 16 MiB", id="endless"),
    ],
)
def test_standard_input_that_is_not_text_is_refused(
    run: CommandLine, scripted_model: ScriptedServer, stdin: bytes, complaint: str
) -> None:
    done = run("ask", "What is this?", stdin=stdin)
    assert done.code == 2
    assert done.complaint.startswith(complaint)


def test_a_text_that_is_not_unicode_is_refused(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("ask", b"caf\xe9")
    assert (done.code, done.complaint) == (2, "the text is not UTF-8")
    done = run("ask", "hello", "--system", b"\xff")
    assert (done.code, done.complaint) == (2, "--system is not UTF-8")


def test_m_chooses_the_route_that_answers(run: CommandLine, scripted_model: ScriptedServer) -> None:
    with ScriptedServer(models=("other-model",)) as other:
        run.route("Other", other.openai_url)
        done = run("ask", "-m", "other", "hello")
        assert done.stdout == "You said: hello\n"
        assert "onbook: model: other-model (route Other, --model)" in done.stderr
        assert other.chats[0].model == "other-model"
    assert not scripted_model.chats


def test_a_local_ollama_answers_when_nothing_is_set_up(run: CommandLine) -> None:
    with ScriptedServer(models=("qwen3:0.6b",)) as ollama:
        done = run("ask", "hello", OLLAMA_HOST=f"127.0.0.1:{ollama.port}")
    assert done.stdout == "You said: hello\n"
    assert "onbook: model: qwen3:0.6b (a local Ollama answers)" in done.stderr


def test_system_is_the_standing_instruction(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("Be brief.")
    run("ask", "hello", "--system", "Speak like a pirate.")
    assert scripted_model.chats[0].messages == [
        {"role": "system", "content": "Speak like a pirate."},
        {"role": "user", "content": "hello"},
    ]


def test_an_instruction_that_cannot_be_read_is_named(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "AGENTS.md").write_bytes(b"caf\xe9")
    done = run("ask", "hello")
    assert done.code == 2
    assert done.complaint == f"{workspace}/AGENTS.md: not UTF-8 text; save it as UTF-8 or give --system"


def test_continue_sends_the_history_along(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Ada."))
    run.record(("I am Ada.", "Pleased to meet you."))
    done = run("ask", "--continue", "Who am I?")
    assert done.stdout == "Ada.\n"
    assert [message["content"] for message in scripted_model.chats[0].messages] == [
        "I am Ada.",
        "Pleased to meet you.",
        "Who am I?",
    ]
    assert [turn.user for turn in run.turns()] == ["I am Ada.", "Who am I?"]
    assert f"onbook: continuing {run.transcripts[0].stem} after 1 turn" in done.stderr


def test_session_goes_on_with_the_one_that_is_named(run: CommandLine, scripted_model: ScriptedServer) -> None:
    one = run.record(("first", "1"))
    run.record(("second", "2"))
    run("ask", "--session", one.stem.rpartition("-")[2], "third")
    assert [message["content"] for message in scripted_model.chats[0].messages] == ["first", "1", "third"]
    assert "third" in one.read_text()


def test_continue_without_a_session_says_so(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    done = run("ask", "--continue", "hello")
    assert done.code == 2
    assert done.complaint == f"no sessions in {workspace}/.onbook/sessions"
    assert not (workspace / ".onbook").exists()


def test_an_image_is_attached_as_a_data_url(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    (workspace / "dot.png").write_bytes(PNG)
    assert run("ask", "--attach", "dot.png", "What is this?").code == 0
    text, image = scripted_model.chats[0].messages[0]["content"]
    assert text == {"type": "text", "text": "What is this?"}
    assert image["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert run.turns()[0].attachments == (f"dot.png (image/png, {len(PNG)} bytes)",)


def test_a_text_file_is_attached_under_its_name(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "a.py").write_text("print()\n")
    assert run("ask", "--attach", "a.py", "Review this.").code == 0
    assert scripted_model.chats[0].last == "``` a.py\nprint()\n```\n\nReview this."


def test_a_file_that_cannot_be_attached_stops_everything(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "a.bin").write_bytes(b"\x7fELF\0\xff")
    done = run("ask", "--attach", "a.bin", "What is this?")
    assert done.code == 2
    assert done.complaint == "a.bin: cannot attach: neither UTF-8 text nor a PNG, JPEG, GIF or WebP picture"
    done = run("ask", "--attach", "none.txt", "What is this?")
    assert (done.code, done.complaint) == (2, "none.txt: cannot attach: No such file or directory")
    assert not scripted_model.requests


def test_no_record_leaves_no_file(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    done = run("ask", "--no-record", "hello")
    assert done.stdout == "You said: hello\n"
    assert "recorded" not in done.stderr
    assert not (workspace / ".onbook").exists()


def test_workspace_is_where_it_is_recorded(run: CommandLine, scripted_model: ScriptedServer, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "HARVEY.md").write_text("Be kind.")
    done = run("ask", "--workspace", str(elsewhere), "hello")
    (recorded,) = (elsewhere / ".onbook" / "sessions").iterdir()
    assert f"onbook: recorded in {recorded}" in done.stderr
    assert scripted_model.chats[0].messages[0]["content"] == "Be kind."
    assert not run.transcripts


def test_the_transcript_is_a_screenplay(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    run("ask", "Say hello")
    text = run.transcripts[0].read_text()
    assert text.startswith("Title: onbook session\nCredit: Recorded by onbook\nAuthor: ADA\n")
    assert f"Model: llama3:latest. Workspace: {workspace}." in text
    assert "\nADA\nSay hello\n\nHARVEY\nYou said: Say hello\n" in text
    assert text.endswith("THE END.\n")


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def schema(workspace: Path) -> str:
    (workspace / "schema.json").write_text(json.dumps(SCHEMA))
    return "schema.json"


def test_an_answer_that_fits_the_schema_is_printed(
    run: CommandLine, scripted_model: ScriptedServer, schema: str
) -> None:
    scripted_model.replies(Reply('{"n": 3}'))
    done = run("ask", "--schema", schema, "Three?")
    assert (done.code, done.stdout) == (0, '{"n": 3}\n')
    assert scripted_model.chats[0].body["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ('{"n": "three"}', "onbook: the answer does not fit the schema: data.n must be integer"),
        ("Three!", "onbook: the answer is not JSON: JSON is malformed: invalid character (byte 0)"),
    ],
)
def test_an_answer_that_does_not_fit_is_not_printed(
    run: CommandLine, scripted_model: ScriptedServer, schema: str, answer: str, complaint: str
) -> None:
    scripted_model.replies(Reply(answer))
    done = run("ask", "--schema", schema, "Three?")
    assert (done.code, done.stdout) == (1, "")
    assert complaint in done.stderr.splitlines()
    assert (run.turns()[0].outcome, run.turns()[0].reply) == ("failed", answer)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[1]", "a JSON schema is an object"),
        ("{not json", "not JSON"),
        ('{"type": "nonsense"}', "not a JSON schema"),
        ('{"$ref": "https://example.com/s.json"}', "not a JSON schema"),
    ],
)
def test_a_bad_schema_stops_everything(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path, content: str, complaint: str
) -> None:
    (workspace / "bad.json").write_text(content)
    done = run("ask", "--schema", "bad.json", "Three?")
    assert done.code == 2
    assert done.complaint.startswith(f"bad.json: {complaint}")
    assert not scripted_model.requests


def test_a_missing_schema_is_named(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("ask", "--schema", "none.json", "Three?")
    assert (done.code, done.complaint) == (2, "none.json: cannot read the schema: No such file or directory")
