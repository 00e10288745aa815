"""Reader of the configuration of Sphinx with MyST, Jupyter Book and mystmd."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import (
    ConfigurationFiles,
    ConfigurationUnusable,
)
from asdlc_kb.docs.generators.data import (
    find_part,
    is_true,
    to_fields,
    to_items,
    to_text,
)
from asdlc_kb.docs.generators.edition_builder import build_language
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.menus import Entry, build_menu
from asdlc_kb.docs.generators.path_expressions import PathExpression, leave_only
from asdlc_kb.docs.generators.python_settings import read_settings
from asdlc_kb.docs.generators.stated_patterns import read_globs
from asdlc_kb.docs.generators.toctrees import Toctrees
from asdlc_kb.markup.nested_lists import MenuItem

_PARSERS: Final = ("myst_parser", "myst_nb", "recommonmark", "sphinx_markdown_parser")
"""Extensions of Sphinx that read Markdown."""

MAX_ABOVE: Final = 3
"""Folders above a documentation in which its project is looked up."""

_PROJECTS: Final = ("pyproject.toml", "setup.cfg", "setup.py", "package.json")
"""Files of a project's folder."""

_TITLES: Final = ("html_title", "project")
_BUILT: Final = ("/_build/", "**/.ipynb_checkpoints/")


def read_sphinx(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `conf.py`; None for a project without Markdown."""
    text = files.read_text(path) or ""
    if not any(parser in text for parser in _PARSERS):
        return None
    files.require(path)
    try:
        settings = read_settings(text)
    except ValueError as error:
        raise ConfigurationUnusable(
            path, f"not used: it is not Python: {error}"
        ) from error
    first = settings.get("root_doc") or settings.get("master_doc")
    titles = (to_text(settings.get(name)) for name in _TITLES)
    return _configure(
        path,
        files,
        title=next(filter(None, titles), ""),
        site_url=to_text(settings.get("html_baseurl")),
        language=to_text(settings.get("language")),
        navigation=Toctrees(path.parent, files).read(to_text(first) or "index"),
        excluded=read_globs(path, "exclude_patterns", settings.get("exclude_patterns")),
        values=settings.get("myst_substitutions"),
    )


def read_jupyter_book(
    path: Path, files: ConfigurationFiles
) -> TreeConfiguration | None:
    """Return the configuration in `_toc.yml`, and in the `_config.yml` next to it."""
    table = files.read_yaml(path)
    own = files.find(path.parent, "_config.yml")
    settings = to_fields(files.read_yaml(own)) if own is not None else {}
    fields = {"file": find_part(table, "root"), **to_fields(table)}
    entries = [fields] if isinstance(table, dict) else to_items(table)
    menu = build_menu(entries, _read_entry).items
    patterns = settings.get("exclude_patterns")
    is_closed = is_true(settings.get("only_build_toc_files"))
    return _configure(
        path,
        files,
        title=to_text(settings.get("title")),
        values=find_part(settings, "parse", "myst_substitutions"),
        site_url=to_text(find_part(settings, "html", "baseurl")),
        language=to_text(find_part(settings, "sphinx", "config", "language")),
        navigation=menu,
        excluded=(
            *read_globs(own or path, "exclude_patterns", patterns),
            *((leave_only(_list_pages(menu), ".md"),) if is_closed else ()),
        ),
    )


def read_mystmd(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `myst.yml`; with a table, others are no pages."""
    fields = to_fields(files.read_yaml(path))
    project, site = fields.get("project"), fields.get("site")
    if not isinstance(project, dict) and not isinstance(site, dict):
        return None
    table = find_part(project, "toc")
    menu = build_menu(to_items(table), _read_entry).items
    titles = (to_text(find_part(part, "title")) for part in (site, project))
    return _configure(
        path,
        files,
        title=next(filter(None, titles), ""),
        site_url="",
        language="",
        navigation=menu,
        excluded=(
            *read_globs(path, "project.exclude", find_part(project, "exclude")),
            *((leave_only(_list_pages(menu), ".md"),) if menu else ()),
        ),
    )


def _configure(
    path: Path,
    files: ConfigurationFiles,
    *,
    title: str,
    site_url: str,
    language: str,
    navigation: tuple[MenuItem, ...],
    excluded: "Iterator[PathExpression] | tuple[PathExpression, ...]",
    values: Data = None,
) -> TreeConfiguration:
    return TreeConfiguration(
        generator="sphinx",
        root=path.parent,
        dialect="myst",
        title=title,
        site_url=site_url,
        resolves_names=True,
        editions=build_language(language),
        include_folders=_list_projects(path.parent, files),
        navigation=navigation,
        values={
            f"myst.{key}": value
            for key, value in to_fields(values).items()
            if isinstance(value, str)
        },
        excluded=(*_BUILT, *excluded),
    )


def _list_projects(folder: Path, files: ConfigurationFiles) -> tuple[Path, ...]:
    """Return the project of a documentation: its pages include files of it."""
    for above in folder.parents[:MAX_ABOVE]:
        found = files.find(above, *_PROJECTS)
        if found is not None and files.is_below(found):
            files.read_text(found)
            return (above,)
        if (above / ".git").exists():
            return (above,)
    return ()


def _read_entry(item: Data) -> Entry | None:
    """Read an entry of either table; its parts have other names in each."""
    fields = to_fields(item)
    title = to_text(fields.get("title") or fields.get("caption"))
    href = to_text(fields.get("file") or fields.get("url"))
    names = ("parts", "subtrees", "chapters", "sections", "entries", "children")
    below = [each for name in names for each in to_items(fields.get(name))]
    return Entry(title, href, below)


def _list_pages(items: "tuple[MenuItem, ...]") -> Iterator[str]:
    """Yield the files of the pages in a menu, with the suffix of Markdown."""
    for item in items:
        if item.href and "://" not in item.href:
            name = item.href.removeprefix("./")
            yield name if name.endswith(".md") else f"{name}.md"
        yield from _list_pages(item.below)
