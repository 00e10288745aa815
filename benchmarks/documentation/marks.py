"""Raw marks of dialects in the texts of pages, outside code.

Each is one that a translation leaves out: readers would see it as text.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Final

from asdlc_kb.markup.code_spans import mask_code
from asdlc_kb.markup.lazy_grammar import block_grammar

MARKS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in {
        "admonition": r"^\s*(?:!!!|\?\?\?\+?) ",
        "tab": r"^\s*===[+!]? \"",
        "container": r"^\s*:{3,}",
        "block": r"^\s*/{3,}(?: |$)",
        "component": r"</?[A-Z]\w*(?:\s[^<>]*)?/?>",
        "import": r"^import .* from ['\"]",
        "shortcode": r"\{\{[<%]",
        "template": r"\{%|\{\{(?![<%])[^{}\n]*\}\}",
        "attributes": r"\{(?:: ?)?[.#][\w-][^{}\n]*\}",
        "include": r"--8<--|\{[*!] .* [*!]\}|\{\{#\w+",
        "icon": r":(?:material|octicons|fontawesome|simple)-[\w-]+:",
        "wikilink": r"\[\[[^\[\]\n]+\]\]",
        "highlight": r"(?<![=\w])==\w[^=\n]*==",
        "keys": r"\+\+\w+(?:\+\w+)*\+\+",
    }.items()
}
"""Patterns by the name of what they mark."""

_HEADING_ID: Final = re.compile(r"^(#{1,6} .*)\{#[^{}\s]+\}$", re.MULTILINE)
"""The one list of attributes that a text for agents keeps."""

_HTML_CODE: Final = re.compile(
    r"<!--.*?-->|<(?P<name>pre|code|script|style|math|svg)\b.*?</(?P=name)>", re.DOTALL
)
_BLANK: Final = re.compile(r"\n[ \t>]*\n")
_TAG: Final = re.compile(r"<[^<>]*>")


def find_in_markdown(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each mark in Markdown, outside code."""
    lines = text.split("\n")
    for token in block_grammar().parse(text):
        if token.type in ("fence", "code_block") and token.map is not None:
            begin, end = token.map
            lines[begin:end] = [""] * (end - begin)
    blocks = map(mask_code, _BLANK.split("\n".join(lines)))
    bare = _HTML_CODE.sub("", "\n\n".join(blocks))
    return _find(_HEADING_ID.sub(r"\1", bare))


def find_in_html(html: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each mark that a page shows, outside code."""
    return _find(unescape(_TAG.sub("", _HTML_CODE.sub("", html))))


def _find(text: str) -> Iterator[tuple[str, str]]:
    for name, pattern in MARKS.items():
        for match in pattern.finditer(text):
            yield name, text[max(0, match.start() - 20) : match.end() + 20]
