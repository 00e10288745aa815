"""Documentation trees over MCP."""
