"""`/rag`: files indexed, so that passages of them can be found and shown to the model."""

from collections.abc import Callable

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import WorkspacePath
from onbook.models.messages import Retrying
from onbook.outcome import OnbookError, UsageError
from onbook.policy.door import Denied
from onbook.policy.effects import Read
from onbook.policy.listing import MOST_ENTRIES
from onbook.policy.paths import Missing
from onbook.session.budget import BudgetSpent
from onbook.session.knowledge.excerpts import excerpt
from onbook.session.knowledge.indexing import Work
from onbook.session.knowledge.knowledge import Knowledge
from onbook.session.knowledge.offer import offer_knowledge
from onbook.session.pending import Piece
from onbook.words import counted


@click.group(cls=Group, default="status")
def rag() -> None:
    """Index files and find passages in them.

    The index lies in `.onbook/knowledge.sqlite`. Passages are found by their words; by their meaning too, where
    `rag.embeddings` in the settings names a route or model that gives vectors. The model can search in it as well.
    """


@rag.command()
@click.argument("paths", nargs=-1, required=True, type=WorkspacePath(), metavar="PATH...")
@click.pass_obj
async def add(call: Call, paths: tuple[str, ...]) -> None:
    """Index files and folders, or bring what was indexed up to date.

    Only what changed is read in again; what is gone from a folder is dropped. Files that are ignored by git, binary,
    larger than 4 MB, or that may hold keys are passed over.
    """
    knowledge = _knowledge(call)
    try:
        work = await knowledge.add(paths, call.note)
    except Denied as denied:
        if isinstance(denied.problem, Missing) and isinstance(denied.effect, Read):
            raise UsageError(f"{denied.effect.path} does not exist") from None
        raise
    for line in _told(work):
        call.say(line)
    try:
        if vectors := await knowledge.embed(call.note, _announce(call)):
            call.say(vectors)
    except BudgetSpent:
        raise
    except OnbookError as error:
        call.note(f"no vectors for some passages, which are found by words alone: {error}", "warning")
    await _offer(call)


@rag.command()
@click.argument("text", nargs=-1, required=True)
@click.pass_obj
async def query(call: Call, text: tuple[str, ...]) -> None:
    """Find passages, as in: /rag query how are sessions recorded

    The best five go with the next message, each named by its file and lines.
    """
    knowledge = _knowledge(call)
    if await knowledge.is_empty():
        raise OnbookError("nothing is indexed yet; /rag add PATH indexes files and folders")
    question = " ".join(text)
    found = await knowledge.find(question, _announce(call))
    if found.problem:
        call.note(found.problem, "warning")
    if not found.passages:
        call.say(f"no passage has any of these words: {question}")
    for passage in found.passages:
        call.say("\n    ".join([passage.cited, *excerpt(passage.text, question)]))
    if found.passages:
        pieces = [Piece(passage.cited, passage.text) for passage in found.passages]
        call.show_model(*pieces, told=f"{counted(len(pieces), 'passage')} will go with the next message")


@rag.command()
@click.pass_obj
async def status(call: Call) -> None:
    """Show how much is indexed."""
    state = await _knowledge(call).status()
    counts = state.counts
    if not counts.files:
        call.note("nothing is indexed; /rag add PATH indexes files and folders")
        return
    size = f"{counts.bytes / 1e6:.1f} MB"
    call.say(f"{counted(counts.files, 'file')}, {counted(counts.chunks, 'passage')}, {size}")
    if state.model:
        call.say(f"{counted(state.vectors, 'vector')} by {state.model}")


@rag.command()
@click.argument("paths", nargs=-1, type=WorkspacePath(), metavar="[PATH...]")
@click.pass_obj
async def drop(call: Call, paths: tuple[str, ...]) -> None:
    """Forget what was indexed below the paths, or everything when none is given.

    The files themselves stay. A damaged index is moved aside, so that a new one can be made.
    """
    knowledge = _knowledge(call)
    for path in paths:
        found = await knowledge.drop(path)
        call.say(f"forgot {counted(len(found), 'file')} of {path}" if found else f"nothing was indexed of {path}")
    if not paths:
        aside = await knowledge.drop_all()
        call.say("the index is empty")
        for name in aside:
            call.say(f"what was damaged is kept as .onbook/{name}")
    await _offer(call)


def _knowledge(call: Call) -> Knowledge:
    live = call.live
    return Knowledge(live.door, live.choice, live.settings.rag.embeddings, live.ledger)


async def _offer(call: Call) -> None:
    live = call.live
    if live.settings.tools.enabled:
        await offer_knowledge(live.chat, live.door, live.settings.rag.embeddings)


def _announce(call: Call) -> Callable[[Retrying], None]:
    return lambda retrying: call.note(retrying.sentence, "warning")


def _told(work: Work) -> list[str]:
    kinds = (("new", work.added), ("changed", work.changed), ("moved", work.moved), ("gone", work.dropped))
    said = [f"{count:,} {kind}" for kind, count in (*kinds, ("unchanged", work.unchanged)) if count]
    read = work.added + work.changed + work.moved + work.unchanged
    lines = [f"{counted(read, 'file')} read: {', '.join(said)}" if said else "no file to index there"]
    if work.passed_over:
        over = ", ".join(f"{count:,} {why}" for why, count in sorted(work.passed_over.items()))
        lines.append(f"passed over: {over}")
    if not work.complete:
        lines.append(f"only the first {MOST_ENTRIES:,} names were looked at; name smaller folders to index the rest")
    return lines
