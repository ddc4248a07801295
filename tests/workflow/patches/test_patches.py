"""Patches of an agent: read strictly, tried as a whole, applied to the byte or not at all; git is the judge."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.workflow.patches.diff_blocks import diff_in, has_hunk
from onbook.workflow.patches.diffs import PatchRefused, for_git, read_diff
from onbook.workflow.patches.hunks import fitted, patched
from onbook.workflow.patches.pre_apply import COPIES, put_back, write_changes
from onbook.workflow.patches.trying import BadTarget, Change, checked_targets, try_patch

APP = b"def add(a, b):\n    return a - b\n\n\ndef neg(a):\n    return -a\n"
FIX = b"--- a/src/app.py\n+++ b/src/app.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n \n"
FIXED = APP.replace(b"a - b", b"a + b")
NEW = b"--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_bytes(APP)
    return root


@pytest.fixture
def door(root: Path, tmp_path: Path) -> Door:
    return Door(root, PolicySettings(), audit=Audit(root, tmp_path / "state"))


async def apply(door: Door, diff: bytes, scopes: tuple[str, ...] = ()) -> None:
    files = read_diff(diff)
    paths = checked_targets(files, door.root, "docs/harness/x/", scopes)
    await write_changes(door, await try_patch(door, files, paths))


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of the workspace that is not a record."""
    found = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith((".harness", ".onbook"))}


def test_diff_blocks_are_taken_out_of_the_markdown() -> None:
    markdown = b"# Fix\n\n```diff\n" + FIX + b"```\n\nand\n\n~~~~ diff\n" + NEW + b"~~~~\n```python\n@@ x\n```\n"
    assert diff_in(markdown) == FIX + NEW


def test_a_block_that_is_indented_as_a_whole_is_taken_out_without_its_indent() -> None:
    indented = b"".join(b"    " + line for line in FIX.splitlines(keepends=True))
    assert diff_in(b"    ```diff\n" + indented + b"    ```\n") == FIX


def test_a_fence_in_the_patched_file_does_not_close_the_block() -> None:
    diff = b"--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n ```sh\n-a\n+b\n ```\n"
    assert diff_in(b"```diff\n" + diff + b"```\n") == diff


def test_a_block_that_was_cut_off_is_refused() -> None:
    with pytest.raises(PatchRefused, match="has a diff block that is not closed"):
        diff_in(b"```diff\n" + FIX)


@pytest.mark.parametrize("markdown", [b"", b"no fix found\n", b"```diff\n```\n", b"```python\n@@ -1 +1 @@\n```\n"])
def test_a_patch_without_a_hunk_in_a_diff_block_is_empty(markdown: bytes) -> None:
    assert not has_hunk(diff_in(markdown))


