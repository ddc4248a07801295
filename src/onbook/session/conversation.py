"""The history of a conversation: what the model is reminded of at every turn."""

from collections.abc import Iterable

from onbook.models.messages import Message
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt, is_picture
from onbook.session.instructions import Instruction
from onbook.transcript.turns import Turn


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


def spoken(turns: Iterable[Turn]) -> list[tuple[str, str]]:
    """What a continued conversation remembers of its recorded turns: those that ended well and were answered."""
    return [(asked(turn), turn.reply) for turn in turns if turn.outcome == Outcome.PASSED.value and turn.reply.strip()]


def asked(turn: Turn) -> str:
    """The question of a recorded turn, to send again: never empty, and in words where a picture is missing.

    The text of an attached text file is part of the question already.
    """
    pictures = [name for name in turn.attachments if is_picture(name)]
    words = [_missing(pictures)] if pictures else []
    if turn.user.strip():
        words.append(turn.user)  # last, as it was: small models answer what they read last
    return "\n\n".join(words) or "[nothing was said]"


def _missing(pictures: list[str]) -> str:
    what = "the picture itself is" if len(pictures) == 1 else "the pictures themselves are"
    return f"[attached: {', '.join(pictures)}; {what} not in the transcript]"
