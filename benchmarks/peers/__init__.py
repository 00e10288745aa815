"""Servers for comparison, each in its fastest fair settings."""
