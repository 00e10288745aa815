"""Fixed articles, documentation, project and files of settings."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

MTIME: Final = 1_735_689_600
"""Seconds since the epoch: every file's and folder's time of change."""

_BODY: Final = """Intro with *emphasis*, `code`, <b>html</b> & a [link](other.md).

## Steps

1. One
2. Two

- [ ] open
- [x] done

```python
def add(a: int, b: int) -> int:
    return a + b
```

| a | b |
| - | - |
| 1 | 2 |

## Steps

See [gamma](../patterns/gamma.md#steps), <https://example.com> and kb://article/gamma.
"""


def _article(title: str, body: str = _BODY, /, **fields: str) -> str:
    head = {"description": f'"About {title}"', "lastUpdated": "2025-02-03"}
    head |= {"tags": "[CI/CD, Agents]", "status": "Live", "title": f'"{title}"'}
    lines = "".join(f"{k}: {v}\n" for k, v in {**head, **fields}.items() if v)
    return f"---\n{lines}---\n{body}"


_LONG: Final = "".join(
    f"## Part {number}\n\n"
    + f"Sentence {number} of a long text about throughput. " * 40
    + "\n\n"
    for number in range(1, 60)
)

ARTICLES: Final = {
    "concepts/alpha.md": _article("Alpha", relatedIds="[gamma, concepts/draft-one]"),
    "concepts/other.md": _article(
        "Other", "## One\n\nZeppelin words.\n", status="Experimental", author="Ann"
    ),
    "concepts/same.md": _article("Same in concepts", maturity="Standard"),
    "patterns/same.md": _article("Same in patterns", lastUpdated="2025-02-04"),
    "patterns/gamma.md": _article("Gamma", relatedIds="[concepts/alpha]"),
    "patterns/long.md": _article("Long", _LONG, lastUpdated="2025-01-01"),
    "patterns/bad-yaml.md": "---\ntitle: [open\nstatus: Live\n---\nBody\n",
    "patterns/no-end.md": "---\ntitle: Never closed\nstatus: Live\n",
    "patterns/empty.md": "",
    "practices/no-title.md": _article("x", title=""),
    "practices/bad-date.md": _article("Bad date", lastUpdated="soon"),
    "practices/no-status.md": _article("No status", status=""),
    "practices/odd-status.md": _article("Odd status", status="live"),
    "practices/plain.md": "# Without frontmatter\n\nText.\n",
    "practices/toml.md": (
        '+++\ntitle = "Toml"\ndescription = "In TOML"\nstatus = "Live"\n'
        "lastUpdated = 2025-02-03\n+++\nBody\n"
    ),
    "practices/json.md": (
        '{"title": "Json", "description": "In JSON", "status": "Live", '
        '"lastUpdated": "2025-02-03"}\nBody\n'
    ),
    "practices/werkzeuge-für-äpfel.md": _article(
        "Äpfel ✓ 日本語 👩‍👩‍👧", tags="[日本]"
    ),
    "practices/invisible.md": _article(
        "In\u200bvisible", "A\u202eb\U000e0041c\u00ad.\n"
    ),
    "practices/raw.md": _article(
        "Raw", "<script>alert(1)</script>\n\n[x](javascript:1)\n"
    ),
    "practices/long-description.md": _article("Wordy", description="word " * 60),
    "docs/guide.md": _article("A category named docs", "Text.\n"),
    "zebra/feed.xml.md": _article("Feed", "Text.\n", lastUpdated="2024-12-01"),
    "concepts/draft-one.md": _article("CANARY draft", "CANARY\n", status="Draft"),
    "concepts/proposed.md": _article("CANARY prop", "CANARY\n", status="Proposed"),
    "patterns/deprecated.md": _article(
        "CANARY old", "CANARY\n", status="Deprecated", supersededBy="[patterns/gamma]"
    ),
    "hidden/only.md": _article("CANARY only", "CANARY\n", status="Draft"),
    "root.md": _article("In the root"),
    "notes.txt": "no article\n",
} | {
    f"many/entry-{number:03}.md": _article(
        f"Entry {number}",
        f"Body {number}.\n",
        lastUpdated=f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}",
    )
    for number in range(110)
}

DOCS: Final[dict[str, str | bytes]] = {
    "index.md": "# Handbook\n\nWelcome to the [install](guide/install.md) page.\n",
    "sidebar.md": (
        "- [Start](index.md)\n- Guide\n  - [Install](guide/install.md)\n"
        "  - [Plans](guide/plans.md)\n- [Api](api/index.md)\n"
    ),
    "topbar.md": (
        "## left\n\n{{logo}}\n\n## middle\n\n[Guide](guide/install.md)\n\n"
        "## right\n\n[Plans](guide/plans.md) {{search}} [Out](https://example.com)\n"
    ),
    "guide/install.md": (
        "---\ntitle: Installing\ndescription: How to install\ntags: [setup]\n---\n"
        "Unpack it.\n\n## Rate limits {#limits}\n\nSet `rate_limit` to requests.\n\n"
        "{{#include ../snippet.md}}\n\n!!! note\n    Mind the xylophone.\n"
    ),
    "guide/plans.md": "---\ndraft: true\n---\n# CANARY plans\n\nCANARY\n",
    "guide/README.md": "# The guide\n\nOverview.\n",
    "guide/deep/er/page.md": "# Deep\n\n[up](../../install.md#limits)\n",
    "snippet.md": "# Snippet\n\nIncluded text.\n",
    "api/index.md": "# Api\n\n## Errors\n\n404 and others.\n",
    "api/comp.mdx": (
        "import X from './x'\n\n# Component\n\n<X a={1}>\nInside the component.\n</X>\n"
    ),
    "api/comp.md": "# Component in Markdown\n\nText.\n",
    "api/toml.md": '+++\ntitle = "Toml page"\n+++\nText.\n',
    "api/broken.md": "---\ntitle: [open\n---\n# Broken frontmatter\n\nText.\n",
    "api/hidden-broken.md": "---\ntitle: [open\nstatus: Draft\n---\nCANARY\n",
    "api/unfinished.md": "---\ntitle: no end\n",
    "api/latin.md": b"# Caf\xe9\n",
    "notes/long page.markdown": "# Long page\n\n" + _LONG,
    ".secret.md": "CANARY\n",
    "node_modules/x/README.md": "CANARY\n",
}

PROJECT: Final[dict[str, str | bytes]] = {
    "AGENTS.md": "# Agents\n\nRun the tests. @docs/more.md\n",
    "CLAUDE.md": "# Claude\n\nBe brief.\n",
    "web/AGENTS.md": "# Web\n\nUse semantic HTML.\n",
    ".cursor/rules/style.mdc": (
        "---\ndescription: Style\nglobs: *.py,src/**/*.ts\nalwaysApply: false\n---\n"
        "Use short names.\n"
    ),
    ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nAlways test.\n",
    ".cursor/rules/broken.mdc": "---\ndescription: [a\n---\nBroken.\n",
    ".cursor/commands/review.md": "Review $1 with $2.\n",
    ".cursor/commands/web/test.md": "Test: $ARGUMENTS\n",
    ".claude/commands/ship.md": (
        "---\ndescription: Ship it\nargument-hint: [version] [channel]\n---\n"
        "Ship $1 to $2. !`date` @file\n"
    ),
    ".claude/rules/style.md": "---\npaths: web/**\n---\nSecond of a name.\n",
    ".claude/agents/critic.md": "---\nname: critic\ndescription: d\n---\nCriticise.\n",
    ".claude/skills/plan/SKILL.md": (
        "---\nname: plan\ndescription: Plans work. Use before coding.\n---\n# Plan\n"
    ),
    ".claude/skills/plan/ref/list.md": "# List\n",
    ".claude/skills/plan/data.bin": b"\x00\x01\xff",
    ".claude/skills/plan/.env": "CANARY=1\n",
    "skills/Odd Name/SKILL.md": "---\nname: Odd Name\n---\nNo description.\n",
    "specs/login/spec.md": "---\nstatus: Draft\n---\n# Login\n\nUsers log in.\n",
    "specs/login/plan.md": "# Plan\n",
    "schemas/user.json": '{"$id": "user", "title": "User", "type": "object"}\n',
    "schemas/bad.json": "{not json\n",
    "src/main.py": "print('CANARY')\n",
    ".env": "CANARY=1\n",
}

OTHER_PROJECT: Final = {
    "AGENTS.md": "# Second project\n",
    ".cursor/rules/style.mdc": "---\nalwaysApply: true\n---\nThe second's style.\n",
    ".claude/commands/ship.md": "Ship the second: $ARGUMENTS\n",
    ".claude/skills/plan/SKILL.md": "---\nname: plan\ndescription: Second.\n---\nS\n",
}

FILES: Final = {
    "eval.toml": (
        "[floor]\nmrr = 0.1\n\n[[case]]\nquery = 'zeppelin'\n"
        "must_include = ['concepts/other']\nwithin = 3\n\n"
        "[[case]]\nquery = 'canary'\nmust_not_include = ['concepts/draft-one']\n"
    ),
    "eval-fails.toml": "[[case]]\nquery = 'zeppelin'\nmust_include = ['gamma']\n",
    "eval-bad.toml": "[[case]]\nquestion = 1\n",
    "settings.toml": 'title = "From a file"\nport = 8500\n',
    "settings-bad.toml": "no_such_setting = 1\nport = 'x'\n",
    "cwd/asdlc-kb.toml": 'host = "0.0.0.0"\n',
    "home/.claude.json": "{}\n",
}


def write_content(root: Path) -> None:
    """Write everything below a folder, with fixed times of change."""
    trees: dict[str, Mapping[str, str | bytes]] = {
        "content": ARTICLES,
        "handbook": DOCS,
        "project": PROJECT,
        "second": OTHER_PROJECT,
        ".": FILES,
    }
    for folder, files in trees.items():
        for name, text in files.items():
            path = root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (root / "project/AGENTS-link.md").symlink_to(root / "project/.env")
    (root / "content/concepts/linked.md").symlink_to("other.md")
    for name in ("work", "cache", "home"):
        (root / name).mkdir(exist_ok=True)
    for path in [*root.rglob("*"), root]:
        os.utime(path, (MTIME, MTIME), follow_symlinks=False)
