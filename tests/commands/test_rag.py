"""`/rag`, typed into a session; and the model's own search."""

import asyncio
from pathlib import Path

import pytest

from onbook.config.budget_settings import BudgetSettings
from onbook.events import Note
from onbook.outcome import Outcome
from onbook.session.knowledge.offer import TOOL_NAME as NAME
from tests.commands.conftest import Typed
from tests.scripted import Reply, ScriptedServer, ToolCall

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


@pytest.fixture(autouse=True)
def _files(workspace: Path) -> None:
    (workspace / "docs").mkdir()
    (workspace / "docs/guide.md").write_text("# Guide\n\nSessions are recorded as screenplays.\n")
    (workspace / "docs/keys.md").write_text(f"The staging token is {KEY}, do not lose it.\n")


async def test_adding_says_what_was_done(typed: Typed) -> None:
    assert await typed("/rag add docs") is Outcome.PASSED
    assert typed.text == "2 files read: 2 new\n"
    await typed("/rag add docs")
    assert typed.text == "2 files read: 2 unchanged\n"


async def test_what_is_passed_over_is_one_line(typed: Typed, workspace: Path) -> None:
    (workspace / "docs/picture.png").write_bytes(b"\0")
    (workspace / "docs/.env").write_text("A=b")
    await typed("/rag add docs")
    assert typed.text.splitlines()[1] == "passed over: 1 binary, 1 that may hold keys"


