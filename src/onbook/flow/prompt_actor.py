"""The prompt actor: a step that a model does, asked with the text of a file and with what the step was given."""

import hashlib
from typing import Any, Self

import msgspec

from onbook.confidence.asking import as_sent
from onbook.config.confidence_settings import Method
from onbook.config.percent import share_of
from onbook.events import RULE
from onbook.flow.answer import Answer
from onbook.flow.data import Data, Small
from onbook.flow.prompt_files import Ready, prepared
from onbook.flow.question import Question
from onbook.flow.steps import Flow, Prompt
from onbook.flow.texts import text_of
from onbook.flow.walking import actors_of
from onbook.flow.world import Fingerprint, Here
from onbook.models.messages import Message, Request
from onbook.outcome import UsageError
from onbook.policy.door import Door
from onbook.policy.secrets import redact
from onbook.session.attachments import Prompt as Said
from onbook.session.choice import key_of
from onbook.session.retelling import without_tools
from onbook.session.turn import Chat

ASK = Method("ask")


class PromptActor:
    """Asks with the standing instruction, the input and the file; with the history only where a step says so."""

    def __init__(self, chat: Chat, ready: dict[Prompt, Ready], method: Method) -> None:
        self._chat = chat
        self._ready = ready
        self._method = method

    @classmethod
    async def of(cls, flow: Flow, chat: Chat, door: Door, *, method: Method = ASK) -> Self:
        """The actor of this flow: every file is read and every model found, so that nothing is sent when one is
        missing. `method` is how the confidence of a step is found out that asks for one."""
        prompts = dict.fromkeys(actor for actor in actors_of(flow) if isinstance(actor, Prompt))
        try:
            return cls(chat, await prepared(tuple(prompts), chat, door, method), method)
        except UsageError as error:
            if flow.kind == "prompts":
                raise UsageError(f"pipeline: {error}") from None
            raise UsageError(f"{flow.kind} {flow.name}: {error}") from None

    def question(self, definition: Prompt, told: str) -> Question:
        """What the step asks when it is given this text."""
        ready, method = self._ready[definition], self._method_of(definition)
        asked = RULE.join(part for part in (told.strip("\n"), ready.text) if part.strip())
        return Question(
            file=definition.file,
            body=ready.text,
            asked=asked,
            sent=as_sent(Request(self._messages(definition, asked), **self._options(definition)), method),
            model=ready.model,
            window=self._chat.choice.known_window(ready.model) or ready.window,
            mentioned=ready.mentioned,
            method=method,
            threshold=share_of(definition.confidence) if definition.confidence is not None else None,
            seconds=definition.timeout,
        )

    def fingerprint(self, definition: Prompt) -> Fingerprint:
        """What the answer depends on besides the step and its input."""
        ready, conversation = self._ready[definition], self._chat.conversation
        settings = repr((self._options(definition), str(self._method_of(definition))))
        history = msgspec.json.encode(conversation.history) if definition.with_history else b""
        return (
            ("file", ready.text),
            ("model", "\0".join(key_of(ready.model))),
            ("instruction", conversation.system),
            ("setting", settings),
            ("history", hashlib.sha256(history).hexdigest()),
        )

    async def perform(self, definition: Prompt, given: Data, here: Here) -> Data:
        """The model's answer, as the step's output: without keys, as it is shown, since the journal keeps it; and
        without a NUL, which would make binary data of it for the next step."""
        question = self.question(definition, text_of(given, "its input"))
        text = (await Answer(self._chat, question, here).text()).replace("\0", "\N{REPLACEMENT CHARACTER}")
        return Small(f"{redact(text.rstrip())}\n".encode())

    def _messages(self, definition: Prompt, asked: str) -> tuple[Message, ...]:
        conversation = self._chat.conversation
        if definition.with_history:
            reader = "/".join(key_of(self._ready[definition].model))
            return without_tools(conversation.messages_for(Said(asked), reader))
        system = (Message("system", conversation.system),) if conversation.system else ()
        return (*system, Message("user", asked))

    def _method_of(self, definition: Prompt) -> Method | None:
        return self._method if definition.confidence is not None else None

    def _options(self, definition: Prompt) -> dict[str, Any]:
        """Those of the conversation, but for a schema, which holds the last answer only."""
        options = {name: value for name, value in self._chat.options.items() if name != "schema"}
        return options if definition.temperature is None else options | {"temperature": definition.temperature}
