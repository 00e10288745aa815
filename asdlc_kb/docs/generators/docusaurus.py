"""Reader of the configuration of Docusaurus."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import (
    ConfigurationFiles,
    ConfigurationUnusable,
)
from asdlc_kb.docs.generators.data import (
    find_part,
    is_computed,
    to_fields,
    to_items,
    to_text,
)
from asdlc_kb.docs.generators.docusaurus_editions import (
    list_prefixes,
    read_editions,
    read_own_sidebars,
    read_versions,
)
from asdlc_kb.docs.generators.docusaurus_sidebars import (
    LabelledFolder,
    read_labels,
    read_sidebars,
)
from asdlc_kb.docs.generators.javascript import COMPUTED, Data, FunctionCall
from asdlc_kb.docs.generators.stated_patterns import read_globs
from asdlc_kb.markup.nested_lists import MenuItem

_EXCLUDED: Final = ("_*.md", "_*.mdx", "_*/", "*.test.md", "__tests__/")
"""What Docusaurus leaves out by default."""

_SIDEBARS: Final = tuple(f"sidebars.{s}" for s in ("js", "ts", "cjs", "mjs", "json"))


def read_docusaurus(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `docusaurus.config.js` or `.ts`."""
    fields = files.read_export(path, "exclude")
    docs = _find_docs_options(path, fields)
    versions = read_versions(path, docs, files)
    root = versions.root
    menu = (
        read_own_sidebars(root, files)
        if root.sidebars
        else _read_sidebars(path.parent, docs, files)
    )
    editions = read_editions(path, fields, docs, versions, menu, files)
    base = to_text(fields.get("baseUrl")) or "/"
    route = to_text(docs.get("routeBasePath")) if "routeBasePath" in docs else "docs"
    prefix = f"/{base.strip('/')}/{route.strip('/')}/".replace("//", "/")
    prefix = prefix.replace("//", "/")
    return TreeConfiguration(
        generator="docusaurus",
        root=root.folder,
        dialect="docusaurus",
        title=to_text(fields.get("title")),
        site_url=_join_url(to_text(fields.get("url")), prefix),
        prefixes=tuple(list_prefixes(prefix, docs, versions)),
        route=f"/{route.strip('/')}/" if route.strip("/") else "",
        navigation=menu,
        folders=dict(read_labels(_list_folders(root.folder, editions), files)),
        editions=editions,
        include_folders=(path.parent,),
        excluded=(
            tuple(read_globs(path, "exclude", docs["exclude"], is_globby=True))
            if "exclude" in docs
            else _EXCLUDED
        ),
    )


def _list_folders(root: Path, editions: EditionRules) -> Iterator[LabelledFolder]:
    yield LabelledFolder(root)
    for each in editions.folders:
        yield LabelledFolder(each.folder, each.prefix)


def _join_url(site: str, prefix: str) -> str:
    return site.rstrip("/") + prefix if urlsplit(site).scheme else ""


def _find_docs_options(path: Path, fields: Mapping[str, Data]) -> Mapping[str, Data]:
    """Return the options of the documentation: of a preset, or else of a plugin.

    Raises ConfigurationUnusable if they are computed: they say what is left out.
    """
    computed = ""
    for options in _list_options(fields, "presets"):
        docs = find_part(options, "docs")
        if is_computed(options) or is_computed(docs):
            computed = "presets"
        elif docs:
            return to_fields(docs)
    for options in _list_options(fields, "plugins", "content-docs"):
        if is_computed(options):
            computed = computed or "plugins"
        else:
            return to_fields(options)
    if computed:
        raise ConfigurationUnusable(
            path,
            f"not used: '{computed}' is computed, and 'exclude' must be written in an"
            " object literal",
        )
    return {}


def _list_options(
    fields: Mapping[str, Data], kind: str, name: str = ""
) -> Iterator[Data]:
    """Yield the options of the presets, or of the plugins with this part of a name."""
    stated = fields.get(kind)
    if is_computed(stated):
        yield COMPUTED
    for each in to_items(stated):
        parts = to_items(each)
        if is_computed(each) and not name:
            yield COMPUTED
        elif len(parts) > 1 and name in to_text(parts[0]):
            yield parts[1]


def _read_sidebars(
    folder: Path, docs: Mapping[str, Data], files: ConfigurationFiles
) -> tuple[MenuItem, ...]:
    stated = docs.get("sidebarPath")
    if isinstance(stated, FunctionCall):
        # As in require.resolve('./sidebars.js').
        stated = next((a for a in stated.arguments if isinstance(a, str)), None)
    name = to_text(stated)
    path = files.find(folder, *((name,) if name else _SIDEBARS))
    return () if path is None else read_sidebars(path, files)
