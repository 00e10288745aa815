"""The official Python SDK: stateless JSON, uvloop and httptools, text results."""

from article_folder import arguments
from mcp.server.mcpserver import MCPServer
from tools import offer, serve

folder, port = arguments()
server: MCPServer[None] = MCPServer("bench", log_level="CRITICAL")
offer(folder, server.tool(structured_output=False))
serve(server.streamable_http_app(json_response=True, stateless_http=True), port)
