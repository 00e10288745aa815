"""Commands, skills and agents of every tool: at the top, nested, and of plugins."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import list_problems, make_project, scan_of

from asdlc_kb.project.agents import scan_agents
from asdlc_kb.project.artifact_folders import find_folders
from asdlc_kb.project.artifact_places import COMMANDS
from asdlc_kb.project.commands import get_command, scan_commands
from asdlc_kb.project.context import scan_project
from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skills import get_skill, scan_skills

SKILL = "---\nname: x\ndescription: Does x\n---\nText.\n"
TEXT = "---\ndescription: Does x\n---\nText.\n"
TOML = 'description = "Does x"\nprompt = """\nText.\n"""\n'


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        (".cursor/commands/x.md", TEXT, "x"),
        (".claude/commands/git/x.md", TEXT, "git:x"),
        (".github/prompts/x.prompt.md", TEXT, "x"),
        (".gemini/commands/git/x.toml", TOML, "git:x"),
        (".windsurf/workflows/x.md", TEXT, "x"),
        (".devin/workflows/x.md", TEXT, "x"),
        (".clinerules/workflows/x.md", TEXT, "x"),
        (".roo/commands/x.md", TEXT, "x"),
        (".continue/prompts/x.md", TEXT, "x"),
        (".opencode/command/x.md", TEXT, "x"),
        (".opencode/commands/x.md", TEXT, "x"),
        (".augment/commands/x.md", TEXT, "x"),
    ],
)
def test_commands_of_every_tool_are_read(
    tmp_path: Path, path: str, text: str, name: str
) -> None:
    """With name, description and text, whatever the tool calls them."""
    scanner = scan_of(tmp_path, {path: text})
    (command,) = scan_commands(scanner)
    assert (command.name, command.path) == (name, path)
    assert (command.description, command.content) == ("Does x", "Text.\n")
    readable = find_readable(ProjectScanner(scanner.project), path)
    assert readable is not None
    assert readable.read(scanner) == text


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        (".cursor/agents/x.md", TEXT, "x"),
        (".claude/agents/team/x.md", TEXT, "x"),
        (".github/agents/x.agent.md", TEXT, "x"),
        (".github/agents/x.md", TEXT, "x"),
        (".github/chatmodes/x.chatmode.md", TEXT, "x"),
        (".gemini/agents/x.md", TEXT, "x"),
        (
            ".codex/agents/x.toml",
            'name = "y"\ndescription = "Does x"\n'
            'developer_instructions = "Text.\\n"\nmodel = "m"\n',
            "y",
        ),
        (".opencode/agent/x.md", TEXT, "x"),
        (".opencode/agents/x.md", TEXT, "x"),
    ],
)
def test_agents_of_every_tool_are_read(
    tmp_path: Path, path: str, text: str, name: str
) -> None:
    """With name, description and text."""
    (agent,) = scan_agents(scan_of(tmp_path, {path: text}))
    assert (agent.name, agent.path) == (name, path)
    assert (agent.description, agent.content) == ("Does x", "Text.\n")


@pytest.mark.parametrize(
    "folder",
    [
        *(".cursor", ".claude", ".agents", ".codex", ".gemini", ".github", ".windsurf"),
        *(".devin", ".cline", ".clinerules", ".kiro", ".roo", ".opencode", ".augment"),
        *("web/.agents", "web/deep/.gemini"),
    ],
)
def test_skills_of_every_tool_are_read(tmp_path: Path, folder: str) -> None:
    """Nested ones with their scope; their other files by path."""
    path = f"{folder}/skills/x/SKILL.md"
    files = {path: SKILL, f"{folder}/skills/x/tool.py": "print()\n"}
    scanner = scan_of(tmp_path, files)
    (skill,) = scan_skills(scanner)
    assert (skill.name, skill.path) == ("x", path)
    assert skill.scope == folder.rpartition("/")[0]
    for name, text in files.items():
        readable = find_readable(ProjectScanner(scanner.project), name)
        assert readable is not None
        assert readable.read(scanner) == text


def test_files_that_no_tool_reads_are_not_listed(tmp_path: Path) -> None:
    """Of another suffix, in a folder of another name, single files as skills."""
    scanner = scan_of(
        tmp_path,
        {
            ".github/prompts/x.md": TEXT,
            ".gemini/commands/x.md": TEXT,
            ".github/chatmodes/x.md": TEXT,
            ".cline/skills/x.md": SKILL,
            ".clinerules/x.md": TEXT,
            ".roo/README.md": TEXT,
            "web/skills/x/SKILL.md": SKILL,
            "commands/x.md": TEXT,
            "agents/x.md": TEXT,
        },
    )
    for scan in (scan_commands, scan_skills, scan_agents):
        assert list(scan(scanner)) == []


def test_upper_folders_precede_lower_ones(tmp_path: Path) -> None:
    """And the workspace precedes the home directory."""
    paths = (
        *(".cursor/commands/x.md", ".claude/commands/x.md", ".roo/commands/x.md"),
        *("api/.claude/commands/x.md", "web/.cursor/commands/x.md"),
        *("web/.claude/commands/x.md", "api/deep/.cursor/commands/x.md"),
    )
    project = make_project(tmp_path, dict.fromkeys(paths, TEXT))
    save_in_place(tmp_path / "home" / ".claude/commands/x.md", TEXT)
    save_in_place(tmp_path / "home" / ".roo/commands/y.md", "not asked for")
    scanner = ProjectScanner(project, tmp_path / "home")
    commands = scan_commands(scanner)
    assert [command.path for command in commands] == [
        *paths,
        "~/.claude/commands/x.md",
    ]
    assert [command.scope for command in commands][2:5] == ["", "api", "web"]
    for wanted, found in (("x", paths[0]), (paths[4], paths[4])):
        command = get_command(scanner, wanted)
        assert command is not None
        assert command.path == found


def test_a_home_comes_after_the_workspace(tmp_path: Path) -> None:
    """D-027: only if requested; nothing outside its two folders."""
    project = make_project(tmp_path, {".cursor/x": "", ".claude/x": ""})
    places = list(find_folders(ProjectScanner(project, tmp_path / "home"), COMMANDS))
    assert [(folder.location, folder.show("commands/x.md")) for folder in places] == [
        ("workspace", "commands/x.md"),
        ("workspace", "commands/x.md"),
        ("global", "~/.cursor/commands/x.md"),
        ("global", "~/.claude/commands/x.md"),
    ]
    assert [folder.root.name for folder in places[2:]] == [".cursor", ".claude"]
    assert len(list(find_folders(ProjectScanner(project), COMMANDS))) == 2


def test_a_file_with_the_name_of_a_folder_is_no_problem(tmp_path: Path) -> None:
    """Cline's rules are a folder or a file."""
    scanner = scan_of(tmp_path, {".clinerules": "Be kind.\n"})
    for scan in (scan_commands, scan_skills):
        assert list(scan(scanner)) == []
    assert list_problems(scanner) == []


