"""`write_file`: a whole file, new or in the place of the old one."""

from typing import Annotated

import msgspec

from onbook.policy.door import Door
from onbook.session.tools.tool import Tool, typed_tool
from onbook.words import counted


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace; folders are made.")]
    content: Annotated[str, msgspec.Meta(description="Everything the file is to hold.")]


def write_file(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> str:
        data = given.content.encode()
        await door.write(given.path, data, by="model")
        return f"wrote {given.path}: {counted(len(given.content.splitlines()), 'line')}, {counted(len(data), 'byte')}"

    return typed_tool(
        "write_file",
        "Make a file of the workspace, or replace all of it. To change a part of a file, use edit_file.",
        Arguments,
        work,
    )
