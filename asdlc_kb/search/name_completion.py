"""Completion of names: what a client offers while its user types one."""

from collections.abc import Iterable
from operator import itemgetter
from typing import Final, NamedTuple

from asdlc_kb.search.tokens import WORD, fold

_MIN_CHARS: Final = 2
"""Characters of the words that are looked for in titles."""


class CompletionItem(NamedTuple):
    """Something to complete the name of."""

    name: str
    group: str = ""
    """Those of the requested group come before the others."""
    title: str = ""
    """Its title and its other names."""


class NameCompletion:
    """The names of one snapshot, in the order of equally good ones."""

    def __init__(self, named: Iterable[CompletionItem]) -> None:
        self._rows = [_make_row(*one) for one in named]

    def complete(self, typed: str, group: str | None = None) -> list[str]:
        """Return names, best first, in any case and without accents.

        First those that begin with what is typed, then those that contain it, and then
        those whose words, or words of the title, begin with the typed ones.
        """
        folded = fold(typed)
        words = [f" {word}" for word in WORD.findall(folded)]
        if any(len(word) <= _MIN_CHARS for word in words):
            words = []
        ranked = []
        for name, own_group, folded_name, text in self._rows:
            if folded in folded_name:
                rank = 0 if folded_name.startswith(folded) else 1
            elif words and all(word in text for word in words):
                rank = 2
            else:
                continue
            ranked.append((rank, own_group != group, name))
        return [name for _, _, name in sorted(ranked, key=itemgetter(0, 1))]


def _make_row(name: str, group: str, title: str) -> tuple[str, str, str, str]:
    """Return a name with its group, folded, and with the words of its title."""
    folded = fold(name)
    same = name if folded == name else folded
    return name, group, same, _join_words(f"{folded} {title}")


def _join_words(text: str) -> str:
    """Return the words of a text, each after a blank."""
    return "".join(f" {word}" for word in WORD.findall(fold(text)))
