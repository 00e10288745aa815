"""Conversion of one tool's instruction files to those of other tools."""
