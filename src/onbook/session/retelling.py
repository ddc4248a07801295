"""Messages told again so that any model accepts them: one that sees nothing, calls nothing, or is strict about ids."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from onbook.models.messages import Message, ToolCall

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


def fresh_ids(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with ids of tool calls that no protocol refuses: unique, nine letters and digits (Mistral)."""
    new = {call.id: _new_id() for message in messages for call in message.tool_calls}
    return tuple(_renamed(message, new) for message in messages) if new else tuple(messages)


def without_pictures(message: Message) -> Message:
    """The message with a word in the place of each picture."""
    if not message.images:
        return message
    words = "\n".join(f"[a picture was here: {image.name}]" for image in message.images)
    return msgspec.structs.replace(message, text=f"{words}\n\n{message.text}".strip(), images=())


def without_tools(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Calls and results as plain talk, for a model that is offered no tools; roles still alternate."""
    messages = tuple(messages)
    if not any(message.tool_calls or message.tool_call_id for message in messages):
        return messages
    told = list(_told(messages))
    return tuple(_merged(list(group)) for _, group in groupby(told, lambda message: message.role))


def _told(messages: Iterable[Message]) -> Iterator[Message]:
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if message.tool_calls:
            calls |= {call.id: call for call in message.tool_calls}
            asked = (f"[used {call.name} with {call.arguments}]" for call in message.tool_calls)
            yield Message("assistant", "\n\n".join(filter(None, (message.text, *asked))))
        elif message.tool_call_id is not None:
            call = calls.get(message.tool_call_id)
            yield Message("user", f"[{call.name if call else 'a tool'} gave back]\n{message.text}")
        else:
            yield message


def _merged(group: list[Message]) -> Message:
    if len(group) == 1:
        return group[0]
    images = tuple(image for message in group for image in message.images)
    return Message(group[0].role, "\n\n".join(message.text for message in group), images)


def _renamed(message: Message, new: dict[str, str]) -> Message:
    calls = tuple(msgspec.structs.replace(call, id=new[call.id]) for call in message.tool_calls)
    answered = message.tool_call_id
    return msgspec.structs.replace(
        message, tool_calls=calls, tool_call_id=new.get(answered, answered) if answered is not None else None
    )


def _new_id() -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(9))
