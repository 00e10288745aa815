"""The official Python SDK: stateless JSON, uvloop and httptools, text results."""

from mcp.server.mcpserver import MCPServer
from shelf import arguments
from tools import offer, serve

shelf, port = arguments()
server: MCPServer[None] = MCPServer("bench", log_level="CRITICAL")
offer(shelf, server.tool(structured_output=False))
serve(server.streamable_http_app(json_response=True, stateless_http=True), port)
