"""onbook's own tools, all of them behind one door."""

from onbook.policy.door import Door
from onbook.session.tools.edit_file import edit_file
from onbook.session.tools.git import git
from onbook.session.tools.list_files import list_files
from onbook.session.tools.read_file import read_file
from onbook.session.tools.run_command import run_command
from onbook.session.tools.search_files import search_files
from onbook.session.tools.tool import Tool
from onbook.session.tools.write_file import write_file


def builtin_tools(door: Door) -> tuple[Tool, ...]:
    """In the order the model is shown them."""
    makers = (read_file, write_file, edit_file, list_files, search_files, run_command, git)
    return tuple(make(door) for make in makers)
