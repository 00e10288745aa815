"""Instructions without a text of their own, and those hidden by another file."""

from pathlib import Path

import pytest
from support.project import check_files, make_project

from asdlc_kb.project.checks import check_project

TEXT = "# House rules\n\nUse tabs.\n"


def test_an_empty_file_is_reported(tmp_path: Path) -> None:
    """Guides, and rules of frontmatter alone."""
    files = {
        "AGENTS.md": " \n",
        "CLAUDE.md": "x",
        ".cursor/rules/x.mdc": "---\nalwaysApply: true\n---\n\n",
        ".cursor/rules/y.mdc": "---\nalwaysApply: true\n---\nText",
    }
    message = "it has no text: write instructions or delete the file"
    paths = ["AGENTS.md", ".cursor/rules/x.mdc"]
    assert check_files(tmp_path, files, "KB045") == dict.fromkeys(paths, message)


def test_a_guide_that_repeats_the_one_above_is_reported(tmp_path: Path) -> None:
    """The nearest one of its name."""
    files = {
        **dict.fromkeys(["AGENTS.md", "a/b/AGENTS.md", "CLAUDE.md"], TEXT),
        "c/AGENTS.md": "Other",
        "c/d/AGENTS.md": TEXT,
    }
    assert check_files(tmp_path, files, "KB045") == {
        "a/b/AGENTS.md": "it repeats AGENTS.md, which tools read for this folder too: "
        "delete it"
    }


@pytest.mark.parametrize(
    "text",
    ["See [that](x.md).", "@./x.md", "@AGENTS.md", "See [that][a].\n\n[a]: x.md"],
)
def test_relative_texts_do_not_repeat_each_other(tmp_path: Path, text: str) -> None:
    """They mean other files in other folders."""
    files = {"CLAUDE.md": text, "a/CLAUDE.md": text}
    assert check_files(tmp_path, files, "KB045") == {}


def test_links_to_a_guide_do_not_repeat_it(tmp_path: Path) -> None:
    """Nor does a link to the one above."""
    project = make_project(tmp_path, {"AGENTS.md": TEXT, "a/x": ""})
    (project.root / "a" / "AGENTS.md").symlink_to("../AGENTS.md")
    (project.root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert check_project(project) == ()


def test_an_agents_md_that_claude_code_passes_over_is_reported(tmp_path: Path) -> None:
    """With the line to write, and where."""
    files = {"CLAUDE.md": "x", "AGENTS.md": "y", "web/AGENTS.md": "z"}
    reason = "Claude Code does not read it, because the project has a CLAUDE.md: write "
    assert check_files(tmp_path, files, "KB044") == {
        "AGENTS.md": f"{reason}'@AGENTS.md' in CLAUDE.md",
        "web/AGENTS.md": f"{reason}'@AGENTS.md' in web/CLAUDE.md",
    }


@pytest.mark.parametrize(
    "files",
    [
        {"AGENTS.md": "y"},
        {"CLAUDE.md": "x", "api/GEMINI.md": "y"},
        {"CLAUDE.md": "@AGENTS.md\n\nx", "AGENTS.md": "y"},
        {"CLAUDE.md": "@docs/a.md\n", "docs/a.md": "@../AGENTS.md", "AGENTS.md": "y"},
        {
            "CLAUDE.md": "Read `AGENTS.md` first.",
            "AGENTS.md": "y",
            "web/AGENTS.md": "z",
        },
        {"CLAUDE.md": "@AGENTS.md", "AGENTS.md": "y"},
        {"CLAUDE.md": "y", "AGENTS.md": "y\n"},
        {"CLAUDE.md": "x", "web/CLAUDE.md": "@AGENTS.md\n\nx", "web/AGENTS.md": "z"},
    ],
)
def test_an_agents_md_that_claude_code_reads_is_not(
    tmp_path: Path, files: dict[str, str]
) -> None:
    """By an import, a mention, or as an equal text."""
    assert check_files(tmp_path, files, "KB044") == {}


def test_a_file_in_place_of_which_another_is_read_is_reported(tmp_path: Path) -> None:
    """With both."""
    files = {".roorules": "x", ".roo/rules/a.md": "y"}
    assert check_files(tmp_path, files, "KB044") == {
        ".roorules": "Roo Code reads .roo/rules/ instead of it: move its text there"
    }


def test_copies_of_a_rule_that_differ_are_reported(tmp_path: Path) -> None:
    """At each but the first."""
    files = {
        ".cursor/rules/style.mdc": "---\nalwaysApply: true\n---\nUse tabs",
        ".claude/rules/style.md": "Use blanks",
        ".clinerules/style.md": "Use  tabs\n",
    }
    assert check_files(tmp_path, files, "KB049") == {
        ".claude/rules/style.md": "its text differs from .cursor/rules/style.mdc, "
        "which has the same name: make them equal or rename one"
    }


def test_an_agents_md_that_a_setting_excludes_is_not_reported(tmp_path: Path) -> None:
    """No CLAUDE.md is the reason."""
    settings = '{"claudeMdExcludes": ["**/web/AGENTS.md"]}'
    files = {"web/AGENTS.md": "x", ".claude/settings.json": settings}
    assert check_files(tmp_path, files, "KB044") == {}
