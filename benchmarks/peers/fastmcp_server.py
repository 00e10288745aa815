"""FastMCP 4: stateless JSON, uvloop and httptools, text results, no logs."""

from article_folder import arguments
from fastmcp import FastMCP
from tools import offer, serve

folder, port = arguments()
server = FastMCP("bench")
offer(folder, server.tool(output_schema=None))
serve(server.http_app(path="/mcp", json_response=True, stateless_http=True), port)
