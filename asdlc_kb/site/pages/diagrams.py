"""Diagrams of visible texts as pictures: their addresses, and what is sent.

An address has the digest of a diagram's source, and exists while a visible text has
that diagram.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from asdlc_kb.markup.diagrams import THEMES, find_sources, name_diagram
from asdlc_kb.site import urls
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.representation import SVG, Representation

_MISSING: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 40" width="300" '
    'height="40"><text x="8" y="26" font-family="sans-serif" fill="#777">'
    "This diagram cannot be drawn now</text></svg>"
)


@dataclass(frozen=True)
class DiagramAddresses(Collection[str]):
    """The addresses of the diagrams in texts, which are read with the first use."""

    texts: Callable[[], Iterable[str]]
    rendering: HtmlCache

    @cached_property
    def _by_address(self) -> Mapping[str, tuple[str, str]]:
        """The source and the theme of each picture."""
        return {
            urls.of_diagram(name_diagram(source), theme): (source, theme)
            for text in self.texts()
            for source in find_sources(text)
            for theme in THEMES
        }

    def __contains__(self, path: object) -> bool:
        is_one = isinstance(path, str) and path.startswith(urls.DIAGRAMS)
        return is_one and path in self._by_address

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_address)

    def __len__(self) -> int:
        return len(self._by_address)

    def render(self, path: str) -> Representation:
        """Return the picture at an address; blocks."""
        svg, awaited = self.rendering.draw(*self._by_address[path])
        body, is_drawn = (svg or _MISSING).encode(), svg is not None
        return Representation(path, SVG, body, is_lasting=is_drawn, awaited=awaited)
