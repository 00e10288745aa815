"""HTML of Markdown, rendered once for each version of a text."""

import sys
from concurrent.futures import Future
from typing import Any

import pytest
from support.rendering import hold_renderings

from asdlc_kb.exceptions import RendererUnavailable
from asdlc_kb.markup.html_renderer import MAX_CHEAP_CHARACTERS, render_plain
from asdlc_kb.markup.render_process import (
    Rendered,
    RenderOutcome,
    RenderProcess,
    render_now,
)
from asdlc_kb.site.rendering import html_cache
from asdlc_kb.site.rendering.html_cache import (
    MAX_LISTED_HEADINGS,
    HtmlCache,
    RenderedText,
    list_headings,
    write_diagrams,
)

BOUND = 120.0
LONG = "Some *words* and a [link](y).\n\n" * (MAX_CHEAP_CHARACTERS // 20)


class Follower:
    """Resolves every link to one address."""

    def __init__(self, target: str) -> None:
        self.target = target

    def __call__(self, href: str) -> str:
        """Resolve a link."""
        return self.target


def count_renderings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which each text rendered in this process is added."""
    rendered: list[str] = []

    def record(text: str, *, has_anchors: bool = True) -> Rendered | None:
        rendered.append(text)
        return render_now(text, has_anchors=has_anchors)

    monkeypatch.setattr(html_cache, "render_now", record)
    return rendered


def test_a_text_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-150: its links are resolved whenever it is shown."""
    rendered = count_renderings(monkeypatch)
    rendering = HtmlCache()
    for target in ("/x", "/x", "/z"):
        html, awaited = rendering.render("[x](y)", Follower(target))
        assert f'href="{target}"' in html.text
        assert awaited is None
    assert rendered == ["[x](y)"]
    rendering.render("[x](y) more", Follower("/x"))
    rendering.render("[x](y)", Follower("/x"), has_anchors=False)
    assert rendered == ["[x](y)", "[x](y) more", "[x](y)"]


def test_a_link_to_nothing_is_text() -> None:
    """Until something is there."""
    rendering = HtmlCache()
    html, _ = rendering.render("[x](y)", lambda _: None)
    assert "<a>x</a>" in html.text
    html, _ = rendering.render("[x](y)", Follower("/y"))
    assert '<a href="/y">x</a>' in html.text


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently used one is dropped; a text too large is not cached."""
    rendered = count_renderings(monkeypatch)
    rendering, follow = HtmlCache(max_chars=1_000), Follower("/x")
    rendering.render("[1](a)", follow)
    for number in range(100):
        rendering.render(f"[1](a) {number}", follow)
        rendering.render("[1](a)", follow)
        assert rendering.size <= 1_000
    assert len(rendered) == 101
    rendering.render("[0](a)" + "x" * 2_000, follow)
    assert rendering.size <= 1_000


def test_a_text_is_shown_as_code_until_it_is_rendered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All requests meanwhile await the same rendering; none waits here."""
    rendering, follow = HtmlCache(), Follower("/x")
    with hold_renderings(monkeypatch):
        first = rendering.render(LONG, follow)
    assert first.html == render_plain(LONG)
    assert first.awaited is not None
    done = first.awaited.result(BOUND)
    assert done is not None
    assert "<em>words</em>" in done.html.text
    assert rendering.render(LONG, follow) == (done.link(follow), None)
    assert 'href="/x"' in rendering.render(LONG, follow).html.text


def test_a_text_that_exceeds_the_limits_stays_code() -> None:
    """It is not tried again."""
    rendering, text = HtmlCache(is_blocking=True), "[" * 500_000
    first = rendering.render(text, Follower("/x"))
    assert first == RenderedText(render_plain(text), None)
    again = rendering.render(text, Follower("/x"))
    assert again == first


def test_a_patient_caller_waits() -> None:
    """A site written to files has every page complete."""
    html, awaited = HtmlCache(is_blocking=True).render(LONG, Follower("/x"))
    assert "<em>words</em>" in html.text
    assert awaited is None


def test_a_text_that_was_not_tried_has_its_turn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server shows it as code meanwhile; a reader gets the result by waiting."""
    rendering, follow = HtmlCache(), Follower("/x")
    patient = HtmlCache(is_blocking=True)
    with monkeypatch.context() as changed:
        changed.setattr(sys, "executable", "/nowhere/python")
        shown = rendering.render(LONG, follow)
        assert shown.awaited is not None
        assert shown.awaited.result(BOUND) is None
        with pytest.raises(RendererUnavailable):
            patient.render(LONG, follow)
    with hold_renderings(monkeypatch):
        again = rendering.render(LONG, follow)
    assert again.awaited is not None
    assert again.awaited.result(BOUND) is not None


def test_a_diagram_is_awaited_for_a_limited_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It leaves the queue then; a site written to files waits for it."""
    rendering, patient = HtmlCache(), HtmlCache(is_blocking=True)
    monkeypatch.setattr(html_cache, "MAX_DRAW_SECONDS", 0.01)
    submitted: list[Future[RenderOutcome]] = []

    def submit(renderer: RenderProcess, text: str, *, diagram_theme: str) -> Any:
        submitted.append(Future())
        return submitted[-1]

    with monkeypatch.context() as changed:
        changed.setattr(RenderProcess, "submit", submit)
        svg, awaited = rendering.draw("graph TD\n  a-->b\n", "light")
    assert svg is None
    assert awaited is submitted[0]
    assert awaited.cancelled()
    svg, awaited = patient.draw("graph TD\n  a-->b\n", "light")
    assert svg is not None
    assert "<svg" in svg
    assert awaited is None


def test_a_failure_of_a_link_leaves_nothing_under_way() -> None:
    """The next request gets the text."""
    rendering = HtmlCache(is_blocking=True)

    def fail(_: str) -> str:
        raise ZeroDivisionError

    for text in ("[x](y)", LONG):
        with pytest.raises(ZeroDivisionError):
            rendering.render(text, fail)
        html, _ = rendering.render(text, Follower("/x"))
        assert 'href="/x"' in html.text


def test_headings_are_those_that_can_be_led_to() -> None:
    """Headings of the second and third level, up to a useful number."""
    text = "# A\n\n## B\n\n### C\n\n#### D\n\n## kb E\n\n## !\n"
    html, _ = HtmlCache().render(text, Follower("/x"))
    assert [heading.anchor for heading in list_headings(html)] == ["b", "c", "kb-e"]
    many = "## x\n" * (MAX_LISTED_HEADINGS + 1)
    html, _ = HtmlCache().render(many, Follower("/x"))
    assert len(list_headings(html)) == MAX_LISTED_HEADINGS


@pytest.mark.parametrize(
    ("width", "name"), [(1400, "only-dark"), (1401, "only-dark wide")]
)
def test_a_wide_diagram_is_scrolled(width: int, name: str) -> None:
    """It would be too small to read."""
    place = f'<span data-diagram="{"0a" * 12}-{width}-64"></span>'
    shown = write_diagrams(place, "/kb")
    assert f'<a class="{name}" href="/kb/-/diagrams/{"0a" * 12}.dark.svg">' in shown
    assert f'width="{width}"' in shown
