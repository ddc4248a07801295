"""The confidence block at the end of a whole reply: what it says, and the reply without it."""

import msgspec

from onbook.confidence.holding import Holder
from onbook.events import Reading


class Said(msgspec.Struct, frozen=True):
    """A reply without its confidence blocks, and what the last of them says."""

    text: str
    reading: Reading | None


def read_blocks(reply: str) -> Said:
    """Take the blocks out of a reply.

    A block is the last JSON object of the reply, with a `confidence` from 0 to 1 and no other key than `reason`; in a
    fence or bare, at the beginning or at the end of its line, with at most two lines of text after it. Several at the
    end all go, and the last counts. An object with other keys gives its score and stays.
    """
    holder = Holder()
    text = holder.feed(reply) + holder.end()
    return Said(text, holder.reading)
