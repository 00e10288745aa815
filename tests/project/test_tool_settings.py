"""Settings of tools that name instruction files."""

from pathlib import Path

import pytest
from support.project import make_project

from asdlc_kb.files.problem import Problem
from asdlc_kb.project.tool_settings import (
    CLAUDE,
    CODEX,
    CODEX_BYTES,
    GEMINI,
    MAX_NAMES,
    OPENCODE,
    SETTINGS_FILES,
    GuideSettings,
    read_codex_max_bytes,
    read_guide_settings,
    read_opencode_instructions,
)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ('{"context": {"fileName": "A.md"}}', ("A.md",)),
        ('{"context": {"fileName": ["A.md", 7, "B.md"]}}', ("A.md", "B.md")),
        (
            '{"context": {"fileName": ["./docs/A.md", " B.txt "]}}',
            ("docs/A.md", "B.txt"),
        ),
        ('{"contextFileName": "A.md"}', ("A.md",)),
        ('{\n  // names\n  "contextFileName": "A.md", /* x */\n}', ("A.md",)),
        ('{"contextFileName": ["../A.md", "/A.md", "~/A.md", "A.py", ".env"]}', ()),
        ('{"context": 3}', ()),
    ],
)
def test_gemini_cli_names_its_guides(
    tmp_path: Path, settings: str, names: tuple[str, ...]
) -> None:
    """One or several text files inside the project; the settings may have comments."""
    project = make_project(tmp_path, {GEMINI: settings})
    assert read_guide_settings(project.root) == GuideSettings(gemini=names)


def test_codex_and_claude_code_name_theirs(tmp_path: Path) -> None:
    """Other names, each once; patterns that are left out."""
    files = {
        CODEX: 'project_doc_fallback_filenames = ["A.md", "A.md", "B.md"]',
        GEMINI: '{"contextFileName": "B.md"}',
        CLAUDE: '{"claudeMdExcludes": ["**/a/CLAUDE.md"]}',
    }
    settings = read_guide_settings(make_project(tmp_path, files).root)
    assert settings == GuideSettings(("B.md",), ("A.md", "B.md"), ("**/a/CLAUDE.md",))
    assert settings.names == ("B.md", "A.md")


@pytest.mark.parametrize("path", SETTINGS_FILES)
@pytest.mark.parametrize("text", ["{broken", b"\xff\xfe", "[" * 100_000])
def test_settings_that_cannot_be_read_are_a_problem(
    tmp_path: Path, path: str, text: str | bytes
) -> None:
    """What they name is not known; none of their text is shown."""
    project = make_project(tmp_path, {path: text})
    problems = [*read_guide_settings(project.root).problems]
    assert read_opencode_instructions(project, problems) == []
    (problem,) = problems
    assert (problem.path, problem.code) == (path, "KB001")
    advice = "so the instructions that it may name are not known: fix it"
    assert problem.message.endswith(advice)
    assert "broken" not in problem.message


@pytest.mark.parametrize("text", ["", "// none\n", "{}"])
def test_settings_that_name_nothing_are_none(tmp_path: Path, text: str) -> None:
    """An empty file is no fault."""
    project = make_project(tmp_path, {GEMINI: text, OPENCODE: text, CLAUDE: text})
    problems: list[Problem] = []
    assert read_opencode_instructions(project, problems) == []
    assert (read_guide_settings(project.root), problems) == (GuideSettings(), [])


def test_both_files_of_opencode_are_read(tmp_path: Path) -> None:
    """With comments and trailing commas."""
    files = {
        "opencode.json": '{"instructions": ["a.md", "b.md"]}',
        "opencode.jsonc": '{\n  // ours\n  "instructions": ["b.md", "c.md",],\n}\n',
    }
    project = make_project(tmp_path, files)
    assert read_opencode_instructions(project) == ["a.md", "b.md", "c.md"]


def test_names_are_limited_and_settings_may_be_missing(tmp_path: Path) -> None:
    """A folder of that name is no settings file either."""
    names = ", ".join(f'"{number}.md"' for number in range(MAX_NAMES + 5))
    project = make_project(tmp_path, {OPENCODE: f'{{"instructions": [{names}]}}'})
    assert len(read_opencode_instructions(project)) == MAX_NAMES
    (project.root / OPENCODE).unlink()
    assert read_opencode_instructions(project) == []
    (project.root / OPENCODE).mkdir()
    assert read_opencode_instructions(project) == []


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ("project_doc_max_bytes = 65_536", 65_536),
        ('project_doc_max_bytes = "1"', CODEX_BYTES),
        ("project_doc_max_bytes = true", CODEX_BYTES),
        ("project_doc_max_bytes = 0", CODEX_BYTES),
        ("[broken", CODEX_BYTES),
        ("", CODEX_BYTES),
    ],
)
def test_codex_limits_its_guides(tmp_path: Path, settings: str, limit: int) -> None:
    """32 KiB by default."""
    project = make_project(tmp_path, {CODEX: settings})
    assert read_codex_max_bytes(project) == limit
