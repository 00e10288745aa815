"""Development: pages are told when to show themselves anew, and what is wrong.

What is wrong names files that nobody else may know of, so this is for the person at
this machine alone.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from asdlc_kb.corpus import Corpus
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.representation import Representation

PROBLEMS = "/problems"


class LiveReload:
    """Counts changes, and wakes who waits for the next."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._number = 0
        self.is_over = False
        """Whether nothing changes here any more, for another one took over."""
        self._next = asyncio.Event()

    @property
    def number(self) -> int:
        """How often something changed."""
        return self._number

    def note(self) -> None:
        """Take in that something changed; called on the event loop."""
        self._number += 1
        waited, self._next = self._next, asyncio.Event()
        waited.set()

    def end(self) -> None:
        """Have everybody listen elsewhere."""
        self.is_over = True
        self.note()

    async def wait(self, number: int, seconds: float) -> bool:
        """Wait for a change beyond the one of this number; False if none came."""
        if self._number != number:
            return True
        try:
            async with asyncio.timeout(seconds):
                await self._next.wait()
        except TimeoutError:
            return False
        return True

    def describe(self) -> bytes:
        """Return what a page is told: the number of the change, and what is wrong."""
        told = {"number": self._number, "problems": self._list_problems()}
        return json.dumps(told, ensure_ascii=False).encode()

    def show(self, frame: PageLayout, navigation: Sequence[Link]) -> Representation:
        """Return the page of everything that is wrong."""
        return frame.make(
            "problems.html",
            PROBLEMS,
            title="Problems",
            navigation=navigation,
            problems=self._list_problems(),
        )

    def _list_problems(self) -> list[dict[str, Any]]:
        return [
            {
                "place": f"{source.root.name}/{problem.path}:{problem.line}",
                "code": problem.code,
                "message": problem.message,
            }
            for source, problem in self._corpus.problems()
        ]
