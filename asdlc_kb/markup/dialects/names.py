"""The names of dialects, as a setting may have them."""

from typing import Literal, TypeAlias

DialectName: TypeAlias = Literal[
    "github",
    "mkdocs",
    "docusaurus",
    "starlight",
    "vitepress",
    "mintlify",
    "hugo",
    "jekyll",
    "mdbook",
    "gitbook",
    "docsify",
    "docfx",
    "obsidian",
    "myst",
    "mdx",
]
"""The names in the table of dialects."""
