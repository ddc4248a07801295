"""git in safe mode: the subcommands that only read, their options, and a command line hardened against the repository.

A repository can name programs for git to start (pagers, external diffs, text converters, filters, monitors,
hooks). Options switch off what they can; a repository whose own config names any other is refused.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from onbook.policy.arguments import Options, Parsed, Refusal, options, parse
from onbook.policy.names import SECRET_GLOBS

_STARTS = "starts another program"
_REFUSED = {
    "o_output_output__directory": "writes a file",
    "ext__diff_textconv": _STARTS,
    "no__index": "reads files outside the repository",
    "O_open__files__in__pager": _STARTS,
    "submodule_ignore__submodules_dirty": "starts git in a submodule, by that one's own config",
}
_DIFF = (
    "patch no-patch raw stat? numstat shortstat summary dirstat? name-only name-status unified= color? no-color "
    "word-diff? word-diff-regex= minimal patience histogram diff-algorithm= check full-index abbrev? find-renames? "
    "find-copies? find-copies-harder no-renames diff-filter= pickaxe-all pickaxe-regex ignore-space-at-eol "
    "ignore-space-change ignore-all-space ignore-blank-lines ignore-cr-at-eol inter-hunk-context= function-context "
    "exit-code quiet src-prefix= dst-prefix= no-prefix cached staged merge-base no-ext-diff no-textconv text reverse "
    "relative? color-moved? binary cc combined-all-paths no-relative default-prefix"
)
_LOG = (
    "oneline graph all branches? tags? remotes? decorate? no-decorate max-count= skip= since= until= after= before= "
    "author= committer= grep= invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp "
    "merges no-merges first-parent reverse date-order author-date-order topo-order format= pretty? abbrev-commit "
    "no-abbrev-commit date= follow left-right cherry-pick cherry-mark full-history simplify-merges ancestry-path? "
    "no-notes show-pulls source log-size no-walk? relative-date parents children count objects dense sparse boundary "
    "left-only right-only cherry no-mailmap use-mailmap walk-reflogs min-parents= max-parents= no-expand-tabs"
)
_DIFF_SHORT = "pusRabwW0123456789U:M?C?B?D?S:G:l:Xqzc"


class Subcommand(msgspec.Struct, frozen=True):
    """What of a subcommand is let through."""

    options: Options
    words: bool = True
    """Whether it takes revisions and paths; a word would make some of them write."""
    words_with: frozenset[str] = frozenset()
    """Options with which it does take words, as a listing does patterns."""
    shows_content: bool = False
    """Whether it prints what files hold."""


def _sub(
    short: str = "", long: str = "", *, words: bool = True, words_with: str = "", content: bool = False
) -> Subcommand:
    return Subcommand(options(short, long, **_REFUSED), words, frozenset(words_with.split()), content)


SUBCOMMANDS: dict[str, Subcommand] = {
    "status": _sub(
        "sbuz",
        "short branch show-stash porcelain? long untracked-files? ignored? column? renames no-renames",
    ),
    "diff": _sub(_DIFF_SHORT, _DIFF, content=True),
    "diff-tree": _sub(_DIFF_SHORT + "rtm", f"{_DIFF} root no-commit-id", content=True),
    "log": _sub(_DIFF_SHORT + "n:iEFPgm", f"{_DIFF} {_LOG}", content=True),
    "show": _sub(_DIFF_SHORT + "n:iEFPgm", f"{_DIFF} {_LOG}", content=True),
    "whatchanged": _sub(_DIFF_SHORT + "n:i", f"{_DIFF} {_LOG}", content=True),
    "blame": _sub(
        "bcelnpstwfL:M?C?",
        "root show-stats porcelain line-porcelain incremental since= date= abbrev= score-debug show-name "
        "show-number show-email color-lines color-by-age minimal",
    ),
    "shortlog": _sub("nsecw?", "numbered summary email committer group= all since= until= no-merges"),
    "rev-list": _sub("n:", _LOG),
    "rev-parse": _sub(
        "q",
        "show-toplevel show-prefix show-cdup abbrev-ref? short? verify quiet symbolic symbolic-full-name is- "
        "inside-work-tree is-bare-repository git-dir all branches? tags? remotes?",
    ),
    "ls-files": _sub(
        "cdomsuktvfzi",
        "cached deleted modified others ignored stage unmerged killed directory eol error-unmatch full-name "
        "exclude-standard exclude= deduplicate abbrev?",
    ),
    "ls-tree": _sub("drtlz", "long name-only name-status object-only full-name full-tree abbrev? format="),
    "branch": _sub(
        "arv",
        "all remotes verbose list show-current contains? no-contains? merged? no-merged? points-at= sort= "
        "format= color? no-color column? no-column abbrev= no-abbrev ignore-case",
        words=False,
        words_with="--list --contains --no-contains --merged --no-merged",
    ),
    "tag": _sub(
        "ln?i",
        "list contains? no-contains? merged? no-merged? points-at= sort= format= column? no-column ignore- case",
        words=False,
        words_with="-l --list -n --contains --no-contains --merged --no-merged",
    ),
    "describe": _sub(
        "",
        "all tags contains abbrev= candidates= exact-match long match= exclude= always first-parent debug",
    ),
    "merge-base": _sub("a", "all octopus independent is-ancestor fork-point"),
    "name-rev": _sub("", "tags refs= exclude= all name-only no-undefined always"),
    "show-ref": _sub("dhsq", "head heads tags dereference hash? verify abbrev? quiet branches"),
    "for-each-ref": _sub(
        "",
        "count= sort= format= points-at= merged? no-merged? contains? no-contains? ignore-case color?",
    ),
    "count-objects": _sub("vH", "verbose human-readable", words=False),
    "check-ignore": _sub("qvnz", "quiet verbose non-matching no-index"),
    "remote": _sub("", "", words=False),
    "version": _sub("", "build-options", words=False),
}
_LISTED = {("stash", "list"), ("worktree", "list"), ("reflog", "show"), ("notes", "list")}
_GLOBAL = options(
    "P",
    "no-pager no-optional-locks glob-pathspecs noglob-pathspecs icase-pathspecs no-replace-objects version",
    literal__pathspecs="would also show files that hold keys",
    c_config__env="can make git start any program",
    exec__path=_STARTS,
    git__dir_work__tree_bare_namespace="leads to another repository",
    p_paginate=_STARTS,
)
_DANGEROUS_CONFIG = re.compile(
    rb"^[\s\xef\xbb\xbf]*\[\s*(?:filter|include|includeif|gpg)\b"
    rb"|(?:^|\])\s*(?:textconv|clean|smudge|process|command|driver|program|worktree|sshcommand|promisor|partialclone)\s*(?:=|$)",
    re.I | re.M,
)
_SETTINGS = (
    *(
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.pager=cat",
        "diff.external=",
        "log.showSignature=false",
    ),
    *("safe.bareRepository=explicit", "diff.ignoreSubmodules=all", "submodule.recurse=false"),
    *("core.alternateRefsCommand=", "core.attributesFile=/dev/null"),
)
SWITCHED_OFF = ("--no-pager", "--no-optional-locks", *(word for setting in _SETTINGS for word in ("-c", setting)))
"""Options of git itself that take from a repository what it could start."""
_LISTINGS = options(
    "sqz",
    "no-patch stat numstat shortstat summary dirstat raw name-only name-status color no-color quiet abbrev diff-filter "
    "relative no-relative no-ext-diff no-textconv",
)
"""Options about differences with which a log still shows names and numbers only."""
_PATCHES = frozenset(options(_DIFF_SHORT, _DIFF).kinds).difference(_LISTINGS.kinds)


_BY_NUMBER = frozenset({"show", "diff"})
"""Subcommands that show any object by its number: a file that was committed once, whatever its name was."""
_NUMBER = re.compile(r"(?:.*-g)?[0-9a-fA-F]{4,64}")
_COMMIT_OR_TREE = re.compile(r"\^\{(?:commit|tree|/[^}]*)\}")


class GitCommand(msgspec.Struct, frozen=True):
    """A git command that only reads."""

    folders: tuple[str, ...]
    """Values of `-C`, in order."""
    subcommand: str
    parsed: Parsed
    index: int
    """Where the subcommand stands in argv."""


def read_git(argv: Sequence[str]) -> GitCommand:
    """Take a git command apart; Refusal when it could write, start something or look elsewhere."""
    folders: list[str] = []
    index = 1
    while index < len(argv) and argv[index].startswith("-"):
        word = argv[index]
        if word == "-C" and index + 1 < len(argv):
            folders.append(argv[index + 1])
            index += 2
            continue
        if word.startswith("-C"):
            raise Refusal("-C must stand apart from its folder")
        parse(_GLOBAL, [word])
        index += 1
    if index == len(argv):
        return GitCommand(tuple(folders), "version", parse(SUBCOMMANDS["version"].options, []), index)
    name, rest = argv[index], argv[index + 1 :]
    if (name, rest[0] if rest else "") in _LISTED:
        return GitCommand(tuple(folders), name, parse(options("v", "verbose porcelain"), rest[1:]), index)
    subcommand = SUBCOMMANDS.get(name)
    if subcommand is None:
        raise Refusal(f"git {name} is not among the git commands that only read")
    parsed = parse(subcommand.options, rest)
    if name in _BY_NUMBER:
        for word in parsed.words:
            _check_object(word)
    if parsed.words and not subcommand.words and not parsed.used & subcommand.words_with:
        raise Refusal(f"git {name} with a name writes to the repository")
    return GitCommand(tuple(folders), name, parsed, index)


def _check_object(word: str) -> None:
    """Refusal for a way to name an object of any kind: it would show a file's contents without the file's name."""
    if "^{" in word and not _COMMIT_OR_TREE.search(word) and ":" not in word:
        raise Refusal(f"{word} can show a file without its name; REVISION:PATH names it")


def names_programs(config: bytes) -> bool:
    """Whether a repository's own config could make a reading command start a program."""
    return bool(_DANGEROUS_CONFIG.search(config))


