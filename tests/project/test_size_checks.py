"""Instructions beyond what a tool reads, or beyond what an agent can afford."""

from pathlib import Path

from support.project import check_files

from asdlc_kb.project.size_checks import MAX_ALWAYS_CHARS, MAX_WINDSURF_CHARS

HALF = "\u00e9" * 8_192


def test_codex_cuts_the_guides_from_the_top_down(tmp_path: Path) -> None:
    """In bytes; reported where it begins."""
    files = {
        "AGENTS.md": HALF,
        "a/AGENTS.md": HALF,
        "a/b/AGENTS.md": "x",
        "a/b/c/AGENTS.md": "x",
        "d/AGENTS.md": HALF,
    }
    assert check_files(tmp_path, files, "KB047") == {
        "a/b/AGENTS.md": "Codex reads 32,768 bytes of AGENTS.md files down to this "
        "one, which have 32,769: shorten it"
    }


def test_one_guide_can_be_too_large_for_codex(tmp_path: Path) -> None:
    """Its setting in the project counts."""
    files = {"AGENTS.md": HALF, "a/AGENTS.md": "x"}
    assert check_files(tmp_path, files, "KB047") == {}
    files[".codex/config.toml"] = "project_doc_max_bytes = 16_383\n"
    assert check_files(tmp_path, files, "KB047") == {
        "AGENTS.md": "Codex reads 16,383 bytes of it, which has 16,384: shorten it"
    }
    # Codex reads the override instead.
    files["AGENTS.override.md"] = "x"
    assert check_files(tmp_path, files, "KB047") == {}


def test_windsurf_cuts_a_rule(tmp_path: Path) -> None:
    """In characters, frontmatter included."""
    header = "---\ntrigger: manual\n---\n"
    text = header + "\u00e9" * (MAX_WINDSURF_CHARS - len(header))
    files = {".windsurf/rules/a.md": text, ".windsurf/rules/b.md": f"{text}x"}
    assert check_files(tmp_path, files, "KB047") == {
        ".windsurf/rules/b.md": "Windsurf reads 12,000 of its 12,001 characters: split "
        "it"
    }


def test_what_is_always_attached_has_a_budget(tmp_path: Path) -> None:
    """For each tool, with imports; reported once, at the largest."""
    part = "x\n" * (MAX_ALWAYS_CHARS // 6)
    files = {
        "CLAUDE.md": f"@docs/a.md\n{part}",
        "docs/a.md": f"{part}{part}",
        ".claude/rules/a.md": "Text",
        ".claude/rules/b.md": f"---\npaths: docs/*\n---\n{part}{part}",
        "web/CLAUDE.md": part * 9,
        "web/.claude/rules/c.md": part * 9,
    }
    found = check_files(tmp_path, files, "KB047")
    assert [*found] == ["docs/a.md"]
    assert found["docs/a.md"].startswith("Claude Code would attach 60,0")
    assert "(3 files, this is the largest)" in found["docs/a.md"]
    files["docs/a.md"] = part
    assert check_files(tmp_path, files, "KB047") == {}


def test_tools_that_attach_the_same_are_named_together(tmp_path: Path) -> None:
    """In one problem."""
    files = {"GEMINI.md": "x" * (MAX_ALWAYS_CHARS + 1)}
    assert check_files(tmp_path, files, "KB047") == {
        "GEMINI.md": "Copilot, Gemini CLI and Zed would attach 60,001 characters to "
        "every conversation (this file): give rules patterns, or shorten them to 60,000"
    }
