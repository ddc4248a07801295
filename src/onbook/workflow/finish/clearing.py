"""Deleting on request: `discard` gives up the workflow under way, `clean` removes the results of earlier ones."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from onbook.outcome import UsageError
from onbook.workflow.files.artefacts import MARKER
from onbook.workflow.files.paths import MEMORY
from onbook.workflow.finish.deleting import count_files, delete_folder, folders_below, remove_if_empty
from onbook.workflow.finish.git import Commits
from onbook.workflow.gates import Gatekeeper, gate_question
from onbook.workflow.messages import Words
from onbook.workflow.setup.output_folder import BASE, checked, close_folder
from onbook.workflow.state.loading import FOLDER, Foreign, Kept
from onbook.workflow.state.store import NoWorkflow, Store

Say = Callable[[str], None]


def discard(store: Store, words: Words, say: Say) -> None:
    """Give up the workflow that is here: `.harness/` goes, and what was made stays. NoWorkflow where there is none."""
    found = store.found
    if isinstance(found, Foreign):
        raise UsageError(f"{words('session.other_skill', skill=found.skill)} {words('finish.not_ours')}")
    if not (store.root / FOLDER).is_dir():
        raise NoWorkflow
    store.discard()
    say(words("finish.discarded", path=f"{FOLDER}/"))
    if not isinstance(found, Kept):
        return
    if found.state.docs_path and (store.root / found.state.docs_path).is_dir():
        close_folder(store.root, found.state.docs_path)
        say(words("finish.kept", path=found.state.docs_path))
    if found.state.branch:
        say(words("finish.uncommitted", branch=found.state.branch))


async def clean(
    store: Store, gates: Gatekeeper, words: Words, say: Say, git: Commits, *, everything: bool = False
) -> bool:
    """Delete the results of finished workflows, after somebody has seen them listed and said yes.

    `everything` takes every folder below `docs/harness`, also those without our marker and `/memory`'s. False where
    nothing was deleted.
    """
    place = checked(store.root, BASE)
    folders = await to_clean(store, words, everything=everything)
    if not folders:
        say(words("finish.nothing_to_clean", path=place))
        return False
    for folder in folders:
        say(words("finish.files", path=f"{place}{folder.name}/", count=count_files(folder)))
        if folder.name == MEMORY:
            say(words("finish.memory"))
    if await git.ignored((place,)):
        say(words("finish.permanent", path=place))
    shown = place if everything else ", ".join(f"{place}{folder.name}/" for folder in folders)
    if (await gates.ask(gate_question(words, "clean", path=shown))).choice != "yes":
        return False
    for folder in folders:
        say(words("finish.deleting", path=f"{place}{folder.name}/"))
        await asyncio.to_thread(delete_folder, folder)
    remove_if_empty(store.root / place)
    return True


async def to_clean(store: Store, words: Words, *, everything: bool = False) -> list[Path]:
    """What `clean` would delete; UsageError while a workflow is under way."""
    if isinstance(store.found, Kept) and not store.found.state.finalized:
        raise UsageError(words("finish.under_way"))
    return await asyncio.to_thread(_folders, store.root / checked(store.root, BASE), everything=everything)


def _folders(place: Path, *, everything: bool) -> list[Path]:
    """Those of results; without `everything`, the ones that carry our marker."""
    found = folders_below(place)
    return found if everything else [each for each in found if each.name != MEMORY and (each / MARKER).is_file()]
