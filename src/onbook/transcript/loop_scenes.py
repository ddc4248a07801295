"""Where a loop begins and where it ends: between the two scenes stand those of its iterations, as of any other line."""

from onbook.events import AnyEvent, Note, RunFinished, RunStarted
from onbook.transcript.clock import clock
from onbook.transcript.command_scenes import UnfinishedCommand
from onbook.transcript.elements import Action, Aside, Scene, Speech
from onbook.transcript.names import stage_name


def loop_begins(started: RunStarted, *, person: str) -> Scene:
    """What was typed, and what it means, in a parenthetical."""
    user = stage_name(person)
    parts = (
        Action(f"{user} types a command. Workspace: {started.workspace}."),
        Speech(user, started.input),
        Aside(started.name),
    )
    return Scene("INT", f"{user} AT THE KEYBOARD", clock(started.time), parts)


class UnfinishedLoop(UnfinishedCommand):
    """A loop that goes on; what it says itself is said at its end."""

    def __init__(self, started: RunStarted) -> None:
        super().__init__(started)
        self._said: list[Aside] = []

    def take(self, event: AnyEvent) -> None:
        if isinstance(event, Note):
            self._said.append(Aside(event.text))

    def finish(self, finished: RunFinished, *, person: str) -> Scene:  # noqa: ARG002 - nobody types anything here
        said = self._said or [Aside(f"the loop did not begin: {finished.error}")]
        return Scene("INT", "THE LOOP ENDS", clock(finished.time), tuple(said))
