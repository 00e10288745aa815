"""Hidden index pages without their text: what they state for other pages (D-260)."""

import json
from typing import Any

from asdlc_kb.docs.pages.cascades import COUNTED
from asdlc_kb.docs.pages.page_frontmatter import split_page
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.frontmatter import nodes


def write_folder_rule(path: str, text: str) -> bytes:
    """Return a hidden page that states for other pages only what `text` states."""
    fields = split_page(path, clean_text(path, text).text).fields.items
    stated = {
        key: _to_cascade(value)
        for key, value in fields.items()
        if key.strip().casefold() == "cascade"
    }
    return f"{json.dumps({'draft': 'true', **stated}, indent=1)}\n".encode()


def _to_cascade(value: nodes.Value) -> Any:
    """Return the fields of a cascade that are read; of a list, those of each."""
    if isinstance(value, nodes.Sequence):
        return [_to_cascade(each) for each in value.items]
    if not isinstance(value, nodes.Mapping):
        return None
    items = value.items.items()
    return {k: _to_data(v) for k, v in items if k.strip().casefold() in COUNTED}


def _to_data(value: nodes.Value) -> Any:
    match value:
        case nodes.Mapping():
            return {key: _to_data(each) for key, each in value.items.items()}
        case nodes.Sequence():
            return [_to_data(each) for each in value.items]
        case _:
            return None if value.is_null else value.text
