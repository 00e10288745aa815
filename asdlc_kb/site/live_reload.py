"""Live reload in development: notifies pages of changes and of problems.

Problems name hidden files, so this is served to this machine only.
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
    """Counts changes and wakes waiting pages."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._number = 0
        self.is_closed = False
        """Whether this instance was replaced and reports no more changes."""
        self._next = asyncio.Event()

    @property
    def number(self) -> int:
        """The number of changes so far."""
        return self._number

    def note(self) -> None:
        """Record a change and wake waiting pages; called on the event loop."""
        self._number += 1
        waited, self._next = self._next, asyncio.Event()
        waited.set()

    def end(self) -> None:
        """Wake waiting pages so that they reconnect to the successor."""
        self.is_closed = True
        self.note()

    async def wait(self, number: int, seconds: float) -> bool:
        """Wait for a change after this number; return False on timeout."""
        if self._number != number:
            return True
        try:
            async with asyncio.timeout(seconds):
                await self._next.wait()
        except TimeoutError:
            return False
        return True

    def describe(self) -> bytes:
        """Return the event for pages as JSON: number of the change, and problems."""
        event = {"number": self._number, "problems": self._list_problems()}
        return json.dumps(event, ensure_ascii=False).encode()

    def show(self, frame: PageLayout, navigation: Sequence[Link]) -> Representation:
        """Return the page that lists all problems."""
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
