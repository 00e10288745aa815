"""Editions of a tree that state themselves, and the answers that they allow.

All pages of an edition but the first state it.
"""

import json
import random
import re
from typing import Final

from support.canary import CANARY

PAGES: Final = 95
"""Pages that each edition changes, creates, deletes, hides or shows.

The page of this number is in all of them, so that each list states its edition.
"""

_STATED: Final = re.compile(r"Page (\d+) of edition (\d+)")


class Oracle:
    """Makes editions, and knows which pages each one shows."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.shown: dict[int, frozenset[int]] = {0: frozenset()}
        """The visible pages of each edition."""
        self._hidden: frozenset[int] = frozenset()
        self.oldest = 1
        """The oldest edition that may be served."""

    @property
    def newest(self) -> int:
        """The last edition."""
        return max(self.shown)

    def edit(self) -> str:
        """Make an edition: delete, create, hide and show pages; return its snapshot."""
        pages = range(PAGES)
        shown, hidden = set(self.shown[self.newest]), set(self._hidden)
        for page in self.random.sample(pages, self.random.randrange(1, PAGES // 4)):
            shown.discard(page)
            hidden.discard(page)
            self.random.choice((shown, shown, hidden, set())).add(page)
        self._hidden = frozenset(hidden)
        self.shown[self.newest + 1] = frozenset(shown)
        return self.describe()

    def describe(self) -> str:
        """Return the snapshot of the last edition, as its writer reads it."""
        visible = {"index.md": "# Handbook\n\nA text.\n"}
        for page in (*self.shown[self.newest], PAGES):
            stated = f"Page {page} of edition {self.newest}"
            visible[f"part-{page % 7}/page-{page}.md"] = f"# {stated}\n\nA text.\n"
        hidden = {
            f"part-{page % 7}/page-{page}.md": f"# Page {page}\n\n{CANARY}\n"
            for page in self._hidden
        }
        return json.dumps([visible, hidden])

    def check(self, text: str, oldest: int) -> int:
        """Return the edition of a text with all pages; fail if it has two.

        `oldest` is the oldest edition that was to be served when it was asked for.
        """
        stated = [(int(page), int(edition)) for page, edition in _STATED.findall(text)]
        editions = {edition for _, edition in stated}
        assert len(editions) == 1, f"torn: {sorted(editions)}: {text[:400]}"
        (edition,) = editions
        pages = {page for page, _ in stated} - {PAGES}
        assert pages == self.shown[edition], f"edition {edition} has other pages"
        assert edition >= oldest, f"stale: {edition} after {oldest}"
        return edition

    def check_page(self, page: int, text: str | None, oldest: int) -> None:
        """Check one page; None is a missing one."""
        if text is None:
            served = [n for n in [*self.shown] if n >= oldest]
            assert any(page not in self.shown[n] for n in served), f"lost: {page}"
            return
        ((stated, edition),) = {*_STATED.findall(text)}
        assert int(stated) == page
        assert page in self.shown[int(edition)]
        assert int(edition) >= oldest, f"stale: {edition} after {oldest}"