@pytest.mark.parametrize(
    ("diff", "why"),
    [
        (b"", "changes no text"),
        (b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "changes permissions"),
        (
            b"diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n",
            "changes permissions",
        ),
        (b"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "renames a file"),
        (b"diff --git a/x b/y\ncopy from x\ncopy to y\n", "copies a file"),
        (
            b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            "deletes a file",
        ),
        (b"diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 0\n", "changes a binary file"),
        (b"Binary files a/x and b/x differ\n", "changes a binary file"),
        (b"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "makes a link"),
        (b"diff --git a/x b/x\nindex 1a..2b 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "makes a link"),
        (b"diff --git a/x b/x\nindex 1a..2b 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "changes a submodule"),
        (b"diff --git a/x b/x\nnew file mode 100644\n", "changes no text"),
        (b"diff --git a/x b/x\nindex 1..2\n" + b"diff --git a/y b/y\n", "changes no text"),
        (b"--- a/x\n+++ b/x\n", "changes no text"),
        (b"--- a/x\n@@ -1 +1 @@\n-a\n+b\n", "belongs to no hunk: --- a/x"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "belongs to no hunk: @@ -1 +1 @@"),
        (b"--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", "names a path without a/ in front: x"),
        (b"--- a/x\n+++ b/x\n@@ ... @@\n-a\n+b\n", "has a hunk without numbers"),
        (b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\nwhat?\n", "neither stays, goes nor comes: what?"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "has a hunk that changes nothing"),
    ],
)
def test_whatever_is_more_than_a_change_of_text_is_refused(diff: bytes, why: str) -> None:
    with pytest.raises(PatchRefused) as caught:
        read_diff(diff)
    assert why in str(caught.value)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*FIX.splitlines(True), *NEW.splitlines(True), b"@@ -1 +1 @@\n", b"\\ No\n", b"-\n"])))
def test_any_lines_are_read_or_refused(lines: list[bytes]) -> None:
    try:
        assert read_diff(b"".join(lines))
    except PatchRefused:
        pass


LINES = st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"-- x\n", b"++ y\n", b"@@ z\n", b"r\r\n", b" s\n", b"\xff\n"])
TEXTS = st.tuples(st.lists(LINES, max_size=25), st.sampled_from([b"", b"end", b"\xc3\xa9"])).map(
    lambda parts: b"".join(parts[0]) + parts[1]
)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS).filter(lambda pair: pair[0] != pair[1]), min_size=10, max_size=30)


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(pairs=PAIRS)
def test_a_diff_of_git_gives_the_same_bytes_here_as_there(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[bytes, bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("judge")
    for side in (0, 1):
        (folder / "ab"[side]).mkdir()
        for number, pair in enumerate(pairs):
            (folder / "ab"[side] / f"{number:02} é.txt").write_bytes(pair[side])
    argv = ["git", "diff", "--no-index", "--text", "--no-prefix", "a", "b"]
    files = read_diff(subprocess.run(argv, cwd=folder, capture_output=True, check=False).stdout)
    assert len(files) == len(pairs)
    ours = [patched(old, file.hunks) for file, (old, _) in zip(files, pairs, strict=True)]
    assert ours == [new for _, new in pairs]
    diff = b"".join(for_git(str(file.source), file.hunks, is_new=False) for file in files)
    applying = ["git", "--git-dir=/dev/null", "apply", "--unidiff-zero", "-"]
    subprocess.run(applying, cwd=folder / "a", input=diff, check=True, capture_output=True)
    assert [path.read_bytes() if path.exists() else b"" for path in sorted((folder / "a").iterdir())] == ours


@pytest.mark.parametrize("numbers", [b"-1,9 +1,9", b"-1 +1", b"-40,3 +41,3", b"-1,2 +1,3"])
def test_the_numbers_of_a_hunk_need_not_be_right(numbers: bytes) -> None:
    (file,) = read_diff(FIX.replace(b"-1,3 +1,3", numbers))
    assert patched(APP, file.hunks) == FIXED


def test_a_hunk_that_fits_in_several_places_and_names_none_of_them_is_refused() -> None:
    (file,) = read_diff(b"--- a/x\n+++ b/x\n@@ -9 +9 @@\n-a\n+b\n")
    with pytest.raises(PatchRefused, match="does not fit: hunk 1 of 1"):
        patched(b"a\nx\na\n", file.hunks)
    (named,) = read_diff(b"--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\n")
    assert patched(b"a\nx\na\n", named.hunks) == b"a\nx\nb\n"


@pytest.mark.parametrize(
    ("old", "diff"),
    [
        (b"a\n", b"@@ -1,0 +2 @@\n+b\n"),
        (b"a\nb\n", b"@@ -1 +1 @@\n-a\n+c\n@@ -1 +1 @@\n-c\n+d\n"),
        (b"a", b"@@ -1 +1 @@\n-a\n+b\n"),
        (b"a\nb\n", b"@@ -1 +1 @@\n-a\n+c\n\\ No newline at end of file\n"),
    ],
    ids=["added-anywhere", "on-its-own-lines", "another-end", "an-end-in-the-middle"],
)
def test_a_hunk_that_is_not_true_of_the_file_is_refused(old: bytes, diff: bytes) -> None:
    (file,) = read_diff(b"--- a/x\n+++ b/x\n" + diff)
    with pytest.raises(PatchRefused):
        patched(old, file.hunks)


def test_a_file_with_windows_line_ends_keeps_them() -> None:
    (file,) = read_diff(FIX)
    windows = APP.replace(b"\n", b"\r\n")
    assert patched(windows, fitted(file.hunks, windows)) == FIXED.replace(b"\n", b"\r\n")


def test_a_patch_that_was_saved_with_windows_line_ends_fits_a_file_without() -> None:
    (file,) = read_diff(FIX.replace(b"\n", b"\r\n"))
    assert patched(APP, fitted(file.hunks, APP)) == FIXED


async def test_a_patch_changes_files_and_makes_new_ones(door: Door, root: Path) -> None:
    (root / "src" / "app.py").chmod(0o755)
    await apply(door, FIX + NEW, ("src/",))
    assert files_of(root) == {"src/app.py": FIXED, "src/new.py": b"x = 1\ny = 2\n"}
    assert (root / "src" / "app.py").stat().st_mode & 0o777 == 0o755
    assert (root / COPIES / "src/app.py").read_bytes() == APP


async def test_names_may_have_blanks_quotes_and_any_letters(door: Door, root: Path) -> None:
    for name in ("größe x.py", 'a"b.py'):
        (root / name).write_bytes(b"a\n")
    change = b"@@ -1 +1 @@\n-a\n+b\n"
    quoted = b'--- "a/gr\\303\\266\\303\\237e x.py"\n+++ "b/gr\\303\\266\\303\\237e x.py"\n' + change
    plain = b'--- a/a"b.py\t2026-05-20 10:00:00\n+++ b/a"b.py\t2026-05-20 10:00:01\n' + change
    await apply(door, quoted + plain)
    assert files_of(root) == {"größe x.py": b"b\n", 'a"b.py': b"b\n", "src/app.py": APP}


async def test_a_file_may_be_named_twice(door: Door, root: Path) -> None:
    second = b"--- a/src/app.py\n+++ b/src/app.py\n@@ -2 +2 @@\n-    return a + b\n+    return b + a\n"
    await apply(door, FIX + second)
    assert files_of(root) == {"src/app.py": APP.replace(b"a - b", b"b + a")}


async def test_an_empty_file_can_be_filled(door: Door, root: Path) -> None:
    (root / "src" / "__init__.py").touch()
    await apply(door, b"--- a/src/__init__.py\n+++ b/src/__init__.py\n@@ -0,0 +1 @@\n+x = 1\n")
    assert (root / "src" / "__init__.py").read_bytes() == b"x = 1\n"


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (NEW.replace(b"new.py", b"app.py"), "src/app.py is there already"),
        (FIX.replace(b"app.py", b"gone.py"), "src/gone.py does not exist"),
        (FIX.replace(b"return a - b", b"return a * b"), "does not fit: hunk 1 of 1 of src/app.py"),
        (FIX.replace(b"app.py", b"link.py"), "src/link.py became a link"),
        (FIX.replace(b"src/app.py", b"src"), "src is a folder"),
        (NEW.replace(b"x = 1", b"x\0"), "changes a binary file: src/new.py"),
        (b"--- a/src/app.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "deletes src/app.py"),
        (FIX.replace(b"b/src/app.py", b"b/src/other.py"), "renames src/app.py to src/other.py"),
    ],
    ids=["new-but-there", "old-but-gone", "another-line", "link", "folder", "binary", "deletion", "rename"],
)
async def test_when_one_part_does_not_fit_nothing_is_touched(door: Door, root: Path, second: bytes, why: str) -> None:
    (root / "src" / "link.py").symlink_to("app.py")
    before = files_of(root)
    with pytest.raises(PatchRefused) as caught:
        await apply(door, NEW.replace(b"new.py", b"first.py") + second)
    assert why in str(caught.value)
    assert files_of(root) == before


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../x",
            "/etc/passwd",
            ".git/hooks/pre-commit",
            "src/../../x",
            ".harness/state.json",
            "docs/harness/x/spec.md",
        ),
        *("other/x.py", "src/memory/x.py", "C:/x", "src/.GIT/config", "\\\\303\\\\251/../x"),
    ],
)
@pytest.mark.parametrize("side", ["--- a/", "+++ b/"])
def test_every_name_in_a_patch_is_validated_first(root: Path, path: str, side: str) -> None:
    diff = FIX.decode().replace(f"{side}src/app.py", side + path).encode()
    with pytest.raises(BadTarget) as caught:
        checked_targets(read_diff(NEW + diff), root, "docs/harness/x/", ("src/",))
    assert caught.value.path == path


