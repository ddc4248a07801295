"""find in safe mode: its own grammar of starting points and tests, as a table."""

import re
from collections.abc import Sequence
from pathlib import Path

from onbook.policy.arguments import Refusal
from onbook.policy.fence import Command, fenced
from onbook.policy.paths import Place


def check_find(arguments: Sequence[str], root: Path) -> Command:
    """The places a find command looks at; Refusal when it could do more than look."""
    places: list[Place] = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        if word in _FIND_REFUSED:
            raise Refusal(f"{word} {_FIND_REFUSED[word]}")
        if word in _FIND_TESTS:
            del left[: _FIND_TESTS[word]]
        elif _FIND_PATHS.fullmatch(word):
            places += [fenced(text, root) for text in left[:1] if not word.endswith("t")]
            del left[:1]
        elif word == "-P":
            continue
        elif word.startswith("-"):
            raise Refusal(f"{word} is not an option that safe mode knows")
        else:
            places.append(fenced(word, root))
    return Command(tuple(places))


_ALONE = (
    "-print -print0 -not -a -and -o -or ! ( ) , -empty -prune -ls -quit -true -false -executable -readable -writable "
    "-daystart -depth -d -mount -xdev -nouser -nogroup -noleaf -ignore_readdir_race -nowarn -warn -help -version"
)
_WITH_A_VALUE = (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -maxdepth -mindepth "
    "-mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -lname -ilname -inum -used -fstype "
    "-printf"
)
_FIND_TESTS = dict.fromkeys(_ALONE.split(), 0) | dict.fromkeys(_WITH_A_VALUE.split(), 1)
_FIND_PATHS = re.compile(r"-(?:a|c)?newer|-samefile|-newer[aBcm][aBcmt]")
_FIND_REFUSED = {
    **dict.fromkeys(("-exec", "-execdir", "-ok", "-okdir"), "starts another program"),
    "-delete": "removes files",
    **dict.fromkeys(("-fprint", "-fprint0", "-fprintf", "-fls"), "writes a file"),
    **dict.fromkeys(("-L", "-follow", "-H"), "follows links out of the workspace"),
    "-files0-from": "reads names of files from a file",
}
