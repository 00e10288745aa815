"""Links and imports in rules and guides that lead to nothing."""

from pathlib import Path

import pytest
from support.project import check_files, make_project

from asdlc_kb.project.checks import check_project

RULE = ".cursor/rules/x.mdc"
FILES = {
    **dict.fromkeys(["web/a.ts", "docs/a b.md", "web/docs/c.md", "web/.env"], ""),
    ".gitignore": "build/\n",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (RULE, "[a](mdc:web/b.ts)"),
        (RULE, "[a](mdc:/web/b.ts)"),
        (RULE, "[a](gone.ts)"),
        (RULE, "[a](../gone.md#x)"),
        (RULE, "[a]: gone.md"),
        (".kiro/steering/x.md", "#[[file:web/b.ts]]"),
        ("AGENTS.md", "[a](docs/gone.md)"),
        ("web/AGENTS.md", "[a](./gone/)"),
        ("CLAUDE.md", "Read @docs/gone.md"),
        ("GEMINI.md", "Read @./gone.txt"),
    ],
)
def test_a_link_to_nothing_is_reported_with_its_line(
    tmp_path: Path, path: str, text: str
) -> None:
    """Of the file."""
    project = make_project(tmp_path, {**FILES, path: f"Text\n\n{text}\n"})
    found = [p for p in check_project(project) if p.code == "KB048"]
    assert [(problem.path, problem.line) for problem in found] == [(path, 3)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        *(
            (RULE, "[a](mdc:web/a.ts)"),
            (RULE, "[a](web/a.ts)"),
            (RULE, "[a](mdc:/web)"),
        ),
        *((RULE, "[a](../../web/a.ts#L3)"), (RULE, "[a](docs/a%20b.md)")),
        *((RULE, "#[[file:web/b.ts]]"), (RULE, "`[a](gone.md)`")),
        *((RULE, "```\n[a](gone.md)\n```"), (RULE, "[a](https://x.org/gone.md)")),
        *((RULE, "[a](#gone)"), (RULE, "[a](mailto:x@y.org)"), (RULE, "[a](url)")),
        *((RULE, "[a](/gone/x)"), (RULE, "[a](path/to/x.md)"), (RULE, "[a](.../x.md)")),
        *(
            (RULE, "[a](src/<name>/x.md)"),
            (RULE, "[a](x/{id}.md)"),
            (RULE, "[a](*.ts)"),
        ),
        *((RULE, "[a](../../../x.md)"), (RULE, "[a](build/x.md)"), (RULE, "[a](x)")),
        ("web/AGENTS.md", "[a](docs/c.md) [b](web/a.ts) [c](../docs)"),
        ("AGENTS.md", "@docs/gone.md is not imported where there is a CLAUDE.md"),
        ("CLAUDE.md", "@web/a.ts @web/docs/c.md @~/gone.md @someone @scope/pkg"),
        ("CLAUDE.md", "`@docs/gone.md` @build/gone.md @<DIR>/gone.md @web/.env"),
    ],
)
def test_a_link_that_leads_somewhere_is_not_reported(
    tmp_path: Path, path: str, text: str
) -> None:
    """Nor one that leads out, is an example, or is ignored by Git."""
    files = {**FILES, "CLAUDE.md": "x", path: f"Text\n\n{text}\n"}
    assert check_files(tmp_path, files, "KB048") == {}


def test_a_link_to_another_guide_is_checked_once(tmp_path: Path) -> None:
    """At the file with the text."""
    project = make_project(tmp_path, {"AGENTS.md": "[a](gone.md)"})
    (project.root / "CLAUDE.md").symlink_to("AGENTS.md")
    found = [p.path for p in check_project(project) if p.code == "KB048"]
    assert found == ["AGENTS.md"]
