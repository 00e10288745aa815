"""Rules of Cursor and Claude, as these tools read them."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import (
    fixture,
    list_problems,
    make_project,
    row,
    rows_like,
    scan_of,
)

from asdlc_kb.project.rules import (
    RuleContent,
    get_rule,
    scan_rules,
)
from asdlc_kb.project.scanner import ProjectScanner

CURSOR = ".cursor/rules"


def rule_of(
    folder: Path, text: str | bytes, path: str = f"{CURSOR}/x.mdc"
) -> RuleContent:
    """Return the only rule of a project."""
    (rule,) = scan_rules(scan_of(folder, {path: text}))
    return rule


def test_every_rule_of_a_project_is_listed() -> None:
    """D-100: name, description, type and path of each."""
    scanner = ProjectScanner(fixture("cursor"))
    listed = [(r.name, r.type, r.activation, r.globs) for r in scan_rules(scanner)]
    assert listed == [
        ("by-hand", "manual", "manual", None),
        ("sql", "glob", "auto-attached", ("**/*.sql", "migrations/")),
        ("docker", "glob", "auto-attached", ("Dockerfile", "docker-compose*.yml")),
        ("house", "always", "always", None),
        ("plain", "manual", "manual", None),
        ("python", "glob", "auto-attached", ("**/*.py",)),
        ("security", "manual", "agent-requested", None),
        ("typescript", "glob", "auto-attached", ("**/*.{ts,tsx}", "*.mts")),
        ("always", "always", "always", None),
        ("handlers", "glob", "auto-attached", ("handlers/**",)),
        ("cursorrules", "always", "always", None),
    ]
    assert list_problems(scanner) == []


def test_a_rule_is_listed_with_all_that_is_known_of_it() -> None:
    """D-100: the contract's fields, and three more."""
    rules = scan_rules(ProjectScanner(fixture("cursor")))
    expected = row(
        name="security",
        description="Security: what never goes into a commit",
        type="manual",
        path=".cursor/rules/security.mdc",
        globs=None,
        activation="agent-requested",
        platform="cursor",
        location="workspace",
        scope="",
    )
    assert rows_like(rules[6:7], [expected]) == [expected]
    assert (rules[8].path, rules[8].scope) == (
        "packages/api/.cursor/rules/always.mdc",
        "packages/api",
    )


def test_a_rule_is_given_with_its_text() -> None:
    """D-108: `get_rule` with the name `security`."""
    rule = get_rule(ProjectScanner(fixture("cursor")), "security")
    assert isinstance(rule, RuleContent)
    assert rule.content == "# Security\n\nKeep secrets out of the repository.\n"
    assert rule.source.startswith("---\ndescription: Security: what")


@pytest.mark.parametrize("name", ["missing", "", "secur", "../security", "\0"])
def test_a_rule_that_is_not_there_is_none(name: str) -> None:
    """D-023: null, and no error."""
    assert get_rule(ProjectScanner(fixture("cursor")), name) is None


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("SQL", ".cursor/rules/data/sql.mdc"),
        ("data/sql", ".cursor/rules/data/sql.mdc"),
        (".cursor/rules/plain.md", ".cursor/rules/plain.md"),
        ("python", ".cursor/rules/python/RULE.md"),
        (".cursorrules", ".cursorrules"),
        ("cursorrules", ".cursorrules"),
    ],
)
def test_a_rule_is_found_by_name_case_and_path(name: str, path: str) -> None:
    """Exact first, then any case, then the path."""
    rule = get_rule(ProjectScanner(fixture("cursor")), name)
    assert rule is not None
    assert rule.path == path


def test_claudes_rules_are_about_paths_or_about_all() -> None:
    """D-110: `paths:` absent is always; quoted and not."""
    rules = scan_rules(ProjectScanner(fixture("claude")))
    assert [(r.name, r.type, r.globs, r.platform) for r in rules] == [
        ("style", "always", None, "claude"),
        (
            "components",
            "glob",
            ("packages/web/**/*.{tsx,css}", "*.stories.ts"),
            "claude",
        ),
    ]


