"""onbook's own tools: what they give the model, what they refuse, and what they say is missing."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.patterns import compile_pattern, glob_pattern, line_pattern
from onbook.models.messages import ToolSpec
from onbook.outcome import OnbookError, UsageError
from onbook.policy.door import Denied
from onbook.session.tools import read_file as reading
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.edit_file import replaced
from onbook.session.tools.search_files import MOST_HITS, matching_lines
from onbook.session.tools.spoken_calls import spoken_calls
from onbook.session.tools.text import MOST_CHARACTERS
from onbook.session.tools.tool import Report, Tool, ToolFailed
from tests.session.conftest import MakeDoor

KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2


class Bench:
    """`await bench("read_file", path="a.md")` is what the model would read."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self.tools = {tool.spec.name: tool for tool in tools}

    async def __call__(self, name: str, **arguments: Any) -> str:
        given = await self.tools[name].run(arguments)
        return given.text if isinstance(given, Report) else given


@pytest.fixture
def bench(make_door: MakeDoor) -> Bench:
    return Bench(builtin_tools(make_door("write", programs=("python3", "sh"))))


def test_the_schemas_are_plain_objects_that_every_protocol_takes(bench: Bench) -> None:
    assert list(bench.tools) == [
        "read_file",
        "write_file",
        "edit_file",
        "list_files",
        "search_files",
        "run_command",
        "git",
    ]
    for tool in bench.tools.values():
        schema = tool.spec.parameters
        assert schema["type"] == "object"
        assert not {"$ref", "$defs", "anyOf", "null"} & set(_keys(schema))
        assert all(field["description"] for field in schema["properties"].values())
        json.dumps(schema)


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for part in value.values() for key in _keys(part))]
    return [value] if isinstance(value, str) else []


async def test_a_file_is_read_as_it_stands(bench: Bench, workspace: Path) -> None:
    (workspace / "a.md").write_text("# Title\n\n\tindented\n")
    assert await bench("read_file", path="a.md") == "# Title\n\n\tindented"


async def test_a_long_file_is_read_in_parts_and_says_how_to_go_on(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 1201)))
    first = await bench("read_file", path="a.txt")
    assert first.splitlines()[0] == "line 1"
    assert first.splitlines()[-2:] == ["line 500", "[lines 1-500 of 1200; ask for start=501]"]
    last = await bench("read_file", path="a.txt", start=1199)
    assert last == "line 1199\nline 1200\n[lines 1199-1200 of 1200]"
    assert await bench("read_file", path="a.txt", start="3", end=4.0) == "line 3\nline 4\n[lines 3-4 of 1200]"


async def test_long_lines_are_cut_and_the_whole_stays_within_its_size(bench: Bench, workspace: Path) -> None:
    (workspace / "a.js").write_text(("x" * 5000 + "\n") * 400)
    shown = await bench("read_file", path="a.js")
    assert len(shown) < MOST_CHARACTERS + 200
    assert "[… 3000 characters more]" in shown
    assert shown.endswith("of 400; ask for start=15]")


