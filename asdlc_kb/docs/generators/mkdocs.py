"""Reader of the configuration of MkDocs, Material for MkDocs, ProperDocs, Zensical."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.awesome_pages import read_pages_files
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    find_part,
    to_fields,
    to_items,
    to_text,
    to_texts,
)
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.menus import Entry, build_menu, place_menu
from asdlc_kb.docs.generators.mkdocs_editions import (
    list_excluded,
    read_editions,
    read_translations,
)
from asdlc_kb.docs.generators.path_expressions import PathExpression
from asdlc_kb.docs.generators.stated_patterns import read_plugin_patterns

MAX_INHERITED: Final = 5
"""Files that a configuration may inherit from, one from the other."""

_INCLUDERS: Final = (
    *("mdx_include", "markdown_include_variants"),
    *("markdown_include", "markdown_include.include"),
)
_TEMPLATES: Final = "/templates/"
"""What MkDocs leaves out unless `exclude_docs` takes it back."""
_OWN_PAGES: Final = ("index.md", "README.md")
_NO_LABELS: Final = frozenset({"draft", "proposed"})
"""Statuses that always hide (D-295)."""


def read_mkdocs(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `mkdocs.yml`, `properdocs.yml` or `zensical.toml`."""
    fields = _read_fields(path, files)
    if not fields:
        return None
    folder = path.parent
    root = folder / (to_text(fields.get("docs_dir")) or "docs")
    has_indexes = "navigation.indexes" in to_texts(
        find_part(fields, "theme", "features")
    )
    menu = build_menu(
        to_items(fields.get("nav")), lambda item: _read_entry(item, has_indexes)
    )
    navigation = menu.items or read_pages_files(root, files)
    translations = read_translations(fields)
    if translations.has_folders and translations.default in translations.built:
        # The entries are those of each language.
        navigation = place_menu(navigation, translations.default)
    return TreeConfiguration(
        generator="zensical" if path.suffix == ".toml" else "mkdocs",
        root=root,
        dialect="mkdocs",
        title=_read_environment(fields.get("site_name")),
        site_url=_read_environment(fields.get("site_url")),
        navigation=navigation,
        editions=read_editions(path, root, fields, translations, files),
        include_folders=tuple(_find_include_folders(folder, fields)),
        labels=frozenset(_list_labels(fields)),
        excluded=(
            _TEMPLATES,
            *_read_lines(fields, "exclude_docs"),
            *_read_drafts(fields),
            *list_excluded(translations),
            *_read_plugin(path, fields),
        ),
    )


def _read_fields(path: Path, files: ConfigurationFiles) -> dict[str, Data]:
    """Return the fields of a configuration, over those that it inherits."""
    if path.suffix == ".toml":
        return dict(to_fields(find_part(files.read_toml(path), "project")))
    fields: dict[str, Data] = {}
    for _ in range(MAX_INHERITED):
        below = to_fields(files.read_yaml(path))
        files.require(path)
        fields = _merge(dict(below), fields)
        inherited = to_text(below.get("INHERIT"))
        if not inherited:
            return fields
        path = path.parent / inherited
    files.note(path, f"not read: more than {MAX_INHERITED} inherited files")
    return fields


def _merge(below: dict[str, Data], over: dict[str, Data]) -> dict[str, Data]:
    """Return fields with others over them; mappings are merged, as MkDocs does."""
    merged = dict(below)
    for key, value in over.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            value = {**known, **value}
        merged[key] = value
    return merged


def _read_environment(value: Data) -> str:
    """Return a text, or the default of `!ENV [NAME, default]`."""
    return to_text(value[-1]) if isinstance(value, list) and value else to_text(value)


def _read_entry(item: Data, has_indexes: bool) -> Entry | None:
    if isinstance(item, str):
        return Entry(href=item)
    pair = next(iter(to_fields(item).items()), None)
    if pair is None:
        return None
    title, value = pair
    if isinstance(value, str):
        return Entry(to_text(title), value)
    below = to_items(value)
    own = below[0] if below else ""
    if (has_indexes or not title) and isinstance(own, str) and own.endswith(_OWN_PAGES):
        # The first page is that of the section itself.
        return Entry(to_text(title), own, below[1:])
    return Entry(to_text(title), "", below)


def _read_lines(fields: dict[str, Data], key: str) -> Iterator[str]:
    value = fields.get(key)
    lines = value.splitlines() if isinstance(value, str) else to_texts(value)
    return (line.strip() for line in lines if line.strip())


def _read_drafts(fields: dict[str, Data]) -> Iterator[str]:
    """Yield the patterns of drafts; what an exclusion takes back stays a draft."""
    return (line for line in _read_lines(fields, "draft_docs") if line[0] not in "!#")


def _read_plugin(path: Path, fields: dict[str, Data]) -> Iterator[PathExpression]:
    """Yield the patterns of the plugin mkdocs-exclude."""
    listed = fields.get("plugins")
    for plugin in [listed] if isinstance(listed, dict) else to_items(listed):
        options = to_fields(to_fields(plugin).get("exclude"))
        yield from read_plugin_patterns(path, "plugins.exclude", options)


def _list_labels(fields: dict[str, Data]) -> Iterator[str]:
    """Yield the page statuses that the theme is to show in its sidebar."""
    stated = to_fields(find_part(fields, "extra", "status"))
    labels = (label.strip().casefold() for label in stated)
    return (label for label in labels if label not in _NO_LABELS)


def _find_include_folders(folder: Path, fields: dict[str, Data]) -> Iterator[Path]:
    """Yield the folders that the extensions for includes name."""
    listed = fields.get("markdown_extensions")
    extensions: dict[str, Data] = {}
    for item in [listed] if isinstance(listed, dict) else to_items(listed):
        extensions |= {item: None} if isinstance(item, str) else dict(to_fields(item))
    if "pymdownx.snippets" in extensions:
        stated = to_texts(find_part(extensions["pymdownx.snippets"], "base_path"))
        yield from (folder / name for name in stated or (".",))
    for name in _INCLUDERS:
        if name in extensions:
            stated = to_texts(find_part(extensions[name], "base_path"))
            yield from (folder / name for name in stated or (".",))
            # The examples of a documentation in several languages are outside of each.
            if (examples := (folder / "../../docs_src").resolve()).is_dir():
                yield examples
            return
