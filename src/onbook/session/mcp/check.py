"""Whether a configured server could be used, found out without starting it or sending it a word."""

import os
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from onbook.config.errors import reason
from onbook.config.mcp_settings import McpServer

CONNECT_SECONDS = 3.0


def obstacle(server: McpServer, folder: Path, environ: Mapping[str, str]) -> str:
    """What stands in the way; nothing if it can be started, or its host answers."""
    for name in (*server.env, *((server.key_env,) if server.key_env else ())):
        if not environ.get(name, "").strip():
            return f"the variable {name} is not set; export {name}=…"
    return _no_host(server.url) if server.url is not None else _no_program(server.argv[0], folder, environ)


def _no_program(program: str, folder: Path, environ: Mapping[str, str]) -> str:
    found = shutil.which(str(folder / program) if "/" in program else program, path=environ.get("PATH", os.defpath))
    return "" if found else f"there is no program {program}"


def _no_host(url: str) -> str:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), CONNECT_SECONDS):
            return ""
    except OSError as error:
        return f"{url} cannot be reached: {reason(error)}"