async def test_a_query_cites_passages_and_sends_them_with_the_next_message(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await typed("/rag add docs")
    assert await typed("/rag query how are sessions recorded") is Outcome.PASSED
    assert typed.text == "docs/guide.md:1-3\n    # Guide\n    Sessions are recorded as screenplays.\n"
    assert typed.notes == ["1 passage will go with the next message"]
    await typed("Explain it.")
    assert "``` docs/guide.md:1-3\n# Guide" in scripted_model.chats[-1].last


async def test_keys_in_passages_reach_neither_screen_nor_model(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("/rag add docs")
    await typed("/rag query staging token")
    assert KEY not in typed.text
    assert "[redacted]" in typed.text
    await typed("What is it?")
    assert KEY not in scripted_model.chats[-1].conversation


async def test_a_query_that_finds_nothing_says_so(typed: Typed) -> None:
    await typed("/rag add docs")
    assert await typed("/rag query xylophone") is Outcome.PASSED
    assert typed.text == "no passage has any of these words: xylophone\n"


async def test_a_query_before_anything_is_indexed_says_what_to_do(typed: Typed) -> None:
    assert await typed("/rag query apples") is Outcome.FAILED
    assert typed.error == "nothing is indexed yet; /rag add PATH indexes files and folders"


async def test_a_query_without_a_word_is_a_mistake(typed: Typed) -> None:
    await typed("/rag add docs")
    assert await typed("/rag query '?!'") is Outcome.USAGE
    assert typed.error == "'?!' has no word to look for"


async def test_status_counts_what_there_is(typed: Typed) -> None:
    await typed("/rag")
    assert typed.notes == ["nothing is indexed; /rag add PATH indexes files and folders"]
    await typed("/rag add docs")
    await typed("/rag status")
    assert typed.text == "2 files, 2 passages, 0.0 MB\n"


async def test_dropping_forgets_some_or_all(typed: Typed) -> None:
    await typed("/rag add docs")
    await typed("/rag drop docs/keys.md nothing")
    assert typed.text == "forgot 1 file of docs/keys.md\nnothing was indexed of nothing\n"
    await typed("/rag drop")
    assert typed.text == "the index is empty\n"
    await typed("/rag status")
    assert typed.notes[-1].startswith("nothing is indexed")


async def test_a_missing_path_is_said(typed: Typed) -> None:
    assert await typed("/rag add nowhere") is Outcome.USAGE
    assert typed.error == "nowhere does not exist"


async def test_a_path_outside_the_workspace_is_refused(typed: Typed) -> None:
    assert await typed("/rag add ..") is Outcome.FAILED
    assert "only files of the workspace" in typed.error


async def test_a_damaged_index_is_one_line_and_drop_repairs_it(typed: Typed, workspace: Path) -> None:
    await typed("/rag add docs")
    (workspace / ".onbook/knowledge.sqlite").write_bytes(b"nonsense" * 1000)
    assert await typed("/rag query sessions") is Outcome.FAILED
    assert typed.error.startswith(".onbook/knowledge.sqlite cannot be read as an index (file is not a database)")
    await typed("/rag drop")
    assert "what was damaged is kept as .onbook/knowledge.sqlite.damaged-" in typed.text
    assert await typed("/rag add docs") is Outcome.PASSED


async def test_the_model_searches_once_there_is_something_to_find(typed: Typed, scripted_model: ScriptedServer) -> None:
    assert NAME not in typed.live.toolbox.names
    await typed("/rag add docs")
    call = ToolCall("call_1", NAME, '{"query": "recorded sessions"}')
    scripted_model.replies(Reply(tool_calls=(call,)), Reply("As a screenplay (docs/guide.md:1-3)."))
    assert await typed("How are sessions kept?") is Outcome.PASSED
    assert "``` docs/guide.md:1-3" in scripted_model.chats[-1].last
    await typed("/rag drop")
    assert NAME not in typed.live.toolbox.names


async def test_the_model_is_not_shown_what_it_may_not_read(
    typed: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    await typed("/rag add docs")
    (workspace / "docs/guide.md").rename(workspace / "docs/guide.pem")
    with_links = workspace / "docs/guide.md"
    with_links.symlink_to("guide.pem")
    tool = typed.live.toolbox.find(NAME)
    assert tool is not None
    assert str(await tool.run({"query": "screenplays"})).startswith("No passage was found")


async def test_cancelling_keeps_the_index_whole(typed: Typed, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onbook.session.knowledge.knowledge.PROGRESS_SECONDS", 0.01)
    for number in range(300):
        (workspace / f"docs/{number}.md").write_text(f"apples {number}\n" * 2000)
    task = asyncio.ensure_future(typed("/rag add docs"))
    while not any("of 302 files" in note.text for note in typed.seen.of(Note)):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await typed("/rag add docs") is Outcome.PASSED
    await typed("/rag status")
    assert typed.text.startswith("302 files")


@pytest.fixture
def vectors_of_nobody(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text('[rag]\nembeddings = "nobody"\n')


async def test_without_anybody_to_make_vectors_words_still_find(vectors_of_nobody: None, typed: Typed) -> None:
    await typed("/rag add docs")
    assert any("found by words alone" in note and '"nobody" did not resolve' in note for note in typed.notes)
    assert await typed("/rag query screenplays") is Outcome.PASSED
    assert typed.text.startswith("docs/guide.md:1-3")
    assert typed.notes[0].startswith('found by words alone: model "nobody" did not resolve')


@pytest.fixture
def vectors_of_the_scripted_model(user_settings: Path, scripted_model: ScriptedServer) -> None:
    user_settings.write_text(f'{user_settings.read_text()}\n[rag]\nembeddings = "scripted"\n')


async def test_what_vectors_cost_is_part_of_what_was_spent(vectors_of_the_scripted_model: None, typed: Typed) -> None:
    await typed("/rag add docs/guide.md")
    assert "1 vector made by llama3:latest" in typed.text
    assert typed.live.ledger.lines() == ["llama3:latest (route scripted): 1 call, ~15 + ~0 tokens, $0.00"]


async def test_a_spent_budget_ends_the_making_of_vectors(vectors_of_the_scripted_model: None, typed: Typed) -> None:
    typed.live.ledger.limits = BudgetSettings(tokens=1)
    await typed("/rag add docs/guide.md")
    assert await typed("/rag add docs/keys.md") is Outcome.BUDGET_SPENT
    await typed("/rag query screenplays")
    assert typed.text.startswith("docs/guide.md:1-3")
    assert typed.notes[0].startswith("found by words alone: budget spent: ")


async def test_passed_over_files_are_not_counted_as_read(typed: Typed, workspace: Path) -> None:
    (workspace / "docs/picture.png").write_bytes(b"\0")
    await typed("/rag add docs")
    assert typed.text.splitlines()[0] == "2 files read: 2 new"
