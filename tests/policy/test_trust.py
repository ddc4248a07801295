"""A workspace is trusted by its folder and the content of its file, and a broken record trusts nothing."""

import os
import stat
from pathlib import Path

import pytest

from onbook.outcome import UsageError
from onbook.policy.trust import TrustStore
from onbook.workspace.errors import WorkspaceError


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "state")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "onbook.toml").write_text('model = "x"\n')
    return root


def _trusts(store: TrustStore, root: Path) -> bool:
    file = root / "onbook.toml"
    return store.is_trusted(file, file.read_bytes())


def test_nothing_is_trusted_at_first(store: TrustStore, workspace: Path) -> None:
    assert not _trusts(store, workspace)
    assert store.show() == ()
    assert store.problem() is None
    assert not store.path.parent.exists()


def test_trust_is_remembered_by_the_next_process_and_private(store: TrustStore, workspace: Path) -> None:
    entry = store.trust(workspace)
    again = TrustStore(store.path.parent)
    assert _trusts(again, workspace)
    assert again.show() == (entry,)
    assert entry.root == str(workspace)
    assert entry.unchanged
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_any_change_of_the_file_ends_the_trust_and_the_old_content_has_it_again(
    store: TrustStore, workspace: Path
) -> None:
    store.trust(workspace)
    (workspace / "onbook.toml").write_text('model = "x" \n')
    assert not _trusts(store, workspace)
    assert not store.show()[0].unchanged
    (workspace / "onbook.toml").write_text('model = "x"\n')
    assert _trusts(store, workspace)


def test_the_same_file_elsewhere_is_not_trusted(store: TrustStore, workspace: Path, tmp_path: Path) -> None:
    store.trust(workspace)
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "onbook.toml").write_bytes((workspace / "onbook.toml").read_bytes())
    assert not _trusts(store, copy)


def test_a_link_to_the_folder_is_the_folder(store: TrustStore, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(workspace)
    store.trust(tmp_path / "link")
    assert _trusts(store, workspace)
    assert _trusts(store, tmp_path / "link")


def test_trusting_again_replaces_what_was_trusted(store: TrustStore, workspace: Path) -> None:
    store.trust(workspace)
    (workspace / "onbook.toml").write_text('model = "y"\n')
    store.trust(workspace)
    assert len(store.show()) == 1
    assert _trusts(store, workspace)


def test_trust_can_be_taken_back(store: TrustStore, workspace: Path) -> None:
    assert not store.revoke(workspace)
    store.trust(workspace)
    assert store.revoke(workspace)
    assert not _trusts(store, workspace)
    assert not store.revoke(workspace)


def test_a_workspace_that_is_gone_can_still_be_shown_and_revoked(store: TrustStore, workspace: Path) -> None:
    store.trust(workspace)
    (workspace / "onbook.toml").unlink()
    workspace.rmdir()
    assert not store.show()[0].unchanged
    assert store.revoke(workspace)


def test_there_must_be_something_to_trust(store: TrustStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no onbook\.toml: there is nothing to trust$"):
        store.trust(tmp_path)


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only Linux has such names")
def test_a_folder_with_any_bytes_in_its_name_can_be_trusted(store: TrustStore, tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe"))
    root.mkdir()
    (root / "onbook.toml").touch()
    store.trust(root)
    assert _trusts(store, root)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"v": 1}', b"\xff\xfe", b'{"v":1,"workspaces":[1]}'])
def test_a_broken_record_trusts_nothing_says_so_and_is_kept_aside(
    store: TrustStore, workspace: Path, content: bytes
) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(content)
    assert not _trusts(store, workspace)
    assert store.problem() == (
        f"{store.path} cannot be read (it is damaged): no workspace is trusted until you run onbook trust again"
    )
    assert store.path.read_bytes() == content
    store.trust(workspace)
    assert _trusts(store, workspace)
    assert store.problem() is None
    [aside] = store.path.parent.glob("trust.json.broken-*")
    assert aside.read_bytes() == content


def test_a_state_folder_that_cannot_be_made_is_one_line(workspace: Path) -> None:
    store = TrustStore(workspace / "onbook.toml" / "state")
    with pytest.raises(WorkspaceError, match=r"^cannot write .*trust\.json: not a directory$"):
        store.trust(workspace)


def test_a_yes_is_to_what_was_shown_and_not_to_what_took_its_place(workspace: Path, store: TrustStore) -> None:
    shown = (workspace / "onbook.toml").read_bytes()
    (workspace / "onbook.toml").write_bytes(b'model = "swapped"\n')
    store.trust(workspace, shown)
    assert store.is_trusted(workspace / "onbook.toml", shown)
    assert not store.is_trusted(workspace / "onbook.toml", (workspace / "onbook.toml").read_bytes())
