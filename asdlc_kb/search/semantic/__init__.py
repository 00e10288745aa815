"""Semantic search: vectors of sections, compared with that of a query."""
