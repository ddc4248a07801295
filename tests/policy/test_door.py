"""The door from the outside: what people and models may do, what is asked, what is written down."""

import os
from pathlib import Path

import pytest

from onbook.config.policy_settings import Permission
from onbook.outcome import Outcome, UsageError
from onbook.policy.audit import AuditFailed
from onbook.policy.door import Denied, Door
from onbook.policy.effects import Read, Run, Write
from tests.policy.conftest import OUTSIDE, DoorMaker, Person


async def test_a_model_reads_a_file_of_the_workspace(door: Door) -> None:
    assert await door.read("notes.md", by="model") == b"hello\n"
    assert await door.read("inside.md", by="model", limit=3) == b"hel"
    assert await door.read(str(door.root / "src" / "app.py"), by="model") == b"print('hello')\n"


@pytest.mark.parametrize(
    "path",
    [
        "../outside/file.txt",
        "src/../../outside/file.txt",
        "out/file.txt",
        "out.txt",
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "~nobody/x",
        "circle",
        "src/\x00",
        "src/\n",
        "",
        "\udc00\ud800",
        "notes.md/../../outside/file.txt",
        "missing/../../outside/file.txt",
        "x/" * 300,
        "a" * 5000,
    ],
)
async def test_a_model_never_reads_outside(door: Door, path: str) -> None:
    with pytest.raises(Denied) as caught:
        await door.read(path, by="model")
    assert "\n" not in str(caught.value)
    assert caught.value.outcome is Outcome.FAILED


@pytest.mark.parametrize("path", [".env", "sneaky.txt", "server.pem", "src/../.env", ".ENV", "src/.env.local"])
async def test_a_model_never_reads_what_looks_like_a_secret(door: Door, path: str) -> None:
    (door.root / "src" / ".env.local").write_text("KEY=swordfish")
    with pytest.raises(Denied, match="looks like a file that holds keys"):
        await door.read(path, by="model")


async def test_git_s_config_is_readable_only_without_credentials(door: Door) -> None:
    config = door.root / ".git" / "config"
    assert await door.read(".git/config", by="model") == config.read_bytes()
    config.write_bytes(config.read_bytes() + b'[remote "o"]\n\turl = https://ann:swordfish@host/x\n')
    with pytest.raises(Denied, match="holds a password"):
        await door.read(".git/config", by="model")


async def test_what_a_person_typed_is_read_and_a_secret_is_said(open_door: DoorMaker) -> None:
    said: list[str] = []
    door = open_door(say=said.append)
    assert await door.read("../outside/file.txt", by="user") == OUTSIDE
    assert said == []
    assert await door.read(".env", by="user") == b"KEY=swordfish\n"
    assert said == [".env looks like a file that holds keys: a model will see it"]


async def test_a_link_that_leads_out_is_not_what_a_person_typed(door: Door) -> None:
    with pytest.raises(Denied, match="leads out of the workspace"):
        await door.read("out.txt", by="user")


@pytest.mark.timeout(10)
@pytest.mark.parametrize("by", ["user", "model"])
async def test_pipes_folders_and_devices_are_no_files(door: Door, by: str) -> None:
    os.mkfifo(door.root / "pipe")
    for path, why in (("pipe", "is a pipe"), ("src", "is a folder"), (".", "is a folder"), ("gone", "does not exist")):
        with pytest.raises(Denied, match=why):
            await door.read(path, by=by)  # type: ignore[arg-type]
        if path != "gone":
            with pytest.raises(Denied):
                await door.write(path, b"", by="user")
    with pytest.raises(Denied, match="is a device"):
        await door.read("/dev/zero", by="user")


async def test_without_anybody_to_ask_a_model_s_write_is_refused_with_the_setting(door: Door) -> None:
    with pytest.raises(Denied) as caught:
        await door.write("new.txt", b"x", by="model")
    assert str(caught.value) == (
        "refused to write new.txt: the settings do not say who may write, and there is nobody to ask; --allow would "
        'permit it ([[policy.permissions]] path = "new.txt", write = "allow")'
    )
    assert not (door.root / "new.txt").exists()


async def test_a_yes_for_once_is_asked_again_and_one_for_the_session_is_not(open_door: DoorMaker) -> None:
    person = Person("once")
    door = open_door(asker=person)
    await door.write("deep/er/new.txt", b"1", by="model")
    await door.write("deep/er/new.txt", b"2", by="model")
    assert person.asked == [(Write("deep/er/new.txt", 1), "the settings do not say who may write")] * 2
    person.answer = "session"
    await door.write("deep/er/new.txt", b"3", by="model")
    await door.write("deep/er/new.txt", b"44", by="model")
    assert len(person.asked) == 3
    assert (door.root / "deep/er/new.txt").read_bytes() == b"44"


