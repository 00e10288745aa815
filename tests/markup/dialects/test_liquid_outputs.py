"""Outputs of Liquid: their values, and what is shown without one."""

import pytest
from support.cpu_time import bounded_cpu_time

from asdlc_kb.markup.dialects.jekyll import JEKYLL
from asdlc_kb.markup.dialects.liquid_outputs import MAX_SHOWN_CHARS, fill_outputs
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

VALUES = {"site.repository": "https://example.org/r", "page.min": "4"}
LONG = f"{{{{ site.{'x' * MAX_SHOWN_CHARS} }}}}"


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("[#1]({{ site.repository }}/1)", "[#1](https://example.org/r/1)"),
        ("at least {{page.min}}, {{-  page.min -}}", "at least 4, 4"),
        ("```\n{{ page.min }}\n```", "```\n4\n```"),
        ("{{ page.min | plus: 1 }} {{ page }}", "{{ page.min | plus: 1 }} {{ page }}"),
        ("{{ site.none }} {{ min }}", "{{ site.none }} {{ min }}"),
        ("{% raw %}{{ page.min }}{% endraw %} {{ page.min }}",
         "{% raw %}{{ page.min }}{% endraw %} 4"),
    ],
)  # fmt: skip
def test_known_outputs_have_their_value(text: str, filled: str) -> None:
    """In code too; text that Liquid does not read, and filters, stay."""
    assert fill_outputs(text, VALUES) == filled


@pytest.mark.parametrize("output", Output)
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Install {{ site.v }}, or {{page.w | x:  1}}.",
         "Install `{{ site.v }}`, or `{{page.w | x: 1}}`."),
        ("See [#1]({{ site.repository }}/issues/1).", "See #1."),
        ("[a](/v/{{ page.v }}/b 'T') [b](c)", "a [b](c)"),
        ("[a]({{ item.url }}) {{ item.title }}", "a {{ item.title }}"),
        ("[![A]({{ site.v }}/a.png)]({{ site.v }}/b)", "A"),
        ("[![A](a.png)](<{{ site.v }}/b>)", "![A](a.png)"),
        ("![A](/a.png?v={{ site.v }})", "A"),
        ("[a][1], [1] and [b][2]\n\n[1]: {{ site.v }}/x\n[2]: /y",
         "a, 1 and [b][2]\n\n[2]: /y"),
        ('<a class="{{ page.c }}" href="{{ site.v }}/x">a</a>', '<a class="">a</a>'),
        ("<img src='{{ site.v }}.png' alt='A'>", "<img alt='A'>"),
        ('<a href="{{ site.baseurl }}/x">a</a>', '<a href="/x">a</a>'),
        ("<p>{{ site.v }} a</p>", "<p> a</p>"),
        (f"a{LONG} b {{{{ site.a `}}}}", "a b "),
        ("`[a]({{ site.v }})`", "`[a]({{ site.v }})`"),
    ],
)  # fmt: skip
def test_an_unknown_output_is_code_and_makes_no_address(
    text: str, shown: str, output: Output
) -> None:
    """A link or picture with one is its words, a tag has no such attribute."""
    assert translate(text, JEKYLL, output) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("[" * 50_000, "[a](" * 20_000, "![" * 30_000, "{{" * 40_000),
        *("<a " * 30_000, "[a]({{ b }}" * 10_000, "{{ site.a" * 10_000),
        *("{% raw %}" * 10_000, '<a href="{{' * 10_000, "[![a](b" * 10_000),
    ],
)
def test_it_takes_linear_time(text: str) -> None:
    """Whatever is not closed."""
    with bounded_cpu_time():
        shown = translate(fill_outputs(text, VALUES), JEKYLL, Output.MARKDOWN)
    assert len(shown) <= len(text)
