"""MDX as Markdown: code is removed, the text stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.mdx import strip_mdx

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

<Image src="a.png" />

After it.
"""


def test_only_the_text_is_left() -> None:
    """No code is shown, and the content of a component is Markdown again."""
    shown = strip_mdx(PAGE)
    for word in ("components", "FileTree", "title =", "nobody", "TabItem", "Image"):
        assert word not in shown
    assert "```sh\nimport x from 'y'\n  indented\n<Card>\n```\n" in shown
    assert "\n- one\n  - two\n" in shown
    assert "Text with an inline" in shown
    html = render(shown).text
    assert "<li>two</li>" in html
    assert "<p>After it.</p>" in html


def test_components_in_each_other_are_shifted_together() -> None:
    """Each by its own first line; text outside again is where it was."""
    text = "<A>\n  <B>\n      x\n        y\n    z\n  </B>\n  w\n</A>\n  v"
    assert strip_mdx(text).split("\n") == ["", "", "x", "  y", "z", "", "w", "", "  v"]


@pytest.mark.parametrize("deep", ["<A>\n" * 200_000, "<A>\n x\n" * 200_000])
def test_any_number_of_components_may_be_open(deep: str) -> None:
    """D-136: a line costs the same however many are open around it."""
    lines = strip_mdx(deep + "x\n" * 200_000).split("\n")
    assert lines[-2] == "x"


def test_every_line_stays_on_its_line() -> None:
    """Line numbers are those of the file."""
    lines = strip_mdx(PAGE).split("\n")
    assert len(lines) == len(PAGE.split("\n"))
    assert lines.index("After it.") == PAGE.split("\n").index("After it.")


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
        "<div>\n  kept\n</div>\n",
        "1 < 2 and 3 > 2\n",
    ],
)
def test_markdown_is_left_as_it_is(text: str) -> None:
    """Sentences, code and HTML are not a program."""
    assert strip_mdx(text) == text


def test_a_component_in_a_list_stays_in_it() -> None:
    """Its text is indented as much as the component was."""
    text = "1. First\n   <Note>\n     Inside.\n   </Note>\n2. Second\n"
    assert strip_mdx(text) == "1. First\n\n   Inside.\n\n2. Second\n"


@given(
    st.lists(
        st.sampled_from(
            [
                *("<A>", "</A>", "<B />", "  <A b={1}>", "import {", "export {x}", ""),
                *("```", "~~~~", "  text", "# T", "{/* x */}", "\tx", "````js"),
            ]
        )
    )
)
def test_no_text_breaks_it(lines: list[str]) -> None:
    """As many lines come out as go in, and nothing new."""
    shown = strip_mdx("\n".join(lines)).split("\n")
    assert len(shown) == max(1, len(lines))
    for before, after in zip(lines, shown, strict=False):
        assert after == "" or before.endswith(after)
