"""The sink that keeps the record: events of a session become scenes of one Fountain file, as they finish."""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from onbook.events import AnyEvent, RunFinished, RunStarted, StepFinished
from onbook.outcome import Outcome
from onbook.transcript.clock import clock
from onbook.transcript.command_scenes import UnfinishedCommand
from onbook.transcript.elements import Note, Scene
from onbook.transcript.errors import TranscriptError
from onbook.transcript.loop_scenes import UnfinishedLoop, loop_begins
from onbook.transcript.names import stage_name
from onbook.transcript.pipeline_scenes import UnfinishedPipeline
from onbook.transcript.sealing import END_OF_SCENE, is_sealed
from onbook.transcript.steps import Step, step_scene
from onbook.transcript.storage import AppendOnlyFile
from onbook.transcript.tail import Tail, tail_of
from onbook.transcript.turns import Turn, scene_of
from onbook.transcript.unfinished import UnfinishedTurn
from onbook.transcript.workflow_scenes import UnfinishedWorkflow
from onbook.transcript.write import FADE_IN, THE_END, encode, scene_source, title_page_source

FORMAT = "onbook 1"
SUFFIX = ".fountain"


class Cast(msgspec.Struct, frozen=True, kw_only=True):
    """Who is on stage: what the title page and every scene need."""

    agent: str
    user: str
    model: str = ""
    """The session's model for the title page; the first turn's where it is not given."""


