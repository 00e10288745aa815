"""Project context over MCP."""
