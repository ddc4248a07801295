"""git's view of the workspace, asked of the `git` program. Where there is no git, or no repository, that is an answer
too."""

import os
from pathlib import Path

import msgspec

from onbook.outcome import OnbookError
from onbook.policy.door import Door
from onbook.policy.effects import Run, one_line
from onbook.policy.git_check import awaited_by_git
from onbook.policy.process import NotStarted, Ran
from onbook.workflow.setup.slug import with_suffix

_GIT = ("git", "--no-pager", "-c", "core.quotePath=false", "-c", "color.ui=never")
_READS = f'exec {" ".join(_GIT)} --no-optional-locks -c core.fsmonitor=false "$@" 2>/dev/null'
"""What git says besides, such as warnings about line ends, must not stand among the names of files."""
_SECONDS = 120.0
_MOST_BYTES = 64 << 20
_MOST_BRANCHES = 100


class GitFailed(OnbookError):
    """git would not do it; in its own words."""

    def __init__(self, what: str, said: str) -> None:
        super().__init__(f"git could not {what}: {said or 'it gave no reason'}")


class GitPlaces(msgspec.Struct, frozen=True):
    """Where a repository keeps what decides what git runs."""

    folders: tuple[Path, ...]
    """Its own, and the one that it shares with other work trees."""
    hooks: Path
    top: Path
    """Where the work tree begins."""
    links: tuple[Path, ...]
    """Every `.git` that would be found from here; one that a program makes nearer would be another repository."""

    @property
    def hooks_are_files_of_the_project(self) -> bool:
        """Whether `core.hooksPath` leads into the work tree: then they are changed as its other files are."""
        return self.top in self.hooks.parents and not any(folder in self.hooks.parents for folder in self.folders)


class Repository:
    """The repository that the workspace stands in. Paths are told from the workspace's root, in whichever folder of
    the repository that is."""

    def __init__(self, door: Door) -> None:
        self._door = door.because("the workflow asks git")

    async def is_here(self) -> bool:
        """Whether the workspace is part of a work tree."""
        if pipe := awaited_by_git(self._door.root):
            raise GitFailed("be asked", f"{pipe} is a pipe, for which it would wait; remove it")
        return await self._told("rev-parse", "--is-inside-work-tree") == "true"

    async def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        return await self._told("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    async def current_branch(self) -> str | None:
        """Its name; None where a commit is checked out and no branch."""
        return await self._told("symbolic-ref", "--quiet", "--short", "HEAD")

    async def places(self) -> GitPlaces | None:
        """None where there is no repository."""
        told = await self._told("rev-parse", "--git-dir", "--git-common-dir", "--git-path", "hooks", "--show-toplevel")
        return _places(self._door.root, (told or "").splitlines())

    async def changed_since(self, commit: str | None) -> tuple[str, ...]:
        """Every file that differs from the commit, staged or not, and every one that git does not know and does not
        ignore; without a commit, every file that git does not ignore."""
        if commit is None:
            return await self._paths("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        return tuple(dict.fromkeys((*await self._differing_from(commit), *await self.untracked())))

    async def untracked(self) -> tuple[str, ...]:
        """Files that git does not know and does not ignore."""
        return await self._paths("ls-files", "--others", "--exclude-standard", "-z")

    async def take_branch(self, slug: str, begun: str = "") -> str:
        """Be on `harness/<slug>`, made where there is none. One with commits of its own is somebody's work, also when
        it is checked out: then the next name is taken. The branch that this workflow has `begun` is its own."""
        for number in range(1, _MOST_BRANCHES):
            name = f"harness/{slug if number == 1 else with_suffix(slug, number)}"
            if await self.current_branch() == name and (name == begun or not await self._has_own_commits(name)):
                return name
            if await self._told("rev-parse", "--verify", "--quiet", f"refs/heads/{name}") is None:
                ran = await self._do("checkout", "-q", "-b", name, "--")
                if ran.exit_code != 0:
                    raise GitFailed(f"make the branch {name}", last_line(ran))
                return name
            if await self._is_idle(name) and (await self._do("checkout", "-q", "-B", name, "--")).exit_code == 0:
                return name
        raise GitFailed(f"make the branch harness/{slug}", f"{_MOST_BRANCHES} branches have that name already")

    async def _has_own_commits(self, branch: str) -> bool:
        """Whether it has commits that are on no other branch, here or elsewhere."""
        others = (f"--exclude={branch}", "--branches", f"--exclude=*/{branch}", "--remotes")
        words = ("rev-list", "--count", "--max-count=1", f"refs/heads/{branch}", "--not", *others)
        return await self._told(*words) == "1"

    async def _is_idle(self, branch: str) -> bool:
        """Whether it has no commits that are not here too, and no work tree has it checked out."""
        own = await self._told("rev-list", "--count", f"HEAD..refs/heads/{branch}")
        elsewhere = await self._told("for-each-ref", "--format=%(worktreepath)", f"refs/heads/{branch}")
        return own == "0" and elsewhere == ""

    async def _differing_from(self, commit: str) -> tuple[str, ...]:
        """Files that git knows and that are not on disk as they are in the commit."""
        words = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--relative", "-z", commit, "--")
        return await self._paths(*words)

    async def _paths(self, *words: str) -> tuple[str, ...]:
        ran = await self._ask(*words)
        if ran.exit_code != 0 or ran.truncated:
            raise GitFailed("tell which files have changed", "the list is too long" if ran.truncated else ran.stopped)
        # A name that is no text cannot stand in the state; such a file is told apart, and left alone.
        return tuple(path.decode("utf-8", "backslashreplace") for path in ran.output.split(b"\0") if path)

    async def _told(self, *words: str) -> str | None:
        """What git says in one line; None where it has nothing to say."""
        ran = await self._ask(*words)
        return os.fsdecode(ran.output).strip() if ran.exit_code == 0 else None

    async def _ask(self, *words: str) -> Ran:
        return await self._run(Run((_READS, *words), shell=True))  # noqa: S604 - the words are arguments of the line

    async def _do(self, *words: str) -> Ran:
        return await self._run(Run((*_GIT, *words)))

    async def _run(self, effect: Run) -> Ran:
        """A person started the workflow, and with it this; 127 stands for a git that is not there, as in a shell."""
        try:
            return await self._door.run(effect, by="user", timeout=_SECONDS, output_limit=_MOST_BYTES)
        except NotStarted as problem:
            return Ran(127, str(problem).encode(), truncated=False, seconds=0.0)


def _places(root: Path, told: list[str]) -> GitPlaces | None:
    if len(told) != 4:
        return None
    own, shared, hooks, top = (Path(os.path.normpath(root.resolve() / line)) for line in told)
    above = (root.resolve(), *root.resolve().parents)
    links = tuple(folder / ".git" for folder in above if folder == top or top in folder.parents)
    return GitPlaces(tuple(dict.fromkeys((own, shared))), hooks, top, links)


def last_line(ran: Ran) -> str:
    """git's last words, which are what it has against it; empty where it said nothing."""
    lines = [line for line in ran.output.decode("utf-8", "replace").splitlines() if line.strip()]
    return one_line(lines[-1].removeprefix("fatal: ").removeprefix("error: ").strip().rstrip(".")) if lines else ""
