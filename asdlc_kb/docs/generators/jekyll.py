"""Reader of the configuration of Jekyll, with that of Just the Docs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.configuration import PageDefaults, TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    is_true,
    to_fields,
    to_items,
    to_text,
    to_texts,
)
from asdlc_kb.docs.generators.edition_builder import build_language
from asdlc_kb.docs.generators.javascript import Data

_EXCLUDED: Final = ("_*", "vendor/", "\\#*", "~*")
"""What Jekyll does not read as pages."""

_ADDRESSES: Final = ("site.url", "site.baseurl")
"""What links of pages begin with; such a link is one from the root."""

MAX_VALUE_CHARS: Final = 300
"""Characters of a value that pages can show."""

_TYPES: Final = {"page": "pages", "post": "posts", "draft": "drafts"}


def read_jekyll(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `_config.yml`."""
    if (path.parent / "_toc.yml").exists():
        # That of Jupyter Book has the same name.
        return None
    fields = to_fields(files.read_yaml(path))
    site_url, base = to_text(fields.get("url")), to_text(fields.get("baseurl"))
    base = base.strip("/")
    return TreeConfiguration(
        generator="jekyll",
        root=path.parent / to_text(fields.get("source")),
        dialect="jekyll",
        title=to_text(fields.get("title")),
        site_url=f"{site_url.rstrip('/')}/{base}" if site_url else "",
        prefixes=(f"/{base}/",) if base else (),
        editions=build_language(to_text(fields.get("lang"))),
        excluded=(
            *_EXCLUDED,
            *(f"!/{name}/" for name in _list_collections(fields)),
            *(f"!{_anchor(name)}" for name in to_texts(fields.get("include"))),
            *(_anchor(pattern) for pattern in to_texts(fields.get("exclude"))),
        ),
        defaults=tuple(_read_defaults(fields)),
        values=dict(_list_values("site", fields)),
    )


def _read_defaults(fields: Mapping[str, Data]) -> Iterator[PageDefaults]:
    """Yield frontmatter for many pages; older names of types are in the singular."""
    folder = to_text(fields.get("collections_dir")).strip("/")
    for each in map(to_fields, to_items(fields.get("defaults"))):
        scope = to_fields(each.get("scope"))
        kind = to_text(scope.get("type"))
        values = {
            key: value
            for key, value in to_fields(each.get("values")).items()
            if _is_plain(value)
        }
        if values:
            path = to_text(scope.get("path")).lstrip("/")
            if folder and path.startswith("_"):
                path = f"{folder}/{path}"
            yield PageDefaults(path, _TYPES.get(kind, kind), values)


def _list_values(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the texts of one line, and numbers, by their names in templates."""
    for key, each in to_fields(value).items():
        below = f"{name}.{key}"
        if isinstance(each, dict):
            yield from _list_values(below, each)
        elif isinstance(each, str | int | float) and below not in _ADDRESSES:
            text = str(each).strip()
            if len(text) <= MAX_VALUE_CHARS and text.isprintable():
                yield below, text


def _is_plain(value: Data) -> bool:
    """Whether a value is a scalar or a list of them."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, str | int | float | bool) for item in items)


def _list_collections(fields: Mapping[str, Data]) -> Iterator[str]:
    """Yield the folders of collections that are written."""
    yield "_posts"
    collections = fields.get("collections")
    if isinstance(collections, list):
        return
    for name, options in to_fields(collections).items():
        if is_true(to_fields(options).get("output")):
            yield f"_{name}"


def _anchor(pattern: str) -> str:
    """Return a pattern of Jekyll, which counts from the root, as one of git."""
    return pattern if pattern.startswith(("/", "!")) else f"/{pattern}"