class Recorder:
    """Appends one scene for each chat turn, step of a pipeline, phase or gate of a workflow and recorded command, when
    it has finished. A session in which nothing was said leaves no file."""

    def __init__(self, path: Path, cast: Cast, now: float) -> None:
        self.path = path
        self._cast = cast
        self._now = now
        self._file: AppendOnlyFile | None = None
        self._tail: Tail | None = None
        self.said = False
        """Whether anything was written since this began."""
        self._runs: dict[str, UnfinishedTurn | UnfinishedPipeline | UnfinishedCommand] = {}
        self._agents_model = cast.model
        """The model that last spoke under the agent's name."""

    @classmethod
    def create(cls, folder: Path, cast: Cast, *, now: float | None = None) -> Self:
        """A new session in `folder`. Its path is known at once; the file appears with the first turn."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TranscriptError(f"{folder}: cannot make the sessions folder: {error.strerror}") from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise TranscriptError(f"{folder}: cannot write sessions here: the folder is not writable")
        now = time.time() if now is None else now
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        return cls(folder / f"{stamp}-{os.urandom(3).hex()}{SUFFIX}", cast, now)

    @classmethod
    def resume(cls, path: Path, cast: Cast, *, now: float | None = None) -> Self:
        """Goes on with an existing session; the file changes with the first new turn."""
        recorder = cls(path, cast, time.time() if now is None else now)
        file = AppendOnlyFile.open(path)
        try:
            recorder._tail = tail_of(file.read(), path)
        except TranscriptError:
            file.close()
            raise
        recorder._file = file
        return recorder

    def __call__(self, event: AnyEvent) -> None:
        """Takes one event; writes when something of which there is a scene has finished."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif run := self._runs.get(event.run):
            if isinstance(event, RunFinished):
                del self._runs[event.run]
                self._finish(run, event)
            elif isinstance(event, StepFinished) and isinstance(run, UnfinishedPipeline):
                self._record_step(run.finish_step(event))
            else:
                run.take(event)
                if isinstance(run, UnfinishedWorkflow):
                    self._append_all(run.scenes())

    def _begin(self, event: RunStarted) -> None:
        if not event.recorded:
            return
        if event.speaker is not None and event.speaker.name == self._cast.agent:
            self._agents_model = event.speaker.model
        if event.kind == "chat" or (event.step is not None and event.step.within in self._runs):
            self._runs[event.run] = UnfinishedTurn(event)
        elif event.kind == "pipeline":
            self._forget_commands()
            self._runs[event.run] = UnfinishedPipeline(event)
        elif event.kind == "loop":
            self._runs[event.run] = UnfinishedLoop(event)
            self.append(loop_begins(event, person=self._cast.user))
        elif event.kind == "harness":
            self._forget_commands()
            self._runs[event.run] = UnfinishedWorkflow(event, person=self._cast.user)
        elif event.kind in ("command", "script", "workflow"):
            self._runs[event.run] = UnfinishedCommand(event)

    def _forget_commands(self) -> None:
        """What was typed stands in the scenes of what it began: the command needs none of its own."""
        for run in [run for run, each in self._runs.items() if isinstance(each, UnfinishedCommand) and each.is_typed]:
            del self._runs[run]

    def _finish(self, run: UnfinishedTurn | UnfinishedPipeline | UnfinishedCommand, finished: RunFinished) -> None:
        nothing_started = finished.outcome == Outcome.USAGE.value
        if isinstance(run, UnfinishedTurn):
            self._finish_turn(run, finished)
        elif isinstance(run, UnfinishedPipeline):
            if run.has_begun or not nothing_started:
                self.record(run.finish(finished, agent=self._cast.agent, model=self._agents_model))
        elif isinstance(run, UnfinishedWorkflow):
            if run.has_begun or not nothing_started:
                self._append_all(run.ending(finished))
        elif finished.text or not nothing_started:
            self.append(run.finish(finished, person=self._cast.user))

    def _finish_turn(self, run: UnfinishedTurn, finished: RunFinished) -> None:
        turn = run.finish(finished)
        whole = self._runs.get(run.step.within) if run.step else None
        if run.step is None:
            self.record(turn)
        elif whole is not None and not isinstance(whole, UnfinishedTurn):
            whole.hear(run.step, turn)

    def _record_step(self, step: Step) -> None:
        self._append(step_scene(step, person=self._cast.user), step.model)

    def record(self, turn: Turn) -> None:
        """Writes a turn."""
        self._append(scene_of(turn, agent=self._cast.agent, person=self._cast.user), turn.model)

    def append(self, scene: Scene) -> None:
        """Writes a scene of another kind, sealed so that a torn one is recognised."""
        if not is_sealed(scene):
            scene = msgspec.structs.replace(scene, elements=(*scene.elements, Note(END_OF_SCENE)))
        self._append(scene, self._cast.model)

    def _append_all(self, scenes: Iterable[Scene]) -> None:
        for scene in scenes:
            self.append(scene)

    def close(self) -> None:
        """`THE END.`, on the disk, unlocked. Does nothing the second time."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if self.said:
                file.append(f"{THE_END}\n".encode())
        finally:
            self.said = False
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, scene: Scene, model: str) -> None:
        source = scene_source(scene)
        if self._file is None:
            self._create(encode(self._opening(model) + source))
        elif tail := self._tail:
            bridge = tail.bridge if tail.keep else self._opening(model)
            self._file.append(encode(bridge + source), after=tail.keep)
            self._tail = None
        else:
            self._file.append(encode(source))
        self.said = True

    def _create(self, data: bytes) -> None:
        """The first turn brings the title page with it, in the same write; if that fails there is no file."""
        file = AppendOnlyFile.create(self.path)
        try:
            file.append(data)
        except TranscriptError:
            self.path.unlink(missing_ok=True)
            file.close()
            raise
        self._file = file

    def _opening(self, model: str) -> str:
        date = clock(self._now)
        model = self._cast.model or model
        pairs = (
            ("Title", "onbook session"),
            ("Credit", "Recorded by onbook"),
            ("Author", stage_name(self._cast.user)),
            ("Date", date),
            ("Draft date", date[:10]),
            *([("Model", model)] if model else []),  # a session may begin with a command
            ("Format", FORMAT),
        )
        return f"{title_page_source(pairs)}{FADE_IN}\n\n"
