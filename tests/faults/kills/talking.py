"""Plays in which somebody talks to a model: a question, one with tools, a session, one with an MCP server, a loop."""

import json
import sys
from collections.abc import Callable

from onbook.session.memory.store import Memory
from onbook.transcript import Cast, Recorder, Turn
from onbook.workspace.root import sessions_folder
from tests.conftest import write_script
from tests.faults.kills.model import ASK_SERVER, NEW, last_line
from tests.faults.kills.play import Play
from tests.faults.kills.theatre import Stage
from tests.faults.ledger import kept
from tests.session.mcp.conftest import HERE as SERVERS

OLD = "old\n" * 2000
CHANGE = ("ask", "--allow", "write", "--allow", "run", "Change the notes")
LINES = ("first", "/memory add We use tabs.", "!./slow.sh", "second", "third")
TALK = ("first", "second", "third")
SERVED = (ASK_SERVER, "second")
SERVER = json.dumps([sys.executable, str(SERVERS / "plain_server.py")])
LOOP = ("loop", "100ms", "--count", "3", "Is it done?")


def _record_a_turn(stage: Stage) -> None:
    with Recorder.create(sessions_folder(stage.root), Cast(agent="Harvey", user="ada")) as recorder:
        recorder.record(Turn("Before", "Yes.", "Harvey", "llama3:latest", False, "2026-05-20 14:30:00"))


def _the_turn_is_there(stage: Stage) -> None:
    kept([turn.user for turn in stage.turns][:1] == ["Before"], "the turn before")


def _ask_again(stage: Stage) -> object:
    done = stage.run("ask", "--continue", "Tell me")
    said = [(turn.user, turn.reply) for turn in stage.turns if turn.outcome == "passed"]
    return done.stdout, said[0], said[-1]


def _write_a_slow_program(stage: Stage) -> None:
    write_script(stage.root / "slow.sh", "sleep 0.05; echo slow")


def _write_notes(stage: Stage) -> None:
    (stage.root / "notes.txt").write_text(OLD)
    _write_a_slow_program(stage)


def _notes_are_whole(stage: Stage) -> None:
    kept((stage.root / "notes.txt").read_text() in (OLD, NEW), "the notes")


def _change_again(stage: Stage) -> object:
    done = stage.run(*CHANGE)
    return done.stdout, (stage.root / "notes.txt").read_text()


def _seat_a_server(stage: Stage) -> None:
    server = f'\n[[mcp]]\nname = "plain"\ncommand = {SERVER}\nallow = ["*"]\n'
    stage.settings.write_text(stage.settings.read_text() + server)


def _talking_on(lines: tuple[str, ...]) -> Callable[[Stage], list[tuple[str, str]]]:
    """What was not answered yet is said again."""

    def talk_on(stage: Stage) -> list[tuple[str, str]]:
        said = [last_line(turn.user) for turn in stage.turns if turn.outcome == "passed"]
        talk = [line for line in said if line in lines]
        kept(talk == list(lines[: len(talk)]), "the order of what was said")
        rest = "".join(f"{line}\n" for line in lines[len(talk) :])
        stage.run(*(("--continue",) if said else ()), stdin=rest)
        kept(len(Memory(stage.root).load().facts) < 2, "the memory")
        turns = [(last_line(turn.user), turn.reply) for turn in stage.turns if turn.outcome == "passed"]
        return [(line, reply) for line, reply in turns if line in lines]

    return talk_on


def _ask_server_again(stage: Stage) -> object:
    turns = _talking_on(SERVED)(stage)
    assert turns[0][1].startswith("It said: hello."), turns
    return turns


def _loop_again(stage: Stage) -> object:
    done = stage.run(*LOOP)
    return done.code, done.stdout


PLAYS = (
    Play("ask", ("ask", "--continue", "Tell me"), _ask_again, set_stage=_record_a_turn, check=_the_turn_is_there),
    Play("ask, with tools", CHANGE, _change_again, set_stage=_write_notes, check=_notes_are_whole),
    Play("session in a pipe", (), _talking_on(TALK), "\n".join(LINES), set_stage=_write_a_slow_program),
    Play("session at a terminal", (), _talking_on(TALK), typed=LINES, set_stage=_write_a_slow_program),
    Play(
        "session with an MCP server",
        (),
        _ask_server_again,
        "\n".join(SERVED),
        set_stage=_seat_a_server,
        slowness=3,
    ),
    Play("loop", LOOP, _loop_again),
)
