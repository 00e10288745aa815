"""The text of a page: its includes resolved, its dialect translated.

- KB035 an include that is not resolved
"""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from asdlc_kb.docs.generators.configuration import PageDefaults
from asdlc_kb.docs.pages.cascades import Cascade
from asdlc_kb.docs.pages.includes import TreeIncludes
from asdlc_kb.docs.pages.note_names import NoteNames
from asdlc_kb.files.dependencies import Dependency
from asdlc_kb.files.paths import NameFilter
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.nodes import Mapping as Fields
from asdlc_kb.frontmatter.nodes import Scalar
from asdlc_kb.markup.dialects.dialect import find_none, keep_values
from asdlc_kb.markup.dialects.includes import Includer, RefusedInclude
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.table import find_dialect
from asdlc_kb.markup.dialects.translator import translate

NAVIGATION: Final = ("sidebar.md", "topbar.md")
"""Files of the root that define the navigation; they are not pages."""

MAX_LABELS: Final = 1_000
"""Labels of a page that other pages can link to."""

NO_FIELDS: Final = Fields({}, 1, 1)


class PageRules(NamedTuple):
    """How the pages of a tree are read."""

    root: Path = Path()
    dialect: str = "github"
    bars: frozenset[str] = frozenset(NAVIGATION)
    """The files that define the navigation."""
    include_folders: tuple[Path, ...] = ()
    """Further folders from which pages may include files."""
    accepts_include: NameFilter = lambda path: None
    """See `TreeIncludes.accepts`."""
    base: str = ""
    """The path of the root in that of the generator, empty or with a slash."""
    cascades: tuple[Cascade, ...] = ()
    """Those of the whole tree."""
    defaults: tuple[PageDefaults, ...] = ()
    """Frontmatter by scope."""
    names: NoteNames | None = None
    """See `TreeIncludes.names`."""
    include_mounts: tuple[tuple[str, Path], ...] = ()
    """See `TreeIncludes.mounts`."""
    values: Mapping[str, str] = {}
    """What pages call by its name in templates."""
    labels: frozenset[str] = frozenset()
    """See `TreeConfiguration.labels`."""


class PageText(NamedTuple):
    """The text of a page in two forms."""

    body: str
    """GitHub's Markdown, for agents and search."""
    source: str = ""
    """With includes and in its dialect; empty for a page in GitHub's Markdown."""
    labels: tuple[str, ...] = ()
    """Names by which other pages link to places in it."""
    problems: tuple[Problem, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    is_dated: bool = False
    """Whether it depends on the time."""


def make_page_text(
    path: str, written: str, line: int, rules: PageRules, fields: Fields = NO_FIELDS
) -> PageText:
    """Return the text of a page as written, which begins at a line of its file."""
    dialect = find_dialect(rules.dialect, path)
    source, refused, dependencies = written, [], tuple[Dependency, ...]()
    is_dated = False
    if dialect.find_includes is not find_none:
        files = TreeIncludes(
            rules.root,
            rules.include_folders,
            rules.accepts_include,
            rules.names,
            rules.include_mounts,
        )
        includer = Includer(dialect.find_includes, files)
        source = includer.expand(written, os.path.join(rules.root, path))
        refused = includer.refused
        dependencies, is_dated = tuple(files.dependencies.values()), files.has_dated
    if dialect.fill is not keep_values:
        source = dialect.fill(source, {**rules.values, **dict(_name_values(fields))})
    body = translate(source, dialect, Output.MARKDOWN)
    if not dialect.is_plain:
        # Imports leave blank lines.
        body = body.lstrip("\n")
    if body == source:
        body = source
    problems = tuple(_report(path, line - 1, each) for each in refused)
    shown = "" if dialect.is_plain else source
    labels = tuple(islice(dict.fromkeys(dialect.find_labels(source)), MAX_LABELS))
    return PageText(body, shown, labels, problems, dependencies, is_dated)


def _name_values(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield the values of frontmatter by their names in templates."""
    for name, value in fields.items.items():
        if isinstance(value, Scalar) and not value.is_null:
            yield f"page.{name}", value.text


def _report(path: str, above: int, refused: RefusedInclude) -> Problem:
    message = f"{refused.path!r} is not included: {refused.reason}"
    return Problem(path, above + refused.line, 1, "KB035", message)


def make_html_text(path: str, source: str, dialect: str) -> str:
    """Return the Markdown of a page for the website."""
    return translate(source, find_dialect(dialect, path), Output.HTML)