def hardened_git(argv: Sequence[str], kept: Iterable[str] = ()) -> tuple[str, ...]:
    """The command with everything switched off that a repository could start, and without files that hold keys or are
    `kept` from models."""
    command = read_git(argv)
    head = [argv[0], *SWITCHED_OFF, *argv[1 : command.index + 1]]
    subcommand = SUBCOMMANDS.get(command.subcommand)
    if command.subcommand == "status" or (subcommand is not None and subcommand.shows_content):
        head.append("--ignore-submodules=dirty")  # who looks inside one runs git there, and its config is not ours
    rest = argv[command.index + 1 :]
    if command.subcommand in _BY_NUMBER:
        cut = list(rest).index("--") if "--" in rest else len(rest)
        rest = (*map(_as_commit, rest[:cut]), *rest[cut:])
    if command.subcommand == "blame":
        return (*head, "--no-textconv", *rest)
    if subcommand is None or not subcommand.shows_content:
        return (*head, *rest)
    used = command.parsed.used
    if "--follow" in used:  # goes with one path and no exclusions; the path was looked at, so it must be no pattern
        return (head[0], "--literal-pathspecs", *head[1:], "--no-ext-diff", "--no-textconv", *rest)
    shown = command.subcommand != "log" or used & _PATCHES
    left_out = (f":(top,exclude,icase,glob){path}" for path in (*SECRET_GLOBS, *_all_below(kept)))
    return (*head, "--no-ext-diff", "--no-textconv", *rest, *(left_out if shown else ()))


def _all_below(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        plain = re.sub(r"([*?\[\\])", r"\\\1", path)
        yield from (plain, f"{plain}/**")


def _as_commit(word: str) -> str:
    """The word; an object's number becomes the commit of that number, so that git refuses the number of a file."""
    sides = re.split(r"(\.{2,3})", word)
    if word.startswith("-") or len(sides) > 3:
        return word
    return "".join(f"{side}^{{commit}}" if _NUMBER.fullmatch(side.removeprefix("^")) else side for side in sides)
