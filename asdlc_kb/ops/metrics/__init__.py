"""Metrics and their Prometheus exposition."""
