"""The reader of pages: what it takes for a command, what it lets pass, and what it does not."""

from pathlib import Path

import pytest

from tests.docs.console import Command, File, carry_out, difference, steps

PAGE = """
```markdown notes/idea.md
A ghost.
```

```console
$ cat notes/idea.md \\
    | tr a-z A-Z
A GHOST.
$ tr a-z A-Z > loud.md <<'EOF'
$ no command
EOF
$ (exit 3)
$ echo $?
3
```

    $ not in a fence of its own
"""


def test_a_page_is_files_and_commands_with_what_they_say() -> None:
    assert steps(PAGE)[:2] == [
        File("notes/idea.md", "A ghost.\n"),
        Command("cat notes/idea.md \\\n    | tr a-z A-Z", ("A GHOST.",)),
    ]
    assert len(steps(PAGE)) == 5


def test_a_page_is_carried_out_in_one_shell(tmp_path: Path) -> None:
    written = carry_out(steps(PAGE), tmp_path, {"PATH": "/usr/bin:/bin"})
    assert written == [("A GHOST.",), (), (), ("3",)]
    assert (tmp_path / "loud.md").read_text() == "$ NO COMMAND\n"


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        ("Step 1/2: count .... 0.01s ✓", "Step 1/2: count ....... 12.5s ✓"),
        ("recorded in 20261115T165021Z-c85953.fountain", "recorded in 20271231T235959Z-000000.fountain"),
        (
            "onbook: model: smollm2 (embedded; no other model is set up)",
            "onbook: model: llama3:latest (route a, onbook.toml)",
        ),
        ("waiting at …; answer it", "waiting at the gate spec; answer it"),
    ],
)
def test_what_differs_from_day_to_day_may_differ(shown: str, written: str) -> None:
    assert difference(Command("x", (shown,)), (written,)) is None


@pytest.mark.parametrize(
    "written",
    [("passed ✗",), ("passed ✓", "and more"), (), ("passed",)],
)
def test_everything_else_is_a_difference(written: tuple[str, ...]) -> None:
    assert difference(Command("x", ("passed ✓",)), written) == "\n".join(
        ["$ x", "-- the page:", "passed ✓", "-- today:", *written]
    )


def test_three_dots_alone_are_any_lines() -> None:
    command = Command("x", ("first", "…", "last"))
    assert difference(command, ("first", "last")) is None
    assert difference(command, ("first", "a", "b", "last")) is None
    assert difference(command, ("first", "a", "b")) is not None
