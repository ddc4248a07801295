"""What `onbook init` puts into a workspace: settings with a role and a pipeline, and the pipeline's two scripts."""

import os
from pathlib import Path

from onbook.config.errors import reason
from onbook.config.places import SETTINGS_NAME
from onbook.outcome import UsageError
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import write_atomic

_SETTINGS = """\
# Settings of this workspace. Every key is explained by: onbook help settings-reference
# After a change, and in every clone of this folder: read it, and then say: onbook trust

# model = "llama3"       # the model that answers, or a route; without it onbook looks for one
# role = "developer"     # the role every session begins with; or: onbook --role developer

# A role: what the model is told to be. The first message of a session goes through its pipeline.
[[roles]]
name = "developer"
system = "You help with the code in this workspace. Name the file you speak of. Be brief."
pipeline = "context"

# A pipeline: scripts in any language. Each one reads what the one before has written; an exit code other than 0
# stops everything. Try it: onbook script run context --input "fix the login"
[[pipelines]]
name = "context"
description = "Add files and commits that may matter to a message"

[[pipelines.steps]]
name = "detect_files"
type = "once"            # or loop, foreach, conditional, parallel: onbook help scripts
command = "./scripts/detect-files.sh"
timeout = 30             # seconds

[[pipelines.steps]]
name = "git_context"
type = "once"
command = "./scripts/git-context.py"
"""

_DETECT_FILES = r"""#!/usr/bin/env bash
# Writes the message on as it is, and adds the files in which one of its longer words stands.
message=$(cat)
printf '%s\n' "$message"

words=$(printf '%s\n' "$message" | grep -oE '[[:alnum:]_]{5,}' | sort -u | head -n 8)
[ -n "$words" ] || exit 0

leave_out=(--exclude=onbook.toml --exclude-dir=.git --exclude-dir=.onbook --exclude-dir=node_modules)
files=$(grep -rIliF "${leave_out[@]}" -e "$words" . | head -n 20)
[ -z "$files" ] || printf '\nFiles that may matter:\n%s\n' "$files"
"""

_GIT_CONTEXT = '''\
#!/usr/bin/env python3
"""Writes the message on as it is, and adds the latest commits."""

import subprocess
import sys

sys.stdout.write(sys.stdin.read())
try:
    log = subprocess.run(["git", "log", "--oneline", "-5"], capture_output=True, text=True)
except FileNotFoundError:
    sys.exit(0)  # no git here, so there is nothing to add
if log.returncode == 0 and log.stdout:
    print(f"\\nRecent commits:\\n{log.stdout}", end="")
'''

FILES = {
    SETTINGS_NAME: _SETTINGS,
    "scripts/detect-files.sh": _DETECT_FILES,
    "scripts/git-context.py": _GIT_CONTEXT,
}


def write_starter(root: Path) -> tuple[str, ...]:
    """Write all the files, the scripts ready to run, and give their names. Where one of them exists already, nothing
    is written at all."""
    if there := [name for name in FILES if os.path.lexists(root / name)]:
        raise UsageError(f"{root} has {', '.join(there)} already; nothing was written")
    folder = root / "scripts"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"cannot make {folder}: {reason(error)}") from None
    if not folder.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{folder} is a link that leads out of the workspace; nothing was written")
    mode = 0o777 & ~_umask()
    for name, text in reversed(FILES.items()):  # the settings last: they name the scripts
        write_atomic(root / name, text.encode(), mode if text.startswith("#!") else mode & 0o666)
    return tuple(FILES)


def _umask() -> int:
    """What new files of this user lack; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
