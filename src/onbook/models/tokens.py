"""How many tokens a text is, where no backend says: an estimate, and always marked as one."""

from collections.abc import Iterable

from onbook.models.messages import Message

_BYTES_A_TOKEN = 4
_TOKENS_A_MESSAGE = 4
_TOKENS_AN_IMAGE = 1_000


def estimate_tokens(text: str) -> int:
    """About four bytes of UTF-8 to a token: near for English and code, generous for everything else."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def estimate_prompt(messages: Iterable[Message]) -> int:
    """A conversation's size, with what the template adds around each message."""
    return sum(
        _TOKENS_A_MESSAGE
        + estimate_tokens(message.text)
        + _TOKENS_AN_IMAGE * len(message.images)
        + sum(estimate_tokens(call.name + call.arguments) for call in message.tool_calls)
        for message in messages
    )
