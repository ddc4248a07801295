"""The history of a conversation: what the model is reminded of at every turn."""

from collections.abc import Iterable, Sequence

import msgspec

from onbook.models.messages import Message
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt, is_picture
from onbook.session.instructions import Instruction
from onbook.session.retelling import fresh_ids, without_pictures
from onbook.transcript.turns import Turn


class _Exchange(msgspec.Struct, frozen=True):
    """One turn as it will be sent again: the question, the tools with their results, the answer."""

    messages: tuple[Message, ...]
    told: str = ""
    """Which model it was had with: nobody else is sent its pictures, since many cannot see."""


class Conversation:
    """System prompt and finished turns."""

    def __init__(self, instruction: Instruction | None = None, turns: Iterable[tuple[str, str]] = ()) -> None:
        self.instruction = instruction
        self.sections: dict[str, str] = {}
        """What stands below the instruction in the system prompt, by its heading: memory, skills, the role."""
        self._exchanges: list[_Exchange] = []
        for user, reply in turns:
            self.add(Prompt(user), reply)

    @property
    def system(self) -> str:
        """The system prompt; empty where nobody has anything to say in it."""
        instruction = [self.instruction.text] if self.instruction else []
        sections = [f"## {title}\n\n{text}" for title, text in self.sections.items() if text.strip()]
        return "\n\n".join([*instruction, *sections])

    def messages_for(self, prompt: Prompt, model: str = "") -> tuple[Message, ...]:
        """Everything to send for the next turn. `model` is who will read it, as `add_exchange` was told."""
        system = (Message("system", self.system),) if self.system else ()
        history = [
            message if each.told == model else without_pictures(message)
            for each in self._exchanges
            for message in each.messages
        ]
        return (*system, *history, Message("user", prompt.text, prompt.images))

    def add(self, prompt: Prompt, reply: str) -> None:
        """A finished turn without tools."""
        self.add_exchange((Message("user", prompt.text, prompt.images), Message("assistant", reply)))

    def add_exchange(self, messages: Sequence[Message], told: str = "") -> None:
        """A turn with all its messages, from the user's to the last of the model."""
        self._exchanges.append(_Exchange(fresh_ids(messages), told))

    def keep(self, turns: int) -> None:
        """Forget every turn after the first so many."""
        del self._exchanges[turns:]

    def clear(self) -> None:
        """Forget every turn; instruction and sections stay."""
        self._exchanges.clear()

    def replace_history(self, messages: Sequence[Message], keep: int = 0) -> None:
        """Put this in the place of every turn but the last `keep`. It begins with the user and ends with the model."""
        kept = self._exchanges[-keep:] if keep else []
        self._exchanges = [*([_Exchange(fresh_ids(messages))] if messages else []), *kept]

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(message for each in self._exchanges for message in each.messages)

    @property
    def turns(self) -> tuple[tuple[Message, ...], ...]:
        """The history turn by turn."""
        return tuple(each.messages for each in self._exchanges)


def spoken(turns: Iterable[Turn]) -> list[tuple[str, str]]:
    """What a continued conversation remembers of its recorded turns: those that were answered, and of those that were
    stopped the ones in which tools had done something, or a budget was spent."""
    return [(asked(turn), reply) for turn in turns if (reply := _remembered(turn)).strip()]


def _remembered(turn: Turn) -> str:
    if turn.outcome == Outcome.PASSED.value:
        return turn.reply
    done = [f"[used {use.call}, which gave back]\n{use.result}" for use in turn.tools if use.result is not None]
    paid_for = turn.outcome == Outcome.BUDGET_SPENT.value and turn.reply.strip()
    if not done and not paid_for:
        return ""
    return "\n\n".join(filter(None, (*done, turn.reply, stopped(turn.outcome))))


def stopped(outcome: str) -> str:
    """What stands in the history where the answer of a stopped turn would be."""
    return f"[stopped here: {outcome.replace('_', ' ')}]"


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
