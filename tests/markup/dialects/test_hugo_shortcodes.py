"""Shortcodes of Hugo and of common themes."""

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
        ('{{% alert title="Mind" color="warning" %}}\nA *b*.\n{{% /alert %}}',
         "> [!WARNING] Mind\n> A *b*."),
        ("{{< hint danger >}}\nHot\n{{< /hint >}}", "> [!CAUTION] Danger\n> Hot"),
        ('{{% notice tip "Do it" %}}\nSo\n{{% /notice %}}', "> [!TIP] Do it\n> So"),
        ('{{< callout type="info" >}}\n  In\n{{< /callout >}}', "> [!NOTE] Info\n> In"),
        ("{{< note >}}One line.{{< /note >}}", "> [!NOTE]\n> One line."),
        ('{{% pageinfo color="primary" %}}\nP\n{{% /pageinfo %}}', "> [!NOTE]\n> P"),
        ("{{< new-in 0.2.0 >}}\nText\n{{< /new-in >}}",
         "> [!NOTE] New in v0.2.0\n> Text"),
        ("> [!info]- More\n> Text", "> [!NOTE]- More\n> Text"),
    ],
)  # fmt: skip
def test_callouts_of_themes_are_callouts(text: str, shown: str) -> None:
    """Kind and title are found by name or by position."""
    assert show(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        '{{< tabs >}}\n{{% tab header="pip" %}}\na\n{{% /tab %}}\n'
        '{{% tab header="uv" %}}\nb\n{{% /tab %}}\n{{< /tabs >}}',
        '{{< tabs items="pip, uv" >}}\n  {{< tab >}}a{{< /tab >}}\n'
        "  {{< tab >}}b{{< /tab >}}\n{{< /tabs >}}",
        '{{% tabs "id" %}}\n{{% tab "pip" %}}\na\n{{% /tab %}}\n'
        '{{% tab "uv" %}}\nb\n{{% /tab %}}\n{{% /tabs %}}',
        "{{< tabpane text=true >}}\n"
        '{{< tab header="pip" >}}\na\n{{< /tab >}}\n'
        '{{< tab header="uv" >}}\nb\n{{< /tab >}}\n{{< /tabpane >}}',
    ],
)
def test_tabs_of_themes_are_tabs(text: str) -> None:
    """Labels stand in the group or in each tab."""
    assert show(text) == "**pip**\n\na\n\n**uv**\n\nb"
    html = show(text, Output.HTML)
    assert html.count("<details") == 2
    assert "<summary>uv</summary>" in html


def test_a_pane_of_tabs_has_code() -> None:
    """Unless a tab is said to be text."""
    text = (
        '{{< tabpane lang="sh" >}}\n{{< tab header="A" disabled=true />}}\n'
        '{{< tab header="B" >}}\n*x*\n{{< /tab >}}\n{{< /tabpane >}}'
    )
    assert show(text) == "**B**\n\n```sh\n*x*\n```"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{{< highlight go >}}\nx *a*\n{{< /highlight >}}", "```go\nx *a*\n```"),
        ("{{< code-toggle file=hugo >}}\na = 1\n{{< /code-toggle >}}",
         '```toml title="hugo.toml"\na = 1\n```'),
        ("{{< code-toggle >}}\na: 1\n{{< /code-toggle >}}", "```yaml\na: 1\n```"),
        ("{{< code-toggle config=x />}}", "[shortcode code-toggle config=x]"),
        ("{{< mermaid >}}\ngraph\n{{< /mermaid >}}", "```mermaid\ngraph\n```"),
        ("{{< katex >}}\na_b\n{{< /katex >}}", "$$\na_b\n$$"),
        ('so {{< hl go >}}f("x"){{< /hl >}} is', 'so `f("x")` is'),
    ],
)  # fmt: skip
def test_code_of_shortcodes_is_code(text: str, shown: str) -> None:
    """Its text is not translated."""
    assert show(text) == shown


def test_options_of_code_are_layout() -> None:
    """Of shortcodes and of fences."""
    text = '{{< highlight go "linenos=table, hl_lines=3 6-8" >}}\nx\n{{< /highlight >}}'
    assert show(text, Output.HTML) == '```go {3,6-8} linenums="1"\nx\n```'
    text = '```go {style=x linenos=table hl_lines=[1,"3-4"] linenostart=9}\nx\n```'
    assert show(text, Output.HTML) == '```go {1,3-4} linenums="9"\nx\n```'
    assert show(text) == "```go\nx\n```"


def test_a_figure_has_its_caption() -> None:
    """Its tag may have many lines."""
    text = '{{< figure\n  src="/a.png"\n  alt="A b"\n  caption="*C*"\n>}}'
    assert show(text) == "![A b](/a.png)\n\n*C*"
    html = show(text, Output.HTML)
    assert html.startswith("<figure>\n\n![A b](/a.png)\n\n<figcaption>\n\n*C*\n")
    assert show("- {{< figure src=a.png alt=b >}} c") == "- ![b](a.png) c"


def test_wrappers_are_their_text() -> None:
    """Columns, steps, file trees, cards."""
    text = "{{< columns >}}\nA\n<--->\nB\n{{< /columns >}}"
    assert show(text) == "A\n\nB"
    text = (
        "{{< filetree/container >}}\n"
        '  {{< filetree/folder name="a" >}}\n'
        '    {{< filetree/file name="b.md" >}}\n'
        "  {{< /filetree/folder >}}\n"
        "{{< /filetree/container >}}"
    )
    assert show(text) == "- a/\n  - b.md"
    text = '{{< card link="a/" title="T" subtitle="S" >}}'
    assert show(text) == "- [T](a/): S"


def test_html_of_an_author_is_escaped_where_a_title_is_written() -> None:
    """A summary cannot open a tag."""
    text = '{{< details summary="<img onerror=1>" >}}\nx\n{{< /details >}}'
    assert "<summary>&lt;img onerror=1&gt;</summary>" in show(text, Output.HTML)
