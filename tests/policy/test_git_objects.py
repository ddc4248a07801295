"""What was committed once and looks like a key is not shown by any of the names that git has for it."""

import subprocess

import pytest

from onbook.policy.door import Denied, Door
from onbook.policy.effects import Run


@pytest.fixture
def blob(door: Door) -> str:
    """The number of a committed file with a key; its name is gone again in the next commit."""
    _git(door, "add", "-f", ".env", "server.pem")
    _git(door, "commit", "-qm", "oops")
    number = _git(door, "rev-parse", "HEAD:.env")
    _git(door, "rm", "-q", "--cached", ".env", "server.pem")
    _git(door, "commit", "-qm", "gone")
    return number


@pytest.mark.parametrize(
    "revision",
    ["HEAD~1:.env", "HEAD~1:./.env", "HEAD~1:src/../.env", "@{1}:.env", ":/oops:.env", "HEAD^:server.pem", ":0:.env"],
)
@pytest.mark.parametrize("subcommand", ["show", "diff"])
async def test_a_secret_is_refused_by_its_path_in_any_revision(
    door: Door, blob: str, subcommand: str, revision: str
) -> None:
    assert blob
    with pytest.raises(Denied, match=r"holds? keys"):
        await door.run(Run(("git", subcommand, revision)), by="model")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "{blob}"),
        ("show", "{short}"),
        ("show", "{upper}"),
        ("show", "x-g{blob}"),
        ("show", "--no-walk", "{blob}"),
        ("diff", "{blob}", "HEAD:notes.md"),
        ("diff", "HEAD:notes.md", "{blob}"),
        ("diff", "{blob}..HEAD:notes.md"),
        ("diff", "{empty}..{blob}"),
        ("diff", "{empty}", "{blob}"),
        ("log", "-p", "{blob}"),
        ("log", "-p", "--all"),
        ("show", "HEAD~1"),
        ("show", "{blob}", "--"),
    ],
)
async def test_a_secret_is_not_shown_by_its_number(door: Door, blob: str, words: tuple[str, ...]) -> None:
    (door.root / "empty").touch()
    empty = _git(door, "hash-object", "-w", "empty")
    names = {"blob": blob, "short": blob[:7], "upper": blob.upper(), "empty": empty}
    try:
        ran = await door.run(Run(("git", *(word.format(**names) for word in words))), by="model")
    except Denied:
        return
    assert b"swordfish" not in ran.output


@pytest.mark.parametrize("peel", ["^{blob}", "^{}", "^{object}"])
async def test_peeling_to_any_object_is_refused(door: Door, blob: str, peel: str) -> None:
    with pytest.raises(Denied, match="can show a file without its name"):
        await door.run(Run(("git", "show", blob + peel)), by="model")


async def test_commits_are_still_shown_by_their_numbers(door: Door) -> None:
    number = _git(door, "rev-parse", "HEAD")
    for words in (("show", number), ("show", number[:8]), ("diff", f"{number}..HEAD"), ("diff", number, "HEAD")):
        ran = await door.run(Run(("git", *words)), by="model")
        assert ran.exit_code == 0, ran.output
    assert b"first" in (await door.run(Run(("git", "show", "--stat", number)), by="model")).output


def _git(door: Door, *words: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words]
    return subprocess.run(command, cwd=door.root, check=True, capture_output=True, text=True).stdout.strip()
