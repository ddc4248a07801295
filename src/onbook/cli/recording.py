"""The transcript as part of a command: a record that cannot be written is said, and never stops the answer."""

import getpass
import time
from pathlib import Path

from onbook.cli.stage import Stage
from onbook.events import AnyEvent, Note, RunFinished, Sink
from onbook.transcript.errors import TranscriptError
from onbook.transcript.recorder import Cast, Recorder
from onbook.workspace.root import sessions_folder


class Recording:
    """A sink around the recorder, and what is left to say about it at the end."""

    def __init__(self, recorder: Recorder, tell: Sink) -> None:
        self._recorder = recorder
        self._tell = tell
        self._written = False
        self.failed = False

    def __call__(self, event: AnyEvent) -> None:
        try:
            self._recorder(event)
            self._written = self._written or isinstance(event, RunFinished)
        except TranscriptError as error:
            self.failed = True
            self._tell(Note(run=event.run, time=time.time(), text=f"not recorded: {error}", level="warning"))

    @property
    def path(self) -> Path:
        return self._recorder.path

    def close(self) -> None:
        """Seal the transcript and name it."""
        try:
            self._recorder.close()
        except TranscriptError as error:
            self.failed = True
            self._tell(Note(run="", time=time.time(), text=str(error), level="warning"))
            return
        if self._written and not self.failed:
            self._tell(Note(run="", time=time.time(), text=f"recorded in {_short(self.path)}"))


def open_recording(stage: Stage, tell: Sink, resumed: Path | None) -> Recording:
    """A new transcript, or the one that is continued."""
    cast = Cast(agent=stage.settings.agent_name, user=_login())
    if resumed is not None:
        return Recording(Recorder.resume(resumed, cast), tell)
    return Recording(Recorder.create(sessions_folder(stage.root), cast), tell)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user id, as in many containers
        return "USER"


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
