"""Schemas: `schemas/*.json`, each with the `$id` by which others refer to it.

A file that is no JSON is listed without one, and is a problem.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.summary import summarize
from asdlc_kb.unicode.counts import count_removed, has_unseen
from asdlc_kb.unicode.invisible import strip_invisible

FOLDER: Final = "schemas"

_CONTROLS: Final = dict.fromkeys(range(0x20))
"""Control characters, which patterns and examples of schemas have as escapes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFile:
    """A schema without its text."""

    name: str
    """Its file without `.json`: `a.schema` of `a.schema.json`."""
    path: str
    schema_id: str | None = None
    """Its `$id`, or else its `id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaContent(SchemaFile):
    """A schema with its text."""

    content: str


def scan_schemas(survey: ProjectScanner) -> tuple[SchemaContent, ...]:
    """Return the schemas by name."""
    return tuple(_read_all(survey))


def list_schemas(survey: ProjectScanner) -> tuple[SchemaFile, ...]:
    """Return the schemas without their texts."""
    return tuple(summarize(SchemaFile, schema) for schema in scan_schemas(survey))


def get_schema(survey: ProjectScanner, name: str) -> SchemaContent | None:
    """Return the schema of a name or path, or None."""
    return find_named(scan_schemas(survey), name)


def _read_all(survey: ProjectScanner) -> Iterator[SchemaContent]:
    place = ArtifactFolder(survey.project.root, FOLDER, "agents")
    for file in survey.files(place, (".json",), deepest=0):
        text = survey.read(file)
        if text is not None:
            yield SchemaContent(
                name=file.stem,
                path=file.shown,
                schema_id=_find_id(survey, file.shown, text.text),
                content=text.text,
            )


def _find_id(survey: ProjectScanner, path: str, text: str) -> str | None:
    try:
        schema = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"is not JSON ({error.msg}): mend it"
        survey.report(path, "KB042", message, error.lineno, error.colno)
        return None
    except (ValueError, RecursionError):
        survey.report(path, "KB042", "is not JSON that can be read: make it simpler")
        return None
    found = schema.get("$id", schema.get("id")) if isinstance(schema, dict) else None
    is_counted = _count_escapes(survey, path, schema)
    if not isinstance(found, str) or not found:
        return None
    if not found.isprintable() or has_unseen(found):
        # Escapes of JSON can stand for what may not be in a text, or is no character.
        if not is_counted:
            message = "its $id has invisible characters: mend it"
            survey.report(path, "KB015", message)
        return None
    return found


def _count_escapes(survey: ProjectScanner, path: str, schema: object) -> bool:
    """Report the invisible characters that escapes in a schema stand for, if any.

    The schema is served as it is written: what stands there is an escape.
    """
    text = "\n".join(find_texts(schema))
    if text.isascii():
        return False
    text = text.translate(_CONTROLS)
    found = count_removed(text, strip_invisible(text))
    if found is not None:
        survey.report(path, "KB015", f"escapes of {found.message}: remove them")
    return found is not None


def find_texts(data: object) -> Iterator[str]:
    """Yield every text in some data of JSON, keys too."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend((*item.keys(), *item.values()))
        elif isinstance(item, list):
            waiting.extend(item)
