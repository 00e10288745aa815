"""Instruction files, each with the tools that read it."""

import json
from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import list_problems, make_project, scan_of

from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.guide_texts import scan_guide_texts
from asdlc_kb.project.instruction_files import list_guides, list_rules, list_tools
from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_settings import GEMINI


def tools_of(scanner: ProjectScanner) -> dict[str, tuple[str, ...]]:
    """Return the tools of each existing file."""
    listed = (*list_guides(scanner), *list_rules(scanner))
    return {
        one.file.path: list_tools(scanner, one)
        for one in listed
        if scanner.read(one.file) is not None
    }


RULE = "Use tabs.\n"

FILES = {
    ".cursor/rules/a.mdc": "cursor",
    "app/.cursor/rules/a.mdc": "cursor",
    ".claude/rules/deep/a.md": "claude copilot",
    "app/.claude/rules/a.md": "claude",
    ".github/copilot-instructions.md": "copilot zed",
    ".github/instructions/deep/a.instructions.md": "copilot",
    ".windsurf/rules/a.md": "windsurf",
    "app/.windsurf/rules/a.md": "windsurf",
    ".devin/rules/a.md": "windsurf",
    ".clinerules/01-a.md": "cline",
    ".clinerules/b.txt": "cline",
    ".cline/rules/a.md": "cline",
    ".kiro/steering/a.md": "kiro",
    ".roo/rules/a.md": "roo",
    ".roo/rules-code/a.txt": "roo",
    ".junie/guidelines.md": "junie",
    ".continue/rules/a.md": "continue",
    ".augment/rules/deep/a.md": "augment",
    ".trae/rules/project_rules.md": "trae",
}
"""Files of all tools without a guide, with the tools that read them."""


def test_the_files_of_every_tool_are_found(tmp_path: Path) -> None:
    """D-226: with the tools that read them, by their documentation."""
    scanner = scan_of(tmp_path, dict.fromkeys(FILES, RULE))
    assert tools_of(scanner) == {path: tuple(t.split()) for path, t in FILES.items()}
    assert list_problems(scanner) == []


@pytest.mark.parametrize(
    ("paths", "path", "tools"),
    [
        (".cursorrules", ".cursorrules", "cursor cline zed"),
        (".cursorrules .rules", ".cursorrules", "cursor cline"),
        (".cursorrules .rules", ".rules", "zed"),
        (".clinerules", ".clinerules", "cline roo zed"),
        (".clinerules .roorules", ".clinerules", "cline zed"),
        (".roorules .roo/rules/a.md", ".roorules", ""),
        (".cursor/rules/a.md", ".cursor/rules/a.md", ""),
        ("AGENT.md", "AGENT.md", "roo zed"),
        ("app/CLAUDE.md", "app/CLAUDE.md", "claude opencode augment"),
        ("app/CLAUDE.md AGENTS.md", "app/CLAUDE.md", "claude augment"),
        ("app/GEMINI.md", "app/GEMINI.md", "gemini"),
        ("GEMINI.md", "GEMINI.md", "copilot gemini zed"),
        ("CLAUDE.md", ".claude/CLAUDE.md", None),
        ("app/.claude/CLAUDE.md", "app/.claude/CLAUDE.md", "claude"),
        ("app/agents.md", "app/agents.md", "windsurf"),
        ("AGENTS.md AGENTS.override.md", "AGENTS.override.md", "codex"),
        (".clinerules/workflows/a.md", ".clinerules/workflows/a.md", None),
    ],
)
def test_a_file_may_replace_another(
    tmp_path: Path, paths: str, path: str, tools: str | None
) -> None:
    """Some tools read the first of several; a workflow is no rule."""
    found = tools_of(scan_of(tmp_path, dict.fromkeys(paths.split(), RULE)))
    assert found.get(path) == (None if tools is None else tuple(tools.split()))


def test_claude_code_reads_agents_md_in_a_project_without_its_own(
    tmp_path: Path,
) -> None:
    """At the top and below; one CLAUDE.md at the top ends it."""
    files = dict.fromkeys(("AGENTS.md", "app/AGENTS.md"), RULE)
    found = tools_of(scan_of(tmp_path, files))
    assert [("claude" in tools) for tools in found.values()] == [True, True]
    found = tools_of(scan_of(tmp_path, {**files, "CLAUDE.md": RULE}))
    agents = [tools for path, tools in found.items() if path.endswith("AGENTS.md")]
    assert [("claude" in tools) for tools in agents] == [False, False]


