"""TOML frontmatter between `+++` fences, as in some static site generators."""

import tomllib
from typing import Any, Final

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import MAX_DEPTH, Mapping, Scalar, Sequence, Value
from asdlc_kb.frontmatter.parser import check_size

_FIRST_LINE: Final = 2
"""Line of the file on which the frontmatter begins: the position of all values."""


def parse_toml(frontmatter: str) -> Mapping:
    """Parse TOML frontmatter; raise FrontmatterError."""
    check_size(len(frontmatter.encode("utf-8", "surrogatepass")))
    try:
        return make_mapping(tomllib.loads(frontmatter), _FIRST_LINE)
    except (ValueError, RecursionError):
        message = "frontmatter is not TOML: fix it, or write it as YAML"
        raise FrontmatterError(message, _FIRST_LINE, 1) from None


def make_mapping(table: dict[str, Any], line: int) -> Mapping:
    """Convert parsed data to nodes, all with the position of the frontmatter.

    Raises FrontmatterError for more than `MAX_DEPTH` levels.
    """
    value = _to_node(table, line, 0)
    assert isinstance(value, Mapping)
    return value


def _to_node(item: Any, line: int, depth: int) -> Value:
    if isinstance(item, dict | list):
        if depth == MAX_DEPTH:
            message = f"frontmatter has more than {MAX_DEPTH} levels: make it flatter"
            raise FrontmatterError(message, line, 1)
        if isinstance(item, list):
            values = (_to_node(child, line, depth + 1) for child in item)
            return Sequence(tuple(values), line, 1)
        pairs = {key: _to_node(child, line, depth + 1) for key, child in item.items()}
        return Mapping(pairs, line, 1)
    if item is None:
        return Scalar("", True, line, 1)
    text = str(item).lower() if isinstance(item, bool) else str(item)
    return Scalar(text, False, line, 1)
