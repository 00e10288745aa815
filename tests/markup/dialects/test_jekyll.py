"""Jekyll's Liquid: code, addresses, conditions, raw text, includes."""

import pytest

from asdlc_kb.markup.dialects.jekyll import JEKYLL
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of Jekyll as GitHub's Markdown."""
    return translate(text, JEKYLL, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{% highlight ruby linenos %}\nputs *a*\n{% endhighlight %}",
         "```ruby\nputs *a*\n```"),
        ("{% highlight md %}\n{% raw %}{{ x }}{% endraw %}\n{% endhighlight %}",
         "```md\n{{ x }}\n```"),
        ("```\n{% raw %}{% if a %}{% endraw %}\n```", "```\n{% if a %}\n```"),
        ("`{% raw %}{{ a }}{% endraw %}` b", "`{{ a }}` b"),
        ("{% raw %}{{ site.a }}{% endraw %} b", "{{ site.a }} b"),
        ("~~~ ruby\nx\n~~~", "~~~ ruby\nx\n~~~"),
    ],
)  # fmt: skip
def test_code_and_raw_text_are_shown(text: str, shown: str) -> None:
    """Without the tags that only Liquid reads."""
    assert show(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a]({% link docs/b.md %}#c)", "[a](/docs/b.md#c)"),
        ("[a]({{ site.baseurl }}{% link docs/b.md %})", "[a](/docs/b.md)"),
        ("[a]({% post_url 2020-01-02-b %})", "[a](/_posts/2020-01-02-b.md)"),
        ("[a]({{site.baseurl}}/b/)", "[a](/b/)"),
        ('[a]({{ "/b/" | relative_url }}#c)', "[a](/b/#c)"),
        ("![a]({{ '/b.png' | prepend: site.baseurl }})", "![a](/b.png)"),
        ("[a]: {% link docs/b.md %}", "[a]: /docs/b.md"),
        ("{% gist me/12 %}", "[Gist](https://gist.github.com/me/12)"),
    ],
)
def test_addresses_are_paths(text: str, shown: str) -> None:
    """Without the prefix of the site."""
    assert show(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{% if a %}\nA\n{% else %}\nB\n{% endif %}", "A\n\n\n\nB"),
        ("{% for x in y %}\n- {{ x }}\n{% endfor %}\n\nB", "\nB"),
        ("a {% if b %}c{% endif %} d", "a c d"),
        ("{% assign a = 1 %}\nb", "b"),
        ("{% capture a %}\nhidden\n{% endcapture %}", ""),
        ("{% comment %}\nhidden\n{% endcomment %}", ""),
        ("{% include head.html a=1 %}\nb", "b"),
        ("a {{ site.title }} b {{ other }}", "a `{{ site.title }}` b {{ other }}"),
        ("[a](b){: .btn .x } **c**{:.d}", "[a](b) **c**"),
        ("## A\n{: #b .c }", "## A {#b}\n"),
        ("{% raw %}\n{% a %}\n\n```\n{% b %}\n```\n{% endraw %}",
         "{% a %}\n\n```\n{% b %}\n```"),
        ("{% raw %}\n    {% a %}\n{% endraw %}", "    {% a %}"),
        ("{% raw %}   {% a %}\n{% endraw %}", "{% a %}"),
        ("*[AB]: A b\n\nAB", "\nAB (A b)"),
        ("T\n: D", "T\n:   D"),
        ("so $$a_1$$", "so $$a_1$$"),
    ],
)  # fmt: skip
def test_liquid_and_attributes_are_left_out(text: str, shown: str) -> None:
    """The text of every branch of a condition stays."""
    assert show(text) == shown


def test_raw_marks_are_shown_on_the_website() -> None:
    """The renderer would take them for Liquid."""
    shown = show("{% raw %}{% a %} {{ site.b }}{% endraw %}", Output.HTML)
    assert shown == "{\\% a %} {\\{ site.b }}"


def test_markdown_includes_are_found() -> None:
    """HTML ones are left out."""
    text = "{% include_relative a/b.md %} {% include c.md x=1 %} {% include d.html %}"
    found = [include.path for include in JEKYLL.find_includes(text)]
    assert found == ["a/b.md", "_includes/c.md"]
