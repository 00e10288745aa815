"""Markdown inside HTML tags: `<div markdown>`, and what documentation wraps code in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from asdlc_kb.markup.dialects.constructs import trim, write_details
from asdlc_kb.markup.dialects.dialect import BlockRule, Written
from asdlc_kb.markup.dialects.elements import Element, find_elements
from asdlc_kb.markup.dialects.source import Source, count_indent

_NAMES: Final = (
    "article|aside|blockquote|center|details|div|figcaption|figure|footer|header|main"
    "|section"
)
HTML_TAG: Final = re.compile(
    rf"<(?P<end>/)?(?P<name>{_NAMES}|script|style)(?=[\s/>])(?P<arguments>[^<>]{{0,500}}+)"
    r"(?<!/)(?P<single>(?!))?>"
)
"""Tags around Markdown, and around what is none."""
_TAG_LINE: Final = re.compile(rf"[ ]++</?(?:{_NAMES})[\s>]")
_HAS_MARKDOWN: Final = re.compile(
    r"""\smarkdown(?:=(?:"(?:1|block|span)?"|'[^']*'|1|block|span))?(?=[\s>/])"""
)
_SUMMARY: Final = re.compile(r"\s*<summary[^<>]*>(.*?)</summary>[ \t]*\n?", re.DOTALL)
_ANY_TAG: Final = re.compile(r"</?[a-z][^<>]*>")
_CLASSES: Final = re.compile(r"""\sclass=["']?([^"'<>]*)""")
_IS_OPEN: Final = re.compile(r"\sopen(?=[\s=>])")


def find_tags(lines: Sequence[str]) -> Mapping[int, Element]:
    """Return the elements of HTML that can contain Markdown."""
    if not any("</" in line for line in lines):
        return {}
    return find_elements(lines, HTML_TAG, is_wanted=has_markdown)


def has_markdown(tag: re.Match[str], following: Iterator[str]) -> bool:
    """Whether a tag contains Markdown or is left out; true for one of no HTML."""
    name = tag["name"].lower()
    if tag.re is not HTML_TAG or name in ("script", "style", "figure", "figcaption"):
        return True
    if _HAS_MARKDOWN.search(tag[0]):
        return True
    if name != "div":
        return False
    behind = next(following, "")
    lines = [behind] if behind.strip() else following
    below = next(iter(lines), "")
    first = next((line for line in chain([below], lines) if line.strip()), "").lstrip()
    if first.startswith(("```", "~~~")):
        return True
    # A tag in HTML is none of Markdown's; an element of blank lines has nothing.
    is_text = not first.startswith("<") or first.startswith("</div>")
    return is_text and not below.strip()


def _read_element(first: re.Match[str], source: Source) -> Written | None:
    element = source.element
    if element is None or element.body is None:
        return None
    if element.name in ("script", "style"):
        return Written([], element.end)
    return Written(_write(element, _align_tags(element.body), source), element.end)


def _align_tags(lines: list[str]) -> list[str]:
    """Return lines without the indent of tags around text that has less."""
    text = [line for line in lines if line.strip() and not _TAG_LINE.match(line)]
    most = min(map(count_indent, text), default=0)
    return [
        line[max(0, count_indent(line) - most) :] if _TAG_LINE.match(line) else line
        for line in lines
    ]


def _write(element: Element, body: list[str], source: Source) -> list[str]:
    if element.name == "details":
        return _write_details(element, "\n".join(body), source)
    shown = trim(source.translate(body))
    if element.name == "blockquote":
        return [f"> {line}".rstrip() for line in shown]
    if source.is_html and element.name in ("figure", "figcaption"):
        return [f"<{element.name}>", "", *shown, "", f"</{element.name}>"]
    if source.is_html and (grid := _read_grid(element)):
        return [f'<div class="{grid}">', "", *shown, "", "</div>"]
    return shown


def _read_grid(element: Element) -> str:
    """Return the class of a grid of blocks or cards; "" for another element."""
    found = _CLASSES.search(element.tag)
    classes = found[1].split() if found else []
    if element.name != "div" or "grid" not in classes:
        return ""
    return "card-grid" if "cards" in classes else "grid"


def _write_details(element: Element, text: str, source: Source) -> list[str]:
    found = _SUMMARY.match(text)
    summary = " ".join(_ANY_TAG.sub("", found[1]).split()) if found else ""
    lines = text[found.end() if found else 0 :].split("\n")
    is_open = _IS_OPEN.search(element.tag) is not None
    shown = source.translate(lines)
    return write_details(summary or "Details", shown, source, is_open=is_open)


MARKDOWN_IN_HTML: Final = BlockRule(
    re.compile(rf"<(?:{_NAMES}|script|style)(?=[\s>])"), _read_element
)
"""A tag with the attribute `markdown`: its text without the tag; no script or style.

The dialect's elements are those of `find_tags`.
"""
