"""MCP client configuration: the location of each client's files, and safe edits.

Independent of settings and of the environment: both are passed in.
"""
