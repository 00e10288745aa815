"""Reader of the configuration of VitePress, and of VuePress."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    find_part,
    is_computed,
    to_fields,
    to_items,
    to_text,
)
from asdlc_kb.docs.generators.edition_builder import EditionBuilder
from asdlc_kb.docs.generators.javascript import COMPUTED, Data
from asdlc_kb.docs.generators.menus import Entry, build_menu
from asdlc_kb.docs.generators.path_expressions import PathExpression
from asdlc_kb.docs.generators.stated_patterns import list_texts, read_globs

_PATTERNS: Final = ("pagePatterns", "patterns")
"""The patterns of pages in VuePress 2 and 1."""

_BASE: Final = "\0base"
"""The key of the address to which the links of an item are relative."""

_ROOT: Final = "root"
"""The key of the language without a folder."""

_DEFAULT_LANGUAGE: Final = "en-US"
"""That of VitePress itself, where a site has languages and does not state its own."""


def read_vitepress(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `.vitepress/config`."""
    fields = files.read_export(path, "srcExclude")
    folder = path.parent.parent
    if path.parent.name == "config":
        folder = folder.parent
    base = to_text(fields.get("base")).strip("/")
    root = folder / to_text(fields.get("srcDir"))
    menu = build_menu(_list_sidebars(fields), _read_entry)
    if menu.left_out:
        files.note(path, "the computed entries of the sidebar are left out")
    return TreeConfiguration(
        generator="vitepress",
        root=root,
        dialect="vitepress",
        title=to_text(fields.get("title")),
        site_url=to_text(find_part(fields, "sitemap", "hostname")),
        prefixes=(f"/{base}/",) if base else (),
        navigation=menu.items,
        editions=_read_editions(path, root, fields, fields.get("locales"), files),
        excluded=tuple(read_globs(path, "srcExclude", fields.get("srcExclude"))),
    )


