"""`/write`, `/diff`, `/undo`, `/safemode`, `/permissions`, `/audit`: what changes, how it is seen and taken back."""

from pathlib import Path

import pytest

from onbook.outcome import Outcome
from onbook.policy.answers import Answer
from onbook.policy.door import Door
from onbook.policy.effects import Effect, Read, Run, Write
from onbook.policy.undo import Change
from tests.commands.conftest import Typed
from tests.scripted import Reply, ScriptedServer

CODE = "Here:\n\n```python\nprint(1)\n```\n\nand\n\n```sh\nls\n```\n"


class Yes:
    """Somebody who agrees, for this session."""

    async def ask(self, effect: Effect, reason: str, change: Change | None = None) -> Answer:
        return "session"


async def test_the_last_reply_becomes_a_file(typed: Typed, workspace: Path, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("First."), Reply("Second, été."))
    await typed("one")
    await typed("two")
    assert await typed("/write docs/answer.md") is Outcome.PASSED
    assert (workspace / "docs" / "answer.md").read_text() == "Second, été.\n"
    assert typed.text == "wrote docs/answer.md: 1 line, 15 bytes; /undo takes it back\n"
    last = typed.live.door.audit.tail(1)[0]
    assert (last.by, last.effect) == ("user", Write("docs/answer.md", 15))


async def test_a_block_of_code_becomes_a_file(typed: Typed, workspace: Path, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(CODE), Reply("```\nonly\n```"), Reply("none"))
    await typed("code, please")
    await typed("/write a.sh --block 2")
    assert (workspace / "a.sh").read_text() == "ls\n"
    assert await typed("/write a.py --code") is Outcome.USAGE
    assert typed.error == "the last reply has 2 blocks of code; name one with --block 1 to 2"
    await typed("once more")
    await typed("/write b.txt --code")
    assert (workspace / "b.txt").read_text() == "only\n"
    await typed("and now none")
    await typed("/write c.txt --code")
    assert typed.error.startswith("the last reply has no block of code")
    assert not (workspace / "c.txt").exists()


async def test_without_a_reply_nothing_is_written(typed: Typed, workspace: Path) -> None:
    assert await typed("/write a.md") is Outcome.USAGE
    assert typed.error == "there is no reply yet that could be written"
    assert not (workspace / "a.md").exists()


@pytest.mark.parametrize("path", ["../out.md", "src", "src/app.py/x"])
async def test_a_reply_is_not_written_outside_or_over_a_folder(typed: Typed, workspace: Path, path: str) -> None:
    (workspace / "src").mkdir()
    (workspace / "src" / "app.py").touch()
    await typed("hello")
    assert await typed(f"/write {path}") is Outcome.FAILED
    assert "\n" not in typed.error
    assert not (workspace.parent / "out.md").exists()


async def test_a_replaced_file_is_shown_and_comes_back(typed: Typed, workspace: Path) -> None:
    (workspace / "notes.md").write_text("old\nsame")
    await typed("same")
    await typed("/write notes.md")
    assert "in place of 8 bytes" in typed.text
    await typed("/diff")
    assert typed.text.splitlines()[:4] == ["--- a/notes.md", "+++ b/notes.md", "@@ -1,2 +1 @@", "-old"]
    assert "\\ No newline at end of file" in typed.text
    assert await typed("/undo") is Outcome.PASSED
    assert typed.text == "took back notes.md\n"
    assert (workspace / "notes.md").read_text() == "old\nsame"


async def test_undo_goes_back_one_turn_at_a_time(typed: Typed, workspace: Path) -> None:
    typed.live.door.asker = Yes()
    await typed.live.door.write("by-model.md", b"m\n", by="model")
    await typed("hello")
    await typed("/write by-me.md")
    await typed("/undo")
    assert typed.text == "took back by-me.md\n"
    assert (workspace / "by-model.md").exists()
    await typed("/undo")
    assert not (workspace / "by-model.md").exists()
    assert await typed("/undo") is Outcome.FAILED
    assert typed.error == "there is nothing to take back"


async def test_what_an_earlier_session_changed_is_taken_back_only_on_request(typed: Typed, workspace: Path) -> None:
    door = typed.live.door
    earlier = Door(door.root, door.rules, audit=door.audit)
    await earlier.write("old.md", b"o\n", by="user")
    assert await typed("/undo") is Outcome.USAGE
    assert "an earlier session" in typed.error
    assert "/undo --earlier" in typed.error
    assert (workspace / "old.md").exists()
    assert await typed("/undo --earlier") is Outcome.PASSED
    assert not (workspace / "old.md").exists()


