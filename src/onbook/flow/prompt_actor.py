"""The prompt actor: a step that a model does, asked with the text of a file and with what the step was given."""

import hashlib
from typing import Self

import msgspec

from onbook.flow.answer import Answer
from onbook.flow.data import Data, Small
from onbook.flow.steps import Flow, Prompt
from onbook.flow.texts import text_of
from onbook.flow.walking import actors_of
from onbook.flow.world import Here
from onbook.models.resolver import Resolved, UnknownModel
from onbook.outcome import UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.secrets import redact
from onbook.session.choice import key_of
from onbook.session.mentions import first_mention
from onbook.session.turn import Chat

BETWEEN = "\n\n---\n\n"
"""What stands between a step's input and the text of its file (seed 1)."""


class PromptActor:
    """Asks without the conversation's history: the standing instruction, the input, the file."""

    def __init__(self, chat: Chat, ready: "dict[Prompt, _Ready]") -> None:
        self._chat = chat
        self._ready = ready

    @classmethod
    async def of(cls, flow: Flow, chat: Chat, door: Door) -> Self:
        """The actor of this flow: every file is read and every model found, so that nothing is sent when one is
        missing."""
        prompts = dict.fromkeys(actor for actor in actors_of(flow) if isinstance(actor, Prompt))
        try:
            return cls(chat, {prompt: await _prepared(prompt, chat, door) for prompt in prompts})
        except UsageError as error:
            raise UsageError(f"{flow.kind} {flow.name}: {error}") from None

    def fingerprint(self, definition: Prompt) -> str:
        """What the answer depends on besides the step and its input."""
        ready = self._ready[definition]
        parts = (ready.text, *key_of(ready.model), self._chat.conversation.system, repr(self._options(definition)))
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()

    async def perform(self, definition: Prompt, given: Data, here: Here) -> Data:
        """The model's answer, as the step's output."""
        ready = self._ready[definition]
        told = text_of(given, "its input")
        asked = BETWEEN.join(part for part in (told.strip("\n"), ready.text) if part.strip())
        text = await Answer(self._chat, ready.model, here).to(asked, self._options(definition), definition.timeout)
        return Small(f"{text.rstrip()}\n".encode())

    def _options(self, definition: Prompt) -> dict[str, object]:
        """Those of the conversation, but for a schema, which holds the last answer only."""
        options = {name: value for name, value in self._chat.options.items() if name != "schema"}
        return options if definition.temperature is None else options | {"temperature": definition.temperature}


class _Ready(msgspec.Struct, frozen=True):
    """A prompt whose file was read, and whose model was found."""

    text: str
    model: Resolved


async def _prepared(prompt: Prompt, chat: Chat, door: Door) -> _Ready:
    if prompt.confidence is not None:
        raise UsageError(
            f'{prompt.file}: confidence = "{prompt.confidence}" comes with prompt pipelines and cannot be kept yet; '
            "leave it out"
        )
    text = await _body(prompt.file, door)
    return _Ready(text, await _model(prompt, text, chat))


async def _body(file: str, door: Door) -> str:
    """The file as it is, without keys."""
    try:
        text = (await door.read(file, by="user")).decode("utf-8-sig")
    except Denied as denied:
        raise UsageError(f'cannot read "{file}": {denied.reason}') from None
    except UnicodeDecodeError:
        raise UsageError(f'cannot read "{file}": it is not UTF-8 text') from None
    if not text.strip():
        raise UsageError(f"{file} is empty: there is nothing to ask")
    return redact(text.strip("\n"))


async def _model(prompt: Prompt, text: str, chat: Chat) -> Resolved:
    """The step's own, else the one that the file mentions, else the active one."""
    if prompt.model is not None:
        return await chat.choice.named(prompt.model)
    mentioned = first_mention(text)
    if mentioned is None:
        return await chat.choice.current()
    try:
        return await chat.choice.named(mentioned)
    except UnknownModel:
        raise UsageError(f'{prompt.file}: @mention "{mentioned}" did not resolve to a known model') from None
