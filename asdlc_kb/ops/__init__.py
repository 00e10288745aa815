"""Operating the server: mechanisms without HTTP and without MCP."""
