"""Frontmatter in YAML, TOML and JSON, parsed into nodes with positions.

Sole user of ruamel.yaml.
"""
