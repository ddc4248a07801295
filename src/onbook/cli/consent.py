"""The question whether a workspace may speak for the user, asked where there is somebody to answer."""

import sys
from pathlib import Path

from onbook.cli.stage import Stage, open_stage, trust_store
from onbook.config.places import SETTINGS_NAME
from onbook.policy.effects import one_line
from onbook.terminal.screen import at_words, can_ask, printable, say_aside, width_of, write_aside

LONGEST_SHOWN = 4_000
"""Characters of each thing that a yes would allow; line ends among them are spelt out, or they could hide the rest."""


def open_trusted_stage(workspace: Path | None, *, trust: bool = False, config: Path | None = None) -> Stage:
    """The stage; if something was left out of it and a person is there, they may say yes to it first.

    With `trust` they have said so on the command line, for this time. `config` is as for `open_stage`.
    """
    stage = open_stage(workspace, trusted=trust, config=config)
    if not stage.loaded.left_out or not can_ask():
        return stage
    if not _agreed(stage):
        return stage
    entry = trust_store().trust(stage.root, stage.loaded.own)
    say_aside(f"onbook: trusted: {entry.root}")
    return open_stage(workspace, config=config)


def _agreed(stage: Stage) -> bool:
    path = stage.root / SETTINGS_NAME
    say_aside(f"onbook: {path} is not trusted. With your trust it could use")
    for what in stage.loaded.left_out:
        say_aside(f"  {one_line(what, LONGEST_SHOWN)}")
    write_aside(at_words(printable(f"Trust {path} as it is now? [y/N]"), width_of(sys.stderr)) + " ")
    answer = sys.stdin.buffer.readline()
    if not answer.endswith(b"\n"):
        write_aside("\n")
    return answer.strip().lower() in (b"y", b"yes")
