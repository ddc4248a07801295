"""Prompt pipelines in real sessions and real terminals: what a person sees, what a script reads."""

from pathlib import Path

import pytest

from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer, SlowFirstByte
from tests.terminal.conftest import See
from tests.terminal.test_terminal import PROMPT, everything

TABLE = "STEP        MODEL          CONFIDENCE  METHOD  TOKENS"


def sure(text: str, score: float) -> Reply:
    """A reply with the block that was asked for."""
    return Reply(f'{text}\n\n{{"confidence": {score}, "reason": "so it seems"}}')


@pytest.fixture(autouse=True)
def prompts(workspace: Path) -> None:
    (workspace / "setup.md").write_text("List the risks.\n")
    (workspace / "step1.md").write_text("Weigh them.\n")


def test_a_session_shows_a_pipeline_as_it_goes(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(SlowFirstByte(0.6, sure("*Fire*, flood.", 0.91)), sure("Flood is worse.", 0.72))
    seen = see()
    seen.ready()
    seen.enter("/pipeline 90% setup.md step1.md")
    seen.until("[1/2] setup.md | context ? | 0s")
    seen.until("goes on from here")
    seen.ready()
    shown = seen.all[seen.all.index("> /pipeline") :].splitlines()
    assert shown[1:5] == [
        "Fire, flood.",
        "Step 1/2 [setup.md] — confidence: 0.91 ✓",
        "Flood is worse.",
        "Step 2/2 [step1.md] — confidence: 0.72 ✗ (threshold: 0.90)",
    ]
    assert shown[5].startswith(TABLE)
    assert "confidence 0.72 below" not in seen.all
    seen.leave()


def test_a_terminal_shows_the_answer_of_a_pipeline_once(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("Fire, flood.", 0.91), sure("Flood is worse.", 0.93))
    child = terminal("pipeline", "90%", "setup.md", "step1.md")
    shown = everything(child)
    assert child.exitstatus == 0
    assert shown.count("Flood is worse.") == 1
    assert "Flood is worse.\r\nStep 2/2 [step1.md] — confidence: 0.93 \x1b[32m✓\x1b[39m\r\n" in shown


def test_a_piped_session_gets_the_answer_alone_on_standard_output(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("Fire, flood.", 0.91), sure("Flood is worse.", 0.93))
    done = run(stdin="/pipeline 90% setup.md step1.md\n", TERM="xterm-256color")
    assert done.stdout == "Flood is worse.\n"
    assert "Step 2/2 [step1.md] — confidence: 0.93 ✓\n" + TABLE in done.stderr
    assert "\x1b" not in done.stderr


def test_without_a_terminal_to_draw_on_a_stopped_command_says_so_once(
    terminal: Terminal, workspace: Path, scripted_model: ScriptedServer
) -> None:
    step = 'name = "slow"\nshell = true\ncommand = "sleep 60"'
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "p"\n[[pipelines.steps]]\n{step}\n')
    child = terminal(TERM="dumb")
    child.expect(PROMPT)
    child.sendline("/script run p")
    child.expect_exact("[Pipeline: p]")
    child.sendintr()
    child.expect_exact("Cancelled.")
    child.expect(PROMPT)
    assert "Cancelled." not in str(child.before)
    child.sendeof()
    everything(child)
