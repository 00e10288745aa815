"""Frontmatter that strict YAML rejects, and the quotes that make it valid.

Cursor reads the globs of its rules line by line: it writes them without quotes, which
YAML rejects, and takes quotes for a part of the pattern. So its globs are left as they
are.
"""

import re
from collections.abc import Sequence
from typing import Final

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.frontmatter.parser import parse, split

_CURSOR_RULE: Final = re.compile(r"(?:.*/)?\.cursor/rules/.*")
_CURSOR_GLOBS: Final = re.compile(r"^(globs:)[ \t]*[^\s\"'\[].*$", re.MULTILINE)
_FIELD: Final = re.compile(r"([A-Za-z_][\w.-]{0,99}:[ \t]+)([^\s\"'\[].*)")
_ITEM: Final = re.compile(r"([ \t]*-[ \t]+)([^\s\"'\[].*)")

_LOSSES: Final = (
    (re.compile(r"(?:.*/)?\.claude/rules/.*"), "Claude Code attaches it to every file"),
    (re.compile(r"\.clinerules/.*"), "Cline attaches it always, with its frontmatter"),
)
"""The effect of frontmatter that a tool cannot parse."""


def find_strict_fault(path: str, source: str) -> Problem | None:
    """Return why strict YAML rejects a file's frontmatter; None if it is accepted."""
    try:
        frontmatter = split(source).frontmatter
        if frontmatter is not None:
            parse(_blank_cursor_globs(path, frontmatter))
    except FrontmatterError as error:
        message = error.message
        if quote_values(path, source) != source:
            message = "a value is not valid YAML: put it in quotes"
        loss = _find_loss(path, source)
        return Problem(path, error.line, error.column, "KB040", message + loss)
    return None


def quote_values(path: str, text: str) -> str:
    """Return a text with quotes around the values for which strict YAML rejects it.

    Line ends stay. If quotes alone do not make the frontmatter valid, or would change
    its meaning, the text is returned as it is.
    """
    lines = text.split("\n")
    bare = [line.removesuffix("\r") for line in lines]
    before = "\n".join(bare)
    try:
        frontmatter = split(before).frontmatter
    except FrontmatterError:
        return text
    if frontmatter is None or _is_valid(path, frontmatter):
        return text
    for number in range(1, frontmatter.count("\n") + 1):
        quoted = _quote_line(path, bare[number])
        lines[number] = quoted + lines[number][len(bare[number]) :]
        bare[number] = quoted
    after = "\n".join(bare)
    is_valid = _is_valid(path, split(after).frontmatter or "")
    is_equal = read_lenient(after).fields == read_lenient(before).fields
    return "\n".join(lines) if is_valid and is_equal else text


def _quote_line(path: str, line: str) -> str:
    """Return a line with its value in quotes, if it is not valid without."""
    field, item = _FIELD.fullmatch(line), _ITEM.fullmatch(line)
    matched = field or item
    if matched is None or _is_valid(path, line if field else f"x:\n{line}"):
        return line
    value = matched[2].rstrip()
    if '"' in value or "\\" in value:
        value = value.replace("'", "''")
        return f"{matched[1]}'{value}'"
    return f'{matched[1]}"{value}"'


def _is_valid(path: str, frontmatter: str) -> bool:
    try:
        parse(_blank_cursor_globs(path, frontmatter))
    except FrontmatterError:
        return False
    return True


def _blank_cursor_globs(path: str, frontmatter: str) -> str:
    if not _CURSOR_RULE.fullmatch(path):
        return frontmatter
    return _CURSOR_GLOBS.sub(r"\1", frontmatter)


def _find_loss(path: str, source: str) -> str:
    """Return what a tool does with the rule, as the end of a message."""
    if "paths" not in read_lenient(source).fields:
        return ""
    losses: Sequence[str] = [loss for place, loss in _LOSSES if place.fullmatch(path)]
    return f"; until then {losses[0]}" if losses else ""
