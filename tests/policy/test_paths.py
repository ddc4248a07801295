"""The fence: whatever the text and whoever swaps what, nothing outside the root is opened."""

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onbook.policy.hands import delete_file, list_folder, read_bytes, write_bytes
from onbook.policy.names import fold, is_protected, looks_secret
from onbook.policy.paths import PathRefused, resolve

INSIDE, OUTSIDE = b"inside", b"outside"


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """A folder with links in all directions, beside files that must never be opened."""
    base = Path(tempfile.mkdtemp())
    root = base / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "f").write_bytes(INSIDE)
    (root / "f").write_bytes(INSIDE)
    (base / "f").write_bytes(OUTSIDE)
    (base / "a").mkdir()
    (base / "a" / "f").write_bytes(OUTSIDE)
    (root / "up").symlink_to("..")
    (root / "a" / "up").symlink_to("../..")
    (root / "top").symlink_to("/")
    (root / "home").symlink_to(base)
    (root / "me").symlink_to(root)
    (root / "a" / "me").symlink_to("../a")
    (root / "loop").symlink_to("loop")
    (root / "a" / "long").symlink_to("b/../../a/b/../f")
    yield root
    shutil.rmtree(base)


NAMES = ["a", "b", "f", "up", "top", "home", "me", "loop", "long", "..", ".", "", "~", "tmp", "etc", "passwd", "root"]
texts = st.one_of(
    st.lists(st.sampled_from(NAMES), max_size=8).map("/".join),
    st.lists(st.sampled_from(NAMES), max_size=6).map(lambda names: "/" + "/".join(names)),
    st.text(max_size=30),
    st.lists(st.one_of(st.sampled_from(NAMES), st.text(max_size=4)), max_size=6).map("/".join),
)


@given(text=texts)
@settings(max_examples=1500, deadline=None)
def test_whatever_the_text_nothing_outside_is_opened(tree: Path, text: str) -> None:
    for asked in (text, f"{tree}/{text}", f"{tree.parent}/{text}"):
        try:
            place = resolve(tree, asked)
        except PathRefused:
            continue
        assert ".." not in place.parts
        real = Path(os.path.realpath(tree.joinpath(*place.parts)))
        assert real.is_relative_to(tree)
        assert real == tree.joinpath(*place.parts)
        assert resolve(tree, f"./{place.text}") == place
        try:
            assert read_bytes(tree, place.parts) == INSIDE
        except PathRefused:
            continue


@given(parts=st.lists(st.sampled_from([name for name in NAMES if name]), min_size=1, max_size=6))
@settings(max_examples=500, deadline=None)
def test_the_hands_follow_nothing_even_when_they_are_given_links(tree: Path, parts: list[str]) -> None:
    wanted = [part for part in parts if part not in ("..", ".")]
    try:
        assert read_bytes(tree, wanted) == INSIDE
    except PathRefused:
        pass


def test_links_inside_are_followed(tree: Path) -> None:
    for text in ("a/long", "me/f", "a/me/me/me/f", "me/me/a/../f", "a/../f"):
        assert read_bytes(tree, resolve(tree, text).parts) == INSIDE


@pytest.mark.parametrize(
    "text", ["up/f", "a/up/f", "top/etc/passwd", "home/f", "loop", "../root/../f", "a/b/../../../f"]
)
def test_links_and_dots_that_leave_are_refused(tree: Path, text: str) -> None:
    with pytest.raises(PathRefused):
        resolve(tree, text)


@pytest.mark.timeout(60)
def test_a_folder_swapped_for_a_link_between_check_and_use_gives_nothing_away(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "real", outside):
        folder.mkdir(parents=True)
    (root / "real" / "f").write_bytes(INSIDE)
    (outside / "f").write_bytes(OUTSIDE)
    (root / "link").symlink_to(outside)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for source in ("real", "link"):
                try:
                    os.rename(root / source, root / "d")
                    os.rename(root / "d", root / source)
                except OSError:
                    continue

    thread = threading.Thread(target=swap)
    thread.start()
    read = 0
    try:
        for count in range(4000):
            try:
                place = resolve(root, "d/f")
                assert read_bytes(root, place.parts) == INSIDE
                read += 1
                write_bytes(root, ("d", "w"), b"x")
                list_folder(root, ("d",))
                if count % 2:
                    delete_file(root, ("d", "w"))
            except PathRefused:
                continue
    finally:
        done.set()
        thread.join()
    assert sorted(path.name for path in outside.iterdir()) == ["f"]
    assert (outside / "f").read_bytes() == OUTSIDE


def test_writing_keeps_permissions_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    (tmp_path / "f").chmod(0o600)
    write_bytes(tmp_path, ("f",), b"new")
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600
    (tmp_path / "d").mkdir()
    with pytest.raises(PathRefused):
        write_bytes(tmp_path, ("d",), b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "f"]


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".Git", ".g\u200cit", ".git.", ".git ", "．git", ".gıt".replace("ı", "i")]
)
def test_forgiving_file_systems_are_forgiven_nothing(name: str) -> None:
    assert fold(name) == ".git"
    assert is_protected((name, "config"))


SECRETS = """
.env .env.local prod.env .envrc a/.ssh/config id_rsa id_ed25519 deploy_rsa server.key a/cert.PEM credentials x.p12
credentials.json aws-credentials.csv .netrc .npmrc .pypirc .aws/config .kube/config .gnupg/x secrets.yaml
.env~ .envrc.local prod.env.bak
service-account.json .git-credentials .docker/config.json .config/gh/hosts.yml .bash_history server.key.bak
"""


@pytest.mark.parametrize("path", SECRETS.split())
def test_places_where_keys_are_kept_are_known(path: str) -> None:
    assert looks_secret(path.split("/"))
    assert looks_secret(path.upper().split("/"))


@pytest.mark.parametrize(
    "path",
    ["environment.py", "env.py", ".env.example", "id_rsa.pub", "keyboard.py", "src/secrets.py", "monkey.md", "a"],
)
def test_other_files_are_not_taken_for_keys(path: str) -> None:
    assert not looks_secret(path.split("/"))