async def test_always_is_remembered_outside_the_workspace(open_door: DoorMaker, state: Path) -> None:
    await open_door(asker=Person("always")).write("notes.md", b"1", by="model")
    await open_door().write("notes.md", b"2", by="model")
    with pytest.raises(Denied):
        await open_door().write("other.md", b"2", by="model")
    assert [path.name for path in (state / "grants").glob("*.json")]


async def test_no_means_no(open_door: DoorMaker) -> None:
    door = open_door(asker=Person("no"))
    with pytest.raises(Denied, match="a person said no"):
        await door.delete("notes.md", by="model")
    assert (door.root / "notes.md").exists()


async def test_allow_covers_what_would_be_asked_and_nothing_that_is_refused(open_door: DoorMaker) -> None:
    door = open_door(allow=frozenset({"write:src", "delete", "run:make", "connect:example.org"}), safe_mode=False)
    await door.write("src/new.py", b"", by="model")
    await door.delete("src/new.py", by="model")
    await door.connect("https://example.org/simple", by="model")
    await door.request(Run(("make", "all")), "model")
    for effect in (Write("new.py", 0), Write(".git/hooks/pre-commit", 0), Read(".env"), Run(("sh",))):
        with pytest.raises(Denied):
            await door.request(effect, "model")
    with pytest.raises(UsageError, match=r"--allow wirte: .*did you mean write\?"):
        open_door(allow=frozenset({"wirte"}))


@pytest.mark.parametrize(
    "path", [".git/config", ".GIT/hooks/x", "src/.git/config", ".onbook/audit/audit.jsonl", ".g\u200bit/x", "nul.txt"]
)
async def test_a_model_never_writes_git_s_or_onbook_s_own_files(open_door: DoorMaker, path: str) -> None:
    person = Person("always")
    door = open_door(asker=person, permissions=(Permission(".", write="allow"),))
    with pytest.raises(Denied):
        await door.write(path, b"x", by="model")
    assert person.asked == []


async def test_the_longest_path_decides(open_door: DoorMaker) -> None:
    door = open_door(
        permissions=(
            Permission("src", write="allow"),
            Permission("src/locked", write="deny"),
            Permission("private", read="deny"),
        )
    )
    await door.write("src/a.py", b"", by="model")
    with pytest.raises(Denied, match="the settings forbid writing below src/locked"):
        await door.write("src/locked/a.py", b"", by="model")
    with pytest.raises(Denied, match="nobody to ask"):
        await door.write("SRC/a.py", b"", by="model")
    for path in ("private/diary.txt", "Private/diary.txt"):
        with pytest.raises(Denied, match="the settings forbid reading below private"):
            await door.read(path, by="model")
    with pytest.raises(Denied, match="forbid reading"):
        await door.run(Run(("cat", "private/diary.txt")), by="model")
    with pytest.raises(Denied, match="it would read private"):
        await door.run(Run(("grep", "-r", "dear", ".")), by="model")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://example.org/", "nobody to ask"),
        ("file:///etc/passwd", "only http"),
        ("http://169.254.169.254/latest", "keys of the machine"),
        ("https://ann:swordfish@host/", "must not carry"),
        ("http://[", "not a URL"),
    ],
)
async def test_a_model_asks_before_it_talks_to_a_host(door: Door, url: str, why: str) -> None:
    with pytest.raises(Denied, match=why) as caught:
        await door.connect(url, by="model")
    assert "swordfish" not in str(caught.value)
    await door.connect("https://example.org/", by="user")


async def test_entries_say_what_is_hidden_ignored_and_secret(door: Door) -> None:
    (door.root / ".gitignore").write_text("build/\n*.log\n")
    (door.root / "build").mkdir()
    (door.root / "build" / "deep.txt").touch()
    (door.root / "src" / "x.log").touch()
    found = {entry.path: entry for entry in await door.entries(".", by="model", depth=9)}
    assert found["build"].ignored
    assert "build/deep.txt" not in found
    assert found["src/x.log"].ignored
    assert not found["src/app.py"].ignored
    assert found[".env"].secret
    assert found[".env"].hidden
    assert found["out"].kind == "link"
    assert not any(path.startswith((".git/", "out/")) for path in found)
    with pytest.raises(Denied):
        await door.entries("../outside", by="model")
    with pytest.raises(Denied):
        await door.entries("gone", by="model")


