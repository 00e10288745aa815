"""Hostile repeats against lexers, Markdown, text readers and patterns."""
