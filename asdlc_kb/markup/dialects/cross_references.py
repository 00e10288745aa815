"""References to identifiers that a page does not define: `[text][package.name]`.

MkDocs resolves them in its whole site, mostly to documentation made from source code. A
reference to an id of the page is a link, others are their text. `[text][^1]` is a
reference with a footnote.
"""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.code_spans import STORED, store_code

_REFERENCE: Final = re.compile(
    r"(?<![\w\]!\\])\[(?!\^)([^\[\]\n]{1,300}(?:\n[^\[\]\n]{1,300})?)\]"
    r"(?:\[([A-Za-z_][\w.:/-]{0,300}|)\]|(?=\[\^))"
)
_DEFINITION: Final = re.compile(r"(?m)^[ \t>]*+\[([^\[\]\n]{1,300})\]:")
_ID: Final = re.compile(r"\{#([^\s{}]++)\}[ \t]*$|<a id=\"([^\"<>]++)\">", re.MULTILINE)


def resolve_references(text: str) -> str:
    """Return a text with links or words in the place of undefined references."""
    if "][" not in text:
        return text
    defined = {_normalize(label) for label in _DEFINITION.findall(text)}
    ids = {id or anchor for id, anchor in _ID.findall(text)}

    def replace(match: re.Match[str], words: str) -> str:
        target = match[2] or words.strip("`")
        is_defined = _normalize(match[2] or words) in defined
        if match[2] is None:
            # A link followed by a footnote, and not a link to it.
            return f"{match[0]}[]" if is_defined else match[0]
        if is_defined:
            return match[0]
        return f"[{match[1]}](#{target})" if target in ids else match[1]

    def write(block: str) -> str:
        if "][" not in block:
            return block
        stored: list[str] = []
        block = block.replace("\0", "\N{REPLACEMENT CHARACTER}")
        bare = store_code(block, stored, has_marks=True)

        def restore(shown: str) -> str:
            return STORED.sub(lambda match: stored[int(match[1])], shown)

        bare = _REFERENCE.sub(lambda match: replace(match, restore(match[1])), bare)
        return restore(bare)

    blocks = _split_blocks(text)
    return "\n".join(write(block) if is_text else block for is_text, block in blocks)


def _split_blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the paragraphs of a text, and its other lines, and which they are."""
    fence = FenceTracker()
    paragraph: list[str] = []
    for line in text.split("\n"):
        if fence.classify(line) is LineKind.TEXT and line.strip():
            paragraph.append(line)
            continue
        if paragraph:
            yield True, "\n".join(paragraph)
            paragraph.clear()
        yield False, line
    if paragraph:
        yield True, "\n".join(paragraph)


def _normalize(label: str) -> str:
    return " ".join(label.split()).casefold()
