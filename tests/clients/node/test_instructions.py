"""Instructions that coding agents put into their prompts, and `rules_for_path`.

A project has a file in each place, with a word of its own. An agent starts in one of
its folders; the words in its first request are the files that it read.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import coding_agents
from support.coding_agents import Session, run_task
from support.files import save_in_place
from support.model_api import anthropic_messages
from support.model_api.conversation import Call, Script

from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.instruction_places import PLACES, TOOLS
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner

AGENTS: dict[str, Platform] = {"claude": "claude", "codex": "codex", "gemini": "gemini"}
FOLDER = "web/app"

OWN = {
    "claude": ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    "codex": ("AGENTS.override.md",),
    "gemini": (),
}
"""Files that change what else an agent reads, beside those that all projects have."""


def make_project(root: Path, agent: str, *, has_own: bool) -> dict[str, str]:
    """Write a file in each place at the top and in two folders; return their words."""
    names = {place.path: "" for place in PLACES if not place.is_folder}
    others = {name for tool in OWN.values() for name in tool} - {*OWN[agent]}
    left_out = others if has_own else others | {*OWN[agent]}
    words: dict[str, str] = {}
    for scope in ("", "web/", f"{FOLDER}/", "other/"):
        for name in names:
            if name in left_out:
                continue
            words[f"{scope}{name}"] = f"word{len(words):03}end"
    for folder in (".claude/rules", ".cursor/rules", ".github/instructions"):
        for scope in ("", "web/"):
            words[f"{scope}{folder}/a.md"] = f"word{len(words):03}end"
    words[f"{FOLDER}/docs/imported.md"] = f"word{len(words):03}end"
    for path, word in words.items():
        text = f"The word is {word}.\n"
        if path in (f"{FOLDER}/CLAUDE.md", f"{FOLDER}/GEMINI.md"):
            # Claude Code asks before it reads a file outside the folder it starts in.
            text += "\nSee @docs/imported.md for more.\n"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", root], check=True, timeout=30)
    return words


GEMINI, CODEX = ".gemini/settings.json", ".codex/config.toml"
TEXTS = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md", "GEMINI.md", "TEAM.md", "docs/AI.md")

SETTINGS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "gemini, one name": ("gemini", GEMINI, '{"context": {"fileName": "TEAM.md"}}', ()),
    "gemini, comments": (
        *("gemini", GEMINI),
        '{\n  // names\n  "context": {"fileName": ["AGENTS.md", "./docs/AI.md"]}\n}',
        (),
    ),
    "codex, first name": (
        *("codex", CODEX, 'project_doc_fallback_filenames = ["CLAUDE.md", "TEAM.md"]'),
        ("AGENTS.md",),
    ),
    "codex, second name": (
        *("codex", CODEX, 'project_doc_fallback_filenames = ["OTHER.md", "TEAM.md"]'),
        ("AGENTS.md",),
    ),
    "codex, no need": (
        *("codex", CODEX, 'project_doc_fallback_filenames = ["CLAUDE.md", "TEAM.md"]'),
        (),
    ),
}
"""Agents, settings of a project, and which of the texts it does not have."""

EXCLUDES = (
    "**/web/CLAUDE.md",
    "{root}/web/app/CLAUDE.md",
    "**/rules/a.md",
    "CLAUDE.md",
)

FILES = ("src/deep/a.ts", "pages/[id]/x.vue")

PATTERNS = (
    *"*.ts *.TS *.py * ** /** **/* a.ts /a.ts a.ts/".split(),
    *"deep DEEP deep/ deep/* deep/**".split(),
    *"src src/ src/* src/** /src/** ./src/** src//deep lib ../** !src/** #src".split(),
    *"deep/a.ts deep/*.ts **/deep **/deep/*.ts */a.ts */*/a.ts src/*/a.ts".split(),
    *"src/**/a.ts src/**/** src/deep/a.ts/** src/**/*.tsx s*c/d*p/*.t* ?rc/**".split(),
    *"src/deep/?.ts src/deep/[ab].ts src/deep/[!a].ts src/deep/[^b].ts".split(),
    *r"pages/\[id\]/* pages/[id]/* \[id\] [id]".split(),
    *"**/*.{js,ts} {src,lib}/** {lib,app}/**".split(),
    *("lib/**, src/**/*.ts", "src/**, !src/deep/**", "src/**/*.ts, !src/deep/**"),
    *("**/*.ts, !**/a.ts", "!**/a.ts, **/*.ts", "*.ts, !a.ts, a.*", "*.ts, !deep"),
    "src/*, !src/deep",
)
"""Patterns of Claude Code's rules; some match a file."""

HEADERS = (
    *("globs: 'lib/**'", "globs: 'src/**'", "globs: 'lib/**'\nalwaysApply: true"),
    *("globs: 'src/**'\npaths: 'lib/**'", "description: x", "alwaysApply: false"),
    *("paths:", "paths: []", "paths: ~", "paths: src/**/*.ts", "paths: **/*.ts"),
    *("paths: [lib/**, src/**]", "paths:\n  - lib/**\n  - 'src/**'"),
)
"""Other headers of such rules."""


