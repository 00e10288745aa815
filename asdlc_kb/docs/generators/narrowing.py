"""View of a tree's configuration from one of its folders, or from an edition's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from asdlc_kb.docs.edition import EditionFolder, EditionReader, EditionRules
from asdlc_kb.docs.generators.configuration import FolderLabel, TreeConfiguration
from asdlc_kb.markup.nested_lists import MenuItem


def narrow(configuration: TreeConfiguration, folder: Path) -> TreeConfiguration | None:
    """Return a configuration as seen from a folder; None if it is of other pages."""
    root = configuration.root
    if root == folder or folder in root.parents:
        return configuration
    if root not in folder.parents:
        return None
    prefix = f"{folder.relative_to(root).as_posix()}/"
    return replace(
        configuration,
        root=folder,
        base=f"{configuration.base}{prefix}",
        prefixes=tuple(dict.fromkeys((*configuration.prefixes, f"/{prefix}"))),
        navigation=tuple(_narrow_menu(configuration.navigation, prefix)),
        sidebar_file="",
        folders=dict(_narrow_labels(configuration, prefix)),
        editions=_narrow_editions(configuration.editions, prefix),
    )


def view_edition(
    configuration: TreeConfiguration, edition: EditionFolder
) -> TreeConfiguration:
    """Return the configuration of a tree as that of a folder with one edition.

    A translation has the labels of the tree too. The notes stay with the tree.
    """
    editions, lead = configuration.editions, f"{edition.prefix}/"
    is_translation = edition.version == editions.version
    labels = dict(configuration.folders) if is_translation else {}
    labels |= {
        path.removeprefix(lead): label
        for path, label in configuration.folders.items()
        if path.startswith(lead)
    }
    own = (
        f"{prefix}{start}"
        for prefix in (*configuration.prefixes, "/")
        for start in _list_leads(edition, editions)
    )
    return replace(
        configuration,
        root=edition.folder,
        prefixes=tuple(dict.fromkeys((*own, *configuration.prefixes))),
        navigation=edition.navigation or configuration.navigation,
        sidebar_file="",
        folders=labels,
        editions=EditionRules(
            version=edition.version,
            language=edition.language,
            default_version=editions.default_version,
            default_language=editions.default_language,
        ),
        notes=(),
    )


def _list_leads(edition: EditionFolder, editions: EditionRules) -> Iterator[str]:
    """Yield what the addresses of an edition's pages begin with below the site's.

    A site names the language before the version, and leaves out the default one.
    """
    yield f"{edition.prefix}/"
    if not edition.version or edition.language == editions.language:
        return
    language = edition.prefix.removesuffix(f"/{edition.version}")
    yield f"{language}/{edition.version}/"
    if edition.version == editions.default_version:
        yield f"{language}/"


def _narrow_labels(
    configuration: TreeConfiguration, prefix: str
) -> Iterator[tuple[str, FolderLabel]]:
    """Yield the labels of the folders below a folder, in each edition."""
    mounts = (f"{each.prefix}/" for each in configuration.editions.folders)
    for lead in ("", *mounts):
        for path, label in configuration.folders.items():
            if path.startswith(f"{lead}{prefix}"):
                yield f"{lead}{path.removeprefix(f'{lead}{prefix}')}", label


def _narrow_menu(items: Sequence[MenuItem], prefix: str) -> Iterator[MenuItem]:
    """Yield the entries with pages below a folder, relative to it."""
    for item in items:
        below = tuple(_narrow_menu(item.below, prefix))
        href = item.href.lstrip("/") if "://" not in item.href else ""
        if href.startswith(prefix):
            yield replace(item, href=f"/{href.removeprefix(prefix)}", below=below)
        elif below:
            yield replace(item, href="", below=below)


def _narrow_editions(rules: EditionRules, prefix: str) -> EditionRules:
    """Return the editions below a folder.

    The folder's own edition is the default one where it lacks that of the tree.
    """
    own = EditionReader(rules).read(prefix)
    versions = dict(_narrow_folders(rules.versions, prefix))
    languages = dict(_narrow_folders(rules.languages, prefix))
    folders = tuple(_narrow_mounts(rules.folders, prefix))
    known_versions = {own.version, *versions.values()}
    known_versions.update(each.version for each in folders)
    known_languages = {own.language, *languages.values(), *rules.suffixes.values()}
    known_languages.update(each.language for each in folders)
    return replace(
        rules,
        version=own.version,
        language=own.language,
        versions=versions,
        languages=languages,
        default_version=_choose(rules.default_version, own.version, known_versions),
        default_language=_choose(rules.default_language, own.language, known_languages),
        folders=folders,
    )


def _choose(default: str, own: str, known: set[str]) -> str:
    return default if default in known else own


def _narrow_folders(
    folders: Mapping[str, str], prefix: str
) -> Iterator[tuple[str, str]]:
    for folder, name in folders.items():
        if folder.startswith(prefix):
            yield folder.removeprefix(prefix), name


def _narrow_mounts(
    folders: Sequence[EditionFolder], prefix: str
) -> Iterator[EditionFolder]:
    """Yield the folders that have the same part; a link out of them is none."""
    for each in folders:
        folder = each.folder / prefix.rstrip("/")
        if folder.is_dir() and folder.resolve().is_relative_to(each.folder.resolve()):
            navigation = tuple(_narrow_menu(each.navigation, prefix))
            yield replace(each, folder=folder, navigation=navigation)
