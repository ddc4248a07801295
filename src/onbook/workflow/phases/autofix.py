"""The automatic fix: when the last retry has failed, an agent may propose one patch, and a person decides about it.

One in a workflow (I1, I2 of the seed). A patch that nobody has decided about can be proposed and asked about again
after any interruption (I3); as soon as somebody has, it is used up, whatever became of it.
"""

import msgspec

from onbook.excerpt import cut_middle, plain
from onbook.policy.effects import one_line
from onbook.policy.hands import read_or_none
from onbook.workflow.agents.returns import confidence_in
from onbook.workflow.checks.report import failing_in
from onbook.workflow.files.artefacts import CHANGES, SPEC, VERIFY_REPORT, has_arrived
from onbook.workflow.files.paths import PathRejected, validate_path
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.gates import Question, Stopped, gate_question
from onbook.workflow.patches.diff_blocks import diff_in, has_hunk
from onbook.workflow.patches.diffs import PatchRefused, read_diff
from onbook.workflow.patches.pre_apply import put_back, write_changes
from onbook.workflow.patches.trying import BadTarget, checked_targets, try_patch
from onbook.workflow.setup.models import model_for
from onbook.workflow.state.rules import may_offer_autofix
from onbook.workflow.state.state import Applied, Autofix, Dispatch, ModelConfig, timestamp
from onbook.workflow.work import Errand, Work

PATCH = ".harness/generator/auto_fix_patch.md"
PROPOSER = "autofix_proposer"
MOST_FILES = 5
"""Failing files that are named to the proposer."""
_MOST_BYTES = 1 << 20
_MOST_SHOWN = 20_000
"""Characters of the diff that are shown before somebody is asked."""


async def propose(work: Work) -> None:
    """Somebody chose it: send the proposer out. That does not use it up; a decision about the patch does."""
    if may_offer_autofix(work.state):
        work.advance(autofix=Autofix(PATCH, "proposed", timestamp(), work.state.round))
    await _proposal(work)


async def decide(work: Work) -> None:
    """From `proposed` to what somebody decides at the gate `autofix`. An empty patch is not asked about.

    A proposer that never came back is sent out again, and what an interrupted application has written is put back.
    """
    await put_back(work.live.door)
    sent = await _proposal(work)
    diff = _usable_diff(work)
    if diff is None:
        _settle(work, "apply_failed")
        return
    question = _asked(work, sent, diff)
    match (await work.gates.ask(question)).choice:
        case "apply":
            _settle(work, "applied" if await _apply(work, diff) else "apply_failed")
        case "reject":
            _settle(work, "rejected")
        case _:
            _settle(work, "halted")
            raise Stopped(question)


async def _proposal(work: Work) -> Dispatch:
    """The proposer's dispatch, sent out now unless it is back already with its patch."""
    for known in work.state.dispatches:
        if known.persona == PROPOSER and known.after is not None and has_arrived(work.root, known):
            return known
    docs = work.state.docs_path
    given = {
        "spec_path": docs + SPEC,
        "changes_md_path": docs + CHANGES,
        "verify_report_path": docs + VERIFY_REPORT,
        "failing_files_list": "\n".join(f"- {path}" for path in _failing_files(work)),
        "output_path": PATCH,
    }
    (sent,) = await work.agents.send(work, Errand(PROPOSER, PATCH, given))
    return sent


def _failing_files(work: Work) -> list[str]:
    """Five of the files that the report names and that may be looked at."""
    state, paths = work.state, list[str]()
    for path in failing_in(artefact_text(work, state.docs_path + VERIFY_REPORT)):
        try:
            paths.append(validate_path(path, "file_reference", root=work.root, docs_path=state.docs_path, scopes=()))
        except PathRejected:
            work.say(work.words("autofix.excluded", path=one_line(path)))
    if not paths:
        work.say(work.words("autofix.no_paths"))
    return paths[:MOST_FILES]


def _usable_diff(work: Work) -> bytes | None:
    """The diff of the patch file; None, and a word about it, when there is none or it was cut off."""
    try:
        diff = diff_in(read_or_none(work.root, PATCH, _MOST_BYTES) or b"")
    except PatchRefused as error:
        _say_failed(work, error)
        return None
    if not has_hunk(diff):
        work.say(work.words("autofix.empty"))
        return None
    return diff


def _asked(work: Work, sent: Dispatch, diff: bytes) -> Question:
    """Show what was proposed, and give the question about it."""
    level = confidence_in(sent.said)
    if level == "Unknown" and "unknown" not in sent.said.casefold():
        work.say(work.words("line.parse_failed"))
    work.say(cut_middle(plain(diff).rstrip("\n"), _MOST_SHOWN))
    work.say(work.words("autofix.proposed", level=level, summary=_summary(work) or sent.said))
    work.say(work.words("line.see", path=PATCH))
    work.say(work.words("autofix.model", model=model_for(work.state.model_config or ModelConfig(), "proposer")))
    return gate_question(work.words, "autofix", variant="low" if level == "Low" else "", level=level)


def _summary(work: Work) -> str:
    """The first line below the patch file's `## Summary`."""
    after = artefact_text(work, PATCH).partition("## Summary\n")[2]
    line = next((line for line in after.splitlines() if line.strip()), "")
    return "" if line.startswith("#") else one_line(line.strip())


async def _apply(work: Work, diff: bytes) -> bool:
    """Apply the very diff that was shown: all of it, or nothing."""
    door, state = work.live.door, work.state
    try:
        files = read_diff(diff)
        paths = checked_targets(files, door.root, state.docs_path, state.scopes)
        work.say(work.words("autofix.applying", paths=", ".join(dict.fromkeys(paths))))
        await write_changes(door, await try_patch(door, files, paths))
    except BadTarget as error:
        work.say(work.words("autofix.bad_path", path=one_line(error.path)))
        return False
    except PatchRefused as error:
        _say_failed(work, error)
        return False
    return True


def _say_failed(work: Work, error: PatchRefused) -> None:
    work.say(f"{work.words('autofix.reverted')}\n{work.words('autofix.why', why=error)}")


def _settle(work: Work, applied: Applied) -> None:
    """What became of it, and with it that the one attempt is used up. After a patch, the checks have their say anew."""
    autofix, verify = work.state.autofix, work.state.verify
    if autofix is None:
        return
    result = None if applied == "applied" else verify.layer1_result
    work.advance(
        autofix=msgspec.structs.replace(autofix, applied=applied),
        verify=msgspec.structs.replace(verify, autofix_attempted=True, layer1_result=result),
    )
