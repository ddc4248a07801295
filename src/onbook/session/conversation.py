"""The history of a conversation: what the model is reminded of at every turn."""

from collections.abc import Iterable

from onbook.models.messages import Message
from onbook.session.attachments import Prompt
from onbook.session.instructions import Instruction


class Conversation:
    """System prompt and finished turns. A turn that failed or was cancelled leaves it as it was."""

    def __init__(self, instruction: Instruction | None = None, turns: Iterable[tuple[str, str]] = ()) -> None:
        self.instruction = instruction
        self._history: list[Message] = []
        for user, reply in turns:
            self.add(Prompt(user), reply)

    def messages_for(self, prompt: Prompt) -> tuple[Message, ...]:
        """Everything to send for the next turn."""
        system = (Message("system", self.instruction.text),) if self.instruction else ()
        return (*system, *self._history, Message("user", prompt.text, prompt.images))

    def add(self, prompt: Prompt, reply: str) -> None:
        """A finished turn."""
        self._history += (Message("user", prompt.text, prompt.images), Message("assistant", reply))

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(self._history)
