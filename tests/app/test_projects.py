"""Projects over MCP: composed if one is served, and otherwise nothing."""

from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.processes import list_loaded
from support.project import copy_fixture

from asdlc_kb.app.projects import follow_changes, open_notifiers, project_providers
from asdlc_kb.mcp.subscriptions.events import Event
from asdlc_kb.project.registry import Projects
from asdlc_kb.settings import Settings


def test_a_server_without_projects_loads_nothing_of_them() -> None:
    """They would cost a tenth of the start time, and memory, where none is served."""
    loaded = list_loaded("import asdlc_kb.cli.serve, sys; print(*sys.modules)")
    assert "asdlc_kb.app.wiring" in loaded
    assert loaded.isdisjoint({"asdlc_kb.app.projects", "asdlc_kb.project.rules"})


def test_each_project_is_offered_and_followed(tmp_path: Path) -> None:
    """One set of providers for all projects, a notifier and a watcher for each."""
    roots = [copy_fixture(name, tmp_path).root for name in ("cursor", "claude")]
    projects = Projects(roots)
    providers = list(project_providers(projects, None, accepts_paths=False))
    names = {listed.item.name for each in providers for listed in each.tools()}
    assert {"list_rules", "rules_for_path", "list_projects"} <= names
    list_problems: list[Event] = []
    news = list(open_notifiers(projects, None, list_problems.extend))
    assert [each.watch.project.root for each in news] == roots
    for each in news:
        # A check costs less than a scan, and suffices while events arrive.
        assert follow_changes(Settings(), each)._check == each.watch.check
    assert list_problems == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_there_is_a_watcher_for_each_source(
    knowledge: KnowledgeBase, tmp_path: Path, count: int
) -> None:
    """The articles, and each project."""
    names = ("cursor", "claude")[:count]
    roots = [copy_fixture(name, tmp_path).root for name in names]
    app = open_app(knowledge, projects=roots)
    assert (len(app.watchers), len(app.project_notifiers)) == (1 + count, count)
