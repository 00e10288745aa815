"""Structured logs, the access log and its report."""
