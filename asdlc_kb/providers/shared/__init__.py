"""Mechanisms shared by providers: size budgets, chunks, cursors, listings."""