def test_only_in_a_folder_of_its_own_is_a_rule_called_by_it(tmp_path: Path) -> None:
    """`RULE.md` at the top of the rules has its own name."""
    assert rule_of(tmp_path, "text", f"{CURSOR}/RULE.md").name == "RULE"


def test_claude_code_reads_no_globs(tmp_path: Path) -> None:
    """D-276: a rule that has them alone is attached always."""
    path = ".claude/rules/x.md"
    rule = rule_of(tmp_path, "---\nglobs: *.cs\n---\n", path)
    assert (rule.type, rule.globs) == ("always", None)
    text = "---\nglobs: *.cs\npaths: [a/**]\nalwaysApply: true\n---\n"
    rule = rule_of(tmp_path, text, path)
    assert (rule.type, rule.globs) == ("glob", ("a/**",))


def test_cursors_rules_come_before_claudes(tmp_path: Path) -> None:
    """D-110: of two rules of one name, the first is returned."""
    files = {f".{tool}/rules/x.md": tool for tool in ("claude", "cursor")}
    files |= {"ui/.cursor/rules/x.md": "below", ".cursorrules": "legacy"}
    scanner = scan_of(tmp_path, files)
    assert [rule.content for rule in scan_rules(scanner)] == [
        *("cursor", "below", "legacy", "claude")
    ]
    rule = get_rule(scanner, "x")
    assert rule is not None
    assert rule.content == "cursor"
    rule = get_rule(scanner, ".claude/rules/x.md")
    assert rule is not None
    assert rule.content == "claude"


@pytest.mark.parametrize(
    ("text", "type", "description"),
    [
        (b"\xef\xbb\xbf---\r\ndescription: a\r\nglobs: **/*\r\n---\r\nb", "glob", "a"),
        ("---\ndescription: Foo: bar\nalwaysApply: true\n---\n", "always", "Foo: bar"),
        ("---\ndescription: a\nalwaysApply: 'true'\n---\n", "always", "a"),
        ("---\nglobs: x\nalwaysApply: true\n---\n", "always", ""),
        ("---\ndescription:\nglobs:\nalwaysApply:\n---\n", "manual", ""),
        ("---\ndescription: a\nglobs: *.ts\n\nText without a fence.\n", "glob", "a"),
        ("", "manual", ""),
        ("text", "manual", ""),
    ],
)
def test_a_rule_is_read_as_people_write_it(
    tmp_path: Path, text: str | bytes, type: str, description: str
) -> None:
    """D-025: BOM, CRLF, colons, quotes, nulls, no fence, nothing."""
    rule = rule_of(tmp_path, text)
    assert (rule.type, rule.description) == (type, description)


def test_an_unreadable_rule_is_a_problem_next_to_the_rest(tmp_path: Path) -> None:
    """D-051: one bad file never affects another."""
    files = {f"{CURSOR}/bad.mdc": b"\xff", f"{CURSOR}/good.mdc": b"good"}
    scanner = scan_of(tmp_path, files)
    assert [rule.name for rule in scan_rules(scanner)] == ["good"]
    assert list_problems(scanner) == [(f"{CURSOR}/bad.mdc", "KB001")]


def test_more_patterns_than_count_are_told(tmp_path: Path) -> None:
    """Nothing is cut off silently."""
    files = {
        f"{CURSOR}/{name}.mdc": f"---\nglobs: {','.join('a' * count)}\n---\n"
        for name, count in {"w": 200, "x": 201}.items()
    }
    scanner = scan_of(tmp_path, files)
    assert [len(rule.globs or ()) for rule in scan_rules(scanner)] == [200, 201]
    assert list_problems(scanner) == [(f"{CURSOR}/x.mdc", "KB012")]


def test_every_scan_reads_the_disk_as_it_is(tmp_path: Path) -> None:
    """D-022: scanned for each call, also one moment after a save."""
    project = make_project(tmp_path, {f"{CURSOR}/x.mdc": "one"})
    for text in ("two", "six"):
        save_in_place(project.root / CURSOR / "x.mdc", text)
        rule = get_rule(ProjectScanner(project), "x")
        assert rule is not None
        assert rule.content == text
    (project.root / CURSOR / "x.mdc").unlink()
    assert scan_rules(ProjectScanner(project)) == ()
