"""The commands about the session itself."""

from pathlib import Path

from onbook.outcome import Outcome
from onbook.session.pending import Piece
from tests.commands.conftest import Typed
from tests.scripted import ScriptedServer


async def test_exit_asks_to_leave(typed: Typed) -> None:
    assert await typed("/BYE") is Outcome.PASSED
    assert typed.live.exit.asked


async def test_status_shows_the_session_on_one_screen(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("hello")
    typed.live.pending.add(Piece("notes.md", "milk"))
    await typed("/status")
    rows = {line[:10].strip(): line[11:] for line in typed.text.splitlines()}
    assert rows["model"] == "llama3:latest (scripted, on this machine; onbook.toml)"
    assert rows["context"].endswith(" in 1 turn")
    assert rows["waiting"] == "notes.md"
    assert rows["spent"].startswith("llama3:latest (route scripted): 1 call, ")
    assert rows["record"].startswith("recorded in .onbook/sessions/")
    assert rows["safe mode"] == "on"
    assert "read_file" in rows["tools"]
    assert {"role", "workspace", "sandbox", "log level", "memory", "skills"} <= rows.keys()
    assert "budget" not in rows


async def test_clear_forgets_the_conversation_and_what_waits(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("one")
    typed.live.pending.add(Piece("notes.md", "milk"))
    assert await typed("/clear") is Outcome.PASSED
    assert typed.text == "forgot 1 turn and 1 waiting\n"
    await typed("two")
    assert [message["content"] for message in scripted_model.chats[-1].messages if message["role"] == "user"] == ["two"]


async def test_clear_can_spare_the_conversation(typed: Typed) -> None:
    await typed("one")
    typed.live.pending.add(Piece("notes.md", "milk"))
    await typed("/clear --pending")
    assert typed.text == "forgot 1 waiting\n"
    assert len(typed.live.chat.conversation.turns) == 1
    assert typed.live.pending.pieces == ()


async def test_context_lists_everything_the_model_is_told(typed: Typed, workspace: Path) -> None:
    typed.live.chat.conversation.sections["Role"] = "Be brief."
    await typed("hello there")
    typed.live.pending.add(Piece("notes.md", "milk"))
    await typed("/context")
    rows = [line.split() for line in typed.text.splitlines()]
    assert ["section", "3", "Role"] in rows
    assert ["user", "7", "hello", "there"] in rows
    assert ["waiting", "1", "5", "notes.md"] in rows
    assert any(row[0] == "tools" for row in rows)
    assert rows[-1][0] == "together"


async def test_a_waiting_piece_can_be_dropped(typed: Typed) -> None:
    typed.live.pending.add(Piece("a.md", "a"))
    typed.live.pending.add(Piece("b.md", "b"))
    assert await typed.offered("/context drop ") == ["1", "2"]
    await typed("/context drop 1")
    assert typed.text == "a.md will not go along\n"
    assert [piece.name for piece in typed.live.pending.pieces] == ["b.md"]
    assert await typed("/context drop 2") is Outcome.USAGE
    assert typed.error == "nothing waits under 2; /context numbers what does"


async def test_model_shows_switches_and_lists(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("/model")
    assert typed.text.startswith("llama3:latest (scripted, on this machine; onbook.toml); context window: ")
    assert await typed("/model list") is Outcome.PASSED
    assert "* llama3:latest  on scripted" in typed.text
    assert await typed.offered("/model ll") == ["llama3:latest"]
    assert await typed.offered("@ll") == ["@llama3:latest"]
    assert await typed("/model scrpted") is Outcome.USAGE
    assert typed.live.choice.chosen is not None
    assert typed.live.choice.chosen.why == "onbook.toml"
    assert await typed("/model SCRIPTED") is Outcome.PASSED
    assert "; named)" in typed.text


async def test_route_lists_each_with_its_file(
    typed: Typed, user_settings: Path, scripted_model: ScriptedServer
) -> None:
    await typed("/route")
    assert typed.text == f"scripted  {scripted_model.openai_url}  llama3:latest  ({user_settings})\n"


async def test_loglevel_is_shown_and_set(typed: Typed) -> None:
    await typed("/loglevel")
    assert typed.text == "info\n"
    await typed("/loglevel DEBUG")
    assert typed.live.log.level == "debug"


async def test_status_and_context_agree_on_what_the_model_is_told(typed: Typed, workspace: Path) -> None:
    (workspace / "notes.md").write_text("many words " * 50)
    await typed("/read notes.md")
    await typed("/context")
    together = typed.text.splitlines()[-1].split()[1]
    await typed("/status")
    assert f"\ncontext    ~{together} tokens, of an unknown window, in 0 turns\n" in typed.text
