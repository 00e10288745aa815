"""FastMCP 4: stateless JSON, uvloop and httptools, text results, no logs."""

from fastmcp import FastMCP
from shelf import arguments
from tools import offer, serve

shelf, port = arguments()
server = FastMCP("bench")
offer(shelf, server.tool(output_schema=None))
serve(server.http_app(path="/mcp", json_response=True, stateless_http=True), port)
