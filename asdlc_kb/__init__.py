"""Folders of Markdown, served over MCP to AI agents and as a website to people."""

__version__ = "0.1.0"
