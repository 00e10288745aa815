"""Content for the browser: articles and documentation with all features of Markdown."""

from pathlib import Path

from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pictures import SECRET_PNG, make_png, make_svg

SAMPLER = """\
The first paragraph has **strong**, *stressed* and ~~struck~~ words, `code`, a
[link to a fence](../patterns/fence.md), one [to elsewhere](https://example.com/far) and
a note[^one].

## A table

| Name | Meaning | Number |
| --- | :---: | ---: |
| `retry` | How often a call is made again before it is given up for good | 3 |
| `backoff` | Seconds between two of them; each wait is twice the one before | 1.5 |
| `a_rather_long_name_of_an_option_without_any_spaces` | Something else | 10,000 |

## Code

```python
# Rounds until the work is done.
def loop(agent: Agent, limit: int = 10) -> Result:
    for number in range(limit):
        if (result := agent.step(f"round {number}")) is not None:
            return result  # a line that goes on for longer than a narrow screen is wide
    raise TimeoutError("not done")
```

```
plain text in a frame
```

### Words of a shell

```sh
asdlc-kb serve content --port 8420   # then open the address
```

## Alerts

> [!NOTE]
> Worth knowing, with `code` and [a link](#a-table).

> [!TIP]
> Makes it easier.

> [!IMPORTANT]
> Must be known.

> [!WARNING]
> May go wrong.

> [!CAUTION]
> Will go wrong.

> An ordinary quotation, which is
> somewhat quieter.

## Lists

- [x] A task that is done
- [ ] A task that is not
    - [ ] with one below it

1. First
2. Second
    - with a point
    - and another

<details><summary>More of it</summary>

Text that was folded away, with <kbd>Ctrl</kbd>.

</details>

## A heading with `code` in it that is long enough to need two lines on a telephone

![A drawing of the loop](loop.png)

VeryLongWordsWithoutSpaces/AreBrokenWhereTheyMustBe/SoThatThePageDoesNotScroll/Sideways.

---

## The end

Text after a line, and a note again[^two].

[^one]: What the note says.
[^two]: What the other note says, [with a link](https://example.com/note).
"""

HOSTILE = """\
<script>window.stained = "script"</script>
<img src="x" onerror="window.stained = 'handler'">
<svg onload="window.stained = 'svg'"><script>window.stained = 'inner'</script></svg>
<iframe srcdoc="<script>parent.stained = 'frame'</script>"></iframe>
<style>body { display: none }</style>
<form action="https://example.com/"><button autofocus onfocus="stained=1">Go</button>
</form>

[click](javascript:stained=1) <a href="data:text/html,<script>1</script>">data</a>
<b onmouseover="stained=1" style="position:fixed">bold</b>

Text that is still there.
"""

LONG = "\n".join(
    f"## Part {number}\n\n" + f"Sentence of part {number}. " * 60 + "\n"
    for number in range(1, 9)
)

SIDEBAR = """\
- [Welcome](index.md)
- Guides
  - [First steps](guide/first-steps.md)
  - [A longer way round](guide/longer-way.md)
    - [Deeper still](guide/deep/still.md)
- [Elsewhere](https://example.com/)
"""

TOPBAR = """\
## left
- {{logo}} | [Handbook](index.md)
- [First steps](guide/first-steps.md)

## middle
- Version 2.1

## right
- [A longer way round](guide/longer-way.md)
- [Its home page](https://example.com/)
"""

CONSTRUCTS = """\
# Constructs {#constructs}

> [!NOTE] What to *know* about `code`
> A note with a title.

> [!TIP]- A tip to open
> Text of the tip.

> [!WARNING]+ A warning to close
> Text of the warning, with a [link](index.md).

> [!CAUTION]
> Without a title.

> [!IMPORTANT] One that matters
> - an item

## Tabs

<div class="tabs">
<details name="install" open>
<summary>pip</summary>

Install with `pip`:

```sh
pip install asdlc-kb
```

</details>
<details>
<summary>uv, the package manager</summary>

Install with *uv*.

</details>
<details name="tabs-1">
<summary>From the source of the package</summary>

Clone it.

</details>
<details name="tabs-1">
<summary>In a container</summary>

```sh
docker run kb
```

</details>
</div>

<div class="card-grid">

- **Card one**

    ---

    With a text.

- **Card two**, which is short

</div>

## Code

```python title="src/loop.py" {2,4-5} linenums="9"
def loop(agent: Agent, limit: int = 10) -> Result:
    for number in range(limit):  # a comment in a highlighted line

        if (result := agent.step(f"round {number}")) is not None:
            return result  # a line that goes on for longer than a narrow screen is wide
    raise TimeoutError("not done", 42)
```

```mermaid
graph TD
  a --> b
```

```diff
- old
+ new
```

## Formulas

The square $x^2$ and $`\\sqrt{y}`$ cost $5 or $10.

$$
\\cos x=\\sum_{k=0}^{\\infty}\\frac{(-1)^k}{(2k)!}x^{2k}
+\\frac{a+b+c+d+e+f+g}{h+i+j+k}+z_1+z_2+z_3
$$

```math
\\begin{aligned}a&=b\\\\c&=d\\end{aligned}
```

## Words

<dl>
<dt>Term</dt>
<dd>

Its *definition*.

</dd>
</dl>

<kbd>Ctrl</kbd>+<kbd>C</kbd>, <mark>marked</mark>, <ins>added</ins>, <del>removed</del>,
H<sub>2</sub>O, x<sup>2</sup>, <abbr title="Model Context Protocol">MCP</abbr>.

- [x] One

- [ ] Two

  More about it.

1. First
   1. Inner
      1. Innermost
"""

