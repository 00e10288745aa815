"""Roles of MyST: a word in braces before a code span, as {doc}`a`.

Read before the translation, outside of fenced code and of other code spans.
"""

import re
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.dialects.shortcodes import write_link

_ROLE: Final = re.compile(
    r"(?<![\\`])\{(?P<name>[A-Za-z][\w:.+-]{0,60}+)(?:[ ][^{}`\n]{0,200}+)?+\}"
    r"(?P<run>`++)"
    r"(?P<text>(?:(?!(?P=run)(?!`)|\n[ \t]*\n).){1,1000}+)(?P=run)"
    r"|(?<!`)(?P<other>`++)(?:(?!(?P=other)(?!`)|\n[ \t]*\n).){0,1000}+(?P=other)",
    re.DOTALL,
)
_TARGET: Final = re.compile(r"(?P<words>.*\S)\s*<(?P<target>[^<>]+)>\s*\Z", re.DOTALL)
_WORDS: Final = frozenset(
    "abbr abbreviation dfn del emphasis guilabel index kbd menuselection pep rfc "
    "smallcaps span strong term u underline user".split()
)
"""Roles of text; those of other names are code, as of Python and shells."""

_LABELS: Final = frozenset({"ref", "numref", "eq", "std:ref"})
"""Roles of places: without words of their own, they contain a name."""

_ICONS: Final = re.compile(r"octicon|fa[srb]?|fab|iconify|material-[a-z]+")
_MARKS: Final = frozenset({"sub", "subscript", "sup", "superscript"})
_LINKS: Final = frozenset({"download", "doc", "any", "std:doc", "button-link"})


def write_roles(text: str) -> str:
    """Return a text with its roles as Markdown; takes linear time."""
    if "}`" not in text:
        return text
    fence = FenceTracker()
    parts: list[str] = []
    block: list[str] = []
    for line in text.split("\n"):
        if fence.classify(line) is LineKind.TEXT:
            block.append(line)
            continue
        if block:
            parts.append(_ROLE.sub(_write, "\n".join(block)))
            block = []
        parts.append(line)
    if block:
        parts.append(_ROLE.sub(_write, "\n".join(block)))
    return "\n".join(parts)


def _write(match: re.Match[str]) -> str:
    name = match["name"]
    if name is None:
        return match[0]
    name, text = name.lower(), match["text"].strip()
    titled = _TARGET.match(text)
    words, target = (titled["words"], titled["target"]) if titled else ("", text)
    if _ICONS.fullmatch(name) or name in ("raw", "fn", "nbsp"):
        return ""
    if name == "math":
        return f"${text}$"
    if name in _LINKS:
        return _write_page(name, words, target)
    if name in _MARKS:
        return f"<{name[:3]}>{text}</{name[:3]}>"
    if name in _LABELS:
        return _write_label(words, target)
    if name in _WORDS or name.startswith(("bdg", "cite", "button", "html")):
        return words or text
    shown = words or target
    if shown[:1] == "~":
        shown = shown[1:].rpartition(".")[2]
    return f"{match['run']}{shown.lstrip('!')}{match['run']}"


def _write_page(name: str, words: str, target: str) -> str:
    """Return a link to a page or a file of the tree."""
    if name == "any":
        return words or f"`{target}`"
    return write_link(words or target.rpartition("/")[2], target)


def _write_label(words: str, target: str) -> str:
    """Return a link to a place of this page; a label of another one is its words."""
    shown = words or target.rpartition(":")[2].replace("-", " ").replace("_", " ")
    return f"[{shown}](#{target.lower()})"