async def test_the_word_of_git_counts_too(door: Door, root: Path) -> None:
    """Where both can be asked, both must agree; a settings file of the repository changes nothing about that."""
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".gitattributes").write_text("*.py filter=evil\n")
    subprocess.run(["git", "-C", root, "config", "filter.evil.clean", "touch evil; cat"], check=True)
    await apply(door, FIX)
    assert not (root / "evil").exists()
    assert (root / "src" / "app.py").read_bytes() == FIXED


async def test_without_git_a_patch_is_applied_all_the_same(root: Path, tmp_path: Path) -> None:
    audit = Audit(root, tmp_path / "state")
    await apply(Door(root, PolicySettings(), audit=audit, environ={"PATH": "/nowhere"}), FIX)
    assert (root / "src" / "app.py").read_bytes() == FIXED


async def test_when_a_file_cannot_be_written_all_are_put_back(door: Door, root: Path) -> None:
    (root / "taken").mkdir()
    changes = [Change("src/app.py", APP, FIXED), Change("src/new.py", None, b"x\n"), Change("taken", None, b"x\n")]
    with pytest.raises(PatchRefused, match="could not be written"):
        await write_changes(door, changes)
    assert files_of(root) == {"src/app.py": APP}


async def test_what_an_interrupted_application_wrote_is_put_back(door: Door, root: Path) -> None:
    await apply(door, FIX + NEW)
    await put_back(door)
    assert files_of(root) == {"src/app.py": APP}
    await put_back(door)
    assert files_of(root) == {"src/app.py": APP}


async def test_what_somebody_changed_after_an_interruption_stays(door: Door, root: Path) -> None:
    await apply(door, FIX + NEW)
    (root / "src" / "app.py").write_bytes(b"mine\n")
    await put_back(door)
    assert files_of(root) == {"src/app.py": b"mine\n"}


async def test_a_note_that_is_not_ours_puts_nothing_back(door: Door, root: Path) -> None:
    await apply(door, FIX)
    (root / f"{COPIES}.json").write_bytes(b'{"x": 1}\xff')
    await put_back(door)
    assert files_of(root) == {"src/app.py": FIXED}
