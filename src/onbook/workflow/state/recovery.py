"""A workflow that was begun before: what is shown of it, what may be done with it, and where it goes on."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from onbook.outcome import UsageError
from onbook.policy.names import looks_secret
from onbook.workflow.files.paths import PathRejected, validate_path
from onbook.workflow.gates import Gatekeeper, Question, Stopped, gate_question
from onbook.workflow.messages import Words, catalogue
from onbook.workflow.setup.output_folder import BASE, close_folder
from onbook.workflow.state.going_on import where_to_go_on
from onbook.workflow.state.loading import Broken, BrokenState, Foreign, Kept, OldState, V1State
from onbook.workflow.state.phase import Phase
from onbook.workflow.state.state import FROM_FILE, State, timestamp
from onbook.workflow.state.store import NoWorkflow, Store
from onbook.workflow.status import phase_label, status_block, status_line

Way = Literal["resume", "fresh", "ended"]
"""Go on with the state in the store; begin anew; there is nothing more to do."""

Say = Callable[[str], None]
HasGit = Callable[[], Awaitable[bool]]


class LeftAlone(Stopped):
    """Somebody keeps what is there, and it is nothing that could be gone on with."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.args = (catalogue(question.lang)("ask.left_alone", gate=question.gate),)


async def recover(store: Store, gates: Gatekeeper, words: Words, say: Say, has_git: HasGit) -> Way:
    """Before a new task: what is to become of the one that was begun here. Nothing is deleted unless it is chosen."""
    match store.found:
        case None:
            return "fresh"
        case Broken() as broken:
            aside = store.set_aside()
            say(words("session.broken", problem=broken.line, name=aside.name))
            return "fresh"
        case Foreign(skill):
            return await _of_another_skill(store, gates, words, say, skill)
        case V1State() as old:
            return await _of_version_1(store, gates, words, say, old)
        case Kept(state):
            return await _of_ours(store, gates, words, say, has_git, state)


async def go_on(store: Store, words: Words, say: Say, has_git: HasGit, *, stays: tuple[Phase, ...] = ()) -> None:
    """Without a question, since somebody has asked to go on; UsageError where that cannot be.

    Everything that the file says of places is looked at again, and the state moves to where it goes on. In the phases
    of `stays` it stays: whoever has asked says what is done there.
    """
    match store.found:
        case Broken() as broken:
            raise BrokenState(broken)
        case Foreign(skill):
            raise UsageError(f"{words('session.other_skill', skill=skill)} {words('session.begin_one')}")
        case V1State():
            raise OldState
    if store.state.finalized:
        store.discard()
        raise NoWorkflow
    if not is_place_safe(store.state, store.root):
        say(words("session.bad_docs_path", path=store.state.docs_path))
        raise UsageError(words("session.bad_place"))
    await _move(store, has_git, stays)


def is_place_safe(state: State, root: Path) -> bool:
    """The seed's Safety Guard: `docs_path` as the file has it, never computed again. It ends in a folder of its own."""
    if state.phase == "setup":
        return True  # setup finds the place anew
    try:
        place = validate_path(state.docs_path, "output_dir", root=root, docs_path=state.docs_path, scopes=state.scopes)
    except PathRejected:
        return False
    return f"{place}/" == state.docs_path and place != BASE


async def _of_another_skill(store: Store, gates: Gatekeeper, words: Words, say: Say, skill: str) -> Way:
    say(words("session.other_skill", skill=skill))
    question = gate_question(words, "conflict", skill=skill)
    answer = await gates.ask(question)
    if answer.choice != "discard":
        raise LeftAlone(question)
    store.discard()
    return "fresh"


async def _of_version_1(store: Store, gates: Gatekeeper, words: Words, say: Say, old: V1State) -> Way:
    say(status_block(old, words, words("session.found_v1")))
    question = gate_question(
        words, "session", only=("restart", "stop"), variant="v1", status=status_line(old, words), phase=old.phase
    )
    answer = await gates.ask(question)
    if answer.choice != "restart":
        raise LeftAlone(question)
    store.discard()
    return "fresh"


async def _of_ours(store: Store, gates: Gatekeeper, words: Words, say: Say, has_git: HasGit, state: State) -> Way:
    if state.finalized:
        store.discard()
        return "fresh"
    say(status_block(state, words, words("session.found")))
    question = gate_question(words, "session", status=status_line(state, words), phase=phase_label(state.phase, words))
    match (await gates.ask(question)).choice:
        case "resume":
            return await _resume(store, words, say, has_git)
        case "restart":
            store.discard()
            return "fresh"
        case "discard":
            close_folder(store.root, state.docs_path)
            store.discard()
            say(words("finish.discarded", path=".harness/"))
            return "ended"
    raise Stopped(question)


async def _resume(store: Store, words: Words, say: Say, has_git: HasGit) -> Way:
    if not is_place_safe(store.state, store.root):
        say(words("session.bad_docs_path", path=store.state.docs_path))
        store.set_aside()
        return "fresh"
    await _move(store, has_git)
    return "resume"


async def _move(store: Store, has_git: HasGit, stays: tuple[Phase, ...] = ()) -> None:
    """To where it goes on, one legal step after the other, each of them written."""
    state = await _settled(store, has_git)
    while (phase := _next(state, store.root, stays)) != state.phase or state != store.state:
        changes = _on_entering(phase, state) if phase != state.phase else {}
        state = msgspec.structs.replace(state, phase=phase, updated_at=timestamp(), **changes)
        store.write(state)


def _next(state: State, root: Path, stays: tuple[Phase, ...]) -> Phase:
    """A spec that has changed leads back to its gate, whatever else was asked for."""
    phase = where_to_go_on(state, root)
    return state.phase if state.phase in stays and phase != "plan_done" else phase


async def _settled(store: Store, has_git: HasGit) -> State:
    """With what the file lacks, or says of another place than this one."""
    state = msgspec.structs.replace(store.state, repo_path=str(store.root))
    if store.lacks("has_git"):
        state = msgspec.structs.replace(state, has_git=await has_git())
    if not _has_conventions(state, store.root):
        state = msgspec.structs.replace(state, conventions=None)
    return state


def _has_conventions(state: State, root: Path) -> bool:
    """Whether the file that they name is there, inside the workspace, and none that holds keys: models are shown it."""
    if state.conventions is None or not state.conventions.startswith(FROM_FILE):
        return True
    named = state.conventions.removeprefix(FROM_FILE)
    path = root / named
    is_inside = path.is_file() and path.resolve().is_relative_to(root.resolve())
    return is_inside and not looks_secret(named.split("/"))


def _on_entering(phase: Phase, state: State) -> dict[str, Any]:
    """What the rules want changed together with the phase."""
    match phase:
        case "plan_done":
            return {"spec_sha256": None}
        case "verify_ready":
            return {"verify": msgspec.structs.replace(state.verify, layer1_result=None)}
        case "evaluate_ready":
            return {"verify": msgspec.structs.replace(state.verify, layer2_result=None)}
    return {}
