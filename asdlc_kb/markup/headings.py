"""Headings: their words, and the ids that they have explicitly.

An attribute block at the end is not a part of the words: `## Words {#id}`, as MkDocs,
kramdown, goldmark, pandoc and Docusaurus write it: `{#id}`, `{ #id }`, `{: #id }`,
`{ .cls #id data-x="y" }`, `{ id="1.2" }`, `{/* #id */}`, `{/*id*/}`. Only its id has a
meaning: it is the heading's anchor.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from asdlc_kb.unicode.invisible import strip_invisible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

MAX_BLOCK_CHARACTERS: Final = 500
"""Characters of an attribute block; a longer one is text."""

_VALUE: Final = r"""(?:"[^"{}]*+"|'[^'{}]*+')"""
_ITEM: Final = re.compile(
    rf"""[#](?P<id>[^\s{{}}\x00-\x1f\x7f]++) | (?P<class>[.][^\W\d][\w:/-]*+)
      | (?P<key>[^\W\d][\w:.@-]*+)=(?:(?P<quoted>{_VALUE})|[^\s{{}}"'=<>]++)""",
    re.VERBOSE,
)
_COMMENT: Final = re.compile(
    r"/\*(?:[ \t]*+#(?P<id>[^\s{}*\x00-\x1f\x7f]++)[ \t]*+|(?P<bare>[\w.:-]++))\*/"
)


def cut_attributes(content: str) -> tuple[str, str]:
    """Return a heading's Markdown without its attribute block, and the id in that.

    The id is empty if there is none. Takes linear time.
    """
    bare = content.rstrip()
    if not bare.endswith("}"):
        return content, ""
    start = bare.rfind("{", max(0, len(bare) - MAX_BLOCK_CHARACTERS))
    if start < 0 or not _may_begin(bare, start):
        return content, ""
    id = _read_block(bare[start + 1 : -1])
    if id is None:
        return content, ""
    return bare[:start].rstrip(), strip_invisible(id)


def _may_begin(text: str, start: int) -> bool:
    """Whether a block may begin at an index: after a blank, or `{#` after anything."""
    before = text[start - 1 : start]
    return not before or before.isspace() or (text[start + 1] == "#" and before != "\\")


def _read_block(inside: str) -> str | None:
    """Return the id in a block, empty if it has none; None if it is not a block."""
    if comment := _COMMENT.fullmatch(inside):
        return comment["id"] or comment["bare"]
    inside = inside.removeprefix(":")
    id, has_mark, at = "", False, 0
    while (at := _skip_blanks(inside, at)) < len(inside):
        item = _ITEM.match(inside, at)
        if item is None:
            return None
        at = item.end()
        if inside[at : at + 1] not in ("", " ", "\t"):
            return None
        # `{a=1}` alone is more often text.
        has_mark = has_mark or item.lastgroup != "key"
        if item["id"]:
            id = item["id"]
        elif item["key"] == "id" and item["quoted"]:
            id = item["quoted"][1:-1].strip()
    return id if has_mark else None


def _skip_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t") and at < len(text):
        at += 1
    return at


def use_attributes(markdown: "MarkdownIt") -> None:
    """Cut the attributes of headings before a grammar reads their words."""
    markdown.core.ruler.before("inline", "heading_attributes", _cut_all)


def _cut_all(state: "StateCore") -> None:
    for opening, content in pairwise(state.tokens):
        if opening.type == "heading_open":
            content.content, id = cut_attributes(content.content)
            opening.meta[_ID] = id


_ID: Final = "explicit_id"
"""Metadata key of the id of a heading's first token."""


def read_id(opening: "Token") -> str:
    """Return the explicit id of a heading, by its first token; or an empty one."""
    return str(opening.meta.get(_ID, ""))


def find_ids(tokens: "Iterable[Token]") -> Iterator[str]:
    """Yield the explicit ids of the headings among tokens."""
    for token in tokens:
        if token.type == "heading_open" and (id := read_id(token)):
            yield id


def read_words(tokens: "Iterable[Token]") -> str:
    """Return the text of inline tokens, without images and HTML.

    Invisible characters from entities are removed, and line ends within formulas.
    """
    kinds = ("text", "code_inline", "text_special", "formula")
    words = "".join(token.content for token in tokens if token.type in kinds)
    return strip_invisible(words.replace("\n", ""))
