"""Marks of generated files, and of generated blocks in files of people.

A mark is a comment with a digest of what was written, so an edited file or block is
recognized without any other record (D-233). Line ends are normalized first: Git may
convert them.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from asdlc_kb.exceptions import UnreadableFile

_MARK: Final = re.compile(
    r"^<!-- Generated from ([a-z]+) by asdlc-kb rules sync: edit .*?"
    r" instead\. ([0-9a-f]{16}) -->\r?$",
    re.MULTILINE,
)
_BLOCK: Final = re.compile(
    r"^<!-- Generated from ([a-z]+) by asdlc-kb rules sync: edit its rules, not this"
    r" block\. ([0-9a-f]{16}) -->\r?\n(.*?)"
    r"^<!-- End of the rules from \1 -->(?:\r?\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_EDGE: Final = re.compile(
    r"^<!-- (?:Generated from ([a-z]+) by asdlc-kb rules sync: edit its rules,"
    r"|End of the rules from ([a-z]+) -->)",
    re.MULTILINE,
)
"""The begin or the end of a block."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a generated file."""

    source: str
    """The tool with its source."""
    is_edited: bool
    """Whether the file was edited since."""


@dataclass(frozen=True, slots=True)
class Block:
    """A generated block in a text."""

    begin: int
    end: int
    is_edited: bool


def mark_file(header: str, body: str, source: str, origin: str) -> str:
    """Return the text of a generated file; `origin` is the path of its source."""
    shown = f"'{origin}'" if ">" not in origin else "its source"
    return (
        f"{header}<!-- Generated from {source} by asdlc-kb rules sync: edit {shown}"
        f" instead. {_digest(header + body)} -->\n{body}"
    )


def find_mark(text: str) -> Mark | None:
    """Return the mark of a generated file; None for the file of a person."""
    match = _MARK.search(text)
    if match is None:
        return None
    rest = text[: match.start()] + text[match.end() :].removeprefix("\n")
    return Mark(match[1], _digest(rest) != match[2])


def mark_block(body: str, source: str) -> str:
    """Return a generated block."""
    return (
        f"<!-- Generated from {source} by asdlc-kb rules sync: edit its rules, not this"
        f" block. {_digest(body)} -->\n{body}<!-- End of the rules from {source} -->\n"
    )


def find_block(text: str, source: str) -> Block | None:
    """Return the block from a tool; None without one.

    Raise UnreadableFile if its first or last line is missing or there are several.
    """
    edges = [match for match in _EDGE.finditer(text) if source in match.groups()]
    blocks = [match for match in _BLOCK.finditer(text) if match[1] == source]
    if len(blocks) > 1 or len(edges) != 2 * len(blocks):
        reason = "the first or last line of its generated block is damaged"
        raise UnreadableFile(reason, "remove the block")
    if not blocks:
        return None
    match = blocks[0]
    return Block(match.start(), match.end(), _digest(match[3]) != match[2])


def replace_block(text: str, block: Block | None, new: str) -> str:
    """Return a text with a new block in place of the former, or at the end.

    Without a new block, the former is removed with the line before it that was added
    with it.
    """
    if block is None:
        return f"{text}\n{new}" if text and new else text + new
    before, after = text[: block.begin], text[block.end :]
    if not new and not after:
        before = before.removesuffix("\n")
    return before + new + after


def remove_blocks(text: str) -> str:
    """Return a text without generated blocks."""
    return _BLOCK.sub("", text)


def has_block_lines(text: str) -> bool:
    """Whether a text has a line that looks like one of a mark."""
    return _EDGE.search(text) is not None or _MARK.search(text) is not None


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for their line ends."""
    return _normalize(one) == _normalize(other)


def _digest(text: str) -> str:
    return sha256(_normalize(text).encode()).hexdigest()[:16]


def _normalize(text: str) -> str:
    return text.replace("\r\n", "\n")
