"""The rows `pages` and `project`: their comparisons, and their facts."""

from pathlib import Path

from benchmarks import projects
from benchmarks.goals import GOALS
from benchmarks.load import Load
from benchmarks.pages import page_request, tabulate
from benchmarks.requests import write_requests


def test_a_page_is_compared_round_by_round() -> None:
    """CPU time and elapsed time: both are what a page costs more than a call."""
    loads = {
        "page": [Load(100, 30, 9, 9), Load(50, 20, 9, 9), Load(10, 90, 9, 9)],
        "get_article": [Load(200, 10, 5, 5), Load(100, 10, 5, 5), Load(40, 30, 5, 5)],
        "nginx, static file": [Load(1, 5, 9, 9), Load(1, 5, 9, 9), Load(1, 9, 9, 9)],
    }
    outcome = tabulate(loads)
    assert outcome.facts == {"pages/cost": 3, "pages/time": 2, "pages/nginx": 6}
    (section,) = outcome.sections
    assert section.rows[0] == ("page", "50.0", "30.0", "0.01", "0.01")


def test_every_fact_of_a_goal_is_made() -> None:
    """A goal that no row measures would never be met."""
    required = {name for goal in GOALS for name in goal.facts}
    of_projects = {f"project/{tool}" for tool in projects.ASKED}
    assert {name for name in required if name.startswith("project/")} <= of_projects
    of_pages = {"pages/cost", "pages/time", "pages/nginx", "pages/weight"}
    assert {name for name in required if name.startswith("pages/")} == of_pages


def test_requests_are_written_behind_their_length(tmp_path: Path) -> None:
    """The load generator reads them back so."""
    request = page_request("/concepts/a")
    assert request.startswith(b"GET /concepts/a HTTP/1.1\r\n")
    assert request.endswith(b"\r\n\r\n")
    file = write_requests([request, b"x"], tmp_path)
    assert file.read_bytes() == b"%d\n%b1\nx" % (len(request), request)
    assert write_requests([request, b"x"], tmp_path) == file


def test_a_project_has_what_it_says(tmp_path: Path) -> None:
    """Each kind in the folders of editors and agents."""
    root = projects.write_project(tmp_path / "project")
    counts = {
        pattern: len(list(root.glob(pattern)))
        for pattern in (
            ".cursor/rules/*.mdc",
            ".cursor/commands/*.md",
            ".claude/skills/*/SKILL.md",
        )
    }
    assert list(counts.values()) == [200, 50, 50]
