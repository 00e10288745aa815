"""Connecting clients: where each keeps its servers, and careful edits of those files.

Knows no settings and looks up no home: both are handed in.
"""
