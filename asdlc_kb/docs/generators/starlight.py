"""Reader of the configuration of Starlight, the documentation theme of Astro."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration import BELOW, TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    find_part,
    is_computed,
    to_fields,
    to_items,
    to_text,
)
from asdlc_kb.docs.generators.edition_builder import EditionBuilder
from asdlc_kb.docs.generators.javascript import (
    COMPUTED,
    Alternatives,
    Computed,
    Data,
    FunctionCall,
    JavaScriptModule,
)
from asdlc_kb.docs.generators.menus import Entry, build_menu
from asdlc_kb.markup.titles import readable_title

PAGES: Final = "src/content/docs"
"""The folder with the pages, below that of the configuration."""

_PACKAGE: Final = "@astrojs/starlight"
_DEPENDENCIES: Final = ("dependencies", "devDependencies")

_EXCLUDED: Final = ("_*",)
"""What content collections leave out."""

_NEXT_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word begins in a key, as in `myAPIKey`."""

_ROOT: Final = "root"
"""The key of the language without a folder."""


def read_starlight(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `astro.config`; None without Starlight."""
    root = path.parent / PAGES
    if not root.is_dir():
        return None
    module = files.read_script(path)
    fields = to_fields(module.exported)
    options = _find_options(module, fields)
    if options is None and not _may_have_starlight(path, fields, files):
        return None
    options = options or {}
    if not options:
        files.note(path, "the options of Starlight are computed: they are not used")
    folder = _find_default_folder(options, root)
    prefix = f"/{folder}" if folder else ""
    sidebar = options.get("sidebar", [])
    items = [sidebar] if is_computed(sidebar) else to_items(sidebar)
    menu = build_menu(items, partial(_read_entry, folder))
    if menu.left_out:
        files.note(path, "the computed entries of the sidebar are left out")
    title = options.get("title")
    return TreeConfiguration(
        generator="starlight",
        root=root,
        dialect="starlight",
        title=to_text(title) or to_text(next(iter(to_fields(title).values()), "")),
        site_url=to_text(fields.get("site")),
        prefixes=tuple(_list_prefixes(to_text(fields.get("base")), prefix)),
        default_language=folder.strip("/"),
        editions=_read_editions(path, root, options, files),
        navigation=menu.items,
        excluded=_EXCLUDED,
    )


def _list_prefixes(base: str, prefix: str) -> Iterator[str]:
    if base.strip("/"):
        yield f"/{base.strip('/')}/"
    if prefix:
        yield f"{prefix.rstrip('/')}/"


def _find_options(
    module: JavaScriptModule, fields: Mapping[str, Data]
) -> Mapping[str, Data] | None:
    """Return the options of the integration; None if none is called by its name."""
    names = {local for local, (name, _) in module.imports.items() if name == _PACKAGE}
    for each in to_items(fields.get("integrations")):
        if isinstance(each, FunctionCall) and (
            each.function in names or each.function.rpartition(".")[2] == "starlight"
        ):
            return to_fields(each)
    return None


def _may_have_starlight(
    path: Path, fields: Mapping[str, Data], files: ConfigurationFiles
) -> bool:
    """Whether integrations are computed, or the project depends on Starlight."""
    integrations = fields.get("integrations", [])
    items = integrations if isinstance(integrations, list) else [COMPUTED]
    if not fields or any(isinstance(each, Computed | Alternatives) for each in items):
        return True
    package = files.find(path.parent, "package.json")
    stated = files.read_json(package) if package is not None else None
    return any(_PACKAGE in to_fields(find_part(stated, each)) for each in _DEPENDENCIES)


def _find_default_folder(options: Mapping[str, Data], root: Path) -> str:
    """Return the folder of the default language with a slash; empty for the root."""
    language = to_text(options.get("defaultLocale"))
    locales = to_fields(options.get("locales"))
    if language in ("", _ROOT) or _ROOT in locales or not language.isprintable():
        return ""
    is_folder = "/" not in language and (root / language).is_dir()
    return f"{language}/" if is_folder else ""


def _read_editions(
    path: Path, root: Path, options: Mapping[str, Data], files: ConfigurationFiles
) -> EditionRules:
    """Return the languages by folder; pages in none have the default one."""
    builder = EditionBuilder(root, path, files)
    locales = to_fields(options.get("locales"))
    stated = to_text(options.get("defaultLocale"))
    default = _ROOT if _ROOT in locales else stated
    language = ""
    for key, locale in locales.items():
        folder = "" if key == _ROOT else key
        tag = builder.read_language(to_text(find_part(locale, "lang")), folder)
        builder.add_language(folder, tag)
        if key == default:
            language = tag
    return builder.build(language=language)


def _read_entry(folder: str, item: Data) -> Entry | None:
    if isinstance(item, str):
        return Entry(href=f"{folder}{item.strip('/')}" if item.strip("/") else folder)
    fields = to_fields(item)
    if not fields:
        return None
    title = _read_label(item, fields)
    if "items" in fields:
        listed = fields["items"]
        return Entry(title, "", [listed] if is_computed(listed) else to_items(listed))
    if directory := to_text(find_part(fields, "autogenerate", "directory")):
        href = f"{folder}{directory.strip('/')}{BELOW}"
        return Entry(title, "", [{"below": href}]) if title else Entry(href=href)
    if below := to_text(fields.get("below")):
        return Entry(href=below)
    slug, link = to_text(fields.get("slug")), to_text(fields.get("link"))
    if "slug" in fields:
        return Entry(title, f"{folder}{slug.strip('/')}" or "/")
    is_inside = "://" not in link and not link.startswith(("mailto:", "#"))
    return Entry(title, f"{folder}{link.strip('/')}" or "/" if is_inside else link)


def _read_label(item: Data, fields: Mapping[str, Data]) -> str:
    """Return the title of an entry; a helper's first text stands for a computed one."""
    label = to_text(fields.get("label"))
    if (
        not label
        and isinstance(item, FunctionCall)
        and isinstance(item.arguments[0], str)
    ):
        return _name_key(to_text(item.arguments[0]).rpartition(".")[2])
    return label


def _name_key(key: str) -> str:
    """Return the words of a key of a text: `New project` for `newProject`."""
    words = _NEXT_WORD.sub(" ", key).split()
    return readable_title(" ".join(w if w.isupper() else w.lower() for w in words))
