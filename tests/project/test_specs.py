"""Specifications of both kinds, and their lookup."""

import os
from pathlib import Path

import pytest
from support.project import copy_fixture, fixture, row, rows_like, scan_of

from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.specs import get_spec, scan_specs

MOMENT = 1_767_225_600


def test_a_spec_with_blueprint_and_contract_is_listed(tmp_path: Path) -> None:
    """D-100: the contract's fields; a README in the folder is no specification."""
    project = copy_fixture("ace", tmp_path)
    os.utime(project.root / "specs/mcp-server/spec.md", (MOMENT, MOMENT))
    expected = [
        row(
            domain="mcp-server",
            path="specs/mcp-server/spec.md",
            has_blueprint=True,
            has_contract=True,
            last_modified="2026-01-01T00:00:00+00:00",
            style="asdlc",
            title="Feature: Server",
            status="Active",
            documents=(),
        ),
    ]
    assert rows_like(scan_specs(ProjectScanner(project)), expected) == expected


def test_a_nested_spec_is_called_by_its_whole_path() -> None:
    """D-110: nested ones have their path as name; headings in code do not count."""
    (spec,) = scan_specs(ProjectScanner(fixture("asdlc")))
    assert spec.domain == spec.name == "design-system/isolated-views"
    assert (spec.has_blueprint, spec.has_contract) == (False, True)
    assert (spec.title, spec.status, spec.style) == (
        *("Isolated views", "approved", "asdlc"),
    )
    assert spec.documents == ("specs/design-system/isolated-views/notes.md",)


def test_a_feature_specification_is_listed_with_its_documents() -> None:
    """D-110: Spec Kit's style."""
    first, second, third = scan_specs(ProjectScanner(fixture("spec-kit")))
    folder = "specs/001-photo-albums"
    assert first.documents == (
        f"{folder}/checklists/requirements.md",
        f"{folder}/contracts/api.yaml",
        *(f"{folder}/{name}.md" for name in ("plan", "research", "tasks")),
    )
    assert (first.style, first.status) == ("spec-kit", "Draft")
    assert first.title == "Feature Specification: Photo albums"
    assert {second.style, third.style} == {"spec-kit"}


@pytest.mark.parametrize(
    ("domain", "path"),
    [
        ("mcp", "specs/mcp/spec.md"),
        ("MCP", "specs/mcp/spec.md"),
        ("009-single-mcp-server", "specs/009-single-mcp-server/spec.md"),
        ("single-mcp-server", "specs/009-single-mcp-server/spec.md"),
        ("specs/001-photo-albums/spec.md", "specs/001-photo-albums/spec.md"),
        ("photo-albums", "specs/001-photo-albums/spec.md"),
    ],
)
def test_a_spec_is_found_exactly_first(domain: str, path: str) -> None:
    """D-108: `mcp` is not `009-single-mcp-server`."""
    spec = get_spec(ProjectScanner(fixture("spec-kit")), domain)
    assert spec is not None
    assert spec.path == path
    assert spec.source.startswith("# Feature Specification")


