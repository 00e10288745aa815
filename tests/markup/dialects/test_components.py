"""Components of whole lines as what they mean."""

import pytest

from asdlc_kb.markup.dialects.components import BLOCKS
from asdlc_kb.markup.dialects.mdx import MDX
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of MDX as GitHub's Markdown."""
    return translate(text, MDX, output).strip("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<Note>\n  a\n</Note>", "> [!NOTE]\n> a"),
        ('<Aside type="danger" title="T">\na\n</Aside>', "> [!CAUTION] T\n> a"),
        ('<Admonition type="tip">a</Admonition>', "> [!TIP]\n> a"),
        ("<Wrapper>\n  - a\n    - b\n</Wrapper>", "- a\n  - b"),
        ("<A>\n  <B>\n      x\n        y\n  </B>\n</A>", "x\n  y"),
        ("<Gone />", ""),
        ("a\n\n<Gone\n  b={c}\n/>\n\nd", "a\n\n\nd"),
        ('<Card title="T" href="/a">x</Card>', "- [T](/a): x"),
        ('<LinkCard title="T" href="/a" description="x" />', "- [T](/a): x"),
        (
            '<Steps>\n<Step title="One">a</Step>\n<Step title="Two">b</Step>\n</Steps>',
            "1. **One**\n\n   a\n\n2. **Two**\n\n   b",
        ),
        ("<Steps>\n1. a\n2. b\n</Steps>", "1. a\n2. b"),
        (
            '<ParamField path="id" type="string" required default="x">'
            "\n  T\n</ParamField>",
            "- `id` (`string`, required, default `x`): T",
        ),
        ('<Frame caption="C">\n![a](b)\n</Frame>', "![a](b)\n\n*C*"),
        (
            '<Tree>\n<Tree.Folder name="a">\n<Tree.File name="b.*" />'
            "\n</Tree.Folder>\n</Tree>",
            "- a/\n  - b.",
        ),
        ("<Option isCorrect>\na\n</Option>", "- a (correct)"),
        ('<Code code={`a\nb`} lang="js" title="T" />', '```js title="T"\na\nb\n```'),
        ('<Visibility for="humans">a</Visibility>', ""),
        ('<h2 id="b">A</h2>', "## A {#b}"),
        ("<details>\n<summary>S *t*</summary>\n\na\n\n</details>", "**S t**\n\na"),
        ("<style>\na {\n\n}\n</style>\nb", "b"),
        ("<div>\n  *a*\n</div>", "*a*"),
        ("<p v-for='a in b'>\n{{ a }}\n</p>", ""),
        ('<Update label="1.0" description="May">\nx\n</Update>', "**1.0: May**\n\nx"),
    ],
)
def test_a_component_is_written_as_what_it_means(text: str, shown: str) -> None:
    """Of an unknown one the text stays."""
    assert show(text) == shown


TABS = """\
<Tabs>
  <TabItem label="pip *x*">

    ```sh
    import x
      y
    ```
  </TabItem>
  <TabItem value="uv">b</TabItem>
</Tabs>"""


def test_tabs_have_the_labels_and_texts_of_their_elements() -> None:
    """A group of details on the website, whose labels are plain."""
    assert show(TABS) == "**pip *x***\n\n```sh\nimport x\n  y\n```\n\n**uv**\n\nb"
    html = show(TABS, Output.HTML)
    assert html.startswith('<div class="tabs">\n<details open>')
    assert "<summary>pip x</summary>\n\n```sh\nimport x\n  y\n```" in html


def test_tabs_are_labelled_by_a_list_of_values_or_a_slot() -> None:
    """As Docusaurus and Astro write them."""
    text = (
        "<Tabs values={[{label: 'Apple', value: 'a'}]}>"
        '\n<TabItem value="a">x</TabItem>\n</Tabs>'
    )
    assert show(text) == "**Apple**\n\nx"
    text = '<UIFrameworkTabs>\n<Fragment slot="react">x</Fragment>\n</UIFrameworkTabs>'
    assert show(text) == "**React**\n\nx"


def test_a_group_of_code_has_a_tab_for_each_fence() -> None:
    """Named by its title, which is not repeated, or by its language."""
    text = '<CodeGroup>\n```js title="a.js"\n1\n```\n```py\n2\n```\n</CodeGroup>'
    assert show(text) == "**a.js**\n\n```js\n1\n```\n\n**py**\n\n```py\n2\n```"


def test_what_is_for_agents_only_is_not_on_the_website() -> None:
    """And the other way round."""
    text = '<Visibility for="agents">a</Visibility>'
    assert show(text) == "a"
    assert show(text, Output.HTML) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("## A\n<p>\n*b*\n</p>", "## A\n\n*b*"),
        ("- <p>[a](b) *c*</p>\n- d", "- [a](b) *c*\n- d"),
        ("<p>*a*</p>", "*a*"),
    ],
)
def test_a_paragraph_written_as_a_tag_has_markdown(text: str, shown: str) -> None:
    """On the website too, where the tag would begin a block of HTML."""
    assert show(text, Output.HTML) == shown


def test_a_component_in_a_list_stays_in_it() -> None:
    """Its text is indented as much as the component was."""
    text = "1. First\n   <Note>\n     Inside.\n   </Note>\n2. Second\n"
    assert show(text) == "1. First\n\n   > [!NOTE]\n   > Inside.\n\n2. Second"


@pytest.mark.parametrize("deep", ["<A>\n" * 1_000, "<A>\n x\n" * 1_000])
def test_any_number_of_components_may_be_open(deep: str) -> None:
    """D-139: a line costs the same however many are open around it."""
    assert show(deep + "x\n" * 1_000).split("\n")[-1] == "x"
    ends = "</A>\n" * 1_000
    assert "<" not in show(f"{deep}x\n{ends}")


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_every_component_is_written_without_attributes_and_body(name: str) -> None:
    """Nothing that it could have is needed."""
    for text in (f"<{name}>\n</{name}>", f"<{name} />", f"<{name} title={{x}} />"):
        for output in Output:
            assert f"<{name}" not in show(text, output).replace("<details", "") or (
                name == "details"
            )


def test_labels_are_escaped() -> None:
    """They are written into tags."""
    html = show('<Accordion title="<script>x</script>">\na\n</Accordion>', Output.HTML)
    assert "<script" not in html
