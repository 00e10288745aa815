"""A page of Mintlify as GitHub's Markdown."""

from asdlc_kb.markup.dialects.mintlify import MINTLIFY
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

PAGE = """\
<Info>The service is new.</Info>

<CodeGroup>

```bash cURL
curl
```

```python Python {1} lines
get()
```

</CodeGroup>

<ResponseField name="items" type="array" required>
  All of them.

  <Expandable title="fields">
    <ResponseField name="id" type="string">Its name.</ResponseField>
  </Expandable>
</ResponseField>

<AccordionGroup>
  <Accordion title="Why?" icon="x">Because.</Accordion>
</AccordionGroup>
"""

MARKDOWN = """\
> [!NOTE] Info
> The service is new.

**cURL**

```bash
curl
```

**Python**

```python
get()
```

- `items` (`array`, required): All of them.

  **fields**

  - `id` (`string`): Its name.

**Why?**

Because."""


def test_agents_get_the_text_of_a_page() -> None:
    """Fields are definitions, and groups of code are titled."""
    assert translate(PAGE, MINTLIFY, Output.MARKDOWN).strip("\n") == MARKDOWN


def test_the_words_behind_a_language_are_a_title() -> None:
    """Options are not."""
    text = '```js src/app.js icon="x" {1} wrap\na\n```'
    shown = translate(text, MINTLIFY, Output.HTML)
    assert shown == '```js title="src/app.js" {1}\na\n```'
