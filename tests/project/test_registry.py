"""The project of a request, and the paths of its files."""

import os
import threading
import time
from pathlib import Path

import pytest
from support.files import save_in_place
from support.peers import BOUND

from asdlc_kb.exceptions import PathNotFound, ProjectNotFound
from asdlc_kb.project.registry import MAX_PATH_CHARS, Project, Projects


@pytest.fixture
def projects_root(tmp_path: Path) -> Path:
    """Two projects, one of them in a folder, next to folders that are none."""
    for name in ("api", "web/app", "api-private", "other"):
        save_in_place(tmp_path / name / "AGENTS.md", "# Read me")
    return tmp_path


@pytest.fixture
def projects(projects_root: Path) -> Projects:
    """Those two."""
    return Projects([projects_root / "api", projects_root / "web" / "app"])


def refused(projects: Projects, wanted: str, *, accepts_paths: bool = True) -> bool:
    """Whether a project is not found, with the error of an absent one."""
    with pytest.raises(ProjectNotFound) as caught:
        projects.resolve(wanted, accepts_paths=accepts_paths)
    return str(caught.value) == f"Project '{wanted}' not found"


def test_without_a_name_the_first_project_is_meant(projects: Projects) -> None:
    """D-021: `projectPath` is optional."""
    assert projects.resolve(accepts_paths=False).name == "api"
    assert [project.name for project in projects] == ["api", "app"]
    assert len(projects) == 2


def test_a_project_is_called_by_its_name(
    projects: Projects, projects_root: Path
) -> None:
    """On every transport; the case counts."""
    found = projects.resolve("app", accepts_paths=False)
    assert found == Project("app", projects_root / "web" / "app")
    assert refused(projects, "App")


def test_a_path_to_or_into_a_project_is_accepted_where_paths_are(
    projects: Projects, projects_root: Path
) -> None:
    """D-021: several projects, chosen by `projectPath`."""
    (projects_root / "link").symlink_to("web/app")
    (projects_root / "web" / "app" / "src").mkdir()
    for path in ("web/app", "web/app/src", "web/app/AGENTS.md", "web/app/../app"):
        found = projects.resolve(str(projects_root / path), accepts_paths=True)
        assert found.name == "app"
    for path in ("web/app/src", "web/app/../app", "link", "web"):
        assert refused(projects, str(projects_root / path), accepts_paths=False)
    assert (
        projects.resolve(str(projects_root / "link"), accepts_paths=True).name == "app"
    )
    assert projects.resolve(".", accepts_paths=True).name == "api"
    assert projects.resolve("../web/app", accepts_paths=True).name == "app"


def test_the_path_of_a_root_is_a_name_of_its_project(
    projects: Projects, projects_root: Path
) -> None:
    """D-021: compared as text, so no path of the machine is looked up."""
    root = str(projects_root / "web" / "app")
    for path in (root, f"{root}/"):
        assert projects.resolve(path, accepts_paths=False).name == "app"
    assert refused(projects, f"{root}//", accepts_paths=False)


def test_the_innermost_project_is_meant(projects_root: Path) -> None:
    """A project may be inside another one."""
    projects = Projects([projects_root, projects_root / "api"])
    path = str(projects_root / "api" / "AGENTS.md")
    assert projects.resolve(path, accepts_paths=True).name == "api"
    path = str(projects_root / "other")
    assert projects.resolve(path, accepts_paths=True).name == projects_root.name


@pytest.mark.parametrize(
    "wanted",
    [
        *("", "other", "~", "~root", "/", "/etc", "/proc/self/root", "..", "../other"),
        *("../api-private", "api\0", "\0", "api/", "file:///etc", "\\\\host\\share"),
        *("api/../../other", "none", "x" * 5_000, "\udc80", "\ud800/"),
    ],
    ids=ascii,
)
def test_what_is_outside_is_answered_as_if_it_did_not_exist(
    projects: Projects, wanted: str
) -> None:
    """D-021: prefix, `..`, `~`, NUL, devices; relative ones begin at the first."""
    assert refused(projects, wanted)
    assert refused(projects, wanted, accepts_paths=False)


def test_an_absolute_path_outside_is_not_found(
    projects: Projects, projects_root: Path
) -> None:
    """D-021: a sibling with the same prefix, and a link that leads out."""
    (projects_root / "api" / "out").symlink_to("../other")
    (projects_root / "api" / "loop").symlink_to("loop")
    for path in ("api-private", "other", "api/out", "api/loop", "api/none", "none"):
        assert refused(projects, str(projects_root / path))


