"""Proof that public repositories are served as they are."""
