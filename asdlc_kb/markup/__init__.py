"""Markdown parsing and rendering. The only importer of markdown-it-py."""