def test_without_projects_nothing_is_found() -> None:
    """A server without projects has no default either."""
    with pytest.raises(ProjectNotFound):
        Projects([]).resolve(accepts_paths=True)
    assert refused(Projects([]), "/")


def test_projects_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    """By the folder above, or else by a number; the same folder counts once."""
    for name in ("a/x", "b/x", "c/a/x", "a-x"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "again").symlink_to("a/x")
    roots = [tmp_path / name for name in ("a/x", "b/x", "c/a/x", "a-x", "again")]
    names = [project.name for project in Projects(roots)]
    assert names == ["a-x", "b-x", "a-x-2", "a-x-3"]
    assert [p.name for p in Projects([Path("/")])] == ["root"]


def test_a_path_of_a_file_is_relative_to_its_project(projects_root: Path) -> None:
    """The file need not exist; a link's own name is kept."""
    project = Project("api", projects_root / "api")
    (projects_root / "api" / "here.md").symlink_to("AGENTS.md")
    for path, located in {
        "AGENTS.md": "AGENTS.md",
        "./src//new/../x.ts": "src/x.ts",
        "here.md": "here.md",
        "~": "~",
    }.items():
        assert project.locate(path) == located
    absolute = str(projects_root / "api" / "src" / "x.ts")
    assert project.locate(absolute, accepts_absolute=True) == "src/x.ts"


def test_a_path_may_be_written_as_on_windows_or_as_a_uri(projects_root: Path) -> None:
    """Editors and models on Windows write backslashes; editors name files by URI."""
    project = Project("api", projects_root / "api")
    assert project.locate("src\\new page\\x.ts") == "src/new page/x.ts"
    assert project.locate(".\\src/x.ts") == "src/x.ts"
    uri = (projects_root / "api" / "src" / "new page.ts").as_uri()
    assert project.locate(uri, accepts_absolute=True) == "src/new page.ts"
    with pytest.raises(PathNotFound):
        project.locate(uri)


def test_a_project_behind_a_link_knows_both_of_its_paths(projects_root: Path) -> None:
    """A root such as 'current -> releases/7' is the operator's own choice."""
    (projects_root / "current").symlink_to("api")
    project = Project("current", projects_root / "current")
    for folder in ("current", "api"):
        path = str(projects_root / folder / "src" / "x.ts")
        assert project.locate(path, accepts_absolute=True) == "src/x.ts"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            ".",
            "..",
            "../other/AGENTS.md",
            "../api-private/AGENTS.md",
            "/etc/passwd",
        ),
        *(
            "a/../..",
            "a\0b",
            "\0",
            "out/AGENTS.md",
            "x" * (MAX_PATH_CHARS + 1),
            "\ud800",
            "..\\other\\AGENTS.md",
            "C:\\api\\AGENTS.md",
            "file:///C:/api/AGENTS.md",
            "file:///etc/passwd",
            "file://[",
        ),
    ],
    ids=ascii,
)
def test_a_path_out_of_the_project_is_not_found(projects_root: Path, path: str) -> None:
    """D-021: neither by its characters nor by its links."""
    (projects_root / "api" / "out").symlink_to("../other")
    with pytest.raises(PathNotFound):
        Project("api", projects_root / "api").locate(path, accepts_absolute=True)


def test_an_absolute_path_is_not_found_where_it_is_not_accepted(
    projects_root: Path,
) -> None:
    """D-021: over HTTP, paths are relative in requests too."""
    with pytest.raises(PathNotFound):
        Project("api", projects_root / "api").locate(
            str(projects_root / "api" / "AGENTS.md")
        )


def test_a_project_that_is_swapped_for_a_link_is_the_operators_or_none(
    projects_root: Path,
) -> None:
    """D-024: a path into a project never resolves to a file outside."""
    projects = Projects([projects_root / "api"])
    inside, spare = projects_root / "api" / "sub", projects_root / "spare"
    stopped = threading.Event()

    def flip() -> None:
        while not stopped.is_set():
            for target in ("../other", "."):
                spare.symlink_to(target)
                os.rename(spare, inside)

    flipper = threading.Thread(target=flip)
    flipper.start()
    found: set[Path] = set()
    count = 0
    deadline = time.monotonic() + BOUND
    try:
        while count < 2_000 and time.monotonic() < deadline:
            count += 1
            try:
                found.add(projects.resolve(str(inside), accepts_paths=True).root)
            except ProjectNotFound:
                found.add(projects_root / "api")
    finally:
        stopped.set()
        flipper.join()
    assert found == {projects_root / "api"}
