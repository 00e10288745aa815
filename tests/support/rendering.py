"""Texts held back from the rendering process, to show pages before it answers."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import pytest

from asdlc_kb.markup.render_process import RenderOutcome, RenderProcess

Submission = Callable[[], Future[RenderOutcome]]


@contextmanager
def hold_renderings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Submit texts for rendering only at the end of the block."""
    held: list[tuple[Submission, Future[RenderOutcome]]] = []
    submit = RenderProcess.submit

    def hold(
        renderer: RenderProcess, text: str, *, has_anchors: bool = True
    ) -> Future[RenderOutcome]:
        future: Future[RenderOutcome] = Future()
        held.append((lambda: submit(renderer, text, has_anchors=has_anchors), future))
        return future

    with monkeypatch.context() as changed:
        changed.setattr(RenderProcess, "submit", hold)
        yield
    for submission, future in held:
        _forward(submission(), future)


def _forward(source: Future[RenderOutcome], target: Future[RenderOutcome]) -> None:
    source.add_done_callback(lambda done: target.set_result(done.result()))
