"""Programs inside bubblewrap: no network, everything read-only but the workspace, a private /tmp, no keys."""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from onbook.config.policy_settings import SandboxChoice
from onbook.outcome import OnbookError


class SandboxMissing(OnbookError):
    """The settings want a sandbox, and there is none here."""


class SandboxState(msgspec.Struct, frozen=True):
    """Whether programs that models start are shut in, and why not."""

    active: bool
    detail: str


def sandbox_state(choice: SandboxChoice = "auto") -> SandboxState:
    """For `onbook doctor`, the banner and the door. bubblewrap is tried once for each run of onbook."""
    if choice == "off":
        return SandboxState(active=False, detail='off (policy.sandbox = "off")')
    problem = _problem()
    if problem is None:
        return SandboxState(active=True, detail="bubblewrap: no network, only the workspace is writable")
    return SandboxState(active=False, detail=problem)


def sandboxed(argv: Sequence[str], root: Path, choice: SandboxChoice, *, hide_keys: bool = False) -> tuple[str, ...]:
    """The command inside the sandbox, or itself where there is none; SandboxMissing when there has to be one.

    `hide_keys` also empties the files with keys at the top of the workspace, for programs that read what they like.
    """
    state = sandbox_state(choice)
    if not state.active:
        if choice == "on":
            raise SandboxMissing(f'policy.sandbox = "on", but {state.detail}; "auto" runs without it')
        return tuple(argv)
    hidden = _secrets_at(root.resolve()) if hide_keys else []
    return (*_wrapping(root.resolve(), Path.home(), hidden), "--", *argv)


_NO_KEYS_FOLDERS = (
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".config/onbook",
)
_NO_KEYS_FILES = (".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".vault-token", ".env")
SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/run/wrappers/bin:/run/current-system/sw/bin"
"""Where bubblewrap is installed. PATH may name a folder of the workspace, and one from there would be no fence."""
_READ_ONLY = (".onbook", ".harness", ".git/hooks", ".git/config")


@functools.cache
def _problem() -> str | None:
    """What keeps bubblewrap from working here; None when it works."""
    if sys.platform != "linux":
        return "bubblewrap works on Linux only"
    program = shutil.which("bwrap", path=SYSTEM_PATH)
    if program is None:
        return "bubblewrap is not installed (install the package bubblewrap)"
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "true"]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=10, check=False)  # noqa: S603 - the system's bwrap
    except (OSError, subprocess.TimeoutExpired):
        return "bubblewrap cannot be started here"
    if tried.returncode:
        said = tried.stderr.decode(errors="replace").strip().splitlines()
        return f"bubblewrap does not work here ({said[-1] if said else 'it failed'})"
    return None


def _wrapping(root: Path, home: Path, hidden: Sequence[Path]) -> list[str]:
    words = [
        *(shutil.which("bwrap", path=SYSTEM_PATH) or "bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *("--tmpfs", "/tmp", "--tmpfs", "/run"),  # noqa: S108 - hidden, not used
    ]
    words += ["--bind", str(root), str(root)]
    if (root / ".git").is_dir() and not (root / ".git").is_symlink():  # mounted, it cannot be renamed out of the way
        words += ["--bind", str(root / ".git"), str(root / ".git")]
        words += _no_new_hooks(root / ".git" / "hooks")
    for name in _READ_ONLY:
        if (root / name).exists() and not (root / name).is_symlink():
            words += ["--ro-bind", str(root / name), str(root / name)]
    for name in _NO_KEYS_FOLDERS:
        folder = (home / name).resolve()
        if folder.is_dir() and not root.is_relative_to(folder):
            words += ["--tmpfs", str(folder)]
    for name in _NO_KEYS_FILES:
        if (home / name).is_file():
            words += ["--ro-bind", "/dev/null", str((home / name).resolve())]
    for secret in hidden:
        words += ["--ro-bind", "/dev/null", str(secret)]
    return [*words, "--chdir", str(root)]


def _no_new_hooks(hooks: Path) -> list[str]:
    """An empty folder that stays empty where there is none: git would run what is put there, outside of the sandbox."""
    return [] if os.path.lexists(hooks) else ["--tmpfs", str(hooks), "--remount-ro", str(hooks)]


def _secrets_at(root: Path) -> list[Path]:
    """Files with keys at the top of the workspace, where they usually lie."""
    from onbook.policy.names import looks_secret

    try:
        return [
            path
            for path in sorted(root.iterdir())
            if looks_secret([path.name]) and path.is_file() and not path.is_symlink()
        ]
    except OSError:
        return []
