"""HTML of Markdown, rendered once for each version of a text."""

import sys

import pytest
from support.rendering import hold_renderings

from asdlc_kb.exceptions import RendererUnavailable
from asdlc_kb.markup.html_renderer import MAX_CHEAP_CHARACTERS, render_plain
from asdlc_kb.site.rendering.html_cache import (
    MAX_LISTED_HEADINGS,
    HtmlCache,
    RenderedText,
    list_headings,
)

BOUND = 120.0
LONG = "Some *words* and a [link](y).\n\n" * (MAX_CHEAP_CHARACTERS // 20)


class Follower:
    """Counts the resolved links: a rendering that is made, not cached."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.count = 0

    def __call__(self, href: str) -> str:
        """Resolve a link to another address."""
        self.count += 1
        return self.target


def test_a_text_is_rendered_once() -> None:
    """As long as its links have the same targets."""
    rendering, follow = HtmlCache(), Follower("/x")
    first, _ = rendering.render("a", "[x](y)", follow)
    assert rendering.render("a", "[x](y)", follow).html is first
    assert follow.count == 1
    other, _ = rendering.render("b", "[x](y)", Follower("/z"))
    assert 'href="/z"' in other.text
    assert 'href="/x"' in rendering.render("a", "[x](y)", follow).html.text
    rendering.render("a", "[x](y) more", follow)
    assert follow.count == 2


def test_memory_is_bounded() -> None:
    """The least recently used one is dropped; a text too large is not cached."""
    rendering, follow = HtmlCache(max_chars=1_000), Follower("/x")

    def render(text: str) -> None:
        rendering.render("", text, follow)

    render("[1](a)")
    for number in range(100):
        render(f"[1](a) {number}")
        render("[1](a)")
        assert rendering.size <= 1_000
    assert follow.count == 101
    render("[0](a)" + "x" * 2_000)
    assert rendering.size <= 1_000


def test_a_text_is_shown_as_code_until_it_is_rendered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All requests meanwhile await the same rendering; none waits here."""
    rendering, follow = HtmlCache(), Follower("/x")
    with hold_renderings(monkeypatch):
        first = rendering.render("a", LONG, follow)
    assert first.html == render_plain(LONG)
    assert first.awaited is not None
    done = first.awaited.result(BOUND)
    assert done is not None
    assert "<em>words</em>" in done.text
    assert 'href="/x"' in done.text
    assert rendering.render("a", LONG, follow) == (done, None)
    assert follow.count == 1


def test_a_text_that_exceeds_the_limits_stays_code() -> None:
    """It is not tried again."""
    rendering, text = HtmlCache(is_blocking=True), "[" * 500_000
    first = rendering.render("a", text, Follower("/x"))
    assert first == RenderedText(render_plain(text), None)
    again = rendering.render("a", text, Follower("/x"))
    assert again.html is first.html


def test_a_patient_caller_waits() -> None:
    """A site written to files has every page complete."""
    html, awaited = HtmlCache(is_blocking=True).render("a", LONG, Follower("/x"))
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
        shown = rendering.render("a", LONG, follow)
        assert shown.awaited is not None
        assert shown.awaited.result(BOUND) is None
        with pytest.raises(RendererUnavailable):
            patient.render("a", LONG, follow)
    with hold_renderings(monkeypatch):
        again = rendering.render("a", LONG, follow)
    assert again.awaited is not None
    assert again.awaited.result(BOUND) is not None


def test_a_failure_of_a_link_leaves_nothing_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next request tries again."""
    rendering, count = HtmlCache(), iter(range(9))

    def follow(_: str) -> str:
        if next(count) == 0:
            raise ZeroDivisionError
        return "/x"

    first = rendering.render("b", LONG, follow)
    assert first.awaited is not None
    assert first.awaited.result(BOUND) is None
    with hold_renderings(monkeypatch):
        second = rendering.render("b", LONG, follow)
    assert second.awaited is not None
    assert second.awaited.result(BOUND) is not None


def test_headings_are_those_that_can_be_led_to() -> None:
    """Headings of the second and third level, up to a useful number."""
    text = "# A\n\n## B\n\n### C\n\n#### D\n\n## kb E\n\n## !\n"
    html, _ = HtmlCache().render("", text, Follower("/x"))
    assert [heading.anchor for heading in list_headings(html)] == ["b", "c", "kb-e"]
    many = "## x\n" * (MAX_LISTED_HEADINGS + 1)
    html, _ = HtmlCache().render("", many, Follower("/x"))
    assert len(list_headings(html)) == MAX_LISTED_HEADINGS
