"""Readers of generators with a page as navigation: mdBook, GitBook, docsify.

The page itself is read with the tree, as `sidebar.md` is.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import (
    ConfigurationFiles,
    ConfigurationUnusable,
)
from asdlc_kb.docs.generators.data import find_part, to_fields, to_text
from asdlc_kb.docs.generators.edition_builder import (
    EditionBuilder,
    build_language,
    is_plain_name,
)
from asdlc_kb.docs.generators.menus import place_menu
from asdlc_kb.docs.generators.path_expressions import PathExpression, leave_only
from asdlc_kb.markup.nested_lists import MenuItem, find_links, read_menu

_SUMMARY: Final = "SUMMARY.md"
_LANGUAGES: Final = "LANGS.md"
_SIDEBAR: Final = "_sidebar.md"
_OWN_PREPROCESSORS: Final = frozenset({"index", "links"})
_DOCSIFY_PARTS: Final = ("_navbar.md", "_coverpage.md", "_footer.md", "_404.md")


def read_mdbook(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `book.toml`; what the summary lacks is no chapter."""
    book = files.read_toml(path)
    root = path.parent / (to_text(find_part(book, "book", "src")) or "src")
    site_url = to_text(find_part(book, "output", "html", "site-url"))
    is_path = site_url.startswith("/") and site_url.strip("/")
    return TreeConfiguration(
        generator="mdbook",
        root=root,
        dialect="mdbook",
        title=to_text(find_part(book, "book", "title")),
        site_url=site_url if "://" in site_url else "",
        prefixes=(f"/{site_url.strip('/')}/",) if is_path else (),
        resolves_names=not _OWN_PREPROCESSORS.issuperset(
            to_fields(find_part(book, "preprocessor"))
        ),
        editions=build_language(to_text(find_part(book, "book", "language"))),
        include_folders=(path.parent,),
        sidebar_file=_SUMMARY,
        excluded=tuple(_leave_out_unlisted(root / _SUMMARY, files)),
    )


def _leave_out_unlisted(
    summary: Path, files: ConfigurationFiles
) -> Iterator[PathExpression]:
    """Yield what is no chapter; without a summary, mdBook makes no book.

    Files with other suffixes than `.md` are published as they are.
    """
    if not summary.parent.is_dir():
        return
    text = files.read_text(summary)
    files.require(summary)
    chapters = {
        posixpath.normpath(unquote(href).partition("#")[0])
        for href in find_links(text or "")
    }
    if not chapters:
        message = "not used: it has no links to chapters, which are those of the book"
        raise ConfigurationUnusable(summary, message)
    yield leave_only({*chapters, _SUMMARY}, ".md")


def read_gitbook(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `.gitbook.yaml`, or of a `SUMMARY.md` alone.

    A book in several languages has them in folders, which `LANGS.md` lists. One that
    names a summary which is gone is left over from an earlier generator.
    """
    fields = to_fields(files.read_yaml(path)) if path.suffix != ".md" else {}
    root = path.parent / to_text(fields.get("root")).removeprefix("./")
    summary = to_text(find_part(fields, "structure", "summary")).removeprefix("./")
    languages = _read_languages(root, files)
    if summary and not languages and not (root / summary).is_file():
        files.note(path, f"not used: there is no {summary}")
        return None
    summary = summary or _SUMMARY
    return TreeConfiguration(
        generator="gitbook",
        root=root,
        dialect="gitbook",
        navigation=tuple(_read_summaries(root, languages, summary, files)),
        sidebar_file=summary,
        editions=_build_languages(root, languages, files),
        excluded=(
            ".gitbook/",
            *((f"/{_LANGUAGES}",) if languages else ()),
            *(f"/{folder}/{summary}" for folder in languages),
        ),
    )


def _read_languages(root: Path, files: ConfigurationFiles) -> dict[str, str]:
    """Return the titles of a book's languages by folder; empty for one language."""
    path = files.find(root, _LANGUAGES)
    text = files.read_text(path) if path is not None else None
    pairs = (
        (item.href.strip("./"), item) for item in _list_links(read_menu(text or ""))
    )
    return {
        folder: item.title
        for folder, item in pairs
        if is_plain_name(folder) and (root / folder).is_dir()
    }


def _list_links(items: Iterable[MenuItem]) -> Iterator[MenuItem]:
    for item in items:
        yield item
        yield from _list_links(item.below)


def _build_languages(
    root: Path, languages: Mapping[str, str], files: ConfigurationFiles
) -> EditionRules:
    """Return the languages by folder; the first is the default one."""
    builder = EditionBuilder(root, root / _LANGUAGES, files)
    tags = {folder: builder.read_language(folder) for folder in languages}
    for folder, tag in tags.items():
        builder.add_language(folder, tag)
    return builder.build(language=next(iter(tags.values()), ""))


def _read_summaries(
    root: Path, languages: Mapping[str, str], summary: str, files: ConfigurationFiles
) -> Iterator[MenuItem]:
    """Yield the navigation of each language, below its title."""
    for folder, title in languages.items():
        path = files.find(root / folder, summary)
        items = read_menu((files.read_text(path) or "") if path is not None else "")
        if len(items) == 1 and items[0].level == 1:
            items = items[0].below
        yield MenuItem(title, "", place_menu(items, folder))


def read_docsify(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration of a folder with `_sidebar.md`."""
    return TreeConfiguration(
        generator="docsify",
        root=path.parent,
        dialect="docsify",
        sidebar_file=_SIDEBAR,
        excluded=(*_DOCSIFY_PARTS, f"*/**/{_SIDEBAR}"),
    )
