"""Mermaid diagrams as SVG, drawn by mmdr, which the extra `diagrams` installs.

A picture is named by the digest of its source, so that it can be cached forever. It has
no scripts, links to other sites, or HTML.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.markup.code_info import read_language
from asdlc_kb.markup.lazy_grammar import block_grammar

LANGUAGE: Final = "mermaid"

MAX_CHARACTERS: Final = 20_000
"""Characters of a diagram's source; a longer one is shown as code."""

MAX_SVG_CHARACTERS: Final = 1024 * 1024
"""Characters of a diagram's SVG; a longer one is shown as code."""

MAX_PIXELS: Final = 20_000
"""Width and height of a diagram; the source of a larger one is shown as code."""

MAX_CACHED_TEXTS: Final = 4_096
"""Texts with diagrams for which the sources are cached."""

THEMES: Final = ("light", "dark")

DiagramMeter: TypeAlias = Callable[[str], "Size | None"]
"""Return the size of a diagram, by its source; None if it cannot be drawn."""

_THEME: Final = {"light": "default", "dark": "dark"}
"""Mermaid's names of the themes."""
_FRONTMATTER: Final = re.compile(r"\s*---[ \t]*\n(?:.*\n)*?---[ \t]*\n")
_CLICK: Final = re.compile(r"(?m)^[ \t]*click[ \t].*\n?")
"""What a click does: nothing in a picture, and the library misplaces such labels."""
_LINK: Final = re.compile(r"\s(?:xlink:)?href=(?:\"(?!#)[^\"]*\"|'(?!#)[^']*')")
_FORBIDDEN: Final = re.compile(
    r"(?i)<(?:script|foreignobject|iframe|image|img|object|embed|animate|set)\b"
    r"|\son\w+\s*=|javascript:|@import|url\(\s*[\"']?(?!#)[^)]"
)
_VIEW: Final = re.compile(
    r'<svg\b[^>]*?\sviewBox="\S+ \S+ (\d{1,9}(?:\.\d+)?) (\d{1,9}(?:\.\d+)?)"'
)


class Size(NamedTuple):
    """Pixels of a diagram."""

    width: int
    height: int


@cache
def can_draw() -> bool:
    """Whether the library that draws is installed."""
    return find_spec("mmdr") is not None


def draw(source: str, theme: str) -> str | None:
    """Return a diagram as SVG; None if that is not possible or not allowed.

    The time is bounded by limits of the library only: it runs in a process that can be
    killed.
    """
    if len(source) > MAX_CHARACTERS or not can_draw():
        return None
    from mmdr import render

    try:
        svg = render(_set_theme(_CLICK.sub("", source), theme)).svg()
    except ValueError:
        return None
    svg = _LINK.sub("", svg)
    is_allowed = len(svg) <= MAX_SVG_CHARACTERS and not _FORBIDDEN.search(svg)
    return svg if is_allowed and _read_size(svg) else None


def measure(source: str) -> Size | None:
    """Return the size of a diagram; None if it cannot be drawn."""
    svg = draw(source, "light")
    return None if svg is None else _read_size(svg)


def name_diagram(source: str) -> str:
    """Return the name of a diagram: the digest of its source."""
    return blake2b(source.encode(errors="replace"), digest_size=12).hexdigest()


@lru_cache(MAX_CACHED_TEXTS)
def find_sources(text: str) -> tuple[str, ...]:
    """Return the sources of the diagrams in a Markdown text."""
    if LANGUAGE not in text.lower():
        return ()
    # The grammar fails at some texts without a final line end.
    tokens = block_grammar().parse(text + "\n")
    return tuple(
        token.content
        for token in tokens
        if token.type == "fence" and read_language(token.info).lower() == LANGUAGE
    )


def _set_theme(source: str, theme: str) -> str:
    """Return a source with a theme, which a theme of its own overrides."""
    front = _FRONTMATTER.match(source)
    at = front.end() if front else 0
    directive = f'%%{{init: {{"theme": "{_THEME[theme]}"}}}}%%\n'
    return f"{source[:at]}{directive}{source[at:]}"


def _read_size(svg: str) -> Size | None:
    """Return the size that a diagram's SVG states."""
    if (view := _VIEW.search(svg)) is None:
        return None
    size = Size(round(float(view[1])), round(float(view[2])))
    return size if 0 < min(size) and max(size) <= MAX_PIXELS else None