def test_gemini_reads_the_names_of_its_settings(tmp_path: Path) -> None:
    """D-277: besides GEMINI.md, in any folder; a path is one from the folder."""
    names = ("AGENTS.md", "GEMINI.md", "TEAM.md", "web/TEAM.md", "web/docs/AI.md")
    settings = '{"context": {"fileName": ["AGENTS.md", "TEAM.md", "docs/AI.md"]}}'
    files = {**dict.fromkeys((*names, "AI.md"), RULE), GEMINI: settings}
    found = tools_of(scan_of(tmp_path, files))
    assert {path for path, tools in found.items() if "gemini" in tools} == {*names}
    assert found["web/docs/AI.md"] == ("gemini",)
    scanner = scan_of(tmp_path, files)
    guides = {guide.path: guide for guide in scan_guides(scanner)}
    assert (guides["web/docs/AI.md"].scope, guides["TEAM.md"].kind) == ("web", "gemini")
    applying = rules_for_path(scan_of(tmp_path, files), "web/src/a.ts", "gemini")
    paths = {path for rule in applying for path in (rule.path, *rule.also_in)}
    assert paths == {*names}
    readable = find_readable(scanner, "web/docs/AI.md")
    assert readable is not None
    assert readable.read(scanner) == RULE


def test_codex_reads_the_first_name_of_its_settings(tmp_path: Path) -> None:
    """D-277: in each folder without an AGENTS.md."""
    settings = 'project_doc_fallback_filenames = ["TEAM.md", "CLAUDE.md", "../X.md"]'
    names = ("AGENTS.md", "TEAM.md", "a/CLAUDE.md", "a/TEAM.md", "b/CLAUDE.md")
    files = {**dict.fromkeys(names, RULE), ".codex/config.toml": settings}
    found = tools_of(scan_of(tmp_path, files))
    read = {path for path, tools in found.items() if "codex" in tools}
    assert read == {"AGENTS.md", "a/TEAM.md", "b/CLAUDE.md"}


def test_claude_code_leaves_out_what_its_settings_exclude(tmp_path: Path) -> None:
    """D-277: guides and rules, by patterns of their absolute paths."""
    names = ("CLAUDE.md", "a/CLAUDE.md", "b/CLAUDE.md", ".claude/rules/x.md")
    root = make_project(tmp_path, dict.fromkeys(names, RULE)).root
    excludes = ["**/a/CLAUDE.md", f"{root}/b/*.md", "**/.claude/rules/**", "CLAUDE.md"]
    settings = json.dumps({"claudeMdExcludes": excludes})
    save_in_place(root / ".claude/settings.json", settings)
    rules = tools_of(ProjectScanner(Project("project", root)))
    assert {path for path, tools in rules.items() if "claude" in tools} == {"CLAUDE.md"}
    (rule,) = scan_rules(ProjectScanner(Project("project", root)))
    assert rule.tools == ("copilot",)


def test_a_name_of_the_settings_discloses_nothing(tmp_path: Path) -> None:
    """Keys, hidden files and files outside are not read, whatever names them."""
    names = [".env.md", ".x/a.md", "key.pem", "../o.md", "node_modules/p/a.md", "l.md"]
    settings = json.dumps({"contextFileName": names})
    own = [name for name in names if ".." not in name and name != "l.md"]
    root = make_project(
        tmp_path, {**dict.fromkeys(own, "SECRET"), GEMINI: settings}
    ).root
    save_in_place(tmp_path / "o.md", "SECRET")
    (root / "l.md").symlink_to("../o.md")
    assert scan_guides(ProjectScanner(Project("project", root))) == ()


def test_settings_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    """D-277: by a scan of the whole project, and for one path."""
    for path in (None, "a.ts"):
        scanner = scan_of(tmp_path, {GEMINI: "{", "opencode.json": "["})
        rules_for_path(scanner, "a.ts") if path else scan_guide_texts(scanner)
        assert list_problems(scanner) == [(GEMINI, "KB001"), ("opencode.json", "KB001")]


def test_a_personal_guide_is_for_one_person(tmp_path: Path) -> None:
    """D-227: CLAUDE.local.md is served over stdio only."""
    project = make_project(tmp_path, {"CLAUDE.local.md": RULE})
    assert list(list_guides(ProjectScanner(project))) == []
    own = Project(project.name, project.root, is_personal=True)
    assert tools_of(ProjectScanner(own)) == {"CLAUDE.local.md": ("claude", "copilot")}


def test_one_tool_is_asked_for(tmp_path: Path) -> None:
    """What it reads, and nothing else."""
    scanner = scan_of(tmp_path, dict.fromkeys((*FILES, "AGENTS.md"), RULE))
    found = [rule.path for rule in rules_for_path(scanner, "a.ts", "kiro")]
    assert found == ["AGENTS.md", ".kiro/steering/a.md"]


def test_a_rule_that_is_not_for_one_agent_says_so(tmp_path: Path) -> None:
    """Copilot's `excludeAgent`."""
    text = "---\napplyTo: '**'\nexcludeAgent: code-review\n---\n"
    scanner = scan_of(tmp_path, {".github/instructions/a.instructions.md": text})
    (rule,) = rules_for_path(scanner, "a.ts")
    assert rule.name == "a"
    assert rule.why == "the path matches **, but not for code-review"
