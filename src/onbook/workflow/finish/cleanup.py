"""Step 8, the end of a workflow, in the safe order: commit first, then clean. `discard` and `clean` are in `clearing`.

It can be called again after a kill at any point: what somebody chose is in the state, what is committed or deleted
already is not done twice, and the state goes last.
"""

import msgspec

from onbook.outcome import OnbookError
from onbook.workflow.files.artefacts import MARKER, QA_REPORT, SPEC
from onbook.workflow.files.repository import GitFailed
from onbook.workflow.files.snapshot import half_written
from onbook.workflow.finish.commit import CommitFailed, commit_changes
from onbook.workflow.finish.deleting import delete_files, delete_half_written, empty_harness
from onbook.workflow.finish.git import Commits
from onbook.workflow.gates import gate_question
from onbook.workflow.phases.findings import over_failed_checks
from onbook.workflow.setup.output_folder import close_folder
from onbook.workflow.state.recovery import is_place_safe
from onbook.workflow.state.state import Finish, State
from onbook.workflow.work import Work

_KEPT_AFTER_CODE = (SPEC, QA_REPORT, MARKER)
"""Of what a workflow made, this stays on disk when only the code is committed; the marker tells `clean` whose it is."""


async def finish(work: Work) -> None:
    """From `completed` to nothing: afterwards there is no state any more. A commit that fails leaves everything."""
    _check_place(work)
    warning = over_failed_checks(work) if work.state.outcome == "passed" else ""
    if work.state.has_git:
        chosen = await _chosen(work)
        if chosen != "none":
            await _commit(work, chosen)
        _delete(work, _not_kept(work.state, chosen))
    delete_half_written(work.root, await half_written(work))
    work.say(work.words("finish.deleting", path=".harness/"))
    await _say_last(work, warning)
    close_folder(work.root, work.state.docs_path)
    work.advance(finalized=True)
    empty_harness(work.root)
    work.store.discard()


def _check_place(work: Work) -> None:
    """The seed's Safety Guard, before anything is staged or deleted."""
    if not is_place_safe(work.state, work.root):
        work.say(work.words("session.bad_docs_path", path=work.state.docs_path), "warning")
        raise OnbookError(work.words("finish.bad_place"))


async def _chosen(work: Work) -> Finish:
    """Written down, so that a kill between commit and cleaning does not ask again about what is done."""
    if work.state.finish is not None:
        return work.state.finish
    answer = await work.gates.ask(gate_question(work.words, "commit"))
    chosen: Finish = msgspec.convert(answer.choice, Finish)
    work.advance(finish=chosen)
    return chosen


async def _commit(work: Work, chosen: Finish) -> None:
    """Where git will not, somebody may choose otherwise next time."""
    try:
        await commit_changes(work, "all" if chosen == "all" else "code")
    except (CommitFailed, GitFailed):
        work.advance(finish=None)
        raise


def _not_kept(state: State, chosen: Finish) -> tuple[str, ...]:
    """Of the manifest, and of nothing else. What is committed as a whole belongs to the project from now on."""
    own = [path for path in state.manifest if path.startswith(state.docs_path)]
    match chosen:
        case "code":
            kept = {state.docs_path + name for name in _KEPT_AFTER_CODE}
            return tuple(path for path in own if path not in kept)
        case "all":
            return tuple(path for path in own if path == state.docs_path + MARKER)
    return ()


def _delete(work: Work, paths: tuple[str, ...]) -> None:
    there = [path for path in paths if (work.root / path).exists()]
    if there:
        work.say(work.words("finish.deleting", path=", ".join(there)))
        delete_files(work.root, there)


async def _say_last(work: Work, warning: str) -> None:
    """Where the results are; and of a branch, what is on it and how to merge or drop it."""
    state = work.state
    if warning:
        work.say(warning, "warning")
    work.say(work.words("finish.kept", path=state.docs_path))
    if not state.has_git:
        return
    if state.finish == "none":
        work.say(work.words("finish.uncommitted", branch=state.branch))
        return
    diffstat = await Commits(work.live.door).diffstat(state.base_commit)
    if diffstat is None:
        work.say(work.words("finish.nothing", branch=state.branch))
    else:
        work.say(work.words("finish.committed", branch=state.branch, diffstat=diffstat))
