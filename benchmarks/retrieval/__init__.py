"""Retrieval quality: fixed questions, other engines, and judged collections."""
