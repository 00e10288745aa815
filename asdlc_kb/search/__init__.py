"""Keyword and full-text search over documents, independent of articles and pages."""
