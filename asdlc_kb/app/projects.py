"""Providers and watchers of projects.

Loaded only if a project is served: the imports take a tenth of the start.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from asdlc_kb.files.watcher import Watcher
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.subscriptions.events import Event
from asdlc_kb.project.change_watch import ProjectWatch
from asdlc_kb.project.registry import Project, Projects
from asdlc_kb.providers.project.events import (
    ProjectChangeNotifier,
    ProjectReading,
    read_project,
)
from asdlc_kb.providers.project.prompts import CommandProvider
from asdlc_kb.providers.project.provider import ProjectProvider
from asdlc_kb.providers.project.skills import SkillProvider
from asdlc_kb.settings import Settings


def project_providers(
    projects: Projects, home: Path | None, *, accepts_paths: bool
) -> Iterator[Provider]:
    """Yield the providers of projects."""
    yield ProjectProvider(projects, accepts_paths=accepts_paths, home=home)
    yield SkillProvider(projects, home)
    yield CommandProvider(projects, home)


def open_notifiers(
    projects: Projects,
    home: Path | None,
    publish: Callable[[Iterable[Event]], None],
) -> Iterator[ProjectChangeNotifier]:
    """Yield the change notifier of each project."""
    for order, project in enumerate(projects):
        yield ProjectChangeNotifier(
            _scan_project(project, home, is_first=not order), publish
        )


def follow_changes(
    settings: Settings, notifier: ProjectChangeNotifier
) -> Watcher[ProjectReading]:
    """Return the watcher of a project's files."""
    watch = notifier.watch
    return Watcher(
        watch.project.root,
        watch.scan,
        notifier.publish,
        events=not settings.poll,
        find=watch.find,
        concerns=watch.concerns,
        check=watch.check,
        # A file that is being written is read again at the next scan.
        is_unsettled=lambda reading: False,
    )


def _scan_project(
    project: Project, home: Path | None, *, is_first: bool
) -> ProjectWatch[ProjectReading]:
    return ProjectWatch(project, partial(read_project, is_first=is_first), home)


class Following(NamedTuple):
    """What publishes the changes of projects, and how it ends."""

    removals: tuple[Callable[[], None], ...]
    watchers: tuple[Watcher[ProjectReading], ...]


def publish_projects(
    settings: Settings,
    projects: Projects,
    notifiers: Mapping[Project, ProjectChangeNotifier],
    publish: Callable[[Iterable[Event]], None],
) -> Following:
    """Publish changes of some of the projects, which `notifiers` follow. Blocks.

    The first of them has other URIs than it has among all, and its own watcher.
    """
    first, first_of_all = next(iter(projects)), next(iter(notifiers))
    shared = [p for p in projects if p is first_of_all or p is not first]
    removals = tuple(notifiers[project].listen(publish) for project in shared)
    if first is first_of_all:
        return Following(removals, ())
    own = ProjectChangeNotifier(_scan_project(first, None, is_first=True), publish)
    own.load()
    return Following(removals, (follow_changes(settings, own),))
