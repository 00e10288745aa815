"""Pictures and videos in HTML: what is served is shown, the rest has its name."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.pictures import Picture, write_pictures
from asdlc_kb.markup.render_process import RenderProcess

LAZY = 'loading="lazy" decoding="async"'
PARTS = st.sampled_from(
    [
        *("<img ", "<video ", "<source ", "<picture>", "</picture>", "</video>", ">"),
        *("src=x.png ", "src=//evil.example/x.png ", "src='javascript:alert(1)' "),
        *(
            "srcset='x.png 1x, y.png 2x' ",
            "srcset=https://evil.example/x ",
            "poster=x ",
        ),
        *("alt='\"><script>' ", "title='<img src=x onerror=alert(1)>' ", "id=KB-x "),
        *(
            "onerror=alert(1) ",
            "onload=alert(1) ",
            "style=x ",
            "controls ",
            "autoplay ",
        ),
        *("![a](x.png)", "![a](https://evil.example/x.png)", "<a href=/x>", "</a>"),
        *("[![a](x.png)](y)", '![">](x.png "<b>")', "\n\n", "<p>", "text", "<svg>"),
    ]
)


def resolve(source: str) -> Picture | None:
    """Return a picture for what begins with x or y."""
    path = source.partition("#")[0]
    return Picture(f"/docs/{path}", 600, 400) if path[:1] in {"x", "y"} else None


def show(text: str) -> str:
    """Return a text as HTML on one line."""
    return render(text, resolve_picture=resolve).text.strip()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            '![A *map*](x.png "T")',
            f'<p><img src="/docs/x.png" alt="A map" title="T" width="600" height="400" '
            f"{LAZY}></p>",
        ),
        (
            '<img align="left" src="x.png" width="300" alt="a" onerror="alert(1)">',
            f'<img src="/docs/x.png" alt="a" width="300" height="200" {LAZY}>',
        ),
        (
            '<img src="x.png" height="100">',
            f'<img src="/docs/x.png" alt="" width="150" height="100" {LAZY}>',
        ),
        (
            '<img src="x.png" width="50%" height="9">',
            f'<img src="/docs/x.png" alt="" width="50%" {LAZY}>',
        ),
        (
            '<img src="x.png" width="10em" height="-1">',
            f'<img src="/docs/x.png" alt="" width="600" height="400" {LAZY}>',
        ),
        (
            "![a](x.png#only-dark)",
            f'<p><img src="/docs/x.png" alt="a" class="only-dark" width="600" '
            f'height="400" {LAZY}></p>',
        ),
        (
            "![a](x.png#gh-light-mode-only)",
            f'<p><img src="/docs/x.png" alt="a" class="only-light" width="600" '
            f'height="400" {LAZY}></p>',
        ),
        (
            '<img src="x.png" srcset="x.png 1x, y.png 2x" sizes="(width > 9px) 3px">',
            f'<img src="/docs/x.png" alt="" width="600" height="400" '
            f'srcset="/docs/x.png 1x, /docs/y.png 2x" {LAZY}>',
        ),
        (
            '<img src="x.png" srcset="x.png 1x, no.png 2x">',
            f'<img src="/docs/x.png" alt="" width="600" height="400" {LAZY}>',
        ),
    ],
)
def test_a_served_picture_is_shown_with_its_size(text: str, shown: str) -> None:
    """Alignment and handlers are dropped; `srcset` stays if all of it is served."""
    assert show(text) == shown


@pytest.mark.parametrize(
    ("classes", "theme"),
    [
        ("block dark:hidden", "only-light"),
        ("pointer-events-none hidden dark:block", "only-dark"),
        ("dark:sl-hidden", "only-light"),
        ("light:sl-hidden", "only-dark"),
        ("only-dark", "only-dark"),
        ("dark:block", ""),
        ("hidden", ""),
        ("rounded", ""),
    ],
)
def test_classes_of_generators_show_a_picture_in_one_theme(
    classes: str, theme: str
) -> None:
    """Mintlify documents those of Tailwind, Starlight its own two."""
    attribute = f'class="{theme}" ' if theme else ""
    shown = show(f'<img src="x.png" class="{classes}">')
    expected = f'<img src="/docs/x.png" alt="" {attribute}width="600" height="400" '
    assert shown == f"{expected}{LAZY}>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a &lt; b](no.png)", '<p><span class="picture">[a &lt; b]</span></p>'),
        ("![](d/no.png)", '<p><span class="picture">[no.png]</span></p>'),
        ('<img title="T" src="no.png">', '<span class="picture">[T]</span>'),
        ("<img>", '<span class="picture">[picture]</span>'),
        (
            '<img src="data:image/png;base64,AA" alt="a">',
            '<span class="picture">[a]</span>',
        ),
        (
            "![a](https://x.example/z.png?a&b)",
            '<p><a href="https://x.example/z.png?a&amp;b"><span class="picture">a'
            "</span></a></p>",
        ),
        (
            "[![a](https://x.example/z.png)](https://y.example)",
            '<p><a href="https://y.example"><span class="picture">a</span></a></p>',
        ),
        ("![a](//x.example/z.png)", '<p><span class="picture">[a]</span></p>'),
        (
            "<picture><source srcset=x.png><img src=no.png alt=a></picture>",
            '<p><span class="picture">[a]</span></p>',
        ),
        ("a <source src=x.png> b", "<p>a  b</p>"),
        (
            "<video src=no.mp4 title=T>fallback</video>",
            '<p><span class="picture">[T]</span></p>',
        ),
    ],
)
def test_what_is_not_served_has_its_name(text: str, shown: str) -> None:
    """Pictures of other sites are links, except in a link."""
    assert show(text) == shown


def test_figures_and_choices_are_kept() -> None:
    """A caption stays with its picture, a source with its condition."""
    figure = show(
        '<figure>\n<img src="x.png" alt="a">\n<figcaption>C</figcaption></figure>'
    )
    assert re.fullmatch(
        r"<figure>\s*<img [^>]*alt=\"a\"[^>]*>\s*<figcaption>C</figcaption></figure>",
        figure,
    )
    choice = show(
        '<picture><source srcset="y.webp" type="image/webp" media="(width > 40em)">'
        '<source srcset="no.webp"><img src="x.png" alt="a"></picture>'
    )
    assert (
        '<picture><source srcset="/docs/y.webp" type="image/webp"><img src=' in choice
    )
    media = show(
        '<picture><source srcset="y.webp" media="(max-width: 40em)"><img src="x.png">'
        "</picture>"
    )
    assert '<source srcset="/docs/y.webp" media="(max-width: 40em)">' in media


def test_a_video_has_controls_and_a_link() -> None:
    """It never plays by itself."""
    shown = show(
        '<video autoplay loop poster="x.png" width="300"><source src="no.webm">'
        '<source src="x.mp4" type="video/mp4">none</video>'
    )
    assert shown == (
        '<p><video controls="" preload="metadata" poster="/docs/x.png" width="300" '
        'height="200" aria-label="x.mp4"><source src="/docs/x.mp4">'
        '<a href="/docs/x.mp4">x.mp4</a></video></p>'
    )


class _Inspector(HTMLParser):
    """Asserts that HTML requests nothing but what is served."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert tag != "script"
        assert not any(name.startswith("on") for name in values)
        for name in ("src", "srcset", "poster"):
            if name in values:
                assert (values[name] or "").startswith("/docs/")
        if tag == "img":
            assert "alt" in values and values["loading"] == "lazy"
        if tag == "video":
            assert "autoplay" not in values and "controls" in values


@given(st.lists(PARTS, max_size=15).map("".join))
def test_hostile_pictures_request_nothing_else(text: str) -> None:
    """Whatever tags and attributes are written, and in any order."""
    for spelling in (text, f"a\n\n{text}"):
        _Inspector().feed(show(spelling))


def test_nothing_is_written_into_html_without_pictures() -> None:
    """It is not even read."""
    html = "<p>a &lt;img src=x&gt; b</p>"
    assert write_pictures(html, resolve) is html


def test_the_rendering_process_leaves_pictures_to_the_server() -> None:
    """Whether a file is served is known there."""
    outcome = RenderProcess().submit("![a](x.png) [b](c)").result(60)
    assert outcome is not None
    html = outcome.link(lambda href: f"/{href}", resolve).text
    assert f'alt="a" width="600" height="400" {LAZY}>' in html
    assert '<a href="/c">' in html
    assert outcome.link(lambda href: href).text.count('<span class="picture">[a]') == 1
