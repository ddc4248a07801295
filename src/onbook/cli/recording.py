"""The transcript as part of a command: a record that cannot be written is said, and never stops the answer."""

import getpass
import time
from pathlib import Path

import msgspec

from onbook.cli.stage import Stage
from onbook.events import PIECES, AnyEvent, Note, RunFinished, RunStarted, Sink
from onbook.outcome import OnbookError, Outcome, UsageError
from onbook.policy.secrets import redact
from onbook.transcript.elements import Aside, Scene
from onbook.transcript.errors import SessionInUse, TranscriptError
from onbook.transcript.recorder import Cast, Recorder
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.root import sessions_folder


class Recording:
    """The sink before the view: it keeps the record, and the view is told of a turn that could not be recorded."""

    def __init__(self, recorder: Recorder, view: Sink, cast: Cast) -> None:
        self._recorder = recorder
        self._view = view
        self._cast = cast
        self._gap = False
        self.paused = False
        self.failed = False

    def __call__(self, event: AnyEvent) -> None:
        if type(event) not in PIECES:  # what they say together, the last event of a run says whole
            try:
                self._record(event)
            except TranscriptError as error:
                self.failed = True
                event = self._unrecorded(event, f"not recorded: {error}")
        self._view(event)

    @property
    def path(self) -> Path:
        return self._recorder.path

    def pause(self) -> None:
        """Leave out every run that begins from now on."""
        self.paused = True

    def resume(self) -> None:
        """Record again, and say in the transcript where something is missing."""
        if self._gap:
            now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
            self._recorder.append(Scene("INT", "THE RECORDING GOES ON", now, (Aside("it was paused before this"),)))
        self.paused = self._gap = False

    def follow(self, session: Path) -> None:
        """Go on in the file of another session; where that cannot be, this one stays open."""
        if session.resolve() == self.path.resolve():
            raise UsageError(f"session {session.stem} is the one that is recorded now")
        other = Recorder.resume(session, self._cast)
        self.close()
        self._recorder, self._gap = other, False

    def close(self) -> None:
        """End the transcript and name it. Its turns are whole without an end, so that one missing is no failure."""
        said = self._recorder.said
        try:
            self._recorder.close()
        except TranscriptError as error:
            self._say("", str(error), "warning")
            return
        if said and not self.failed:
            self._say("", f"recorded in {_short(self.path)}")

    def _record(self, event: AnyEvent) -> None:
        """The recorder passes over events of a run whose beginning it has not seen."""
        if isinstance(event, RunStarted) and event.recorded and self.paused:
            self._gap = True
            return
        self._recorder(event)

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
    paused = False

    def pause(self) -> None:
        """Nothing is recorded already."""

    def resume(self) -> None:
        raise UsageError("nothing is recorded: onbook was started with --no-record")

    def follow(self, session: Path) -> None:
        """Nothing is recorded there either."""


def open_recording(stage: Stage, view: Sink, resumed: Path | None, *, keeps_more: bool) -> Recording:
    """A new transcript, or the one that is continued. Where none can be kept, a command that keeps nothing else in the
    workspace could do without."""
    cast = Cast(agent=stage.settings.agent_name, user=_login())
    try:
        recorder = Recorder.resume(resumed, cast) if resumed else Recorder.create(sessions_folder(stage.root), cast)
    except SessionInUse as error:
        raise OnbookError(f"{error}; without --continue a new one begins") from None
    except (TranscriptError, WorkspaceError) as error:
        way_out = "" if keeps_more else "; give --no-record to go on without a transcript"
        raise OnbookError(f"{error}{way_out}") from None
    return Recording(recorder, view, cast)


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
