"""Prompt files before anything is sent: read, filled in, and each with the model that will answer it."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from onbook.confidence.asking import NoLogprobs
from onbook.config.confidence_settings import Method
from onbook.flow.steps import Prompt
from onbook.models.resolver import Resolved, UnknownModel
from onbook.outcome import UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.secrets import redact
from onbook.session.choice import ModelChoice, key_of
from onbook.session.mentions import first_mention
from onbook.session.turn import Chat

MOST = 1 << 20
"""Bytes of a prompt file: a larger one is a mistake, and is not even read."""


class Ready(msgspec.Struct, frozen=True):
    """A prompt whose file was read, and whose model was found."""

    text: str
    model: Resolved
    window: int | None = None
    mentioned: str | None = None
    """The `@name` in the file that chose the model, if one did."""


class UnknownMention(UsageError):
    """A file that mentions a model which nobody knows."""

    def __init__(self, name: str, file: str) -> None:
        found = f'@mention "{name}" did not resolve to a known model'  # the seed's words
        super().__init__(f"{found}, in {file}; `onbook model list` shows what there is; \\@{name} is the word itself")


async def prepared(prompts: Sequence[Prompt], chat: Chat, door: Door, method: Method) -> dict[Prompt, Ready]:
    """Everything that the prompts need. UsageError for the first of which something is missing."""
    bodies = {prompt: await _body(prompt.file, door) for prompt in prompts}
    models = await _models(bodies, chat.choice)
    for prompt, model in models.items():
        if prompt.confidence is not None and method.kind == "logprobs" and not model.backend.gives_logprobs:
            raise NoLogprobs(model.name)
    windows = await _windows(models.values(), chat.choice)
    return {
        prompt: Ready(
            filled(body, dict(prompt.variables)),
            models[prompt],
            windows[key_of(models[prompt])],
            _mentioned(prompt, body),
        )
        for prompt, body in bodies.items()
    }


async def _body(file: str, door: Door) -> str:
    """The file as it is, without keys."""
    try:
        content = await door.read(file, by="user", limit=MOST + 1)
        if len(content) > MOST:
            raise _unreadable(file, "it is larger than 1 MiB, which is too much for a prompt")
        text = content.decode("utf-8-sig")
    except Denied as denied:
        raise _unreadable(file, denied.reason) from None
    except UnicodeDecodeError:
        raise _unreadable(file, "it is not UTF-8 text") from None
    if "\0" in text:
        raise _unreadable(file, "it is binary")
    if not text.strip():
        raise _unreadable(file, "it is empty, so there is nothing to ask")
    return redact(text)


def _unreadable(file: str, why: str) -> UsageError:
    return UsageError(f'cannot read "{file}": {why}')


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with each `{{name}}` replaced whose name has a value; what stands in a value is not looked at."""
    if not values:
        return text
    names = "|".join(map(re.escape, values))
    return re.sub(rf"\{{\{{({names})\}}\}}", lambda found: values[found[1]], text)


async def _models(bodies: Mapping[Prompt, str], choice: ModelChoice) -> dict[Prompt, Resolved]:
    """Who answers each: the step's own model, else the one that the file mentions, else the active one. A value that
    is filled in chooses nobody: it may come from anywhere. Each name is looked up once."""
    found: dict[str | None, Resolved] = {}
    models: dict[Prompt, Resolved] = {}
    for prompt, body in bodies.items():
        mentioned = _mentioned(prompt, body)
        name = prompt.model or mentioned
        if name not in found:
            try:
                found[name] = await (choice.current() if name is None else choice.named(name))
            except UnknownModel:
                if mentioned is None:
                    raise
                raise UnknownMention(mentioned, prompt.file) from None
        models[prompt] = found[name]
    return models


def _mentioned(prompt: Prompt, body: str) -> str | None:
    return first_mention(body) if prompt.model is None else None


async def _windows(models: Iterable[Resolved], choice: ModelChoice) -> dict[tuple[str, str], int | None]:
    """How much each model reads, looked up once for each and at the same time."""
    by_key = {key_of(model): model for model in models}
    found = await asyncio.gather(*map(choice.window_beforehand, by_key.values()))
    return dict(zip(by_key, found, strict=True))
