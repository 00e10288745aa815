"""JSON schemas: `schemas/*.json`, each with the `$id` that references use.

A file that is not JSON is listed without an id, and is a problem.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from asdlc_kb.files.clean_text import find_escapes
from asdlc_kb.project.artifact_file import ArtifactFile, FileIdentity
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.unicode.counts import has_unseen

FOLDER: Final = "schemas"

_CONTROLS: Final = dict.fromkeys(range(0x20))
"""Control characters, which occur in schemas' patterns and examples as escapes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaContent:
    """A schema with its text."""

    name: str
    """The file name without `.json`: `a.schema` for `a.schema.json`."""
    path: str
    schema_id: str | None = None
    """Its `$id`, or else its `id`."""
    content: str
    identity: FileIdentity = field(compare=False)
    also_in: tuple[str, ...] = ()
    """Other paths of the same file, in a list with one entry per file."""


def scan_schemas(scanner: ProjectScanner) -> tuple[SchemaContent, ...]:
    """Return the schemas in path order."""
    return tuple(
        SchemaContent(
            name=file.stem,
            path=file.shown,
            schema_id=_find_id(scanner, file.shown, text.text),
            content=text.text,
            identity=text.identity,
        )
        for file, text in scanner.texts(list_schema_files(scanner))
    )


def list_schema_files(scanner: ProjectScanner) -> list[ArtifactFile]:
    """Return the files of the schemas in path order."""
    place = ArtifactFolder(scanner.project.root, FOLDER, "agents")
    return scanner.files(place, (".json",), max_depth=0)


def get_schema(scanner: ProjectScanner, name: str) -> SchemaContent | None:
    """Return the schema with a name or path, or None."""
    return find_named(scan_schemas(scanner), name)


def _find_id(scanner: ProjectScanner, path: str, text: str) -> str | None:
    try:
        schema = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"is not JSON ({error.msg}): fix it"
        scanner.report(path, "KB042", message, error.lineno, error.colno)
        return None
    except (ValueError, RecursionError):
        scanner.report(path, "KB042", "is JSON that cannot be parsed: simplify it")
        return None
    value = schema.get("$id", schema.get("id")) if isinstance(schema, dict) else None
    is_counted = _count_escapes(scanner, path, schema)
    if not isinstance(value, str) or not value:
        return None
    if not value.isprintable() or has_unseen(value):
        # JSON escapes can encode removed characters, and lone surrogates.
        if not is_counted:
            message = "its $id has invisible characters: fix it"
            scanner.report(path, "KB015", message)
        return None
    return value


def _count_escapes(scanner: ProjectScanner, path: str, schema: object) -> bool:
    """Report the invisible characters that a schema's escapes encode, if any.

    The schema is served verbatim, escapes included.
    """
    text = "\n".join(find_texts(schema))
    if text.isascii():
        return False
    problem = find_escapes(path, text.translate(_CONTROLS))
    if problem is not None:
        scanner.problems.append(problem)
    return problem is not None


def find_texts(data: object) -> Iterator[str]:
    """Yield every string in JSON data, including keys."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend((*item.keys(), *item.values()))
        elif isinstance(item, list):
            waiting.extend(item)