def make_rules(root: Path) -> dict[str, str]:
    """Write a rule for each pattern and header, and some in a folder."""
    headers = [*(f"paths: '{pattern}'" for pattern in PATTERNS), *HEADERS]
    rules = {f".claude/rules/{n}.md": header for n, header in enumerate(headers)}
    nested = ("deep/**", "src/deep/**", "*.ts", "/a.ts", "/deep/a.ts")
    for number, pattern in enumerate(nested):
        rules[f"src/.claude/rules/{number}.md"] = f"paths: '{pattern}'"
    words: dict[str, str] = {}
    for path, header in rules.items():
        words[path] = f"word{len(words):03}end"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        text = f"---\n{header}\n---\nThe word is {words[path]}.\n"
        (root / path).write_text(text, encoding="utf-8")
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("let a = 1\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", root], check=True, timeout=30)
    return words


def answer() -> Script:
    """Answer at once."""
    yield from ()
    return "Done."


@pytest.mark.parametrize("has_own", [True, False], ids=["own files", "others' files"])
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_reads_what_is_said_to_apply(
    agent: str, has_own: bool, home: Path, tmp_path: Path, programs: Path
) -> None:
    """For a file of the folder it starts in; rules with patterns come with the file."""
    root = tmp_path / "project"
    root.mkdir()
    words = make_project(root, agent, has_own=has_own)
    command = (sys.executable, "-m", "asdlc_kb", "stdio", "--project", str(root))
    session = run_task(
        agent, command, answer(), home=home, programs=programs, folder=root / FOLDER
    )
    assert check_read(session, words, root, agent, f"{FOLDER}/a.ts")


def check_read(
    session: Session, words: Mapping[str, str], root: Path, agent: str, *files: str
) -> set[str]:
    """Return the texts of which the words were sent; check that they apply to files."""
    sent = b"".join(session.bodies).decode()
    read = {path for path, word in words.items() if word in sent}
    scanner = ProjectScanner(Project("project", root, is_personal=True))
    assert read == {
        rule.path
        for file in files
        for rule in rules_for_path(scanner, file, AGENTS[agent])
    }
    return read


def test_claude_code_attaches_the_rules_that_are_said_to_match(
    home: Path, tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-276: when it reads files, with the tool of its own for that."""
    monkeypatch.setattr(anthropic_messages, "_PREFIX", "")
    root = tmp_path / "project"
    root.mkdir()
    words = make_rules(root)

    def read_files() -> Script:
        for path in FILES:
            yield Call("Read", {"file_path": str(root / path)})
        return "Done."

    command = (sys.executable, "-m", "asdlc_kb", "stdio", "--project", str(root))
    session = run_task(
        "claude", command, read_files(), home=home, programs=programs, folder=root
    )
    attached = check_read(session, words, root, "claude", *FILES)
    assert len(words) // 3 < len(attached) < len(words)


@pytest.mark.parametrize("case", SETTINGS)
def test_an_agent_reads_what_the_settings_of_a_project_name(
    case: str,
    home: Path,
    tmp_path: Path,
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-277: started at its top; Codex in a project that the user trusts."""
    agent, path, settings, missing = SETTINGS[case]
    root = tmp_path / "project"
    words = {
        f"{scope}{name}": f"word{number}{scope.strip('/')}end"
        for scope in ("", "web/")
        for number, name in enumerate(TEXTS)
        if name not in missing
    }
    save_in_place(root / path, settings)
    for text_path, word in words.items():
        save_in_place(root / text_path, f"The word is {word}.\n")
    subprocess.run(["git", "init", "-q", root], check=True, timeout=30)
    trusted = f'\n[projects."{root}"]\ntrust_level = "trusted"\n'
    monkeypatch.setattr(coding_agents, "_CODEX", coding_agents._CODEX + trusted)
    command = (sys.executable, "-m", "asdlc_kb", "stdio", "--project", str(root))
    session = run_task(
        agent, command, answer(), home=home, programs=programs, folder=root
    )
    assert check_read(session, words, root, agent, "a.ts")


def test_claude_code_leaves_out_what_the_settings_of_a_project_exclude(
    home: Path, tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-277: by patterns of absolute paths; a guide above it is read."""
    monkeypatch.setattr(anthropic_messages, "_PREFIX", "")
    root = tmp_path / "project"
    root.mkdir()
    words = make_project(root, "claude", has_own=True)
    excludes = [pattern.format(root=root) for pattern in EXCLUDES]
    settings = json.dumps({"claudeMdExcludes": excludes})
    save_in_place(root / ".claude/settings.json", settings)
    file = save_in_place(root / FOLDER / "a.ts", "let a = 1\n")

    def read_file() -> Script:
        yield Call("Read", {"file_path": str(file)})
        return "Done."

    command = (sys.executable, "-m", "asdlc_kb", "stdio", "--project", str(root))
    session = run_task(
        "claude", command, read_file(), home=home, programs=programs, folder=root
    )
    read = check_read(session, words, root, "claude", f"{FOLDER}/a.ts")
    assert "CLAUDE.md" in read
    assert "web/CLAUDE.md" not in read


def test_the_agents_are_tools_of_the_table() -> None:
    """Their names are those of its rows."""
    assert set(AGENTS.values()) <= set(TOOLS)
