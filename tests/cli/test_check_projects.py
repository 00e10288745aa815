"""Tests of check with projects: the same report, formats and exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.files import save_in_place
from support.knowledge import article_text
from support.project import FIXTURES

Invoke = Callable[..., Result]

LOOSE = "---\ndescription: Foo: bar\nglobs: **/*.ts\n---\nRule.\n"


@pytest.fixture
def project(folder: Path) -> Path:
    """A project with a rule that strict YAML refuses, and a schema that is no JSON."""
    save_in_place(folder / "shop" / ".cursor" / "rules" / "loose.mdc", LOOSE)
    save_in_place(folder / "shop" / "schemas" / "broken.json", "{")
    save_in_place(folder / "shop" / "a.ts", "")
    return folder / "shop"


def test_check_says_what_strict_tools_refuse(invoke: Invoke, project: Path) -> None:
    """D-025: it is served all the same; other tools lose it. No articles are needed."""
    result = invoke("check", "--project", "shop")
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["shop/.cursor/rules/loose.mdc:2:17:", "KB040"],
        ["shop/schemas/broken.json:1:2:", "KB042"],
        ["Found", "2"],
    ]


def test_codes_of_projects_can_be_chosen(invoke: Invoke, project: Path) -> None:
    """`--select`, `--ignore` and `--json` as for articles."""
    result = invoke("check", "--project", "shop", "--select", "KB04", "--json")
    assert result.exit_code == 1
    rows = json.loads(result.stdout)
    assert [row["code"] for row in rows] == ["KB040", "KB042"]
    assert rows[0]["file"] == "shop/.cursor/rules/loose.mdc"
    assert rows[0]["path"] == ".cursor/rules/loose.mdc"
    few = invoke("check", "--project", "shop", "--ignore", "KB040,KB042")
    assert (few.exit_code, few.output) == (0, "All checks passed\n")


def test_several_projects_are_checked_with_the_articles(
    invoke: Invoke, project: Path, folder: Path
) -> None:
    """Every named one."""
    save_in_place(
        folder / "content" / "concepts" / "a.md", article_text("a", maturity="x")
    )
    save_in_place(folder / "other" / "schemas" / "x.json", "[")
    result = invoke("check", "content", "--project", "shop", "--project", "other")
    files = [line.split(":")[0] for line in result.stdout.splitlines()]
    assert files == [
        "content/concepts/a.md",
        "shop/.cursor/rules/loose.mdc",
        "shop/schemas/broken.json",
        "other/schemas/x.json",
        "Found 4 problems in 4 files",
    ]


@pytest.mark.parametrize("name", ["asdlc", "spec-kit"])
def test_a_sound_project_is_quiet(invoke: Invoke, name: str) -> None:
    """Exit code 0: no findings."""
    result = invoke("check", "--project", str(FIXTURES / name))
    assert (result.exit_code, result.output) == (0, "All checks passed\n")


def test_a_project_that_is_not_there_is_refused(invoke: Invoke) -> None:
    """Exit code 3, and what to do."""
    result = invoke("check", "--project", "nowhere")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "name a project, as in" in result.stderr


def test_other_commands_leave_projects_out(invoke: Invoke, folder: Path) -> None:
    """They read cached data; a file that names projects does not affect them."""
    (folder / "kb.toml").write_text('project = ["nowhere"]\n')
    named = ("--config", "kb.toml")
    assert "no content: name a folder" in invoke("list", *named).stderr
    save_in_place(folder / "content" / "concepts" / "a.md", article_text("a"))
    assert invoke("list", *named).exit_code == 0
