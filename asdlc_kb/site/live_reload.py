"""Live reload in development: notifies pages of changes and of problems.

Problems name hidden files, so this is served to this machine only.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from asdlc_kb.corpus import Corpus
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.layout.languages import ENGLISH
from asdlc_kb.site.representation import Representation

PROBLEMS = "/problems"


class ChangeQueue:
    """The events of one page: the latest state, sent once per change.

    `asdlc_kb.web.connections.event_stream` writes it to the page.
    """

    closing = b""
    waiting = 0

    def __init__(self, live: "LiveReload", *, is_drained: bool) -> None:
        self.opening = b""
        self._live = live
        self._sent: int | None = None
        self._notify: Callable[[], None] = _ignore
        self.is_drained = is_drained

    def listen(self, notify: Callable[[], None]) -> None:
        """Call `notify`, now and after each change."""
        self._notify = notify
        notify()

    def drain(self) -> tuple[list[bytes], float]:
        """Return the event of the latest change, if it was not returned before."""
        if self.is_drained or self._sent == self._live.number:
            return [], 0
        self._sent = self._live.number
        return [self._live.describe()], 0

    def wake(self) -> None:
        """Notify the stream of a change."""
        self._notify()

    def end(self) -> None:
        """End the stream."""
        self.is_drained = True
        self._notify()

    def close(self) -> None:
        """Stop reading."""
        self._live.close_queue(self)
        self._notify = _ignore


class LiveReload:
    """Counts changes and notifies open pages."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._queues: set[ChangeQueue] = set()
        self.number = 0
        """The number of changes so far."""
        self.is_closed = False
        """Whether this instance was replaced and reports no more changes."""

    def open_queue(self) -> ChangeQueue:
        """Return the queue of a page; it has ended if this instance was replaced."""
        queue = ChangeQueue(self, is_drained=self.is_closed)
        self._queues.add(queue)
        return queue

    def close_queue(self, queue: ChangeQueue) -> None:
        """Remove a queue."""
        self._queues.discard(queue)

    def record_change(self) -> None:
        """Count a change and notify open pages; called on the event loop."""
        self.number += 1
        for queue in tuple(self._queues):
            queue.wake()

    def end(self) -> None:
        """End all streams, so that pages reconnect to the successor."""
        self.is_closed = True
        for queue in tuple(self._queues):
            queue.end()

    def describe(self) -> bytes:
        """Return the event for pages as JSON: number of the change, and problems."""
        event = {"number": self.number, "problems": self._list_problems()}
        return json.dumps(event, ensure_ascii=False).encode()

    def show(self, frame: PageLayout, navigation: Sequence[Link]) -> Representation:
        """Return the page that lists all problems."""
        return frame.make(
            "problems.html",
            PROBLEMS,
            title="Problems",
            language=ENGLISH,
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


def _ignore() -> None:
    """Notify no stream."""