def test_toml_that_cannot_be_used_is_a_problem(tmp_path: Path) -> None:
    """Its tool ignores it too."""
    scanner = scan_of(
        tmp_path,
        {
            ".gemini/commands/a.toml": "prompt = ",
            ".gemini/commands/b.toml": 'description = "no text"',
            ".gemini/commands/c.toml": "prompt = 3",
            ".gemini/commands/d.toml": 'prompt = " "',
            ".gemini/commands/e.toml": 'prompt = "x"\ndescription = 3',
        },
    )
    assert [command.name for command in scan_commands(scanner)] == ["e"]
    assert [code for _, code in list_problems(scanner)] == ["KB040"] * 4


def test_skills_of_a_plugin_have_its_name(tmp_path: Path) -> None:
    """At the top, where its skills are listed once, and below."""
    project = make_project(
        tmp_path,
        {
            ".claude-plugin/plugin.json": '{"name": "top"}',
            "skills/x/SKILL.md": SKILL,
            "commands/do.md": TEXT,
            "plugins/p/.claude-plugin/plugin.json": '{"name": "below"}',
            "plugins/p/skills/x/SKILL.md": SKILL,
            "plugins/p/skills/x/run.sh": "true\n",
            "plugins/p/skills/single.md": SKILL,
            "plugins/p/commands/do.md": TEXT,
            "plugins/p/agents/who.md": TEXT,
            "plugins/p/src/skills/x/SKILL.md": SKILL,
            "plugins/none/skills/x/SKILL.md": SKILL,
        },
    )
    context = scan_project(project)
    found = (*context.skills, *context.commands, *context.agents)
    assert [(item.path, item.plugin, item.scope) for item in found] == [
        ("skills/x/SKILL.md", "top", ""),
        ("plugins/p/skills/x/SKILL.md", "below", ""),
        ("commands/do.md", "top", ""),
        ("plugins/p/commands/do.md", "below", ""),
        ("plugins/p/agents/who.md", "below", ""),
    ]
    assert context.problems == ()
    scanner = ProjectScanner(project)
    for path in ("plugins/p/skills/x/run.sh", "plugins/p/agents/who.md"):
        assert find_readable(scanner, path) is not None
    for path in ("plugins/p/src/skills/x/SKILL.md", "plugins/none/skills/x/SKILL.md"):
        assert find_readable(scanner, path) is None
    assert [skill.path for skill in scan_skills(ProjectScanner(project))] == [
        *("skills/x/SKILL.md", "plugins/p/skills/x/SKILL.md")
    ]
    skill = get_skill(ProjectScanner(project), "plugins/p/skills/x/SKILL.md")
    assert skill is not None
    assert skill.plugin == "below"


def test_links_of_a_plugin_lead_to_artifacts_alone(tmp_path: Path) -> None:
    """D-024: as links elsewhere; a manifest makes no other folder readable."""
    project = make_project(
        tmp_path,
        {
            "p/.claude-plugin/plugin.json": '{"name": "p"}',
            "p/src/code.py": "SECRET",
            "p/notes.md": "x",
            "p/skills/x/SKILL.md": SKILL,
            ".agents/skills/y/SKILL.md": SKILL,
        },
    )
    skills = project.root / "p/skills"
    (skills / "y").symlink_to("../../.agents/skills/y")
    (skills / "src").symlink_to("../src")
    (skills / "x" / "code.py").symlink_to("../../src/code.py")
    (skills / "x" / "notes.md").symlink_to("../../notes.md")
    scanner = ProjectScanner(project)
    assert [skill.path for skill in scan_skills(scanner)] == [
        *(".agents/skills/y/SKILL.md", "p/skills/x/SKILL.md", "p/skills/y/SKILL.md")
    ]
    for name in ("x/code.py", "x/notes.md", "src/code.py"):
        found = find_readable(ProjectScanner(project), f"p/skills/{name}")
        assert found is None or found.read(scanner) is None
    codes = {code for _, code in list_problems(scanner)}
    assert codes <= {"KB001"}
