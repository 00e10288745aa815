"""A page of Docusaurus as GitHub's Markdown."""

from asdlc_kb.markup.dialects.docusaurus import DOCUSAURUS
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

PAGE = """\
import Tabs from '@theme/Tabs';
import TabItem from '@theme/TabItem';
import logo from './img/logo.png';

# Install {/* #install */}

:::caution[Before you begin]

Read the <a href="/docs/notes">notes</a>.

:::

<Tabs groupId="os">
  <TabItem value="mac" label="macOS" default>

  ```bash title="Terminal" showLineNumbers
  # highlight-next-line
  brew install heron
  ```

  </TabItem>
  <TabItem value="linux" label="Linux">Use `apt`{' '}2{"."}</TabItem>
</Tabs>

<img src={logo} alt="Logo" width="100" />

<DocCardList />
"""

MARKDOWN = """\
# Install {#install}

> [!CAUTION] Before you begin
> Read the [notes](/docs/notes).

**macOS**

```bash title="Terminal"
brew install heron
```

**Linux**

Use `apt` 2.

![Logo](./img/logo.png)"""


def test_agents_get_the_text_of_a_page() -> None:
    """Without imports, tags and marks."""
    assert translate(PAGE, DOCUSAURUS, Output.MARKDOWN).strip("\n") == MARKDOWN


def test_a_page_of_the_website_has_tabs_and_highlighted_lines() -> None:
    """In HTML that needs no script."""
    html = translate(PAGE, DOCUSAURUS, Output.HTML)
    assert '```bash title="Terminal" {1} linenums="1"\nbrew' in html
    assert '<img src="./img/logo.png" alt="Logo" width="100">' in html
    assert "<summary>macOS</summary>" in html
