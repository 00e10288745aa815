"""Hugo's shortcodes, code, links and includes."""

import pytest

from asdlc_kb.markup.dialects.hugo import HUGO
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of Hugo as GitHub's Markdown."""
    return translate(text, HUGO, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{{< youtube a1-b >}}",
         "[YouTube video](https://www.youtube.com/watch?v=a1-b)"),
        ("{{< x user=me id=12 >}}", "[Post on X](https://x.com/me/status/12)"),
        ("{{< gist me 12 >}}", "[Gist](https://gist.github.com/me/12)"),
        ('[a]({{< relref "b.md#c" >}})', "[a](b.md#c)"),
        ('[a]({{% ref path="b.md" %}} "T")', '[a](b.md "T")'),
        ('{{< button href="/a b" >}}Go{{< /button >}}', "[Go](/a%20b)"),
        ("See [a page](g) and `[a](g)`.", "See a page and `[a](g)`."),
        ("[source]({{% eturl a %}}) here", "source here"),
        ("the [source][] here\n\n[source]: <{{% eturl a %}}>\n", "the source here\n\n"),
    ],
)  # fmt: skip
def test_links_lead_where_they_can(text: str, shown: str) -> None:
    """What only the generator can resolve is its words."""
    assert show(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\n{{< unknown >}}\n\nb", "a\n\n\nb"),
        ("{{< unknown x=1 >}}\nText\n{{< /unknown >}}", "Text"),
        ("Version {{% current %}} or later", "Version [shortcode current] or later"),
        ("It ends. {{% remark %}}", "It ends. "),
        (
            "a {{< icon name >}} b {{< sized >}}c{{< /sized >}}",
            "a  b c",
        ),
        ("{{< comment >}}\nsecret\n{{< /comment >}}", ""),
    ],
)
def test_unknown_shortcodes_leave_their_text(text: str, shown: str) -> None:
    """Or a word where the sentence would lose a part."""
    assert show(text) == shown


def test_escaped_shortcodes_are_shown_without_their_comment_marks() -> None:
    """In code, where pages about shortcodes have them."""
    text = "```md\n{{</* x a=1 */>}}\n{{%/* /x */%}}\n```\n\nand `{{</* x /*/>}}`"
    shown = "```md\n{{< x a=1 >}}\n{{% /x %}}\n```\n\nand `{{< x />}}`"
    assert show(text) == shown


def test_shortcodes_in_lists_and_tables_are_read() -> None:
    """At the indent of the item."""
    text = "1. one\n\n   {{< note >}}\n   Text\n   {{< /note >}}\n\n2. two"
    assert show(text) == "1. one\n\n   > [!NOTE]\n   > Text\n\n2. two"
    assert show("| a |\n| --- |\n| {{< new-in 1.0 />}} |") == (
        "| a |\n| --- |\n| New in v1.0 |"
    )


def test_includes_are_found() -> None:
    """Pages, files as code, glossary terms; never escaped ones."""
    text = (
        '{{% include "/_common/a.md" %}} {{% include "b/c" %}}\n'
        '{{< readfile file="x.go" code="true" lang="go" >}}\n'
        '{{% glossary-term "output format" %}} {{</* include "no" */>}}'
    )
    found = [(i.path, i.language) for i in HUGO.find_includes(text)]
    assert found == [
        ("/_common/a.md", None),
        ("b/c.md", None),
        ("x.go", "go"),
        ("/quick-reference/glossary/output-format.md", None),
    ]


def test_links_lead_to_the_terms_of_a_list() -> None:
    """Hugo gives them ids; agents read them as written."""
    text = "baseURL\n: The address"
    assert '<dt id="baseurl">' in show(text, Output.HTML)
    assert show(text) == "baseURL\n:   The address"