async def test_a_huge_file_is_read_at_its_beginning(
    bench: Bench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1 << 20)
    (workspace / "big.log").write_text("twelve bytes" * ((1 << 20) // 12 + 1))
    assert (await bench("read_file", path="big.log")).endswith(
        "[lines 1-1 of more than 1 (only the first 1 MiB can be read)]"
    )


@pytest.mark.parametrize(
    ("content", "arguments", "error"),
    [
        (b"a\n", {"start": 3}, "a.txt has 1 lines; there is no line 3"),
        (b"a\nb\n", {"start": 2, "end": 1}, "end=1 comes before start=2"),
        (b"\x7fELF\0\0", {}, "a.txt is a binary file, not text"),
        (b"a", {"start": 0}, "the arguments do not fit: Expected `int` >= 1 - at `$.start`"),
        (b"a", {"lines": 4}, "the arguments do not fit: Object contains unknown field `lines`"),
    ],
)
async def test_what_cannot_be_read_is_one_sentence(
    bench: Bench, workspace: Path, content: bytes, arguments: dict[str, Any], error: str
) -> None:
    (workspace / "a.txt").write_bytes(content)
    with pytest.raises(ToolFailed) as caught:
        await bench("read_file", path="a.txt", **arguments)
    assert str(caught.value).startswith(error)


async def test_what_a_model_leaves_out_as_null_is_left_out(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hi\n")
    assert await bench("read_file", path="a.txt", start=None, end=None) == "hi"


async def test_an_empty_file_says_so(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").touch()
    assert await bench("read_file", path="a.txt") == "[a.txt is empty]"


async def test_keys_and_control_codes_do_not_reach_the_model(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text(f"key = {KEY}\n\x1b[31mred\x07\r\nend\n")
    assert await bench("read_file", path="a.txt") == "key = [redacted]\n\\x1b[31mred\\x07\nend"
    assert KEY not in await bench("search_files", pattern="key")
    assert KEY not in await bench("run_command", command="cat a.txt")


@pytest.mark.parametrize("path", ["../outside.txt", "~/.ssh/id_ed25519", "/etc/hostname", "link", ".env", "missing"])
@pytest.mark.parametrize("tool", ["read_file", "edit_file", "search_files"])
async def test_no_tool_reads_what_the_door_keeps_shut(bench: Bench, workspace: Path, path: str, tool: str) -> None:
    (workspace.parent / "outside.txt").write_text("secret")
    (workspace / "link").symlink_to("../outside.txt")
    (workspace / ".env").write_text("KEY=secret")
    more = {"edit_file": {"old": "secret", "new": "x"}, "search_files": {"pattern": "secret"}}.get(tool, {})
    with pytest.raises(Denied):
        await bench(tool, path=path, **more)


async def test_a_file_is_written_with_its_folders(bench: Bench, workspace: Path) -> None:
    said = await bench("write_file", path="src/new/a.py", content="a = 1\nb = 'é'\n")
    assert said == "wrote src/new/a.py: 2 lines, 15 bytes"
    assert (workspace / "src/new/a.py").read_text() == "a = 1\nb = 'é'\n"


async def test_writing_without_leave_changes_nothing(make_door: MakeDoor, workspace: Path) -> None:
    bench = Bench(builtin_tools(make_door()))
    (workspace / "a.txt").write_text("old")
    for tool, arguments in (("write_file", {"content": "new"}), ("edit_file", {"old": "old", "new": "new"})):
        with pytest.raises(Denied, match="there is nobody to ask"):
            await bench(tool, path="a.txt", **arguments)
    assert (workspace / "a.txt").read_text() == "old"


async def test_one_place_is_edited_and_everything_else_stays_as_it_is(bench: Bench, workspace: Path) -> None:
    (workspace / "a.py").write_bytes(b"a = 1\r\nb = 2\r\nlatin: \xe9\r\n")
    assert await bench("edit_file", path="a.py", old="b = 2\n", new="b = 3\nc = 4\n") == "edited a.py (lines 2-3)"
    assert (workspace / "a.py").read_bytes() == b"a = 1\r\nb = 3\r\nc = 4\r\nlatin: \xe9\r\n"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("gone", "x", "old is not in a.py; read_file shows what is there"),
        ("if a:\n  b()", "x", "old is not in a.py: line 1 differs from it only in its spaces; copy it exactly"),
        ("b()", "x", "old is 2 times in a.py (lines 2, 3): add lines around it until it is unique"),
        ("", "x", "old is empty: give the text to replace, or use write_file for a whole file"),
        ("b()", "b()", "old and new are the same: nothing to do"),
    ],
)
async def test_an_edit_that_is_not_clear_changes_nothing(
    bench: Bench, workspace: Path, old: str, new: str, error: str
) -> None:
    (workspace / "a.py").write_text("if a:\n    b()\n    b()\n")
    with pytest.raises(ToolFailed) as caught:
        await bench("edit_file", path="a.py", old=old, new=new)
    assert str(caught.value) == error
    assert (workspace / "a.py").read_text() == "if a:\n    b()\n    b()\n"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("text", "old", "error"),
    [
        ("a" * 1_000_000, "a" * 50, "old is at least 100 times in a.txt (lines 1, 1, 1, 1, 1, …): add lines around it"),
        ("a\n" * 500_000, " a\n" * 5_000 + "b", "old is not in a.txt; read_file shows what is there"),
    ],
)
def test_an_edit_of_a_text_that_repeats_itself_is_refused_at_once(text: str, old: str, error: str) -> None:
    with pytest.raises(ToolFailed) as caught:
        replaced("a.txt", text, old, "new")
    assert str(caught.value).startswith(error)


@given(st.text("ab\n"), st.text("abc\n", min_size=1), st.text("xy\n"), st.text("ab\n"))
def test_an_edit_replaces_exactly_the_one_place(before: str, old: str, new: str, after: str) -> None:
    text = before + old + after
    places = sum(text.startswith(old, at) for at in range(len(text)))
    if places > 1 or old == new:
        with pytest.raises(ToolFailed):
            replaced("f", text, old, new)
        return
    edited, first, _ = replaced("f", text, old, new)
    assert edited == before + new + after
    assert first == before.count("\n") + 1


async def test_a_folder_is_listed_without_what_git_ignores(bench: Bench, workspace: Path) -> None:
    shutil.rmtree(workspace / ".git")
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    (workspace / ".gitignore").write_text("*.log\n")
    (workspace / "src").mkdir()
    for name in ("a.py", "b.log", "src/c.py", ".env"):
        (workspace / name).write_text("x\n")
    assert (await bench("list_files")).splitlines() == [
        ".env (holds keys; not readable)",
        ".gitignore (6 bytes)",
        "a.py (2 bytes)",
        "src/",
        "[1 that git ignores left out]",
    ]
    assert await bench("list_files", glob="*.py") == "a.py (2 bytes)\nsrc/c.py (2 bytes)"
    assert await bench("list_files", path="src", glob="*.py") == "src/c.py (2 bytes)"
    assert await bench("list_files", glob="*.rs") == "[no file fits *.rs]"


async def test_a_long_listing_says_how_much_more_there_is(bench: Bench, workspace: Path) -> None:
    for number in range(450):
        (workspace / f"{number:03}.txt").touch()
    lines = (await bench("list_files", glob="*.txt")).splitlines()
    assert len(lines) == 401
    assert lines[-1] == "[50 more: name a folder below or a glob]"


@pytest.mark.parametrize(
    ("glob", "fitting", "others"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/x/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py", "lib/src/a.py"]),
        ("**", ["a", "x/y"], []),
        ("docs/", ["docs/a", "docs/x/y"], ["docs"]),
        ("a[1]?.(x)", ["a[1]2.(x)"], ["a12.x"]),
    ],
)
def test_a_glob_means_what_people_expect(glob: str, fitting: list[str], others: list[str]) -> None:
    fits = glob_pattern(glob)
    assert [path for path in (*fitting, *others) if fits.search(path)] == fitting


async def test_a_search_names_file_and_line(bench: Bench, workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src/a.py").write_text("def one():\n    pass\n\ndef two():\n")
    (workspace / "b.md").write_text("defined\r\n")
    (workspace / "c.bin").write_bytes(b"def \0")
    assert (await bench("search_files", pattern=r"^def \w+")).splitlines() == [
        "src/a.py:1: def one():",
        "src/a.py:4: def two():",
        "[1 binary file left out]",
    ]
    assert await bench("search_files", pattern="(?i)DEFINED$", path="b.md") == "b.md:1: defined"
    assert await bench("search_files", pattern="nowhere", path="b.md") == "[nothing found in 1 file]"


@given(
    st.lists(st.text("ab \n"), max_size=6).map("\n".join),
    st.sampled_from(["a", "^", "$", "^$", "a$", "^b", r"a\s+b", r"\s", "[^a]", "(?s)a.b", r"\bb\b", "a*", "x"]),
)
def test_a_search_of_the_whole_text_finds_what_one_line_by_line_finds(text: str, pattern: str) -> None:
    found = list(matching_lines(line_pattern(pattern), text.encode()))
    one_by_one = compile_pattern(pattern)
    lines = enumerate(text.split("\n"), 1)
    assert found == [(number, line.encode()) for number, line in lines if one_by_one.search(line)]


async def test_a_search_with_too_many_hits_says_so(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hit\n" * (MOST_HITS + 1))
    lines = (await bench("search_files", pattern="hit")).splitlines()
    assert len(lines) == MOST_HITS + 1
    assert lines[-1] == f"[only the first {MOST_HITS} lines; narrow the search]"


async def test_no_pattern_takes_longer_than_its_text(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("a" * 200_000 + "b\n")
    async with asyncio.timeout(10):
        assert "a.txt" not in await bench("search_files", pattern="^(a+)+$", path="a.txt")


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?<=a)b", r"\1", "\udc80"])
async def test_what_is_no_pattern_is_one_sentence(
    bench: Bench, capfd: pytest.CaptureFixture[str], pattern: str
) -> None:
    with pytest.raises(UsageError, match="is not a pattern: "):
        await bench("search_files", pattern=pattern)
    assert capfd.readouterr().err == ""


@given(st.text())
def test_any_text_is_a_pattern_or_one_sentence(text: str) -> None:
    problem = ""
    try:
        compile_pattern(text)
        glob_pattern(text)
    except UsageError as error:
        problem = str(error)
    assert "\n" not in problem


async def test_a_command_gives_its_exit_code_and_output(bench: Bench, workspace: Path) -> None:
    (workspace / "x.py").write_text("import sys\nprint('\\x1b[32mgreen\\x1b[0m')\nsys.exit(3)\n")
    first, rest = (await bench("run_command", command="python3 x.py")).split("\n", 1)
    assert first.startswith("[exit code 3, ")
    assert rest == "green"
    assert (await bench("run_command", command="python3 -c pass")).endswith("]\n(no output)")


async def test_a_command_that_floods_keeps_its_beginning_and_its_end(bench: Bench, workspace: Path) -> None:
    (workspace / "x.py").write_text("for n in range(300000): print(n)\n")
    said = await bench("run_command", command="python3 x.py")
    assert len(said) < MOST_CHARACTERS + 200
    assert "characters left out" in said
    assert said.splitlines()[1] == "0"
    assert said.splitlines()[-1] == "299999"


async def test_a_command_that_does_not_end_is_stopped_and_says_so(make_door: MakeDoor, workspace: Path) -> None:
    bench = Bench(builtin_tools(make_door(programs=("sh",), timeout=0.3)))
    (workspace / "x.sh").write_text("echo begun\nsleep 60\n")
    said = await bench("run_command", command="sh x.sh")
    assert said.startswith("[stopped after ")
    assert "begun" in said


async def test_a_command_that_never_stops_talking_is_stopped_and_says_so(make_door: MakeDoor) -> None:
    bench = Bench(builtin_tools(make_door(programs=("yes",))))
    first, rest = (await bench("run_command", command="yes")).split("\n", 1)
    assert re.fullmatch(r"\[stopped after \d+ bytes of output\]", first)
    assert rest.startswith("y\n")


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("", "the command is empty"),
        ("echo 'open", "the command cannot be split into words: no closing quotation"),
        ("rm -rf /", "refused to run rm -rf /: rm is not among the programs of safe mode"),
        ("cat ../outside", "refused to run cat ../outside: "),
        ("cat .env", "refused to run cat .env: "),
        ("python4 x", "refused to run python4 x: "),
    ],
)
async def test_a_command_that_may_not_run_is_one_sentence(
    bench: Bench, workspace: Path, command: str, error: str
) -> None:
    (workspace / ".env").touch()
    with pytest.raises(OnbookError) as caught:
        await bench("run_command", command=command)
    assert str(caught.value).startswith(error)


async def test_git_shows_and_never_changes(make_door: MakeDoor, workspace: Path) -> None:
    shutil.rmtree(workspace / ".git")
    env = os.environ | {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    env |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    for line in ("git init -q", "git commit -q --allow-empty -m First"):
        subprocess.run(line.split(), cwd=workspace, check=True, env=env)
    for rules in ({}, {"safe_mode": False}, {"programs": ("git",)}):
        bench = Bench(builtin_tools(make_door("run", **rules)))
        assert (await bench("git", args="log --format=%s")).splitlines()[-1] == "First"
        assert (await bench("git", args="git log --format=%s")).splitlines()[-1] == "First"
        for changing in ("commit -m x", "push", "-c alias.x=!sh x", "log --output=x"):
            with pytest.raises(Denied):
                await bench("git", args=changing)


READ = '{"name": "read_file", "arguments": {"path": "a"}}'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (READ, 1),
        (f"```json\n{READ}\n```", 1),
        (f"<tool_call>\n{READ}\n</tool_call>", 1),
        (f"<tool_call>{READ}</tool_call>\n<tool_call>{READ}</tool_call>", 2),
        ('{"name": "read_file", "parameters": {"path": "a"}}', 1),
        (f"I would call {READ}", 0),
        (f"<tool_call>{READ}</tool_call> and so on", 0),
        ('{"name": "rm", "arguments": {}}', 0),
        ('{"name": "read_file", "arguments": "a"}', 0),
        ('{"answer": 42}', 0),
        ("", 0),
        ("[" * 100_000, 0),
        ("<tool_call>" * 20_000, 0),
        ("```json\n" + "\n" * 100_000 + "x", 0),
        (f"<tool_call>{READ}</tool_call></tool_call>", 0),
    ],
)
def test_a_reply_that_is_nothing_but_calls_is_a_call(text: str, count: int) -> None:
    calls = spoken_calls(text, {"read_file"})
    assert len(calls) == count
    assert all(call.name == "read_file" and json.loads(call.arguments) == {"path": "a"} for call in calls)


def test_a_specification_is_what_the_wire_needs(bench: Bench) -> None:
    spec = bench.tools["read_file"].spec
    assert isinstance(spec, ToolSpec)
    assert spec.parameters["required"] == ["path"]
