"""What the state knows of those who were sent out: written before they go, and again when they are back."""

from pathlib import Path

import msgspec

from onbook.config.errors import reason
from onbook.outcome import OnbookError
from onbook.workflow.files.artefacts import SPEC, has_arrived, sha256_of
from onbook.workflow.state.state import Dispatch
from onbook.workflow.work import Errand, Work


def finished_before(work: Work, errand: Errand) -> Dispatch | None:
    """The dispatch of this phase that brought the very artefact that still lies there; None sends the agent out."""
    known = _known(work, errand)
    if known is None or known.after is None or known.after != sha256_of(work.root / errand.artefact):
        return None
    return known


def send_off(work: Work, errand: Errand) -> Dispatch:
    """Write down that somebody goes for this artefact.

    What an earlier round left in its place is taken away first, so that it can never pass for the new one; the spec
    stays, because its revision begins with it. After a crash, what stood there before the first try still counts.
    """
    known = _known(work, errand)
    path = work.root / errand.artefact
    if path.name != SPEC:
        _take_away(path)
    is_out_still = known is not None and known.after is None and path.name == SPEC
    before = known.before if known is not None and is_out_still else sha256_of(path)
    dispatch = Dispatch(errand.persona, errand.artefact, before)
    _write_down(work, dispatch, manifest=_manifest(work, errand, is_new=before is None))
    return dispatch


def stamp_of(path: Path) -> tuple[int, int] | None:
    """Differs after every writing of the file, also of the very same words; None where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def has_arrived_now(work: Work, errand: Errand, dispatch: Dispatch, stood: tuple[int, int] | None) -> bool:
    """Whether the artefact is there, has something in it, and was written since it bore the stamp `stood`.

    The very words of an earlier workflow's spec, written again, are brought too; in a revision they are none, and after
    a crash nobody can tell: there the words must differ.
    """
    path = work.root / dispatch.artefact
    is_again = not errand.variables.get("revision") and stamp_of(path) not in (None, stood)
    return (is_again or has_arrived(work.root, dispatch)) and path.stat().st_size > 0


def come_back(work: Work, dispatch: Dispatch, said: str) -> Dispatch:
    """Write down what was brought and what was said."""
    after = sha256_of(work.root / dispatch.artefact)
    back = msgspec.structs.replace(dispatch, after=after, said=said)
    _write_down(work, back, manifest=work.state.manifest)
    return back


def _known(work: Work, errand: Errand) -> Dispatch | None:
    return next((each for each in work.state.dispatches if _is_for(each, errand.persona, errand.artefact)), None)


def _is_for(dispatch: Dispatch, persona: str, artefact: str) -> bool:
    return (dispatch.persona, dispatch.artefact) == (persona, artefact)


def _write_down(work: Work, dispatch: Dispatch, manifest: tuple[str, ...]) -> None:
    others = [each for each in work.state.dispatches if not _is_for(each, dispatch.persona, dispatch.artefact)]
    work.advance(dispatches=(*others, dispatch), manifest=manifest)


def _manifest(work: Work, errand: Errand, *, is_new: bool) -> tuple[str, ...]:
    """Only what was not there before is ours to delete one day."""
    manifest = work.state.manifest
    is_doc = errand.artefact.startswith(work.state.docs_path)
    return (*manifest, errand.artefact) if is_doc and is_new and errand.artefact not in manifest else manifest


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OnbookError(f"cannot replace {path}: {reason(error)}") from None