FIRST_STEPS = """\
# First steps

Begin with the [index](../index.md).

## Install

```sh
pip install asdlc-kb
```

## Run

| Option | Does |
| --- | --- |
| `--port` | Listens there |

### On a server

As a service.
"""

STILL = """\
# Deeper still

שלום `code` בעברית.

At the very bottom. Unpacked keywords: `UserInDB(**user_dict)` and `**/AGENTS.md`.
"""


def write_articles(root: Path) -> Path:
    """Write the articles, hidden ones among them; return their folder."""
    knowledge = KnowledgeBase(root)
    knowledge.write(
        "concepts/sampler",
        title="Sampler of everything",
        description="Tables, code, alerts, lists and notes, all that a text may have",
        tags="[Markdown, Looks]",
        relatedIds="[patterns/fence, concepts/long-read]",
        author="Ada",
        maturity="Standard",
        publishedDate="2025-01-02",
        lastUpdated="2025-06-01",
        body=SAMPLER,
    )
    knowledge.write(
        "concepts/long-read",
        title="Long read",
        description="Eight parts, one after the other",
        tags="[Looks]",
        lastUpdated="2025-05-01",
        body=LONG,
    )
    knowledge.write(
        "concepts/hostile",
        title="'<script>window.stained = 1</script> & \"quoted\"'",
        description="<img src=x onerror=window.stained=1>",
        tags="['<b>bold</b>']",
        lastUpdated="2025-03-01",
        body=HOSTILE,
    )
    knowledge.write(
        "patterns/fence",
        title="Fence",
        description="Keep an agent in",
        status="Experimental",
        tags="[Looks, Safety]",
        supersededBy="[concepts/long-read]",
        lastUpdated="2025-04-01",
        body="Posts and rails, see [the sampler](../concepts/sampler.md#code).\n",
    )
    for number in range(14):
        knowledge.write(
            f"practices/habit-{number:02}",
            title=f"Habit number {number} of a team that works with agents",
            description="What is done each day. " * 3,
            lastUpdated=f"2024-02-{number + 1:02}",
        )
    return knowledge.root


PICTURES = """# Pictures

![A grey field](img/wide.png "Grey")

<figure><img src="img/drawing.svg" width="120" alt="A drawing">
<figcaption>A drawing that has a script.</figcaption></figure>

![By day](img/day.png#only-light) ![By night](img/night.png#only-dark)

<picture><source srcset="img/night.png" media="(max-width: 600px)">
<img src="img/day.png" alt="By width"></picture>

![Not there](img/none.png) ![Elsewhere](https://example.com/x.png)

<video src="film.webm" title="A film"></video>

[The manual](manual.pdf) and [the table](table.csv).

## With a badge ![Passing](https://example.com/badge.png)

## Below the pictures

Text that must not move.
"""


def write_pictures(tree: DocsTree) -> None:
    """Write a page with pictures, and a draft with one that must not be sent."""
    tree.write("pictures.md", PICTURES)
    tree.write("draft.md", "---\ndraft: true\n---\n![Secret](img/secret.png)\n")
    files = {
        "img/wide.png": make_png(1600, 400),
        "img/day.png": make_png(30, 20),
        "img/night.png": make_png(30, 20),
        "img/drawing.svg": make_svg(240, 160),
        "img/secret.png": SECRET_PNG,
        "film.webm": bytes(100),
        "manual.pdf": b"%PDF-1.4\n%%EOF\n",
        "table.csv": b"a,b\n1,2\n",
    }
    (tree.root / "img").mkdir()
    for name, data in files.items():
        (tree.root / name).write_bytes(data)


def write_docs(root: Path) -> Path:
    """Write a documentation tree with a sidebar; return its folder."""
    tree = DocsTree(root)
    tree.write("sidebar.md", SIDEBAR)
    tree.write("topbar.md", TOPBAR)
    tree.write("index.md", "# Welcome\n\nThe documentation of a thing.\n")
    tree.write("guide/first-steps.md", FIRST_STEPS)
    tree.write("guide/constructs.md", CONSTRUCTS)
    tree.write("guide/longer-way.md", f"# A longer way round\n\n{LONG}")
    tree.write("guide/deep/still.md", STILL)
    write_pictures(tree)
    return tree.root
