"""What git shows of many files at once leaves out those that hold keys, and those that the settings keep."""

import os
import subprocess
from pathlib import Path

import pytest

from onbook.config.policy_settings import Permission
from onbook.policy.door import Denied, Door
from onbook.policy.effects import Run
from onbook.policy.names import looks_secret
from tests.policy.conftest import DoorMaker

SECRETS = (
    *(".env", ".env.local", "sub/.env", "prod.env", "secrets.json"),
    *("secret.yml", "x.tfvars", "terraform.tfstate", "auth.json", ".htpasswd"),
    *("vault.kdbx", "service_account.json", "my-service-account-1.json", "client_secret_1.json", "db_credentials.json"),
    *("credentials", ".ssh/config", ".aws/config", ".docker/config.json", ".kube/config"),
    *(".config/gh/hosts.yml", ".my.cnf", "kubeconfig", "kubeconfig.yaml", ".psql_history"),
    *("server.key.bak", "deploy_rsa~", "id_ed25519", ".git-credentials", ".authinfo.gpg"),
    *("known_hosts", "SERVER.PEM", ".env~", "prod.env.bak"),
)


@pytest.fixture
def committed(root: Path) -> Path:
    """The workspace with every kind of secret in its first commits, and one changed since."""
    for name in SECRETS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"swordfish in {name}  \n")
    _git(root, "add", "-f", *SECRETS, "private")
    _git(root, "commit", "-qm", "oops")
    (root / ".env").write_text("another swordfish\n")
    return root


@pytest.mark.parametrize("name", SECRETS)
def test_the_names_of_this_test_are_secret(name: str) -> None:
    assert looks_secret(name.split("/"))


@pytest.mark.parametrize(
    "words",
    [
        "show HEAD",
        "show HEAD -- .e?v",
        "log -p",
        "log --binary",
        "log --check",
        "log -U0",
        "log --walk-reflogs --binary",
        "log -p --follow .e?v",
        "log -p --follow .en[v]",
        "diff HEAD~1",
        "diff",
        "diff-tree -p HEAD",
        "-C src show HEAD",
        "-C src diff",
        "-C src log -p .. ",
    ],
)
async def test_nothing_that_git_shows_holds_keys(committed: Path, door: Door, words: str) -> None:
    assert b"swordfish" not in await _shown(door, words)


@pytest.mark.parametrize("words", ["--literal-pathspecs log -p .", "--literal-pathspecs show HEAD -- ."])
async def test_patterns_cannot_be_switched_off(committed: Path, door: Door, words: str) -> None:
    with pytest.raises(Denied, match="literal-pathspecs"):
        await _shown(door, words)


@pytest.mark.parametrize("words", ["show HEAD", "log -p", "log -p -- pri*", "-C src log -p"])
@pytest.mark.parametrize("answer", ["deny", "ask"])
async def test_what_the_settings_keep_from_models_git_keeps_too(
    committed: Path, open_door: DoorMaker, words: str, answer: str
) -> None:
    kept = open_door(permissions=(Permission(path="private", read=answer),))  # type: ignore[arg-type]

    assert b"dear diary" not in await _shown(kept, words)


async def test_git_does_not_read_where_nothing_may_be_read(committed: Path, open_door: DoorMaker) -> None:
    closed = open_door(permissions=(Permission(path=".", read="deny"),))

    with pytest.raises(Denied, match="the settings forbid reading"):
        await _shown(closed, "log -p")


async def test_other_files_are_shown_as_ever(committed: Path, door: Door) -> None:
    (committed / "notes.md").write_text("changed\n")

    assert b"+changed" in await _shown(door, "diff")
    assert b"dear diary" in await _shown(door, "show HEAD")
    assert b"+hello" in await _shown(door, "log -p --follow notes.md")


@pytest.mark.parametrize(
    "words", ["diff --submodule=diff", "diff --ignore-submodules=none", "log -p --submodule", "describe --dirty"]
)
async def test_no_option_makes_git_work_in_a_submodule(door: Door, words: str) -> None:
    with pytest.raises(Denied, match="starts git in a submodule"):
        await _shown(door, words)


@pytest.mark.parametrize(
    "words", ["status", "status --porcelain", "diff", "diff --stat", "diff HEAD", "show", "log -p"]
)
async def test_what_the_config_of_a_submodule_names_is_not_started(root: Path, door: Door, words: str) -> None:
    evil = root / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {root}/pwned\n")
    evil.chmod(0o755)
    _git(root, "init", "-q", "inner")
    _commit(root / "inner", "f", "x\n")
    _git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./inner", "part")
    _git(root, "config", "-f", ".gitmodules", "submodule.part.ignore", "none")
    _commit(root, ".gitmodules")
    _git(root / "part", "config", "filter.x.clean", str(evil))
    (root / ".git" / "modules" / "part" / "info" / "attributes").write_text("* filter=x\n")
    (root / "part" / "f").write_text("y\n")
    os.utime(root / "part" / "f", (1, 1))

    await _shown(door, words)

    assert not (root / "pwned").exists()


async def _shown(door: Door, words: str) -> bytes:
    ran = await door.run(Run(("git", *words.split())), by="model", only_known=True)
    return ran.output


def _commit(root: Path, name: str, text: str | None = None) -> None:
    if text is not None:
        (root / name).write_text(text)
    _git(root, "add", name)
    _git(root, "commit", "-qm", name)


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=root, check=True)
