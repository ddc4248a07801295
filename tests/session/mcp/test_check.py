"""`onbook doctor` on MCP servers: what would be found and reached, without starting anything."""

import json
import socket
import sys
from pathlib import Path

from onbook.config.mcp_settings import McpServer
from onbook.session.mcp.check import obstacle
from tests.conftest import DEAD, CommandLine


def test_doctor_has_a_line_for_each_server(run: CommandLine, user_settings: Path) -> None:
    user_settings.write_text(
        f'[[mcp]]\nname = "good"\ncommand = ["{sys.executable}", "-m", "server"]\n'
        '[[mcp]]\nname = "gone"\ncommand = "no-such-program --stdio"\n'
        f'[[mcp]]\nname = "dead"\nurl = "http://{DEAD}/mcp"\n'
    )
    lines = map(json.loads, run("doctor", "--json").stdout.splitlines())
    found = {line["what"]: (line["state"], line["detail"]) for line in lines}
    assert found["mcp good"] == ("good", f"{sys.executable} -m server")
    assert found["mcp gone"] == ("problem", "there is no program no-such-program")
    assert found["mcp dead"] == ("problem", f"http://{DEAD}/mcp cannot be reached: connection refused")


def test_a_host_that_answers_is_no_obstacle(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        assert obstacle(McpServer("web", url=url), tmp_path, {}) == ""


def test_a_program_is_looked_for_in_the_folder_of_the_settings(tmp_path: Path) -> None:
    server = McpServer("own", command="./server.py")
    assert obstacle(server, tmp_path, {}) == "there is no program ./server.py"
    (tmp_path / "server.py").touch(mode=0o755)
    assert obstacle(server, tmp_path, {}) == ""


def test_a_variable_that_is_not_set_is_an_obstacle(tmp_path: Path) -> None:
    server = McpServer("web", url="http://127.0.0.1:1/mcp", key_env="WEB_TOKEN")
    assert obstacle(server, tmp_path, {}) == "the variable WEB_TOKEN is not set; export WEB_TOKEN=…"
