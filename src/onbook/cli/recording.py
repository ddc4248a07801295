"""The transcript as part of a command: a record that cannot be written is said, and never stops the answer."""

import getpass
import time
from pathlib import Path

import msgspec

from onbook.cli.stage import Stage
from onbook.events import AnyEvent, Note, RunFinished, Sink
from onbook.outcome import Outcome
from onbook.policy.secrets import redact
from onbook.transcript.errors import TranscriptError
from onbook.transcript.recorder import Cast, Recorder
from onbook.workspace.root import sessions_folder


class Recording:
    """The sink before the view: it keeps the record, and the view is told of a turn that could not be recorded."""

    def __init__(self, recorder: Recorder, view: Sink) -> None:
        self._recorder = recorder
        self._view = view
        self._written = False
        self.failed = False

    def __call__(self, event: AnyEvent) -> None:
        try:
            self._recorder(event)
            self._written = self._written or isinstance(event, RunFinished)
        except TranscriptError as error:
            self.failed = True
            event = self._unrecorded(event, f"not recorded: {error}")
        self._view(event)

    @property
    def path(self) -> Path:
        return self._recorder.path

    def close(self) -> None:
        """End the transcript and name it. Its turns are whole without an end, so that one missing is no failure."""
        try:
            self._recorder.close()
        except TranscriptError as error:
            self._say("", str(error), "warning")
            return
        if self._written and not self.failed:
            self._say("", f"recorded in {_short(self.path)}")

    def _unrecorded(self, event: AnyEvent, problem: str) -> AnyEvent:
        """The event with the problem in it, and with the exit code that the command will have."""
        if isinstance(event, RunFinished) and event.outcome == Outcome.PASSED.value:
            return msgspec.structs.replace(event, error=redact(problem), exit_code=Outcome.FAILED.exit_code)
        self._say(event.run, problem, "warning")
        return event

    def _say(self, run: str, text: str, level: str = "info") -> None:
        self._view(Note(run=run, time=time.time(), text=redact(text), level=level))


class NoRecord:
    """Nothing is recorded."""

    path: Path | None = None


def open_recording(stage: Stage, view: Sink, resumed: Path | None) -> Recording:
    """A new transcript, or the one that is continued."""
    cast = Cast(agent=stage.settings.agent_name, user=_login())
    if resumed is not None:
        return Recording(Recorder.resume(resumed, cast), view)
    return Recording(Recorder.create(sessions_folder(stage.root), cast), view)


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
