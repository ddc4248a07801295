"""Real MCP servers, well-behaved and not, and the session that uses them."""
