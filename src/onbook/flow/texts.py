"""Where bytes become text: at the door of a model, and nowhere else in a flow."""

from typing import TYPE_CHECKING

from onbook.outcome import OnbookError
from onbook.policy.secrets import redact

if TYPE_CHECKING:
    from onbook.flow.data import Data

MOST = 16 << 20
"""Bytes that are still worth decoding: no model reads more."""


def text_of(data: "Data", whose: str) -> str:
    """The data as a model may read it, without keys; one clear line where there is no text in it."""
    if data.size > MOST:
        raise OnbookError(f"{whose} is {data.size:,} bytes long, more than any model reads")
    content = data.read()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise OnbookError(f"{whose} is not UTF-8 text (byte {error.start + 1}), so no model can read it") from None
    if "\0" in text:
        raise OnbookError(f"{whose} is binary, so no model can read it")
    return redact(text)