def test_specs_of_kiro_and_openspec_are_listed(tmp_path: Path) -> None:
    """Kiro's begin with requirements or a bug, or with the design; finished work of
    OpenSpec is in its archive."""
    change = "openspec/changes/add-2fa"
    files = {
        **{f".kiro/specs/login/{n}.md": n for n in ("tasks", "requirements", "design")},
        **{f".kiro/specs/crash/{n}.md": n for n in ("bugfix", "design")},
        ".kiro/specs/draft/design.md": "# Draft",
        ".kiro/specs/draft/.config.kiro": "{}",
        "openspec/specs/auth/spec.md": "# auth Specification",
        f"{change}/proposal.md": "## Why",
        f"{change}/specs/auth/spec.md": "## ADDED Requirements",
        "openspec/changes/archive/2026-01-01-done/proposal.md": "## Why",
        "openspec/project.md": "x",
        "specs/auth/spec.md": "# Own",
    }
    scanner = scan_of(tmp_path, files)
    listed = {spec.path: spec.documents for spec in scan_specs(scanner)}
    kiro = ".kiro/specs"
    assert listed == {
        "specs/auth/spec.md": (),
        f"{kiro}/crash/bugfix.md": (f"{kiro}/crash/design.md",),
        f"{kiro}/draft/design.md": (),
        f"{kiro}/login/requirements.md": tuple(
            f"{kiro}/login/{name}.md" for name in ("design", "tasks")
        ),
        "openspec/specs/auth/spec.md": (),
        f"{change}/proposal.md": (f"{change}/specs/auth/spec.md",),
    }
    for domain, path in {
        "login": f"{kiro}/login/requirements.md",
        "auth": "specs/auth/spec.md",
        "openspec/specs/auth/spec.md": "openspec/specs/auth/spec.md",
        "add-2fa": f"{change}/proposal.md",
    }.items():
        spec = get_spec(scanner, domain)
        assert spec is not None
        assert spec.path == path


@pytest.mark.parametrize("domain", ["", "single", "photo", "001", "plan", "../specs"])
def test_a_part_of_a_domain_finds_nothing(domain: str) -> None:
    """Missing is None."""
    assert get_spec(ProjectScanner(fixture("spec-kit")), domain) is None


def test_a_short_name_that_two_specs_share_finds_neither(tmp_path: Path) -> None:
    """D-108: it is ambiguous."""
    files = {f"specs/{n}/views/spec.md": n for n in ("a", "b")}
    files["specs/c/alone/spec.md"] = "c"
    scanner = scan_of(tmp_path, files)
    assert get_spec(scanner, "views") is None
    assert get_spec(scanner, "alone") is not None
    assert get_spec(scanner, "b/views") is not None


@pytest.mark.parametrize(
    ("heading", "has_blueprint"),
    [
        ("## Blueprint", True),
        ("##   BLUEPRINT of it", True),
        ("# Blueprint", False),
        ("### Blueprint", False),
        ("##Blueprint", False),
        ("text ## Blueprint", False),
    ],
)
def test_a_heading_of_the_second_level_counts(
    tmp_path: Path, heading: str, has_blueprint: bool
) -> None:
    """In any case."""
    (spec,) = scan_specs(scan_of(tmp_path, {"specs/x/Spec.md": f"{heading}\n"}))
    assert spec.has_blueprint is has_blueprint
    assert spec.style == ("asdlc" if has_blueprint else "other")


def test_a_status_is_a_line_near_the_top(tmp_path: Path) -> None:
    """In a quotation, an item or its own line; two blanks end a line."""
    for line in (
        "> **Status**: Active  ",
        "**Status:** Active",
        "- **status**: Active",
    ):
        scanner = scan_of(tmp_path, {"specs/x/spec.md": f"# X\n\n{line}\n"})
        assert scan_specs(scanner)[0].status == "Active"
    far = "\n" * 30 + "**Status**: Active"
    assert scan_specs(scan_of(tmp_path, {"specs/x/spec.md": far}))[0].status is None


def test_a_moment_before_all_time_is_told_or_left_out(tmp_path: Path) -> None:
    """File systems store any time."""
    scanner = scan_of(tmp_path, {"specs/x/spec.md": "x"})
    os.utime(scanner.project.root / "specs/x/spec.md", (-(2**33), -(2**33)))
    (spec,) = scan_specs(scanner)
    assert spec.last_modified is None or spec.last_modified.endswith("+00:00")


def test_without_specs_there_are_none(tmp_path: Path) -> None:
    """Neither a file between the folders nor an empty folder is a specification."""
    assert scan_specs(scan_of(tmp_path, {})) == ()
    scanner = scan_of(tmp_path, {"specs/spec.md": "x", "specs/a/plan.md": "x"})
    assert scan_specs(scanner) == ()
