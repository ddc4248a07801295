"""What a session draws: blocks, spinners, thoughts, the status line, at any size."""

import re
import time
from pathlib import Path

import pytest

from tests.conftest import eventually
from tests.scripted import Reply, ScriptedServer, SlowFirstByte, Stall, Status
from tests.terminal.conftest import See


def test_a_finished_block_is_drawn_and_the_growing_one_is_shown_as_it_is(
    see: See, scripted_model: ScriptedServer
) -> None:
    text = "# Plan\n\nSome **bold** words\nand <b>tags</b>.\n\n```python\nx = 1\n```\n\n- first\n- second *item*"
    scripted_model.replies(Stall(after_chunks=100, reply=Reply(text)))
    seen = see()
    seen.ready()
    seen.enter("go")
    seen.until("- second *item*")
    seen.until("Some bold words\nand <b>tags</b>.")
    assert "**" not in seen.screen
    assert "```" not in seen.screen
    assert "\x1b[1mbold\x1b[0m" in seen.raw


def test_a_first_word_stands_alone_for_a_moment_and_the_prompt_is_drawn_below_it(
    see: See, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Stall(after_chunks=1, reply=Reply("Perhaps not.")))
    seen = see()
    seen.ready()
    seen.enter("go")
    seen.until("Perhaps")
    seen.send("typed meanwhile")
    seen.until(lambda: seen.input == "typed meanwhile")
    assert seen.all.count("Perhaps") == 1
    assert seen.all.index("Perhaps") < seen.all.index("typed meanwhile")


def test_a_spinner_turns_in_the_seeds_form_while_the_model_is_silent(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(SlowFirstByte(1.0, Reply("At last.")))
    seen = see()
    seen.ready()
    seen.enter("hello")
    seen.until(lambda: bool(re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] llama3:latest \| \ds", seen.screen)))
    seen.until("At last.")
    seen.ready()
    assert "llama3:latest |" not in seen.screen


def test_a_terminal_resized_in_mid_answer_goes_on(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("word " * 60, delay=0.02))
    seen = see()
    seen.ready()
    seen.enter("go")
    seen.until("word word")
    seen.resize(40, 12)
    seen.until("tokens")
    seen.enter("more")
    seen.until("You said: more")
    assert seen.leave() == 0


def test_a_terminal_of_three_rows_is_enough(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.resize(20, 3)
    seen.enter("go")
    eventually(lambda: scripted_model.chats)
    seen.send("typed")
    seen.until(lambda: seen.input == "typed")
    assert "too small" not in seen.all
    seen.send("\x03")
    seen.until("Cancelled.")


def test_no_color_is_respected(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Some `code`.\n\n```python\nx = 1\n```", reasoning="Hm."))
    seen = see(NO_COLOR="1")
    seen.ready()
    seen.enter("go")
    seen.until("x = 1")
    seen.until("tokens")
    assert not re.search(r"\x1b\[(\d+;)*[349]\d[;m]", seen.raw)
    assert "\x1b[2m" not in seen.raw


def test_reasoning_is_set_back_and_stays(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Four.", reasoning="Two and two"))
    seen = see()
    seen.ready()
    seen.enter("2 + 2?")
    seen.until("tokens")
    assert "\x1b[2mTwo and two\x1b[0m" in seen.raw
    assert seen.all.index("Two and two") < seen.all.index("Four.")


def test_a_command_is_said_without_the_statistics_of_a_model(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("/nonsense")
    seen.until("onbook: /nonsense is not a command")
    seen.ready()
    assert "tokens" not in seen.all


def test_a_spinner_turns_while_a_program_is_silent(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("!sleep 20")
    seen.until(lambda: bool(re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] !sleep 20 \| \ds", seen.screen)))
    seen.send("\x03")
    seen.until("Cancelled.")
    seen.ready()
    assert "!sleep 20 |" not in seen.screen


def test_the_context_in_the_status_line_follows_what_commands_do(see: See, user_settings: Path) -> None:
    with ScriptedServer(context={"llama3:latest": 4000}, context_field="context_length") as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        user_settings.write_text(f'model = "scripted"\n\n[tools]\nenabled = false\n\n[[routes]]\n{route}\n')
        seen = see()
        seen.ready()
        seen.enter("word " * 200)
        seen.until(lambda: "context 13%" in seen.status)
        seen.enter("/clear")
        seen.until(lambda: "context 0%" in seen.status)


def test_a_failed_turn_leaves_the_context_as_it_was(see: See, user_settings: Path) -> None:
    with ScriptedServer(context={"llama3:latest": 4000}, context_field="context_length") as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        user_settings.write_text(f'model = "scripted"\n\n[[routes]]\n{route}\n')
        server.replies(Reply("Fine."), Status(401))
        seen = see()
        seen.ready()
        seen.enter("one")
        seen.until(lambda: "context 0%" in seen.status)
        seen.enter("two")
        seen.until("refused")
        seen.ready()
        assert "context 0%" in seen.status


def test_nothing_is_drawn_and_nothing_computed_while_nothing_happens(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("hello")
    seen.until("tokens")
    seen.ready()
    eventually(lambda: not _waked(seen.child.pid))


def _waked(pid: int) -> int:
    """How often the program went back to sleep within half a second."""
    counted = Path(f"/proc/{pid}/status")
    if not counted.exists():
        pytest.skip("only Linux counts this")
    before = _switches(counted)
    time.sleep(0.5)
    return _switches(counted) - before


def _switches(counted: Path) -> int:
    return int(re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", counted.read_text(), re.MULTILINE)[0])
