"""onbook's own tools as a model sees them: their schemas, and what none of them shows."""

import json
from pathlib import Path
from typing import Any

import pytest

from onbook.models.messages import ToolSpec
from onbook.policy.door import Denied
from tests.session.tools.conftest import Bench

KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2


def test_the_schemas_are_plain_objects_that_every_protocol_takes(bench: Bench) -> None:
    assert list(bench.tools) == [
        "read_file",
        "write_file",
        "edit_file",
        "list_files",
        "search_files",
        "run_command",
        "git",
    ]
    for tool in bench.tools.values():
        schema = tool.spec.parameters
        assert schema["type"] == "object"
        assert not {"$ref", "$defs", "anyOf", "null"} & set(_keys(schema))
        assert all(field["description"] for field in schema["properties"].values())
        json.dumps(schema)


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for part in value.values() for key in _keys(part))]
    return [value] if isinstance(value, str) else []


async def test_keys_and_control_codes_do_not_reach_the_model(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text(f"key = {KEY}\n\x1b[31mred\x07\r\nend\n")
    assert await bench("read_file", path="a.txt") == "key = [redacted]\n\\x1b[31mred\\x07\nend"
    assert KEY not in await bench("search_files", pattern="key")
    assert KEY not in await bench("run_command", command="cat a.txt")


@pytest.mark.parametrize("path", ["../outside.txt", "~/.ssh/id_ed25519", "/etc/hostname", "link", ".env", "missing"])
@pytest.mark.parametrize("tool", ["read_file", "edit_file", "search_files"])
async def test_no_tool_reads_what_the_door_keeps_shut(bench: Bench, workspace: Path, path: str, tool: str) -> None:
    (workspace.parent / "outside.txt").write_text("secret")
    (workspace / "link").symlink_to("../outside.txt")
    (workspace / ".env").write_text("KEY=secret")
    more = {"edit_file": {"old": "secret", "new": "x"}, "search_files": {"pattern": "secret"}}.get(tool, {})
    with pytest.raises(Denied):
        await bench(tool, path=path, **more)


def test_a_specification_is_what_the_wire_needs(bench: Bench) -> None:
    spec = bench.tools["read_file"].spec
    assert isinstance(spec, ToolSpec)
    assert spec.parameters["required"] == ["path"]
