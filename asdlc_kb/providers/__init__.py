"""Domains offered over MCP, one file each: tools, resources, prompts, completions.

Domain errors become protocol answers here and nowhere else.
"""