async def test_every_decision_has_its_line_in_the_audit_log(open_door: DoorMaker) -> None:
    door = open_door(asker=Person("once"))
    door.begin_turn("t1")
    await door.read("notes.md", by="model")
    await door.write("notes.md", b"x", by="model")
    await door.run(Run(("ls",)), by="model")
    with pytest.raises(Denied):
        await door.read("../outside/file.txt", by="model")
    with pytest.raises(Denied):
        await door.read("~/.ssh/id_rsa", by="model")
    await door.run(Run(("echo", "hi"), shell=False), by="user")
    lines = [(line.by, type(line.effect).__name__, line.verdict, line.turn) for line in door.audit.tail(10)]
    assert lines == [
        ("model", "Read", "allow", "t1"),
        ("model", "Write", "once", "t1"),
        ("model", "Run", "allow", "t1"),
        ("model", "Read", "deny", "t1"),
        ("model", "Read", "deny", "t1"),
        ("user", "Run", "allow", "t1"),
    ]
    assert door.audit.verify().whole


async def test_no_audit_no_effect(door: Door) -> None:
    (door.root / ".onbook").mkdir()
    (door.root / ".onbook" / "audit").write_text("in the way")
    with pytest.raises(AuditFailed, match="nothing was done"):
        await door.write("new.txt", b"x", by="user")
    with pytest.raises(AuditFailed):
        await door.run(Run(("touch", "new.txt")), by="user")
    assert not (door.root / "new.txt").exists()


async def test_a_link_in_place_of_the_private_folder_is_refused(door: Door, tmp_path: Path) -> None:
    (door.root / ".onbook").symlink_to(tmp_path / "outside")
    with pytest.raises(Exception, match="link"):
        await door.write("new.txt", b"x", by="user")
    assert not (tmp_path / "outside" / "audit").exists()


async def test_undo_takes_back_the_last_turn_s_writes(door: Door) -> None:
    door.begin_turn("one")
    await door.write("notes.md", b"one", by="user")
    door.begin_turn("two")
    os.chmod(door.root / "notes.md", 0o640)
    await door.write("notes.md", b"two", by="user")
    await door.write("notes.md", b"three", by="user")
    await door.write("new/file.txt", b"new", by="user")
    await door.delete("list.txt", by="user")
    changes = {change.path: (change.old, change.new) for change in door.undo.changes()}
    assert changes == {
        "notes.md": (b"one", b"three"),
        "new/file.txt": (None, b"new"),
        "list.txt": (b"b\na\n", None),
    }
    undone = door.undo.undo()
    assert undone.turn == "two"
    assert undone.refused == ()
    assert (door.root / "notes.md").read_bytes() == b"one"
    assert (door.root / "notes.md").stat().st_mode & 0o777 == 0o640
    assert (door.root / "list.txt").read_bytes() == b"b\na\n"
    assert not (door.root / "new/file.txt").exists()
    assert door.undo.undo().turn == "one"
    assert (door.root / "notes.md").read_bytes() == b"hello\n"
    with pytest.raises(Exception, match="nothing to take back"):
        door.undo.undo()


async def test_undo_leaves_a_file_alone_that_was_changed_since(door: Door) -> None:
    await door.write("notes.md", b"one", by="user")
    await door.write("list.txt", b"one", by="user")
    (door.root / "notes.md").write_bytes(b"mine")
    undone = door.undo.undo()
    assert undone.restored == ("list.txt",)
    assert undone.refused == ("notes.md was changed since: left as it is",)
    assert (door.root / "notes.md").read_bytes() == b"mine"


async def test_old_and_large_turns_are_forgotten_but_never_the_last(door: Door) -> None:
    from onbook.policy.undo import Undo

    door.undo = Undo(door.root, keep_bytes=1000)
    for turn in "abc":
        door.begin_turn(turn)
        await door.write("notes.md", os.urandom(900), by="user")
    door.undo.prune()
    assert door.undo.turns() == ("c",)


async def test_a_model_cannot_read_earlier_bytes_of_a_secret(door: Door) -> None:
    await door.write(".env", b"KEY=new", by="user")
    kept = next(path for path in (door.root / ".onbook" / "undo").rglob("*") if path.is_file())
    with pytest.raises(Denied):
        await door.read(str(kept), by="model")
