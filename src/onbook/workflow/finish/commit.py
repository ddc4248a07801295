"""Step 8, the commit: what the workflow has changed, on its own branch. Edits that were there before stay out of it.

It can be called again after a kill at any point: what is in the last commit already is not committed twice.
"""

import re
from collections.abc import Iterable
from typing import Literal

from onbook.outcome import OnbookError
from onbook.policy.names import looks_secret
from onbook.workflow.files.artefacts import CHANGES, OF_SPEC, QA_REPORT, SPEC, VERIFY_REPORT
from onbook.workflow.files.changed import listed_in
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.files.scope import in_scope
from onbook.workflow.files.snapshot import MADE_BY_TOOLS, changed_since_start
from onbook.workflow.finish.git import Commits
from onbook.workflow.gates import gate_question
from onbook.workflow.work import Work

RESULTS = (SPEC, CHANGES, VERIFY_REPORT, QA_REPORT)
_SUBJECT = 72


class CommitFailed(OnbookError):
    """git has committed nothing, and everything is left as it is."""


async def commit_changes(work: Work, what: Literal["code", "all"]) -> None:
    """Commit the code, and with it the documents that belong to the choice. CommitFailed where git would not."""
    git = Commits(work.live.door)
    await _check_branch(work, git)
    code = await _code(work)
    documents = _documents(work, (*OF_SPEC, *RESULTS) if what == "all" else OF_SPEC)
    ignored = await git.ignored((*documents, *(path for path in _named(work) if path not in code)))
    agreed = ignored if ignored and await _is_agreed(work, ignored) else ()
    wanted = (*(path for path in documents if path not in ignored), *agreed)
    untracked = await git.untracked()
    new = [path for path in code if path in untracked]
    staged = await _staged(work, git, [path for path in wanted if path in untracked or path in agreed], agreed)
    known = [path for path in wanted if path not in untracked and path not in agreed]
    why = await git.announce(new) if new else ""
    if not why:
        why = await _committed(work, git, (*code, *known, *staged))
    if why:
        await git.forget((*new, *staged))
        work.say(work.words("finish.commit_failed", reason=why), "warning")
        raise CommitFailed(work.words("finish.nothing_committed"))


def commit_message(task: str) -> tuple[str, str]:
    """Subject and body: the task, in its own language; all of it in the body where its beginning is not enough."""
    task = task.replace("\0", "").strip()
    line = re.sub(r"\s+", " ", task)
    return (line, "") if len(line) <= _SUBJECT else (line[: _SUBJECT - 1].rstrip() + "…", task)


async def _check_branch(work: Work, git: Commits) -> None:
    branch = work.state.branch
    if branch and await git.current_branch() != branch:
        raise CommitFailed(work.words("finish.other_branch", branch=branch))


async def _code(work: Work) -> tuple[str, ...]:
    """What has changed since the workflow began, and is nobody else's."""
    changed = [path for path in await changed_since_start(work) if _is_work(path)]
    edited = [path for path in changed if path in work.state.edits_before]
    strays = [path for path in changed if path not in edited and not in_scope(path, work.state.scopes)]
    for why, paths in (("finish.left_out", edited), ("finish.out_of_scope", strays)):
        if paths:
            work.say(work.words(why, path=", ".join(paths)), "warning")
    return tuple(path for path in changed if path not in (*edited, *strays))


def _is_work(path: str) -> bool:
    """Not a repository of its own, and nothing that tools leave behind where nobody has told git to ignore it."""
    return not path.endswith("/") and MADE_BY_TOOLS.isdisjoint(path.split("/"))


def _documents(work: Work, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(work.state.docs_path + name for name in names if work.path(name).is_file())


def _named(work: Work) -> tuple[str, ...]:
    """Files that changes.md names: those that git ignores would be missing from the commit without a word."""
    found = sorted(set(listed_in(artefact_text(work, work.state.docs_path + CHANGES), work)))
    return tuple(
        path
        for path in found
        if _is_work(path) and in_scope(path, work.state.scopes) and not looks_secret(path.split("/"))
    )


async def _is_agreed(work: Work, ignored: tuple[str, ...]) -> bool:
    question = gate_question(work.words, "ignored", paths=", ".join(ignored))
    return (await work.gates.ask(question)).choice == "add"


async def _staged(work: Work, git: Commits, paths: list[str], agreed: tuple[str, ...]) -> list[str]:
    """One after the other: a document that cannot be staged is missed, and the code is committed without it."""
    staged = []
    for path in paths:
        why = await git.stage(path, force=path in agreed)
        if why:
            work.say(work.words("finish.stage_failed", path=path, reason=why), "warning")
        else:
            staged.append(path)
    return staged


async def _committed(work: Work, git: Commits, paths: tuple[str, ...]) -> str:
    """A person's own hooks run with it; not those that the workflow has changed, which nobody has looked at yet."""
    pending = await git.differing(paths)
    if not pending:
        return ""
    changed = await git.hooks_among(await changed_since_start(work))
    if changed:
        work.say(work.words("finish.hooks_left_out", path=", ".join(changed)), "warning")
    return await git.commit(pending, *commit_message(work.state.task), hooks=not changed)
