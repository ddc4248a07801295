"""Safe mode: which command lines a model may run without asking, and which files each of them would read."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from onbook.config.policy_settings import PolicySettings
from onbook.policy.arguments import Parsed, Refusal, parse
from onbook.policy.fence import Command, fenced, fenced_words
from onbook.policy.find_command import check_find
from onbook.policy.git_check import check_git
from onbook.policy.git_commands import hardened_git
from onbook.policy.names import LEFT_OUT, LEFT_OUT_FOLDERS
from onbook.policy.paths import Place
from onbook.policy.permissions import kept_from_models
from onbook.policy.programs import ALIASES, ANYTHING_GOES, PROGRAMS, Program


def check_command(argv: Sequence[str], rules: PolicySettings, root: Path) -> Command:
    """The command as its files, or a Refusal that says why safe mode stops it."""
    if not argv or not argv[0]:
        raise Refusal("there is no program to run")
    name = argv[0]
    if name in rules.programs:
        return Command(tuple(fenced_words(argv[1:], root)))
    name = ALIASES.get(name, name)
    if name in ANYTHING_GOES:
        return Command()
    if name == "git":
        return check_git(argv, root)
    if name == "find":
        return check_find(argv[1:], root)
    program = PROGRAMS.get(name)
    if program is None:
        raise Refusal(f"{argv[0]} is not among the programs of safe mode")
    parsed = parse(program.options, argv[1:])
    return _judge_words(name, program, parsed, root)


def hardened(argv: Sequence[str], rules: PolicySettings, root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The command as it is really run: the program by its full path, nothing left to a repository's choice, and
    files with keys left out where a whole folder is read."""
    command = check_command(argv, rules, root)
    name = ALIASES.get(argv[0], argv[0])
    if name == "git":
        argv = hardened_git(argv, kept_from_models(rules))
    elif command.trees:
        cut = list(argv).index("--") if "--" in argv else len(argv)
        argv = (*argv[:cut], *_LEAVING_OUT[name], *argv[cut:])
    return (program_outside(argv[0], root, environ), *argv[1:])


def program_outside(name: str, root: Path, environ: Mapping[str, str]) -> str:
    """The program's full path, from the folders of PATH that are not the workspace's; Refusal where there is none."""
    real = root.resolve()
    folders = [
        folder
        for folder in environ.get("PATH", os.defpath).split(os.pathsep)
        if folder.startswith("/") and not Path(folder).resolve().is_relative_to(real)
    ]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise Refusal(f"{name} is not installed")
    return found


def hardened_environment(environ: dict[str, str], root: Path) -> dict[str, str]:
    """The variables for such a command: none that change what git or an option means."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") and name not in _UNWANTED}
    return kept | {"GIT_CEILING_DIRECTORIES": str(root.parent), **_GIT_QUIET}


_UNWANTED = frozenset({"POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "LESSOPEN", "PAGER", "TREE_COLORS"})
_GIT_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_SSH_COMMAND": "false",
    "GIT_NO_LAZY_FETCH": "1",
}
_LEAVING_OUT = {
    "grep": (*(f"--exclude={name}" for name in LEFT_OUT), *(f"--exclude-dir={name}" for name in LEFT_OUT_FOLDERS)),
    "rg": ("--no-config", *(f"--iglob=!{name}" for name in (*LEFT_OUT, *LEFT_OUT_FOLDERS))),
    "diff": tuple(f"--exclude={name}" for name in (*LEFT_OUT, *LEFT_OUT_FOLDERS)),
}


def _judge_words(name: str, program: Program, parsed: Parsed, root: Path) -> Command:
    words = list(parsed.words)
    if program.words == "text":
        words = []
    elif program.words == "pattern" and not parsed.used & program.pattern_options:
        words = words[1:]
    elif program.words == "date" and any(not word.startswith("+") for word in words):
        raise Refusal("date with anything but +FORMAT sets the clock")
    elif program.words == "one path" and len(words) > 1:
        raise Refusal(f"{name} writes its second file")
    elif program.words == "none" and words:
        raise Refusal(f"{name} takes no words")
    if program.words == "date":
        words = []
    places = [fenced(text, root) for text in (*parsed.paths, *(word for word in words if word != "-"))]
    trees = _trees(program, parsed, places[len(parsed.paths) :], root)
    return Command(tuple(places), tuple(trees), follows_links=name == "diff")


def _trees(program: Program, parsed: Parsed, places: Sequence[Place], root: Path) -> list[Place]:
    """The folders whose files are all read: those given, or the workspace when the program walks by itself."""
    if not program.tree:
        return []
    triggers = program.tree.split()
    folders = [place for place in places if root.joinpath(*place.parts).is_dir()]
    walks = "always" in triggers or bool(parsed.used.intersection(triggers))
    if walks and not places:
        return [Place((), exists=True)]
    return folders if walks or "folders" in triggers else []
