"""What the end of a workflow does with git: explicit paths, taken literally, and an index that is left as it was."""

import os
from collections.abc import Iterable

from onbook.policy.effects import Run, one_line
from onbook.policy.process import NotStarted, Ran
from onbook.workflow.files.repository import Repository, last_line

_GIT = ("git", "--no-pager", "-c", "color.ui=never")
_SECONDS = 600.0
"""Hooks run with a commit, and some of them run all tests."""
_MOST_BYTES = 1 << 20


class Commits(Repository):
    """The same repository, for whoever may commit to it."""

    async def ignored(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those that git ignores; what it knows already it never does."""
        given = tuple(paths)
        ran = await self._run_with("check-ignore", "-z", "--stdin", paths=given)
        found = {os.fsdecode(path) for path in ran.output.split(b"\0")} if ran.exit_code == 0 else set()
        return tuple(path for path in given if path in found)

    async def differing(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those that are not in the last commit as they are on disk, of files that git knows."""
        head = await self.head()
        if head is None:
            return tuple(paths)
        found = await self._differing_from(head)
        return tuple(path for path in paths if path in found)

    async def stage(self, path: str, *, force: bool) -> str:
        """Make one file known to git; gives what git has against it."""
        return _complaint(await self._with_paths("add", *(("--force",) if force else ()), paths=(path,)))

    async def announce(self, paths: Iterable[str]) -> str:
        """Make files known to git, without their content: a commit of explicit paths takes that from disk."""
        return _complaint(await self._with_paths("add", "--intent-to-add", paths=paths))

    async def forget(self, paths: Iterable[str]) -> None:
        """Take back `stage` and `announce`."""
        if await self.head() is None:
            await self._with_paths("rm", "-q", "--cached", "--ignore-unmatch", paths=paths)
        else:
            await self._with_paths("reset", "-q", paths=paths)

    async def commit(self, paths: Iterable[str], subject: str, body: str, *, hooks: bool = True) -> str:
        """Commit these files as they are on disk, and nothing else that may be staged; gives why git would not."""
        words = ("-m", subject, *(("-m", body) if body else ()))
        without = () if hooks else ("-c", f"core.hooksPath={os.devnull}")
        return _complaint(await self._with_paths(*without, "commit", "-q", *words, "--only", paths=paths))

    async def hooks_among(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those that are git's hooks, or beside them: `core.hooksPath` may lead to files of the project."""
        places = await self.places()
        if places is None or not places.hooks_are_files_of_the_project:
            return ()
        folder = places.hooks.parent if places.hooks.name == "_" else places.hooks  # husky's calls those one above
        return tuple(path for path in paths if folder in (self._door.root.resolve() / path).parents)

    async def diffstat(self, base: str | None) -> str | None:
        """What the commits since then amount to; None where there are none."""
        head = await self.head()
        if head is None or head == base:
            return None
        words = ("diff", "--shortstat", base, head) if base else ("show", "--shortstat", "--format=", head)
        return await self._told(*words)

    async def _with_paths(self, *words: str, paths: Iterable[str]) -> Ran:
        literally = ("--literal-pathspecs", *words, "--pathspec-from-file=-", "--pathspec-file-nul")
        return await self._run_with(*literally, paths=paths)

    async def _run_with(self, *words: str, paths: Iterable[str]) -> Ran:
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        try:
            return await self._door.run(
                Run((*_GIT, *words)), by="user", timeout=_SECONDS, output_limit=_MOST_BYTES, stdin=given
            )
        except NotStarted as problem:
            return Ran(127, str(problem).encode(), truncated=False, seconds=0.0)


def _complaint(ran: Ran) -> str:
    """Empty where all went well; else its last words, or how it ended."""
    if ran.exit_code == 0 and not ran.stopped:
        return ""
    return one_line(ran.stopped) or last_line(ran) or f"exit code {ran.exit_code}"
