"""Starting a script, and why that cannot be done, in words."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from onbook.config.errors import reason
from onbook.outcome import OnbookError
from onbook.workspace.files import open_plain

SHELL = "/bin/sh"
_LIKE_A_SHELL = [signal.SIGPIPE, signal.SIGXFSZ]
"""Python ignores these; programs expect that nobody does."""


class NotStarted(OnbookError):
    """A program that could not be started."""


def find(command: str, cwd: Path, environ: Mapping[str, str]) -> str:
    """The program that a command's first word means: a path from the working directory, or a name on the PATH."""
    if not command:
        raise NotStarted("the command is empty")
    if "/" in command:
        return os.path.join(cwd, command)  # noqa: PTH118 - `Path` would drop a `./`, which messages show
    found = shutil.which(command, path=environ.get("PATH", os.defpath))
    if found is None:
        here = " (did you mean ./" + command + "?)" if (cwd / command).is_file() else ""
        raise NotStarted(f"command not found: {command}{here}")
    return os.path.join(cwd, found)  # noqa: PTH118


def obstacle_to(program: str, command: str) -> str:
    """What can be seen from outside that keeps a program from starting; nothing where nothing does."""
    path = Path(program)
    if path.is_dir():
        return f"{command} is a folder, not a program"
    if not path.exists():
        return f"command not found: {command}"
    return "" if os.access(path, os.X_OK) else f"not executable: {command} (chmod +x {command})"


def start(
    program: str, argv: Sequence[str], environ: Mapping[str, str], cwd: Path, streams: tuple[int, int, int]
) -> int:
    """Start it as the leader of a session of its own; its process id. `streams` become its 0, 1 and 2."""
    try:
        if sys.platform == "linux" and _is_here(cwd):
            return _spawn(program, argv, environ, streams)
        return _fork(program, argv, environ, cwd, streams)
    except OSError as error:
        raise NotStarted(_why(error, program, argv[0])) from None
    except ValueError:
        raise NotStarted(f"cannot start {argv[0]}: an argument has a NUL in it") from None


def _is_here(cwd: Path) -> bool:
    try:
        return os.getcwd() == str(cwd)  # noqa: PTH109 - in every step's way
    except FileNotFoundError:
        return False


def _spawn(program: str, argv: Sequence[str], environ: Mapping[str, str], streams: tuple[int, int, int]) -> int:
    """The quick way, which cannot change the working directory."""
    actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)]
    return os.posix_spawn(program, list(argv), environ, file_actions=actions, setsid=True, setsigdef=_LIKE_A_SHELL)


def _fork(
    program: str, argv: Sequence[str], environ: Mapping[str, str], cwd: Path, streams: tuple[int, int, int]
) -> int:
    process = subprocess.Popen(  # noqa: S603 - the door let it pass
        argv,
        executable=program,
        env=environ,
        cwd=cwd,
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        start_new_session=True,
        close_fds=False,
    )
    process.returncode = 0  # whoever started it collects it by its number
    return process.pid


def _why(error: OSError, program: str, command: str) -> str:
    if obstacle := obstacle_to(program, command):
        return obstacle
    path = Path(program)
    if error.errno == errno.ENOEXEC:
        return (
            f"cannot start {command}: its first line should name an interpreter, as #!/bin/sh or #!/usr/bin/env python3"
        )
    if error.errno in (errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ELOOP) and (named := _interpreter(path)):
        ends = "; the line ends in a carriage return: save the file with Unix line ends" if named.endswith("\r") else ""
        return f"cannot start {command}: its first line names {named.strip()}, which cannot be run{ends}"
    return f"cannot start {command}: {reason(error)}"


def _interpreter(path: Path) -> str:
    """What the first line names after `#!`."""
    try:
        with open_plain(path) as file:
            line = file.readline(256)
    except OSError:
        return ""
    words = line[2:].rstrip(b"\n").decode(errors="replace").strip(" ").split(" ")
    return words[0] if line.startswith(b"#!") else ""
