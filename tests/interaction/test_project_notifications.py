"""Notifications of project changes by channel and version.

As `test_notifications` does it for articles: notifications are read up to a mark, so
that silence is seen without waiting for it.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from interaction.channels import CELLS, FLAGS, open_channel
from support.canary import Scanner
from support.files import save_in_place, save_over
from support.peers import BOUND, open_app
from support.watching import NEVER, running
from support.workspace import FILES, make_workspace

from asdlc_kb.app import Runtime

Events = list[tuple[str, str | None]]

PROMPTS: Final = ("prompts/list_changed", None)
RESOURCES: Final = ("resources/list_changed", None)

WATCHED: Final = "ace://rules/house"
RULE: Final = ".cursor/rules/house.mdc"
SKILL: Final = "skill://create-plan/SKILL.md"
MARK: Final = "skill://third/SKILL.md"
"""The last of the URIs, so its notification is the last of a scan."""

URIS: Final = [MARK, SKILL, WATCHED]


def mark(root: Path) -> None:
    """Edit the file that ends the notifications."""
    path = ".agents/skills/third/SKILL.md"
    save_in_place(root / path, FILES[path] + "Marked.\n")


CHANGES: Final[dict[str, tuple[Callable[[Path], object], Events]]] = {
    "a rule is edited": (
        lambda root: save_over(root / RULE, FILES[RULE] + "More.\n"),
        [("resources/updated", WATCHED)],
    ),
    "a rule is deleted": (
        lambda root: (root / RULE).unlink(),
        [RESOURCES, ("resources/updated", WATCHED)],
    ),
    "a rule appears": (
        lambda root: save_in_place(root / "web/.cursor/rules/new.mdc", "New.\n"),
        [RESOURCES],
    ),
    "a command appears": (
        lambda root: save_in_place(root / ".claude/commands/new.md", "New.\n"),
        [PROMPTS, RESOURCES],
    ),
    "a command asks for more": (
        lambda root: save_in_place(root / ".cursor/commands/review.md", "Of $1.\n"),
        [PROMPTS, RESOURCES],
    ),
    "a skill is edited": (
        lambda root: save_over(
            root / ".cursor/skills/create-plan/SKILL.md",
            FILES[".cursor/skills/create-plan/SKILL.md"] + "More.\n",
        ),
        [("resources/updated", SKILL)],
    ),
    "what nobody subscribed to is edited": (
        lambda root: save_in_place(root / "AGENTS.md", "# Other\n"),
        [],
    ),
    "what is hidden is edited": (
        lambda root: [
            save_in_place(root / ".cursor/rules/.house.mdc", "x"),
            save_in_place(root / ".env", "x"),
            save_in_place(root.parent / "outside" / "rule.mdc", "x"),
        ],
        [],
    ),
}
"""A change, and its notifications in their order."""


def open_project(root: Path) -> Runtime:
    """Return an application over a project that was scanned."""
    app = open_app(None, projects=[root])
    for news in app.project_notifiers:
        news.load()
    return app


def rescan(app: Runtime) -> None:
    """Scan the projects and publish what is new."""
    for news in app.project_notifiers:
        news.publish(news.watch.scan())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with artifacts of every kind, and a link out of it."""
    found = make_workspace(tmp_path / "shop")
    link = found / ".cursor" / "rules" / "out.mdc"
    link.symlink_to(tmp_path / "outside" / "rule.mdc")
    return found


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("channel", "version"), CELLS)
async def test_what_a_change_tells(
    root: Path, scanner: Scanner, channel: str, version: str, change: str
) -> None:
    """D-039: only changed results are notified, on every channel, in every version."""
    make, expected = CHANGES[change]
    app = open_project(root)
    async with open_channel(channel, version, app, scanner, URIS) as opened:
        make(root)
        mark(root)
        rescan(app)
        assert await opened.read_until(MARK) == expected


@pytest.mark.parametrize("channel", ["listen-http", "listen-stdio"])
async def test_a_listen_is_told_only_what_it_asked_for(
    root: Path, scanner: Scanner, channel: str
) -> None:
    """2026-07-28 basic/patterns/subscriptions: other kinds MUST NOT be sent."""
    app = open_project(root)
    flags = [FLAGS[1]]
    opening = open_channel(channel, "2026-07-28", app, scanner, [MARK], flags)
    async with opening as opened:
        save_in_place(root / ".claude/commands/new.md", "New.\n")
        mark(root)
        rescan(app)
        assert await opened.read_until(MARK) == [PROMPTS]


@pytest.mark.parametrize(
    ("channel", "version"), [("get", "2025-11-25"), ("listen-http", "2026-07-28")]
)
async def test_a_running_server_tells_of_what_is_saved(
    root: Path, scanner: Scanner, channel: str, version: str
) -> None:
    """No call triggers a scan: kernel events do, or else the next scan."""
    app = open_project(root)
    (watcher,) = app.watchers
    async with (
        open_channel(channel, version, app, scanner, URIS) as opened,
        running(watcher),
        asyncio.timeout(BOUND),
    ):
        save_over(root / RULE, FILES[RULE] + "More.\n")
        notification = await opened.receive()
        assert notification["params"]["uri"] == WATCHED
        folder = root / "web" / ".claude" / "rules"
        save_in_place(folder / "new.md", "New.\n")
        notification = await opened.receive()
        assert notification["method"] == "notifications/resources/list_changed"


async def test_a_dotted_file_at_the_top_is_told_by_the_kernel(
    root: Path, scanner: Scanner
) -> None:
    """`.cursorrules` is one of a project's artifacts, unlike other dotted names."""
    app = open_project(root)
    (watcher,) = app.watchers
    watcher._interval = NEVER
    opening = open_channel("listen-http", "2026-07-28", app, scanner, [MARK])
    async with opening as opened, running(watcher), asyncio.timeout(BOUND):
        # This notification follows the first scan, so the watcher runs.
        mark(root)
        assert (await opened.receive())["params"]["uri"] == MARK
        save_in_place(root / ".cursorrules", "Rule.\n")
        notification = await opened.receive()
        assert notification["method"] == "notifications/resources/list_changed"
