"""Markdown, and nothing of what is written in it. Sole owner of markdown-it-py."""
