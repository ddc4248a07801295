"""An MCP server in plain Python, of the kind that was usual before 2026; its tools are the faults of servers.

It starts in a twentieth of a second, where one made with the SDK takes two. `--silent`, `--noise`, `--exit`: faults of
its start.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TOOLS = [
    "echo",
    "fail",
    "picture",
    "huge",
    "endless",
    "hang",
    "crash",
    "rant",
    "noise",
    "grow",
    "variable",
    "children",
    "where",
    "roots",
]
SLEEPER = "import time; time.sleep(600)"


def main() -> None:
    if "--exit" in sys.argv:
        sys.exit("no licence found")
    if "--noise" in sys.argv:
        while True:
            sys.stdout.write("y\n")
    for line in sys.stdin:
        message = json.loads(line)
        if "--silent" not in sys.argv and "id" in message:
            answer(message)


def answer(message: dict[str, Any]) -> None:
    method = message["method"]
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        capabilities = {"tools": {"listChanged": True}}
        reply(message, {"protocolVersion": version, "capabilities": capabilities, "serverInfo": NAMED})
    elif method == "tools/list":
        reply(message, {"tools": [described(name) for name in TOOLS]})
    elif method == "tools/call":
        call(message, message["params"]["name"], message["params"].get("arguments") or {})
    else:
        send({"id": message["id"], "error": {"code": -32601, "message": f"no method {method}"}})


NAMED = {"name": "plain", "version": "1"}


def described(name: str) -> dict[str, Any]:
    properties = {"text": {"type": "string"}}
    return {
        "name": name,
        "description": f"The tool {name}.",
        "inputSchema": {"type": "object", "properties": properties},
    }


def call(message: dict[str, Any], name: str, arguments: dict[str, Any]) -> None:
    text = str(arguments.get("text", ""))
    if name == "hang":
        if text:
            Path(text).touch()
        time.sleep(600)
    elif name == "crash":
        sys.stderr.write("something broke\n")
        sys.stderr.flush()
        os._exit(3)
    elif name == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    elif name == "rant":
        for _ in range(2000):
            sys.stderr.write("blah " * 200)
    elif name == "noise":
        sys.stdout.write("starting up…\n")
    elif name == "grow":
        TOOLS.append("later")
        TOOLS.remove("huge")
        send({"method": "notifications/tools/list_changed"})
    elif name == "roots":
        send({"id": "r", "method": "roots/list"})
        text = json.loads(sys.stdin.readline())["result"]["roots"][0]["uri"]
    elif name == "where":
        text = os.getcwd()
    elif name == "variable":
        text = os.environ.get(text, "not set")
    elif name == "children":
        own = [subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=away) for away in (False, True)]
        text = " ".join(str(each.pid) for each in own)
    content = [{"type": "text", "text": "x" * 200_000 if name == "huge" else text}]
    if name == "picture":
        content.append({"type": "image", "mimeType": "image/png", "data": "AAAA"})
    reply(message, {"content": content, "isError": name == "fail"})


def reply(message: dict[str, Any], result: dict[str, Any]) -> None:
    send({"id": message["id"], "result": result})


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
