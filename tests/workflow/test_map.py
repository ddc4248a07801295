"""The page that tells a newcomer where each step of the workflow lives."""

import re
from pathlib import Path

import onbook.workflow

ROOM = Path(onbook.workflow.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def test_the_map_names_every_folder_of_the_room_and_no_file_that_is_not_there() -> None:
    section = PAGE.read_text().partition("## The workflow, step by step")[2].partition("\n## ")[0]
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    files = set(re.findall(r"`([\w/]+\.py)`", table))
    assert sorted(name for name in files if not (ROOM / name).is_file()) == []
    folders = {path.parent.name for path in ROOM.glob("*/__init__.py")}
    assert folders - {name.partition("/")[0] for name in files} == set()
