"""Reader of the versions and languages of Docusaurus."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import find_part, to_fields, to_text, to_texts
from asdlc_kb.docs.generators.docusaurus_sidebars import (
    read_sidebars,
    read_translations,
    strip_versions,
    translate_menu,
)
from asdlc_kb.docs.generators.edition_builder import (
    MAX_EDITIONS,
    EditionBuilder,
    is_plain_name,
)
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.markup.nested_lists import MenuItem

CURRENT: Final = "current"
"""The version in the folder that is not a copy."""

NEXT: Final = "next"
"""Name of the current version where there are others."""


@dataclass(frozen=True, slots=True)
class DocsVersion:
    """A version of the documentation."""

    key: str
    """As in `versions.json`, or `CURRENT`."""
    name: str
    """Empty if it is the only one."""
    folder: Path
    sidebars: Path | None = None
    """The file with its sidebars; None for that of the configuration."""

    @property
    def stem(self) -> str:
        """The name of its folder and files of translations."""
        return self.key if self.key == CURRENT else f"version-{self.key}"


@dataclass(frozen=True, slots=True)
class DocsVersions:
    """The versions that are published; `root` is the one at the root of the tree."""

    root: DocsVersion
    default: DocsVersion
    others: tuple[DocsVersion, ...] = ()


def read_versions(
    source: Path, docs: Mapping[str, Data], files: ConfigurationFiles
) -> DocsVersions:
    """Return the versions of the documentation with these options.

    The current one is at the root of the tree, or else the default one.
    """
    site = source.parent
    lead = _find_lead(docs)
    path = site / f"{lead}versions.json"
    is_versioned = path.is_file() and docs.get("disableVersioning") is not True
    listed = to_texts(files.read_json(path)) if is_versioned else ()
    builder = EditionBuilder(site, path, files)
    current = DocsVersion(
        CURRENT,
        _name_current(docs),
        site / (to_text(docs.get("path")) or "docs"),
    )
    known = [current] if docs.get("includeCurrentVersion") is not False else []
    for key in dict.fromkeys(listed[:MAX_EDITIONS]):
        folder = site / f"{lead}versioned_docs/version-{key}"
        if not (name := builder.read_version(key)):
            continue
        if folder.is_dir() and files.is_below(folder):
            sidebars = site / f"{lead}versioned_sidebars/version-{key}-sidebars.json"
            known.append(DocsVersion(key, name, folder, sidebars))
        else:
            files.note(folder, "there is no such folder")
    only = to_texts(docs.get("onlyIncludeVersions"))
    included = [each for each in known if not only or each.key in only]
    return _arrange(included or known or [current], to_text(docs.get("lastVersion")))


def _arrange(versions: Sequence[DocsVersion], last: str) -> DocsVersions:
    if [each.key for each in versions] == [CURRENT]:
        versions = [replace(versions[0], name="")]
    stated = [each for each in versions if each.key == last]
    copies = [each for each in versions if each.key != CURRENT]
    default = next(iter((*stated, *copies, *versions)))
    root = versions[0] if versions[0].key == CURRENT else default
    others = tuple(each for each in versions if each is not root)
    return DocsVersions(root, default, others)


def read_editions(
    source: Path,
    fields: Mapping[str, Data],
    docs: Mapping[str, Data],
    versions: DocsVersions,
    navigation: tuple[MenuItem, ...],
    files: ConfigurationFiles,
) -> EditionRules:
    """Return the folders of the versions and of their translations."""
    builder = EditionBuilder(versions.root.folder, source, files)
    i18n = to_fields(fields.get("i18n"))
    default = to_text(i18n.get("defaultLocale"))
    language = _read_language(builder, i18n, default) if default else ""
    menus: dict[str, tuple[MenuItem, ...]] = {versions.root.key: navigation}
    for version in versions.others:
        menu = menus[version.key] = read_own_sidebars(version, files)
        builder.add_folder(
            version.folder,
            version.name,
            version=version.name,
            language=language,
            navigation=menu,
        )
    for locale in to_texts(i18n.get("locales")):
        if locale == default or not is_plain_name(locale):
            continue
        tag = _read_language(builder, i18n, locale)
        folder = source.parent / _find_translations(i18n, locale, docs)
        if not tag or not folder.is_dir():
            continue
        for version in (versions.root, *versions.others):
            is_root = version is versions.root
            titles = read_translations(folder / f"{version.stem}.json", files)
            menu = menus[version.key] if titles or not is_root else ()
            builder.add_folder(
                folder / version.stem,
                locale if is_root else f"{locale}/{version.name}",
                version=version.name,
                language=tag,
                navigation=translate_menu(menu, titles),
            )
    return builder.build(
        version=versions.root.name,
        language=language,
        default_version=versions.default.name,
    )


def list_prefixes(
    prefix: str, docs: Mapping[str, Data], versions: DocsVersions
) -> Iterator[str]:
    """Yield the leading parts of the addresses of the pages at the root."""
    if versions.root is not versions.default:
        stated = find_part(docs.get("versions"), versions.root.key, "path")
        name = to_text(stated).strip("/") or NEXT
        yield f"{prefix}{name}/"
    if prefix != "/":
        yield prefix


def _find_lead(docs: Mapping[str, Data]) -> str:
    """Return what the files of a plugin begin with: its id, but for the first one."""
    plugin = to_text(docs.get("id"))
    is_named = plugin != "default" and is_plain_name(plugin)
    return f"{plugin}_" if is_named else ""


def _name_current(docs: Mapping[str, Data]) -> str:
    stated = to_fields(find_part(docs.get("versions"), CURRENT))
    texts = (to_text(stated.get(key)).strip("/") for key in ("label", "path"))
    return next(filter(is_plain_name, texts), NEXT)


def read_own_sidebars(
    version: DocsVersion, files: ConfigurationFiles
) -> tuple[MenuItem, ...]:
    """Return the navigation of a version that is a copy; empty if it has none."""
    path = version.sidebars
    if path is None or not path.is_file():
        return ()
    return strip_versions(read_sidebars(path, files), version.key)


def _read_language(
    builder: EditionBuilder, i18n: Mapping[str, Data], locale: str
) -> str:
    stated = to_text(find_part(i18n.get("localeConfigs"), locale, "htmlLang"))
    return builder.read_language(stated, locale)


def _find_translations(
    i18n: Mapping[str, Data], locale: str, docs: Mapping[str, Data]
) -> str:
    """Return the folder of a language with its documentation, from the site."""
    base = to_text(i18n.get("path")) or "i18n"
    stated = to_text(find_part(i18n.get("localeConfigs"), locale, "path"))
    plugin = _find_lead(docs).rstrip("_")
    name = "docusaurus-plugin-content-docs" + (f"-{plugin}" if plugin else "")
    return f"{base}/{stated or locale}/{name}"
