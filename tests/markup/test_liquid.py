"""The tags of Liquid."""

import pytest

from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.liquid import Liquid
from asdlc_kb.markup.outline import read_outline
from asdlc_kb.markup.sections import split_sections


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a {% b %} c", "a  c"),
        ("{%- b -%}{{- site.c -}}{{ '/b' | relative_url }}", ""),
        ("{{ .Go }} ${{ site.a }} {{", "{{ .Go }} ${{ site.a }} {{"),
        ("{{ message }} {{ sites }} {{ 'a' }}", "{{ message }} {{ sites }} {{ 'a' }}"),
        (
            "{% raw %}{{ page.a }}{% b %}{%- endraw -%}{{ page.a }}",
            "{{ page.a }}{% b %}",
        ),
        ("{% endraw %}{{ page.a }}{% rawer %}{{ page.a }}", ""),
    ],
)
def test_tags_go_and_what_is_raw_stays(text: str, shown: str) -> None:
    """As in Jekyll; tags of other languages are text."""
    assert Liquid().cut(text) == shown


def test_what_is_raw_may_go_on_in_another_block() -> None:
    """Up to its end tag."""
    liquid = Liquid()
    blocks = ("{% raw %}", "{{ site }}", "{{ page }}{% endraw %}", "{{ theme }}")
    assert [liquid.cut(one) for one in blocks] == ["", "{{ site }}", "{{ page }}", ""]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("{% include a.html %}\n\nwords", "<p>words</p>\n"),
        ("a `{% b %}` {% b %}c", "<p>a <code>{% b %}</code> c</p>\n"),
        ("[it]({{ site.url }}/b)", '<p><a href="/b">it</a></p>\n'),
        ("<div>\n{% b %}c\n</div>", "<div>\nc\n</div>"),
        ("<p><code>{% b %}</code></p>", "<p><code>{% b %}</code></p>"),
        (
            "<p>{{ site }}<code>{{ site }}</code>b</p>",
            "<p><code>{{ site }}</code>b</p>",
        ),
        ("{% raw %}\n\n{{ site }}\n\n{% endraw %}", "<p>{{ site }}</p>\n"),
    ],
)
def test_a_page_shows_no_tag_outside_code(markdown: str, html: str) -> None:
    """Paragraphs of tags alone are omitted."""
    assert render(markdown).text.strip() == html.strip()


def test_code_in_a_page_keeps_its_tags() -> None:
    """It is about them."""
    assert "{% b %}" in render("```\n{% b %}\n```").text
    assert "{% b %}" in render("    {% b %}").text


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Use {{ site.name }}", "Use"),
        ("The `{% if %}` tag {% x %}", "The {% if %} tag"),
        ("**Bold** {% x %} `a`", "Bold  a"),
    ],
)
def test_a_heading_is_the_same_wherever_it_is_read(heading: str, words: str) -> None:
    """Its words and its anchor, among raw ones, too."""
    text = f"{{% raw %}}\n\n# {heading}\n"
    shown = render(text).headings[0]
    read = read_outline(text).headings[0]
    part = split_sections(text)[-1]
    assert shown.text == read.text == part.heading == words
    assert shown.anchor == read.anchor == part.anchor