async def test_a_person_too_leaves_gits_own_files_to_git(typed: Typed, workspace: Path) -> None:
    await typed("hello")
    assert await typed("/write .git/config") is Outcome.FAILED
    assert ".git/config belongs to git or to onbook" in typed.error
    assert not (workspace / ".git" / "config").exists()


async def test_undo_leaves_alone_what_was_changed_since(typed: Typed, workspace: Path) -> None:
    await typed("hello")
    await typed("/write a.md")
    (workspace / "a.md").write_text("mine now")
    assert await typed("/undo") is Outcome.FAILED
    assert typed.notes == ["a.md was changed since: left as it is"]
    assert (workspace / "a.md").read_text() == "mine now"


async def test_a_diff_before_anything_was_changed_says_so(typed: Typed) -> None:
    assert await typed("/diff") is Outcome.PASSED
    assert typed.notes == ["no turn has changed a file"]


async def test_a_diff_names_new_gone_and_binary_files(typed: Typed, workspace: Path) -> None:
    door = typed.live.door
    door.asker = Yes()
    (workspace / "gone.txt").write_text("bye\n")
    (workspace / "logo.bin").write_bytes(b"\0\1")
    await door.write("new.txt", b"hello\n", by="model")
    await door.delete("gone.txt", by="model")
    await door.write("logo.bin", b"\0\2\3", by="model")
    await typed("/diff")
    lines = typed.text.splitlines()
    assert lines[:4] == ["--- /dev/null", "+++ b/new.txt", "@@ -0,0 +1 @@", "+hello"]
    assert "+++ /dev/null" in lines
    assert lines[-1] == "(no text to compare: 2 bytes before, 3 now)"


async def test_safe_mode_is_shown_and_switched(typed: Typed) -> None:
    await typed("/safemode")
    assert typed.text.startswith("safe mode is on")
    await typed("/safemode OFF")
    assert typed.text.startswith("safe mode is off")
    assert not typed.live.door.rules.safe_mode
    assert await typed("/safemode maybe") is Outcome.USAGE
    await typed("/safemode on")
    assert typed.live.door.rules.safe_mode


async def test_permissions_show_answers_and_forget_them(typed: Typed) -> None:
    typed.live.door.asker = Yes()
    await typed.live.door.write("a.md", b"m\n", by="model")
    await typed("/permissions")
    assert "allowed for this session: write:a.md" in typed.text
    assert "write:a.md" in await typed.offered("/permissions forget ")
    assert await typed("/permissions forget write:b.md") is Outcome.USAGE
    assert typed.error == 'nobody said yes to "write:b.md"; did you mean write:a.md?; /permissions lists the answers'
    typed.live.door.switch_safe_mode(on=False)
    await typed.live.door.run(Run(("echo", "x")), by="model")
    await typed('/permissions forget run:["echo","x"]')
    assert typed.text == 'forgotten: run:["echo","x"]\n'
    await typed("/permissions forget all")
    assert typed.text == "forgotten: write:a.md\n"
    assert typed.live.door.answers.for_session == ()


async def test_the_audit_log_does_not_say_that_somebody_typed_what_onbook_looked_for(typed: Typed) -> None:
    await typed("/read nope")
    assert [(line.effect, line.reason) for line in typed.live.door.audit.tail()] == [
        (Read("nope"), "a person typed it"),
        (Read("."), "a name like the one typed is looked for"),
    ]


async def test_the_audit_log_is_shown_and_verified(typed: Typed, workspace: Path) -> None:
    (workspace / "notes.md").write_text("x")
    for _ in range(3):
        await typed("/read notes.md")
    await typed("/audit 2")
    assert len(typed.text.splitlines()) == 2
    assert "user  read notes.md: allow (a person typed it)" in typed.text
    assert await typed("/audit verify") is Outcome.PASSED
    assert typed.text.endswith("all as they were written\n")
    log = workspace / ".onbook" / "audit" / "audit.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:1] + lines[2:]))
    assert await typed("/audit verify") is Outcome.FAILED
    assert typed.text == "audit.jsonl:2: line 2 missing before it\n"
