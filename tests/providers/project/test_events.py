"""Change notifications of a project."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from support.files import save_in_place
from support.workspace import FILES, make_workspace

from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
)
from asdlc_kb.project.change_watch import ProjectWatch
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.providers.project.artifact_kinds import KINDS
from asdlc_kb.providers.project.events import (
    ProjectChangeNotifier,
    ProjectReading,
    list_events,
    read_project,
)

SKILL: Final = ".cursor/skills/create-plan"
REVIEW: Final = ".cursor/commands/review.md"
SECURITY: Final = ".cursor/rules/security.mdc"


def updated(*uris: str) -> list[Event]:
    """Return the events of such resources."""
    return [ResourceUpdated(uri) for uri in uris]


def read(
    root: Path, *, is_first: bool = True, home: Path | None = None
) -> ProjectReading:
    """Return everything that clients would read of a project."""
    return read_project(ProjectScanner(Project("shop", root), home), is_first=is_first)


Change = Callable[[Path], object]

CHANGES: dict[str, tuple[Change, list[Event]]] = {
    "a rule's text": (
        lambda root: save_in_place(root / SECURITY, FILES[SECURITY] + "More.\n"),
        updated("ace://rules/.cursor/rules/security.mdc", "ace://rules/security"),
    ),
    "a rule's description": (
        lambda root: save_in_place(
            root / SECURITY, FILES[SECURITY].replace("secrets", "keys")
        ),
        [
            ResourcesChanged(),
            *updated("ace://rules", "ace://rules/.cursor/rules/security.mdc"),
            *updated("ace://rules/security"),
        ],
    ),
    "a command's text": (
        lambda root: save_in_place(root / REVIEW, FILES[REVIEW] + "More.\n"),
        updated("ace://commands/.cursor/commands/review.md", "ace://commands/review"),
    ),
    "a command's arguments": (
        lambda root: save_in_place(
            root / REVIEW, "---\nargument-hint: '[file]'\n---\n" + FILES[REVIEW]
        ),
        [
            PromptsChanged(),
            *updated("ace://commands", "ace://commands/.cursor/commands/review.md"),
            *updated("ace://commands/review"),
        ],
    ),
    "a command appears": (
        lambda root: save_in_place(root / ".claude/commands/new.md", "New.\n"),
        [
            PromptsChanged(),
            ResourcesChanged(),
            *updated("ace://commands", "ace://commands/.claude/commands/new.md"),
            *updated("ace://commands/new"),
        ],
    ),
    "a skill's text": (
        lambda root: save_in_place(
            root / SKILL / "SKILL.md", FILES[f"{SKILL}/SKILL.md"] + "More.\n"
        ),
        updated(
            "ace://skills/.cursor/skills/create-plan/SKILL.md",
            "ace://skills/create-plan",
            "skill://create-plan/SKILL.md",
        ),
    ),
    "a file of a skill appears": (
        lambda root: save_in_place(root / SKILL / "a b.txt", "x"),
        updated("skill://create-plan/a%20b.txt"),
    ),
    "a skill is left to people": (
        lambda root: save_in_place(
            root / SKILL / "agents/openai.yaml",
            "policy:\n  allow_implicit_invocation: false\n",
        ),
        [
            ResourcesChanged(),
            *updated("ace://skills", "skill://create-plan/agents/openai.yaml"),
        ],
    ),
    "a skill goes": (
        lambda root: (root / SKILL / "SKILL.md").unlink(),
        [
            ResourcesChanged(),
            *updated(
                "ace://skills",
                "ace://skills/.cursor/skills/create-plan/SKILL.md",
                "ace://skills/create-plan",
                "skill://create-plan/SKILL.md",
            ),
        ],
    ),
    "AGENTS.md": (
        lambda root: save_in_place(root / "AGENTS.md", "# Other\n"),
        updated("ace://agents-md", "ace://guides/AGENTS.md"),
    ),
    "AGENTS.md goes": (
        lambda root: (root / "AGENTS.md").unlink(),
        [
            ResourcesChanged(),
            *updated("ace://agents-md", "ace://guides", "ace://guides/AGENTS.md"),
        ],
    ),
    "a nested guide": (
        lambda root: save_in_place(root / "web/AGENTS.md", "Other.\n"),
        updated("ace://guides/web/AGENTS.md"),
    ),
    "a nested guide appears": (
        lambda root: save_in_place(root / "api/GEMINI.md", "Other.\n"),
        [
            ResourcesChanged(),
            *updated("ace://guides", "ace://guides/api/GEMINI.md"),
        ],
    ),
    "an imported text appears": (
        lambda root: [
            save_in_place(root / "CLAUDE.md", "@docs/x.md\n"),
            save_in_place(root / "docs/x.md", "Other.\n"),
        ],
        [
            ResourcesChanged(),
            *updated("ace://guides", "ace://guides/CLAUDE.md"),
            *updated("ace://guides/docs/x.md"),
        ],
    ),
    "a rule of another tool": (
        lambda root: save_in_place(root / ".clinerules/x.md", "Other.\n"),
        [
            ResourcesChanged(),
            *updated("ace://rules", "ace://rules/.clinerules/x.md", "ace://rules/x"),
        ],
    ),
    "a schema": (
        lambda root: save_in_place(root / "schemas/note.schema.json", '{"$id": "x"}'),
        updated(
            "ace://schemas",
            "ace://schemas/note.schema",
            "ace://schemas/schemas/note.schema.json",
        ),
    ),
    "a document beside a specification": (
        lambda root: save_in_place(root / "specs/login/plan.md", "x"),
        updated("ace://specs"),
    ),
    "another name's twin": (
        lambda root: save_in_place(root / ".claude/rules/security.md", "Other.\n"),
        updated("ace://rules", "ace://rules/.claude/rules/security.md"),
    ),
    "hidden and other files": (
        lambda root: [
            save_in_place(root / path, "x")
            for path in (
                *(".cursor/rules/.x.mdc", ".env", "src/x.py", "web/x.md"),
                *(".cursor/mcp.json", f"{SKILL}/.hidden", ".claude/agents/x.md"),
            )
        ],
        [],
    ),
    "nothing but times": (
        lambda root: save_in_place(root / SECURITY, FILES[SECURITY]),
        [],
    ),
    "a link out": (
        lambda root: (root / ".cursor/rules/out.mdc").symlink_to(
            root.parent / "outside" / "rule.mdc"
        ),
        [],
    ),
}
"""A change, and its notifications."""


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_change_says(tmp_path: Path, change: str) -> None:
    """D-039: changed lists and resources are named; the rest is silent."""
    root = make_workspace(tmp_path / "shop")
    make, expected = CHANGES[change]
    before = read(root)
    make(root)
    assert list_events(before, read(root)) == expected


def test_a_file_outside_says_nothing(tmp_path: Path) -> None:
    """D-024: a link that leads out is not part of the project."""
    root = make_workspace(tmp_path / "shop")
    outside = tmp_path / "outside" / "rule.mdc"
    (root / ".cursor/rules/out.mdc").symlink_to(outside)
    before = read(root)
    outside.write_text("Other.\n")
    assert list_events(before, read(root)) == []


def test_a_further_project_is_told_by_its_own_uris(tmp_path: Path) -> None:
    """It is in no list of `ace://` resources; its skills and prompts are listed."""
    root = make_workspace(tmp_path / "shop")
    before = read(root, is_first=False)
    save_in_place(root / SECURITY, FILES[SECURITY].replace("secrets", "keys"))
    save_in_place(root / ".claude/commands/new.md", "New.\n")
    (root / SKILL / "SKILL.md").unlink()
    assert list_events(before, read(root, is_first=False)) == [
        PromptsChanged(),
        ResourcesChanged(),
        *updated(
            "ace://commands/.claude/commands/new.md?project=shop",
            "ace://commands/new?project=shop",
            "ace://commands?project=shop",
            "ace://rules/.cursor/rules/security.mdc?project=shop",
            "ace://rules/security?project=shop",
            "ace://rules?project=shop",
            "ace://skills/.cursor/skills/create-plan/SKILL.md?project=shop",
            "ace://skills/create-plan?project=shop",
            "ace://skills?project=shop",
            "skill://~shop/create-plan/SKILL.md",
        ),
    ]


def test_a_home_is_the_first_projects(tmp_path: Path) -> None:
    """Its commands and skills are prompts and skills once, not for each project."""
    root = make_workspace(tmp_path / "shop")
    home = tmp_path / "home"
    before = [read(root, is_first=first, home=home) for first in (True, False)]
    save_in_place(home / ".claude/commands/own.md", "Own.\n")
    save_in_place(
        home / ".claude/skills/own/SKILL.md", "---\nname: own\ndescription: d\n---\n"
    )
    after = [read(root, is_first=first, home=home) for first in (True, False)]
    first, further = map(list_events, before, after)
    assert first[:2] == [PromptsChanged(), ResourcesChanged()]
    assert ResourceUpdated("skill://own/SKILL.md") in first
    assert all(isinstance(event, ResourceUpdated) for event in further)
    assert ResourceUpdated("skill://~shop/own/SKILL.md") not in further


def test_a_reading_covers_every_kind(tmp_path: Path) -> None:
    """Each list of each kind, and AGENTS.md."""
    contents = read(make_workspace(tmp_path / "shop")).contents
    assert {f"ace://{plural}" for plural in KINDS} | {"ace://agents-md"} <= set(
        contents
    )


def test_events_are_changes_after_the_first_scan(tmp_path: Path) -> None:
    """Artifacts that exist at the start cause no notification, and each change one."""
    root = make_workspace(tmp_path / "shop")
    published: list[list[Event]] = []
    watch = ProjectWatch(
        Project("shop", root), lambda scanner: read_project(scanner, is_first=True)
    )
    news = ProjectChangeNotifier(watch, lambda events: published.append(list(events)))
    news.load()
    news.publish(watch.scan())
    assert published == []
    save_in_place(root / "AGENTS.md", "# Other\n")
    for _ in range(3):
        news.publish(watch.scan())
    assert published == [updated("ace://agents-md", "ace://guides/AGENTS.md")]


def test_a_scan_before_the_first_one_gives_no_events(tmp_path: Path) -> None:
    """Without a load, the first published scan counts as that."""
    root = make_workspace(tmp_path / "shop")
    published: list[object] = []
    watch = ProjectWatch(
        Project("shop", root), lambda scanner: read_project(scanner, is_first=True)
    )
    news = ProjectChangeNotifier(watch, published.append)
    news.publish(read(root))
    save_in_place(root / "AGENTS.md", "# Other\n")
    news.publish(read(root))
    assert len(published) == 1
