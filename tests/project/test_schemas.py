"""Schemas and their ids."""

from pathlib import Path

import pytest
from support.project import fixture, list_problems, row, rows_like, scan_of

from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import get_schema, scan_schemas


def test_schemas_are_listed_with_their_ids() -> None:
    """`$id` else `id`; a file that is not JSON is listed without one."""
    scanner = ProjectScanner(fixture("ace"))
    expected = [
        row(name="broken", path="schemas/broken.json", schema_id=None),
        row(name="legacy", path="schemas/legacy.json", schema_id="urn:legacy"),
        row(
            name="note.schema",
            path="schemas/note.schema.json",
            schema_id="https://example.org/note.json",
        ),
    ]
    assert rows_like(scan_schemas(scanner), expected) == expected
    (problem,) = scanner.sorted_problems
    assert str(problem).startswith("schemas/broken.json:2:1: KB042 is not JSON (")


def test_a_schema_is_given_as_it_is() -> None:
    """By name or path; missing is None."""
    scanner = ProjectScanner(fixture("ace"))
    for name in ("note.schema", "NOTE.schema", "schemas/note.schema.json"):
        schema = get_schema(scanner, name)
        assert schema is not None
        assert schema.content.startswith('{"$id": "https')
    assert get_schema(scanner, "note") is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "[" * 100_000, '{"$id": 1' + "0" * 5_000 + "}", "\ufeff{}", "{'a': 1}"),
        *('{"$id": NaN', "{} {}"),
    ],
    ids=range(7),
)
def test_what_is_no_json_is_listed_and_told(tmp_path: Path, text: str) -> None:
    """D-032: depth and giant numbers included."""
    scanner = scan_of(tmp_path, {"schemas/x.json": text, "schemas/y.json": "{}"})
    assert [(s.name, s.schema_id) for s in scan_schemas(scanner)] == [
        ("x", None),
        ("y", None),
    ]
    assert list_problems(scanner) == [("schemas/x.json", "KB042")] * (
        text != "\ufeff{}"
    )


@pytest.mark.parametrize(
    ("text", "schema_id"),
    [
        ('{"$id": "a", "id": "b"}', "a"),
        ('{"id": "b"}', "b"),
        ('{"$id": 7, "id": "b"}', None),
        ('{"$id": ""}', None),
        ('["$id"]', None),
        ('"$id"', None),
    ],
)
def test_an_id_is_a_text(tmp_path: Path, text: str, schema_id: str | None) -> None:
    """Any JSON may be there."""
    (schema,) = scan_schemas(scan_of(tmp_path, {"schemas/x.json": text}))
    assert schema.schema_id == schema_id


def test_only_json_files_of_the_folder_are_schemas(tmp_path: Path) -> None:
    """`schemas/*.json` only."""
    files = dict.fromkeys(("schemas/x.yaml", "schemas/a/x.json", "x.json"), "{}")
    assert scan_schemas(scan_of(tmp_path, files)) == ()
