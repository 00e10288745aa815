"""Rules that no tool attaches."""

from pathlib import Path

import pytest
from support.project import check_files, make_project

from asdlc_kb.project import attachment_checks, project_files
from asdlc_kb.project.checks import check_project

CURSOR = ".cursor/rules/x.mdc"
COPILOT = ".github/instructions/x.instructions.md"
WINDSURF = ".windsurf/rules/x.md"
KIRO = ".kiro/steering/x.md"
CLINE = ".clinerules/x.md"
CLAUDE = ".claude/rules/x.md"


@pytest.mark.parametrize(
    ("path", "header", "message"),
    [
        (CURSOR, None, "Cursor attaches it to no file: add 'alwaysApply: true'"),
        (CURSOR, "paths: a", "Cursor attaches it to no file"),
        (CURSOR, 'alwaysApply: "true"', "reads alwaysApply in quotes as a text"),
        (COPILOT, None, "Copilot attaches it to no file: add 'applyTo: \"**\"'"),
        (COPILOT, "globs: a", "Copilot attaches it to no file"),
        (WINDSURF, None, "Windsurf attaches it to no file: add 'trigger: always_on'"),
        (WINDSURF, "trigger: glob", "add patterns in globs"),
        (WINDSURF, "trigger: model_decision", "offers it by its description"),
        (WINDSURF, "trigger: always", "does not know the value of trigger: use always"),
        (KIRO, "inclusion: fileMatch", "add patterns in fileMatchPattern"),
        (KIRO, "inclusion: auto", "Kiro offers it by its description"),
        (CLAUDE, "globs: src/**", "reads no globs and attaches it to every file"),
        (CLINE, "paths: []", "Cline never attaches a rule with empty paths"),
    ],
)
def test_frontmatter_that_attaches_a_rule_to_nothing_is_reported(
    tmp_path: Path, path: str, header: str | None, message: str
) -> None:
    """With the tool, and what to write instead."""
    text = "Text" if header is None else f"---\n{header}\n---\nText"
    assert message in check_files(tmp_path, {path: text}, "KB046")[path]


@pytest.mark.parametrize(
    ("path", "header"),
    [
        (CURSOR, "alwaysApply: false"),
        (CURSOR, "description:\nglobs:\nalwaysApply: false"),
        (CURSOR, "alwaysApply: true"),
        (CURSOR, "description: d"),
        (COPILOT, "description: d"),
        (COPILOT, 'applyTo: "**"'),
        (WINDSURF, "trigger: manual"),
        (WINDSURF, "trigger: always_on"),
        (KIRO, "inclusion: manual"),
        (KIRO, "title: x"),
        (CLINE, "title: x"),
        (".claude/rules/x.md", "title: x"),
        (".claude/rules/x.md", "paths:"),
        (".continue/rules/x.md", "alwaysApply: false"),
        (".augment/rules/x.md", "type: manual"),
        (".roo/rules-code/x.md", "title: x"),
        (".cursorrules", "title: x"),
    ],
)
def test_a_rule_that_is_meant_so_is_not_reported(
    tmp_path: Path, path: str, header: str
) -> None:
    """Always, by its description, or by hand."""
    text = f"---\n{header}\n---\nText"
    assert check_files(tmp_path, {path: text}, "KB046") == {}


@pytest.mark.parametrize(
    ("patterns", "is_reported"),
    [
        ("src/*.tsx", False),
        ("**/*.tsx", False),
        ("**/*.py,src/**", False),
        (".github/**/*.yml", False),
        ("*.{js,tsx}", True),
        ("**/*.py", True),
        ("src/*.ts", True),
        ("Src/**", True),
        ("!**/*.py", False),
        ("dist/**", False),
        ("**/gen/*.py", False),
        ("node_modules/**", True),
    ],
)
def test_patterns_that_match_no_file_are_reported(
    tmp_path: Path, patterns: str, is_reported: bool
) -> None:
    """Except those of files that Git ignores."""
    files = {
        CLINE: f'---\npaths: "{patterns}"\n---\nText',
        ".gitignore": "/dist\ngen/\n",
        **dict.fromkeys(["src/a.tsx", ".github/workflows/a.yml"], ""),
        "node_modules/a.js": "",
    }
    found = check_files(tmp_path, files, "KB046")
    assert bool(found) is is_reported
    hint = "; begin them with '**/' to match in folders"
    if is_reported:
        message = "Cline attaches it to no file: none matches its patterns"
        expected = message + (hint if patterns == "*.{js,tsx}" else "")
        assert found == {CLINE: expected}


@pytest.mark.parametrize(
    ("patterns", "is_reported"),
    [
        *(("*.{js,tsx}", False), ("SRC/**", False), ("deep", False), ("/deep", True)),
        *(("src/*", False), ("src/d*", False), ("*.py", True), ("./src/**", True)),
        *(("deep/**", False), ("/deep/**", True), ("b.tsx/", True), ("de/**", True)),
        *(("**, !src/**", False), ("*.tsx, !b.tsx", True), ("node_modules/**", True)),
    ],
)
def test_patterns_of_claude_code_are_those_of_a_gitignore(
    tmp_path: Path, patterns: str, is_reported: bool
) -> None:
    """D-276: no hint is needed, since a pattern matches in any folder."""
    files = {
        CLAUDE: f'---\npaths: "{patterns}"\n---\nText',
        "src/deep/b.tsx": "",
        "node_modules/a.js": "",
    }
    message = "Claude Code attaches it to no file: none matches its patterns"
    expected = {CLAUDE: message} if is_reported else {}
    assert check_files(tmp_path, files, "KB046") == expected


def test_patterns_of_a_nested_rule_are_from_its_folder_or_the_top(
    tmp_path: Path,
) -> None:
    """And match only below its folder."""
    rule = '---\nglobs: "{}"\n---\nText'
    files = {
        "web/.cursor/rules/a.mdc": rule.format("src/*.ts"),
        "web/.cursor/rules/b.mdc": rule.format("web/src/*.ts"),
        "web/.cursor/rules/c.mdc": rule.format("api/*.py"),
        **dict.fromkeys(["web/src/a.ts", "api/a.py"], ""),
    }
    assert [*check_files(tmp_path, files, "KB046")] == ["web/.cursor/rules/c.mdc"]


@pytest.mark.parametrize("is_large", [True, False])
def test_nothing_is_concluded_from_a_part_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    """Where there are too many, or matching takes too long."""
    files = {".claude/rules/x.md": '---\npaths: "**/*.py"\n---\nText', "a/b": ""}
    project = make_project(tmp_path, {**files, "a/c": "", "a/c.py.x": ""})
    assert [problem.code for problem in check_project(project)] == ["KB046"]
    if is_large:
        monkeypatch.setattr(project_files, "MAX_FILES", 2)
    else:
        monkeypatch.setattr(attachment_checks, "MAX_STEPS", 0)
        (project.root / "x.py").mkdir()
        (project.root / "x.py" / "y.py").touch()
    assert check_project(project) == ()
