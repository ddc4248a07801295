"""The steps of a prompt pipeline: what goes wrong in one is said in a pipeline's own words (seed 1)."""

import time

from onbook.events import Note
from onbook.flow.data import Data
from onbook.flow.prompt_actor import PromptActor
from onbook.flow.steps import Prompt
from onbook.flow.world import Fingerprint, Here
from onbook.models.errors import ContextOverflow, OutOfMemory
from onbook.outcome import OnbookError
from onbook.session.turn import NothingSaid


class PipelineSteps:
    """The prompt actor, and the words for its errors. Their types, and so the exit codes, stay as they are."""

    def __init__(self, prompts: PromptActor) -> None:
        self._prompts = prompts

    def fingerprint(self, definition: Prompt) -> Fingerprint:
        return self._prompts.fingerprint(definition)

    async def perform(self, definition: Prompt, given: Data, here: Here) -> Data:
        """The model's answer, or one line that names the step."""
        try:
            return await self._prompts.perform(definition, given, here)
        except (ContextOverflow, OutOfMemory) as error:
            _note(here, str(error))
            error.args = (f"pipeline: step {here.index} context limit exceeded",)
            raise
        except NothingSaid as error:
            _note(here, str(error))
            error.args = (f"pipeline: step {here.index} returned nothing",)
            raise
        except OnbookError as error:
            error.args = (f"pipeline: step {here.index}: {error}",)
            raise


def _note(here: Here, text: str) -> None:
    """What the seed's short line leaves out: which model, and how much was too much."""
    here.world.emit(Note(run=here.world.run, time=time.time(), text=text))
