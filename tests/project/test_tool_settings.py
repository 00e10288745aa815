"""Settings of tools that name instruction files."""

from pathlib import Path

import pytest
from support.project import make_project

from asdlc_kb.project.tool_settings import (
    CODEX,
    CODEX_BYTES,
    GEMINI,
    MAX_NAMES,
    OPENCODE,
    read_codex_max_bytes,
    read_gemini_names,
    read_opencode_instructions,
)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ('{"context": {"fileName": "A.md"}}', ["A.md"]),
        ('{"context": {"fileName": ["A.md", 7, "B.md"]}}', ["A.md", "B.md"]),
        ('{"contextFileName": "A.md"}', ["A.md"]),
        ('{"context": 3}', ["GEMINI.md"]),
        ("{broken", ["GEMINI.md"]),
        ("[" * 100_000, ["GEMINI.md"]),
        ("[]", ["GEMINI.md"]),
    ],
)
def test_gemini_cli_names_its_guides(
    tmp_path: Path, settings: str, names: list[str]
) -> None:
    """One name or several; unreadable settings are as none."""
    project = make_project(tmp_path, {GEMINI: settings})
    assert list(read_gemini_names(project)) == names


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
