"""Handing in without tools: what somebody is told who can only speak, and what becomes of their reply.

A persona that writes one file answers with its line and then with the whole file. One that changes the repository
answers with its line and then with the files, each in a fenced block whose first line names it:

    2 files changed — the greeting knows its name

    ```python src/hello.py
    print("hello")
    ```

Text between the blocks becomes the notes of changes.md. Everything is written through the persona's own door.
"""

import re
from collections.abc import Sequence

from onbook.policy.door import Denied, Door
from onbook.session.file_blocks import FileBlock, file_blocks
from onbook.workflow.agents.personas import Persona
from onbook.workflow.agents.returns import read_return, without_first_line
from onbook.workflow.agents.talking import Failed

_WHOLE = re.compile(r"\s*(`{3,}|~{3,})[\w-]*[ \t]*\n(.*)\n\1\s*", re.DOTALL)
_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?^ {0,3}\1[ \t]*$", re.DOTALL | re.MULTILINE)

_ONE_FILE = """\
Answer with the one line that was asked for above. Leave a line empty, and then write everything that `{path}` is to
hold, and nothing else."""
_MANY_FILES = """\
Answer with the one line that was asked for above, and then with every file that you change or add: the whole file, in a
fenced block of its own whose first line names the language and the path, like this:

````
```python src/hello.py
print("hello")
```
````

A file that has fences in it goes into a longer fence. What you write outside of the blocks becomes the notes of
`{path}`."""


def how_to_hand_in(persona: Persona, path: str, *, can_write: bool = False) -> str:
    """What is added to the prompt of somebody without tools, or of a program that may or may not be able to write."""
    if not persona.output:
        return ""
    form = (_MANY_FILES if persona.trade == "maker" else _ONE_FILE).format(path=path)
    if can_write:
        return f"## If you cannot write files\n\nWrite `{path}` yourself if you can. If not:\n\n{form}"
    return (
        f"## You have no tools\n\nYou cannot read or write files here, so disregard what is said of that above. {form}"
    )


async def hand_in(reply: str, persona: Persona, path: str, door: Door) -> None:
    """Write down what the reply holds. What the door refuses is left out; it has been told so by then. Failed where
    somebody who changes files names none."""
    body = without_first_line(reply) if read_return(reply, persona).parsed else reply
    if persona.trade == "maker":
        await _hand_in_files(body, path, door)
    elif text := _unwrapped(body).strip("\n"):
        await _written(FileBlock(path, f"{text}\n"), door)


async def _hand_in_files(body: str, path: str, door: Door) -> None:
    blocks = file_blocks(body)
    if not blocks:
        raise Failed(f"{path} was not written, and the reply has no fenced block that names a file")
    made = [block for block in blocks if block.path != path and await _written(block, door)]
    own = next((block for block in blocks if block.path == path), None)
    if own is not None or made:
        await _written(own or FileBlock(path, _changes(made, body)), door)


def _changes(made: Sequence[FileBlock], body: str) -> str:
    listed = "".join(f"- `{block.path}`\n" for block in made)
    notes = "\n\n".join(part for piece in _BLOCK.split(body)[::2] if (part := piece.strip()))
    return f"## Changed Files\n\n{listed}" + (f"\n## Notes\n\n{notes}\n" if notes else "")


async def _written(block: FileBlock, door: Door) -> bool:
    try:
        await door.write(block.path, block.text.encode("utf-8", "replace"), by="model")
    except Denied:
        return False
    return True


def _unwrapped(body: str) -> str:
    """Without the fence that many models put around a whole file."""
    found = _WHOLE.fullmatch(body)
    return found[2] if found and found[1] not in found[2] else body
