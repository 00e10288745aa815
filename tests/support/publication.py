"""Content of a website for tests: names and texts that are hard to render."""

import json
from pathlib import Path

from support.docs import DocsTree
from support.knowledge import KnowledgeBase

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "{{ 1 + 1 }} {% raw site %} {% end %} {# x #} {{! x }}",
    "<!-- </title></head><body onload=alert(1)>",
    "javascript:alert(1)",
    "](javascript:alert(1)) [x](//evil.example) \\",
    "&lt;b&gt; &amp; ]]> <![CDATA[",
    "`<b>` **bold** _x_ \\",
)
"""Texts with a meaning in HTML, templates, JSON, Markdown or XML."""

TAGS = (
    "CI/CD",
    "C++",
    "Größe",
    "上下文 工程",
    "..",
    ".",
    "100%",
    "a%2Fb",
    'it\'s "so"',
    "?#&=",
    "ci/cd",
)


def fill_articles(knowledge: KnowledgeBase) -> KnowledgeBase:
    """Write articles with odd names, links of each kind, and hostile texts."""
    listed = ", ".join(json.dumps(tag, ensure_ascii=False) for tag in TAGS)
    knowledge.write(
        "concepts/first",
        title="First",
        tags=f"[{listed}]",
        lastUpdated="2025-06-01",
        relatedIds="[patterns/größe, concepts/known-draft, nowhere]",
        supersededBy="[docs/reserved]",
        body=(
            "# First\n\n## One\n\n[a](second.md#two) [b](../patterns/größe.md) "
            "[c](kb://article/second) [d](kb://article/patterns/größe#more) [e](#one) "
            "[f](first.md) [g](/patterns/) [h](/docs/reserved) [i](../patterns/) "
            "[j](kb://doc/guide/first%20steps.md#install)\n\n"
            "### KB 101\n\n## Foot[^1]\n\n```python\nprint('<b>')\n```\n\n[^1]: Note.\n"
        ),
    )
    knowledge.write("concepts/second", title="Second", body="## Two\n\n[e](#two)\n")
    knowledge.write("patterns/größe", title="Größe", status="Experimental")
    knowledge.write("docs/reserved", title="Reserved", body="[x](first.md) text")
    knowledge.write("docs/first", title="First of docs")
    knowledge.write("search/llms.txt", title="A file's name")
    knowledge.write("-/feed.xml", title="A feed's name")
    knowledge.write("tags/a.md", title="A suffix")
    knowledge.write("tags/a", title="No suffix")
    knowledge.write("tags/a.html", title="Another suffix")
    knowledge.write("上下文/index", title="Index")
    for number, text in enumerate(HOSTILE):
        quoted = json.dumps(text)
        knowledge.write(
            f"hostile/number-{number}",
            title=quoted,
            description=quoted,
            tags=f"[{quoted}]",
            author=quoted,
            body=f"# {text}\n\n## {text}\n\n## More\n\n{text}\n\n{_lead(text)}\n",
        )
    return knowledge


def _lead(text: str) -> str:
    """Return a link to a text that has a scheme; others would be file names."""
    return f"[x](<{text}>)" if ":" in text else ""


def fill_docs(tree: DocsTree, *, has_index: bool = True) -> DocsTree:
    """Write pages with odd names, twins, links of each kind, and hostile texts."""
    if has_index:
        tree.write("index.md", "# Welcome\n\n[guide](guide/) [x](a.mdx) [y](a.md)\n")
    tree.write("a.md", "# A\n\n[twin](a.mdx) [self](a.md) [other](a%20b.md)\n")
    tree.write("a.mdx", "# Twin of A\n\n## Part\n\n[x](a.md) [y](#part)\n")
    tree.write("a.mdx.md", "# Third\n")
    tree.write("a b.mdx", "# Twin with blank\n")
    tree.write("a b.md", "# With blank\n\n[up](./guide/README.md) [t](<a b.mdx>)\n")
    tree.write("a%20b.md", "# With percent\n")
    tree.write("c#.md", "# Hash\n\n[x](c%23.md)\n")
    tree.write("what?.md", "# Question\n")
    tree.write("(b.md", "# Bracket\n")
    tree.write("guide/README.md", "# Guide\n\n[x](<first steps.md#install>) [y](..)\n")
    tree.write("guide/index.mdx", "# Also an index\n")
    tree.write(
        "guide/first steps.md",
        "---\ntags: [x]\n---\n# First [steps]\n\n## Install\n\n[k](kb://doc/a.md) "
        "[l](kb://article/second#two) [m](/guide/) [n](../上下文/größe.html)\n",
    )
    tree.write("上下文/größe.md", "# Größe\n\nText.\n")
    tree.write("search/docs.md", "# Docs\n")
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "").replace("\\", "")[:40]
        tree.write(
            f"hostile/{name}.md", f"# {text}\n\n## {text}\n\n## More\n\n{text}\n"
        )
        quoted = json.dumps(text)
        frontmatter = f"title: {quoted}\ndescription: {quoted}\ntags: [{quoted}]"
        tree.write(f"titled/{number}.md", f"---\n{frontmatter}\n---\nText.\n")
    return tree


SIDEBAR = (
    '# Contents\n\n- [Start](index.md)\n- **Group <b>**\n  - [A "quoted"](a.md#a)\n'
    "  - [Bad](javascript:alert(1))\n  - [Worse](<javascript:alert(2)>)\n"
    "  - [Data](data:text/html,x)\n  - [Hidden](known-draft.md)\n"
    '  - [Elsewhere](https://example.com/?a=1&b="2")\n- [<script>](guide/README.md)\n'
)
"""A sidebar with links that must not be rendered."""


TOPBAR = (
    "## left\n- {{logo}} | [Start](index.md)\n- {{logo}}\n- [<b>](a.md#a)\n\n"
    "## middle\n- Words <b>\n- [Hidden](known-draft.md)\n"
    "- [Bad](javascript:alert(1))\n\n## right\n- {{search:mode=full}}\n"
    '- [Elsewhere](https://example.com/?a=1&b="2")\n- [Mail](mailto:a@example.com)\n'
)
"""A topbar with links that must not be rendered."""


def fill_both(folder: Path) -> tuple[KnowledgeBase, DocsTree]:
    """Write articles and documentation."""
    return fill_articles(KnowledgeBase(folder / "content")), fill_docs(
        DocsTree(folder / "docs")
    )
