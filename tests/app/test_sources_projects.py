"""Project folders: the configured ones, and over stdio the working directory."""

import os
from pathlib import Path

import pytest
from support.files import save_in_place

from asdlc_kb.app import build, find_home, find_projects, open_sources
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.project.registry import Projects
from asdlc_kb.settings import Settings
from asdlc_kb.settings_resolution import resolve_settings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with artifacts for agents, and a home elsewhere."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    save_in_place(tmp_path / "home" / ".claude" / "commands" / "mine.md", "x")
    here = tmp_path / "here"
    save_in_place(here / "AGENTS.md", "x")
    monkeypatch.chdir(here)
    return here


def names(projects: Projects) -> list[str]:
    """Return the names of projects, in their order."""
    return [project.name for project in projects]


def test_projects_are_named_in_their_order(here: Path, tmp_path: Path) -> None:
    """A relative path does not depend on the working directory later on."""
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
    given = ("../b", str(tmp_path / "a"))
    projects = find_projects(Settings(project=given))
    assert names(projects) == ["b", "a"]
    assert [p.root for p in projects] == [tmp_path / "b", tmp_path / "a"]


def test_a_project_can_be_all_that_is_served(here: Path) -> None:
    """Neither articles nor documentation are needed."""
    sources = open_sources(Settings(project=(".",)))
    assert (sources.articles, sources.docs) == (None, None)
    assert names(sources.projects) == ["here"]
    app = build(Settings(project=(".",), port=0))
    assert list(app.corpus) == []
    assert not app.corpus.was_seen
    for notifier in app.project_notifiers:
        notifier.load()
    assert app.corpus.was_seen


@pytest.mark.parametrize("kind", ["absent", "file", "loop"])
def test_a_root_that_is_no_folder_is_refused(here: Path, kind: str) -> None:
    """D-130: exit code 3, and what to do, unless the server is to wait."""
    if kind == "file":
        (here / kind).write_text("x")
    if kind == "loop":
        (here / kind).symlink_to(here / kind)
    with pytest.raises(OperationalError) as caught:
        build(Settings(project=(kind,)))
    build(Settings(project=(kind,), wait=True))
    assert str(caught.value) == (
        f"no such folder: {here / kind}; name a project, as in "
        "'--project path/to/project'"
    )


def test_over_stdio_the_working_directory_is_a_project_behind_the_named_ones(
    here: Path, tmp_path: Path
) -> None:
    """A client started in a project need not configure it. Over HTTP it must."""
    (tmp_path / "named").mkdir()
    settings = Settings(project=("../named",))
    assert names(find_projects(settings)) == ["named"]
    assert names(find_projects(settings, is_local=True)) == ["named", "here"]
    assert names(find_projects(Settings(project=(".",)), is_local=True)) == ["here"]
    assert names(open_sources(Settings(), is_local=True).projects) == ["here"]
    with pytest.raises(OperationalError, match="no content"):
        open_sources(Settings())


def test_a_working_directory_without_anything_for_agents_is_none(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is the home, nor a directory that was removed."""
    (here / "AGENTS.md").unlink()
    assert names(find_projects(Settings(), is_local=True)) == []
    monkeypatch.chdir(tmp_path / "home")
    assert names(find_projects(Settings(), is_local=True)) == []
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert names(find_projects(Settings(), is_local=True)) == []


def test_somebody_without_a_home_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of a user without an entry in the system."""

    def refuse(path: object) -> str:
        return str(path)

    assert find_home() is not None
    monkeypatch.setattr(os.path, "expanduser", refuse)
    assert find_home() is None


def test_projects_can_be_set_everywhere(tmp_path: Path) -> None:
    """Flags, the environment with commas, the file with a list; so is the home."""
    environ = {"ASDLC_KB_PROJECT": "a, b", "ASDLC_KB_INCLUDE_HOME": "1"}
    settings, origins = resolve_settings({}, environ, {})
    assert (settings.project, settings.uses_home) == (("a", "b"), True)
    assert (origins["project"], origins["include_home"]) == (
        "environment",
        "environment",
    )
    settings, _ = resolve_settings(
        {"project": ("c",)}, environ, {"include_home": False}
    )
    assert (settings.project, settings.uses_home) == (("c",), True)
    settings, _ = resolve_settings({}, {}, {"project": ["d"], "include_home": True})
    assert (settings.project, settings.uses_home) == (("d",), True)
