"""MDX as Markdown: modules, comments and expressions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.dialects.mdx import MAX_SHOWN_CHARS, MDX, drop_modules
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.html_renderer import render

PAGE = """\
import Since from '~/components/Since.astro'
import {
  FileTree,
  Steps,
} from '@astrojs/starlight/components';
export const title = 'x';

# Title

{/* nobody sees this */}
Text with an inline <Since v="1" /> component.

<Tabs>
  <TabItem label="npm">
    ```sh
    import x from 'y'
      indented
    <Card>
    ```

    - one
      - two
  </TabItem>
</Tabs>

<Unknown src="a.png" />

After it.
"""


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of MDX as GitHub's Markdown."""
    return translate(text, MDX, output)


def test_a_page_may_begin_with_an_import_of_several_lines() -> None:
    """Whatever follows its first brace; it is no text, nor are those below it."""
    for first in ("import {", "import {A,", "import type {"):
        text = f'{first}\n  B,\n}} from "x";\nimport C from "y";\n\n# One\n'
        assert show(text).strip() == "# One"


def test_the_name_of_an_imported_picture_may_have_escapes() -> None:
    """As a formatter of JavaScript writes an underscore in Markdown."""
    text = "import a from './\\_a.png';\n\n<img src={a} />\n"
    assert show(text).strip() == "![](./_a.png)"


@pytest.mark.parametrize("output", Output)
def test_only_the_text_is_left(output: Output) -> None:
    """No code is shown, and the content of a component is Markdown again."""
    shown = show(PAGE, output)
    for word in ("components", "FileTree", "title =", "nobody", "TabItem", "Unknown"):
        assert word not in shown
    assert "```sh\nimport x from 'y'\n  indented\n<Card>\n```\n" in shown
    assert "\n- one\n  - two\n" in shown
    assert "Text with an inline **Added in:** v1 component." in shown
    html = render(shown).text
    assert "<li>two</li>" in html
    assert "<p>After it.</p>" in html


@pytest.mark.parametrize(
    "text",
    [
        "import taxes are not imports.\n",
        "Goods that we\nimport from 'there'\n",
        "export to many countries\n",
        "```js\nimport a from 'b'\n```\n",
        "~~~\n```\nexport const a = 1\n~~~\n",
        "1. ```jsx\n   <A>\n   ```\n",
        "A <B> in a line\n",
        "<table>\n  <tr></tr>\n</table>\n",
        "1 < 2 and 3 > 2\n",
        "$\\frac{a}{b}$ and $$\n{x}\n$$\n",
        "`{a}` and \\{b}\n",
        "{ open\n",
        "## Words {#id}\n",
    ],
)
def test_markdown_is_left_as_it_is(text: str) -> None:
    """Sentences, code, formulas and HTML are not a program."""
    assert show(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a{' '}b {\"c\"} {`d`} {1}", "a b c `d` 1"),
        ("a {/* b */} c", "a  c"),
        ("{/*\n\nb\n*/}\nc", "c"),
        ("a {props.name} b", "a `{props.name}` b"),
        ("a {list.map((x) => <b>{x}</b>)} b", "a  b"),
        ("{list.map((x) => (\n  <Card title={x} />\n))}\n\nb", "\nb"),
        ("## Words {/* #my-id */}", "## Words {#my-id}"),
        ("## Words { #my-id }", "## Words {#my-id}"),
        ("## Words {/*my-id*/}", "## Words {#my-id}"),
        ("## A [b] [#my-id]", "## A [b] {#my-id}"),
        ("## A [#b] c", "## A [#b] c"),
        ("## A \\[#b]", "## A \\[#b]"),
        ("A [#b]", "A [#b]"),
        ("```mdx-code-block\n<A>\n```\n\nx\n\n```mdx-code-block\n</A>\n```", "x"),
        ("import a from './a.png'\n\n<img src={a} alt='A' />", "![A](./a.png)"),
        ("import a from './a.png'\n\n<Image src={a} alt='A' />", "![A](./a.png)"),
        ("{/* b */}\nimport a from './a'\n\nx", "x"),
        ("<!-- b -->\nimport A from './_a.mdx'\n\nx", "<!-- b -->\n\n\nx"),
        ("export const a = {\n  b: 1,\n\n  c: 2,\n};\n\nx", "x"),
        ("export const A = () => (\n  <p>\n    no\n  </p>\n);\n\nx", "x"),
        ("export default ({children}) => <div>{children}</div>\n\nx", "x"),
    ],
)
def test_modules_and_expressions_are_not_run(text: str, shown: str) -> None:
    """A literal is its text, a short expression is code, all else goes."""
    assert show(text).strip("\n") == shown.strip("\n")


def test_a_long_expression_is_left_out() -> None:
    """It is a program and no word of a sentence."""
    assert show(f"a {{{'b' * MAX_SHOWN_CHARS}}}") == "a "


def test_what_goes_before_the_translation_leaves_its_lines() -> None:
    """Line numbers are those of the file, also for includes."""
    lines = drop_modules(PAGE).split("\n")
    assert len(lines) == len(PAGE.split("\n"))
    assert lines.index("After it.") == PAGE.split("\n").index("After it.")


def test_an_expression_in_a_formula_is_none() -> None:
    """TeX has braces, too."""
    assert show("$a_{b}$ {'c'} $d$") == "$a_{b}$ c $d$"


@given(
    st.lists(
        st.sampled_from(
            [
                *("<A>", "</A>", "<B />", "  <A b={1}>", "import {", "export {x}", ""),
                *("```", "~~~~", "  text", "# T", "{/* x */}", "\tx", "````js", "{"),
                *("<Tabs>", "</Tabs>", "<TabItem label='x'>", "</TabItem>", "`", "<a>"),
                *("<Steps>", "<Step title='x'>", "</Step>", "</Steps>", "- x", "  }"),
                *(
                    "<details>",
                    "</details>",
                    "<summary>x</summary>",
                    "<Code code='x'/>",
                ),
            ]
        )
    )
)
def test_no_text_breaks_it(lines: list[str]) -> None:
    """Whatever is open or missing."""
    for output in Output:
        assert isinstance(show("\n".join(lines), output), str)


def test_directives_are_read_without_a_known_generator() -> None:
    """Sites of Next.js have them, too."""
    assert show(":::info\n\na\n\n:::") == "> [!NOTE] Info\n> a"
