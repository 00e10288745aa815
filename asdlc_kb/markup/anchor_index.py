"""Lookup of a page's anchors, in the forms of other generators too.

Generators make other anchors of the same heading: Python-Markdown numbers the second
`steps_1`, kramdown drops leading digits, VitePress keeps one `-` of several. An anchor
that is not on the page means the heading with the same letters and digits, if there is
only one.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Final

MAX_COMPARED: Final = 1_000
"""Anchors of a page that are compared for a suggestion."""

MIN_SIMILARITY: Final = 0.7
"""Similarity of a suggested anchor: 0 is nothing in common, 1 is equal."""

MAX_ANCHOR_CHARS: Final = 300
"""Characters of an anchor that is looked up otherwise than as it is."""


class AnchorIndex:
    """The anchors of one page. Immutable."""

    def __init__(
        self, anchors: Iterable[str], aliases: Mapping[str, str] | None = None
    ) -> None:
        """`aliases` are exact other names of anchors, by name."""
        self._anchors = dict.fromkeys(filter(None, anchors))
        self._aliases = aliases or {}

    def find(self, anchor: str) -> str | None:
        """Return the anchor on the page that an anchor as written means, or None."""
        if anchor in self._anchors:
            return anchor
        if (found := self._aliases.get(anchor)) is not None:
            return found
        if len(anchor) > MAX_ANCHOR_CHARS:
            return None
        for fold, table in self._tables:
            if (folded := fold(anchor)) and (found := table.get(folded)) is not None:
                return found
        return None

    def describe_missing(self, anchor: str, where: str) -> str:
        """Return what is wrong with an anchor that is not on the page, and the fix."""
        some = sorted(islice(self._anchors, MAX_COMPARED))
        wanted = anchor[:MAX_ANCHOR_CHARS].lower()
        close = get_close_matches(wanted, some, n=1, cutoff=MIN_SIMILARITY)
        advice = f"did you mean '#{close[0]}'?" if close else "name a heading"
        return f"no heading {where} has the anchor '#{anchor}': {advice}"

    @cached_property
    def _tables(
        self,
    ) -> tuple[tuple[Callable[[str], str], Mapping[str, str | None]], ...]:
        """Anchors by folded anchor, None where several share it; for each folding."""
        foldings = (str.casefold, _fold_words, _fold_ascii, _fold_start)
        return tuple((fold, self._index(fold)) for fold in foldings)

    def _index(self, fold: Callable[[str], str]) -> Mapping[str, str | None]:
        table: dict[str, str | None] = {}
        for anchor in self._anchors:
            folded = fold(anchor)
            table[folded] = None if folded in table else anchor
        return table


def _fold_words(anchor: str) -> str:
    """Return the letters and digits."""
    return "".join(filter(str.isalnum, anchor.casefold()))


def _fold_ascii(anchor: str) -> str:
    """Return the letters and digits of ASCII, without accents."""
    plain = unicodedata.normalize("NFKD", anchor).encode("ascii", "ignore").decode()
    return _fold_words(plain)


def _fold_start(anchor: str) -> str:
    """Return the letters and digits from the first letter."""
    return _fold_words(anchor).lstrip("0123456789")
