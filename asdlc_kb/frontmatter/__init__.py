"""Frontmatter in YAML, TOML and JSON, parsed into nodes with positions.

The only package that imports ruamel.yaml.
"""
