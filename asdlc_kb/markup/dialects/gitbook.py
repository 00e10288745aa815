"""The dialect of GitBook: blocks such as `{% hint style="info" %}`, and its HTML."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from asdlc_kb.markup.blocks import FENCE_MARK
from asdlc_kb.markup.dialects.constructs import (
    WriteElement,
    write_inside,
    write_nothing,
)
from asdlc_kb.markup.dialects.dialect import BlockRule, Dialect, InlineRule, Written
from asdlc_kb.markup.dialects.elements import (
    LIQUID_ARGUMENTS,
    Element,
    TagArguments,
    find_elements,
    read_arguments,
)
from asdlc_kb.markup.dialects.emoji import EMOJI
from asdlc_kb.markup.dialects.gitbook_html import (
    CARDS,
    DETAILS,
    FIGURE,
    HTML_MARKS,
)
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.shortcodes import (
    WriteTag,
    is_true,
    write_collapsible,
    write_link,
    write_note,
    write_tab_group,
)
from asdlc_kb.markup.dialects.source import Output, Source

_TAG: Final = re.compile(
    r"\{%-?+\s*+(?P<end>end)?+(?P<name>[A-Za-z][\w-]*+)"
    rf"(?P<arguments>{LIQUID_ARGUMENTS})-?%\}}(?P<single>)"
)
_INCLUDE: Final = re.compile(
    r"\{%-?+\s*+include\s++(?:\"([^\"\n]{1,500}+)\"|'([^'\n]{1,500}+)')\s*+-?%\}"
)
_FENCE: Final = re.compile(rf"[ \t]*{FENCE_MARK}")
_LINK: Final = re.compile(r"\[([^\[\]\n]{1,300}+)\]\(")


def _write_code(element: Element, source: Source) -> list[str]:
    """Add the title and the numbers of lines to the code in a block."""
    arguments = element.arguments
    lines = list(element.body or [])
    for at, line in enumerate(lines):
        if _FENCE.match(line):
            title = arguments.get("title").replace('"', "'").replace("`", "'")
            shown = f' title="{title}"' if title else ""
            shown += ' linenums="1"' * is_true(arguments.get("linenumbers"))
            lines[at] = line.rstrip() + shown
            break
    return source.translate(lines)


def _write_embed(element: Element, source: Source) -> list[str]:
    words = " ".join(write_inside(element, source))
    address = element.arguments.get("url", "src")
    if _LINK.search(words):
        return [words]
    return [write_link(words or address.rpartition("/")[2] or address, address)]


def _write_reference(element: Element, source: Source) -> list[str]:
    """Return a link to a page as an item of a list."""
    link = " ".join(write_inside(element, source))
    if not _LINK.match(link):
        link = write_link(link, element.arguments.get("url"))
    return [f"- {link}"]


def _write_operation(element: Element, source: Source) -> list[str]:
    """Return the words that stand for an operation of an API."""
    return [_show_operation(element.arguments)]


def _show_operation(arguments: TagArguments) -> str:
    method = arguments.get("method").upper()
    path = arguments.get("path") or arguments.get("src", "spec", "url")
    words = " ".join(filter(None, (method, path)))
    return f"[API operation {words}]" if words else "[API operation]"


def _show_embed(arguments: TagArguments) -> str:
    address = arguments.get("url", "src")
    return write_link(address.rpartition("/")[2] or address, address)


_BLOCKS: Final[Mapping[str, WriteElement]] = {
    "hint": write_note,
    "tabs": partial(write_tab_group, tag=_TAG),
    "code": _write_code,
    "embed": _write_embed,
    "file": _write_embed,
    "content-ref": _write_reference,
    "page-ref": _write_reference,
    "expandable": write_collapsible,
    "swagger": _write_operation,
    "openapi": _write_operation,
    "openapi-operation": _write_operation,
    "api-method": _write_operation,
    "openapi-schemas": _write_operation,
    "comment": write_nothing,
}
"""What blocks mean; others are their text."""

_SINGLES: Final[Mapping[str, WriteTag]] = {
    "embed": _show_embed,
    "file": _show_embed,
    "content-ref": _show_embed,
    "page-ref": _show_embed,
    "swagger": _show_operation,
    "openapi": _show_operation,
    "openapi-operation": _show_operation,
}
"""What blocks without an end mean; others are left out."""


def _read_element(first: re.Match[str], source: Source) -> Written | None:
    element = source.element
    if element is None:
        return None
    if element.body is None:
        write_single = _SINGLES.get(element.name)
        lines = [write_single(element.arguments)] if write_single else []
    else:
        lines = _BLOCKS.get(element.name, write_inside)(element, source)
    return Written(lines, element.end)


def _replace_tag(tag: re.Match[str], output: Output) -> str:
    write = _SINGLES.get(tag["name"].lower())
    is_written = write is not None and not tag["end"]
    return write(read_arguments(tag["arguments"])) if write and is_written else ""


def _find_includes(text: str) -> Iterator[Include]:
    for found in _INCLUDE.finditer(text):
        yield Include(*found.span(), found[1] or found[2])


GITBOOK: Final = Dialect(
    "gitbook",
    (
        BlockRule(re.compile(r"\{%"), _read_element),
        CARDS,
        FIGURE,
        DETAILS,
    ),
    (
        InlineRule(_TAG, _replace_tag, in_addresses=True),
        *HTML_MARKS,
        EMOJI,
    ),
    has_formulas=True,
    find_includes=_find_includes,
    find_elements=partial(find_elements, tag=_TAG),
)
