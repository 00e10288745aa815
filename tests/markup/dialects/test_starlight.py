"""A page of Starlight as GitHub's Markdown."""

from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.starlight import STARLIGHT, STARLIGHT_MARKDOWN
from asdlc_kb.markup.dialects.translator import translate

PAGE = """\
import { Steps, FileTree } from '@astrojs/starlight/components';

<Steps>
1. Run the command.

    <PackageManagerTabs>
      <Fragment slot="npm">
      ```sh
      npm create heron
      ```
      </Fragment>
    </PackageManagerTabs>

2. Read on.

    :::tip[Soon]
    It is short.
    :::
</Steps>

<FileTree>

- src/
  - index.mdx

</FileTree>

<p>

**Type:** `string`<br />
<Since v="4.1" />
</p>

<CardGrid>
	<Card title="Fast" icon="rocket">
		No waiting.
	</Card>
	<LinkCard title="More" href="/more/" description="All of it." />
</CardGrid>
"""

MARKDOWN = """\
1. Run the command.

    **npm**

    ```sh
    npm create heron
    ```

2. Read on.

    > [!TIP] Soon
    > It is short.

- src/
  - index.mdx

**Type:** `string`\\
**Added in:** v4.1

**Fast**

No waiting.

- [More](/more/): All of it."""


def test_agents_get_the_text_of_a_page() -> None:
    """Components of Astro's own documentation are known, too."""
    assert translate(PAGE, STARLIGHT, Output.MARKDOWN).strip("\n") == MARKDOWN


def test_added_and_removed_lines_are_a_diff() -> None:
    """As Expressive Code names them behind the language."""
    text = '```js title="a.js" del={1} ins={2}\na\nb\n```'
    shown = '```diff title="a.js"\n-a\n+b\n```'
    assert translate(text, STARLIGHT, Output.HTML) == shown


def test_a_markdown_file_is_no_mdx() -> None:
    """Its directives are read; braces are text, and indented text is code."""
    text = "Call `/a/{id}` or /b/{id}.\n\n    <A />\n\nimport a from 'b'\n"
    assert translate(text, STARLIGHT_MARKDOWN, Output.MARKDOWN) == text
    shown = translate(":::tip\na\n:::", STARLIGHT_MARKDOWN, Output.MARKDOWN)
    assert shown == "> [!TIP]\n> a"