def read_vuepress(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `.vuepress/config`."""
    fields = files.read_export(path, _PATTERNS[0])
    folder = path.parent.parent
    root = folder.parent if path.parent.name == "config" else folder
    base = to_text(fields.get("base")).strip("/")
    locales: dict[str, Data] = {
        key.strip("/") or _ROOT: value
        for key, value in to_fields(fields.get("locales")).items()
    }
    theme = to_fields(fields.get("theme")) or to_fields(fields.get("themeConfig"))
    sidebars = [theme, *map(to_fields, to_fields(theme.get("locales")).values())]
    entries = [each for part in sidebars for each in _list_bars(part.get("sidebar"))]
    menu = build_menu(entries, _read_bar_entry)
    if menu.left_out:
        files.note(path, "the computed entries of the sidebar are left out")
    title = fields.get("title") or find_part(locales, _ROOT, "title")
    return TreeConfiguration(
        generator="vuepress",
        root=root,
        dialect="vitepress",
        title=to_text(title),
        site_url=to_text(theme.get("hostname")),
        prefixes=(f"/{base}/",) if base else (),
        navigation=menu.items,
        editions=_read_editions(path, root, fields, locales, files),
        excluded=tuple(_read_patterns(path, fields)),
    )


def _read_patterns(path: Path, fields: Mapping[str, Data]) -> Iterator[PathExpression]:
    """Yield what the patterns of pages take back."""
    for name in _PATTERNS:
        stated = list_texts(path, name, fields.get(name))
        taken = [each[1:] for each in stated if each[0] == "!"]
        for each in taken:
            # A folder is left out with all that is below.
            yield from read_globs(path, name, [each, f"{each.rstrip('/')}/**"])


def _list_bars(sidebar: Data, base: str = "") -> "list[Data]":
    """Return the items of a sidebar, with the address that theirs are relative to."""
    if is_computed(sidebar):
        return [COMPUTED]
    if isinstance(sidebar, dict):
        return [item for key, part in sidebar.items() for item in _list_bars(part, key)]
    if not isinstance(sidebar, list):
        # As `auto`, for the headings of the page.
        return []
    return [_place_bar_item(item, base) for item in sidebar]


def _place_bar_item(item: Data, base: str) -> Data:
    """Return an item with the address that those below it are relative to.

    An item of VuePress 1 can be an address with a title.
    """
    if isinstance(item, str):
        item = {"link": item}
    elif isinstance(item, list) and item:
        item = {"link": item[0], "text": item[1] if len(item) > 1 else ""}
    return {**item, _BASE: base} if isinstance(item, dict) else item


def _read_bar_entry(item: Data) -> Entry | None:
    fields = to_fields(item)
    base = to_text(fields.get(_BASE))
    title = to_text(fields.get("text") or fields.get("title"))
    link = to_text(fields.get("link") or fields.get("path"))
    if link and not link.startswith("/") and "://" not in link:
        link = f"{base}{link}"
    prefix = to_text(fields.get("prefix"))
    base = prefix if prefix.startswith("/") else f"{base}{prefix}"
    return Entry(title, link, _list_bars(fields.get("children"), base))


def _read_editions(
    path: Path,
    root: Path,
    fields: Mapping[str, Data],
    stated: Data,
    files: ConfigurationFiles,
) -> EditionRules:
    """Return the languages by folder; without that of the root, the first is default.

    A language with an address on another site is not part of the tree.
    """
    builder = EditionBuilder(root, path, files)
    locales = to_fields(stated)
    top = to_text(fields.get("lang")) or (_DEFAULT_LANGUAGE if locales else "")
    tags: dict[str, str] = {}
    for key, locale in locales.items():
        if "://" in to_text(find_part(locale, "link")):
            continue
        stated = to_text(find_part(locale, "lang"))
        texts = (stated, top) if key == _ROOT else (stated, key)
        tags[key] = builder.read_language(*texts)
        folder = _find_root_folder(fields) if key == _ROOT else key
        builder.add_language(folder, tags[key])
    first = tags.get(_ROOT) or next(iter(tags.values()), "")
    return builder.build(language=first or builder.read_language(top))


def _find_root_folder(fields: Mapping[str, Data]) -> str:
    """Return the folder that is published at the root, as `en/:rest*` to `:rest*`."""
    for source, target in to_fields(fields.get("rewrites")).items():
        folder, _, rest = source.partition("/:")
        if to_text(target) == f":{rest}" and rest.endswith("*"):
            return folder
    return ""


def _list_sidebars(fields: Mapping[str, Data]) -> "list[Data]":
    """Return the items of the sidebars of all languages, that of the site first."""
    items = _list_items(find_part(fields, "themeConfig", "sidebar"))
    for locale in to_fields(fields.get("locales")).values():
        items += _list_items(find_part(locale, "themeConfig", "sidebar"))
    return items


def _list_items(sidebar: Data) -> "list[Data]":
    """Return the items of all sidebars: there may be one for each part of the site."""
    if is_computed(sidebar):
        return [COMPUTED]
    if not isinstance(sidebar, dict):
        return list(to_items(sidebar))
    items: list[Data] = []
    for value in sidebar.values():
        if isinstance(value, dict):
            base, listed = to_text(value.get("base")), to_items(value.get("items"))
            items.append({"base": base, "items": list(listed)})
        else:
            items.extend(_list_items(value))
    return items


def _read_entry(item: Data) -> Entry | None:
    fields = to_fields(item)
    if not fields:
        return None
    base = to_text(fields.get("base"))
    link = to_text(fields.get("link"))
    if base and link and "://" not in link:
        link = f"{base.rstrip('/')}/{link.lstrip('/')}"
    below = to_items(fields.get("items"))
    if base:
        below = [
            {"base": base, **each} if isinstance(each, dict) else each for each in below
        ]
    return Entry(to_text(fields.get("text")), link, below)
