"""MCP providers, one package per domain: tools, resources, prompts, completions.

Domain errors are mapped to protocol errors here and nowhere else.
"""
