"""Exclusions that a configuration states as globs or as regular expressions.

One that cannot be read makes the configuration unusable: the pages that it leaves out
may be secret.
"""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from asdlc_kb.docs.generators.configuration_files import ConfigurationUnusable
from asdlc_kb.docs.generators.javascript import Alternatives, Data
from asdlc_kb.docs.generators.path_expressions import (
    MAX_REPEATS,
    PathExpression,
    compile_expression,
    translate_glob,
)

_FLAGS: Final = re.compile(r"\(\?[ims]+\)")
_WILDCARD: Final = re.compile(r"[*?\[{(]")


def list_texts(path: Path, name: str, value: Data) -> Iterator[str]:
    """Yield the texts of a field, those of both branches of a condition.

    Raises ConfigurationUnusable for a value that is computed.
    """
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                yield text
            case Alternatives(values):
                pending += values
            case list() as items:
                pending += items
            case None | False:
                pass
            case _:
                message = f"'{name}' is computed, and must be written as literal texts"
                raise ConfigurationUnusable(path, f"not used: {message}")


def read_globs(
    path: Path, name: str, value: Data, *, is_globby: bool = False
) -> Iterator[PathExpression]:
    """Yield the globs of a JavaScript tool, relative to the folder of pages.

    With `is_globby` a last name with wildcards is that of files only. Raises
    ConfigurationUnusable for a glob that cannot be read.
    """
    globs: dict[bool, list[str]] = {False: [], True: []}
    for text in list_texts(path, name, value):
        is_for_files = is_globby and _WILDCARD.search(text.rpartition("/")[2])
        with _reporting(path, name, text):
            globs[not is_for_files].append(translate_glob(text))
            compile_expression(globs[not is_for_files][-1])
    for has_folders, texts in globs.items():
        if texts:
            yield PathExpression(_join(texts), has_folders=has_folders)


def read_hugo_globs(
    path: Path, name: str, included: Sequence[str], excluded: Sequence[str]
) -> Iterator[PathExpression]:
    """Yield what the globs of a mount of Hugo leave out; those excluded win.

    Raises ConfigurationUnusable for one that cannot be read.
    """
    globs: list[str] = []
    for text in (*included, *excluded):
        with _reporting(path, name, text):
            globs.append(translate_glob(text, is_hugo=True))
            compile_expression(globs[-1])
    taken, left = globs[: len(included)], globs[len(included) :]
    if left:
        yield PathExpression(_join(left, re.IGNORECASE))
    if taken:
        expression = re.compile(f"(?i)^(?!(?:{'|'.join(taken)})$)")
        yield PathExpression(expression, has_folders=False)


class Contents(NamedTuple):
    """A folder of pages of docfx, with the globs of those that are published."""

    lead: str
    """The path of the folder, with a slash; empty for the root."""
    included: Sequence[str]
    excluded: Sequence[str]


def read_content_globs(
    path: Path, contents: Iterable[Contents]
) -> Iterator[PathExpression]:
    """Yield what no folder of docfx publishes.

    Raises ConfigurationUnusable for a glob that cannot be read.
    """
    published: list[str] = []
    for lead, included, excluded in contents:
        globs: list[str] = []
        for text in (*included, *excluded):
            with _reporting(path, "build.content", text):
                globs.append(translate_glob(text))
                compile_expression(globs[-1])
        taken, left = globs[: len(included)], globs[len(included) :]
        without = f"(?!(?:{'|'.join(left)})$)" if left else ""
        published.append(f"{re.escape(lead)}{without}(?:{'|'.join(taken)})")
    expression = re.compile(f"(?i)^(?!(?:{'|'.join(published)})$)")
    yield PathExpression(expression, has_folders=False)


def read_expressions(
    path: Path, name: str, value: Data, *, lead: str = ""
) -> Iterator[PathExpression]:
    """Yield the regular expressions of a field, for paths with a lead.

    Raises ConfigurationUnusable for one that cannot be read.
    """
    for text in list_texts(path, name, value):
        with _reporting(path, name, text):
            yield PathExpression(compile_expression(text, MAX_REPEATS), lead)


def read_plugin_patterns(
    path: Path, name: str, fields: Mapping[str, Data]
) -> Iterator[PathExpression]:
    """Yield the patterns of the plugin mkdocs-exclude, which are those of Python."""
    for text in list_texts(path, f"{name}.glob", fields.get("glob")):
        expression = re.compile(f"^{fnmatch.translate(text)}")
        yield PathExpression(expression, has_folders=False)
    for text in list_texts(path, f"{name}.regex", fields.get("regex")):
        with _reporting(path, f"{name}.regex", text):
            flags = _FLAGS.match(text)
            lead = flags[0] if flags else ""
            expression = compile_expression(
                f"{lead}^(?:{text[len(lead) :]})", MAX_REPEATS
            )
            yield PathExpression(expression, has_folders=False)


def _join(globs: Sequence[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return one expression for the whole paths that one of these matches."""
    return re.compile(f"^(?:{'|'.join(globs)})$", flags)


@contextmanager
def _reporting(path: Path, name: str, text: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, re.error, OverflowError) as error:
        message = f"'{text[:100]}' in '{name}' must be written as a simpler pattern"
        raise ConfigurationUnusable(path, f"not used: {message}") from error
