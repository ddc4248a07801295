"""An MCP server made with the official SDK: over standard input and output, or, given a port, over HTTP."""

import os
import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("numbers")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def crash() -> str:
    """End the server."""
    os._exit(3)


@server.tool()
async def grow(context: Context) -> str:
    """Have one tool more."""
    server.add_tool(lambda: "late", "later")
    await context.notify_tools_changed()
    return "grown"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
