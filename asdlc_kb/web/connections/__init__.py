"""Connections: accepting, limits, time-outs, event streams."""
