"""Articles over MCP."""
