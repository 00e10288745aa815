"""The command `check`: reports problems of content."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click

from asdlc_kb.app import ConfiguredSources
from asdlc_kb.articles.checks import CODES
from asdlc_kb.articles.checks import check_articles as check_catalog
from asdlc_kb.articles.unserved import check_places
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.progress import ReportProgress, show_progress
from asdlc_kb.cli.project_fixes import fix_projects
from asdlc_kb.cli.rendering_checks import CODES as RENDERING_CODES
from asdlc_kb.cli.rendering_checks import check as check_rendering
from asdlc_kb.cli.sources import as_json, find_unserved, load_sources
from asdlc_kb.cli.synonym_checks import CODES as SYNONYM_CODES
from asdlc_kb.cli.synonym_checks import check_synonyms
from asdlc_kb.cli.terminal import HelpCommand, Span
from asdlc_kb.cli.value_completion import complete_words
from asdlc_kb.docs.checks import CODES as PAGE_CODES
from asdlc_kb.docs.checks import check_pages
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.render_process import RenderProcess
from asdlc_kb.project.checks import ADVICE as PROJECT_ADVICE
from asdlc_kb.project.checks import CODES as PROJECT_CODES
from asdlc_kb.project.checks import check_project

_EARLIEST: Final = timezone(timedelta(hours=14))
"""The time zone in which a day begins first."""


F = TypeVar("F", bound=Callable[..., Any])

WARNINGS: Final = frozenset({*SYNONYM_CODES, *PROJECT_ADVICE})
"""Codes that do not make the command fail."""

_KNOWN_CODES: Final = (
    frozenset({*CODES, *PAGE_CODES, *PROJECT_CODES, *RENDERING_CODES}) | WARNINGS
)

CheckedFile: TypeAlias = tuple[Path, Problem]
"""A problem and its root."""

FileCode: TypeAlias = tuple[str, str]
"""A pattern of file paths, and a code or the beginning of codes."""


def _read_codes(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...]:
    """Return codes or prefixes of codes; raise BadParameter for an unknown one."""
    words = _split(values)
    for word in words:
        if not word or not any(code.startswith(word) for code in _KNOWN_CODES):
            raise click.BadParameter(f"no code begins with '{word}'")
    return tuple(words)


def _split(values: Sequence[str]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",")]


def _read_exceptions(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[FileCode, ...]:
    """Return pairs of a pattern and a code or prefix; raise BadParameter."""
    exceptions: list[FileCode] = []
    for word in _split(values):
        pattern, _, code = word.rpartition(":")
        if not pattern:
            raise click.BadParameter(f"'{word}' is not PATTERN:CODE")
        _read_codes(context, parameter, (code,))
        exceptions.append((pattern, code.strip()))
    return tuple(exceptions)


def _codes(flag: str, shown: str) -> Callable[[F], F]:
    return click.option(
        flag,
        multiple=True,
        callback=_read_codes,
        shell_complete=complete_words(sorted(_KNOWN_CODES), ","),
        metavar="CODES",
        help=shown,
    )


@click.command(cls=HelpCommand)
@settings_options(
    *("docs", "dialect", "language", "project", "max_files", "synonyms"),
    accepts_others=True,
)
@_codes("--select", "Report only these codes (a prefix such as KB03 selects several)")
@_codes("--ignore", "Do not report these codes (takes precedence over --select)")
@click.option(
    "--per-file-ignores",
    "exceptions",
    multiple=True,
    callback=_read_exceptions,
    metavar="PATTERN:CODE",
    help="Do not report a code in files whose path, as reported, matches a pattern; "
    "* also matches slashes",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    help="Output format (default: text)",
)
@click.option(
    "--fix",
    "fixes",
    is_flag=True,
    help="Correct names and missing quotes in projects, then report the rest",
)
@click.option(
    "--dry-run",
    "is_dry",
    is_flag=True,
    help="With --fix, print the changes without making them",
)
@as_json
def check(
    given: CommandSettings,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exceptions: tuple[FileCode, ...],
    form: str | None,
    fixes: bool,
    is_dry: bool,
    as_json: bool,
) -> int:
    """Report problems in the served files; exit 1 if there are any."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} cannot be used together")
    if is_dry and not fixes:
        raise click.UsageError("--dry-run is for --fix")
    sources = load_sources(given.settings, has_projects=True)
    if fixes and not [*sources.projects]:
        raise click.UsageError("--fix is for projects: name one with --project")
    if fixes:
        fix_projects(
            [*sources.projects],
            is_dry=is_dry,
            shows_on_stderr=as_json or form is not None,
        )
    with show_progress("Checking") as report:
        # Pages may include the same file.
        found = [*dict.fromkeys(_find(sources, report))]
    found += _find_empty(sources)
    found += check_synonyms(sources, given.settings.synonyms)
    problems = [
        (root, problem)
        for root, problem in found
        if problem.code.startswith(select or "KB")
        and not problem.code.startswith(ignore)
        and not _is_excepted(root, problem, exceptions)
    ]
    write = _write_github if form == "github" else _write_text
    is_json = as_json or form == "json"
    terminal.report([_row(*one) for one in problems], write(problems), as_json=is_json)
    return 0 if WARNINGS.issuperset(problem.code for _, problem in problems) else 1


def _is_excepted(root: Path, problem: Problem, exceptions: Sequence[FileCode]) -> bool:
    """Whether a pattern for a problem's code matches its path or the last part."""
    patterns = [each for each, code in exceptions if problem.code.startswith(code)]
    if not patterns:
        return False
    path = _name_file(root, problem)
    names = path, path.rpartition("/")[2]
    return any(fnmatchcase(name, each) for each in patterns for name in names)


def _find(sources: ConfiguredSources, report: ReportProgress) -> Iterator[CheckedFile]:
    """Yield all problems, also those between articles and between pages."""
    renderer = RenderProcess()
    if (articles := sources.articles) is not None:
        today = latest_date(datetime.now(UTC))
        files = AttachmentStore((articles.root,))
        problems = check_catalog(articles.catalog, files, today)
        if articles.catalog.snapshot.entries:
            problems += check_places(articles.root)
        for problem in sorted(problems):
            yield articles.root, problem
    for tree in sources.trees:
        assert sources.docs is not None
        for problem in check_pages(tree, sources.docs.catalog):
            yield tree.library.root, problem
    done = count(1)
    total = sum(len(each.catalog.snapshot.entries) for each in sources.corpus)
    for source in sources.corpus:
        for problem in check_rendering(
            source, renderer, lambda: report(next(done), total)
        ):
            yield source.root, problem
    for project in sources.projects:
        for problem in check_project(project):
            yield project.root, problem


def _find_empty(sources: ConfiguredSources) -> Iterator[CheckedFile]:
    """Yield a problem for each folder without a file to check.

    Print the hint at a folder in which all files are hidden.
    """
    hints = {source.root: hint for source, hint in find_unserved(sources)}
    for source in sources.corpus:
        snapshot, hint = source.catalog.snapshot, hints.get(source.root)
        if snapshot.entries and hint:
            terminal.warn(hint)
        elif not (snapshot.entries or snapshot.problems):
            message = hint or "no article is served: write one to CATEGORY/NAME.md"
            yield source.root, Problem(".", 1, 1, "KB005", message)


def latest_date(now: datetime) -> date:
    """Return the latest date that is today anywhere on Earth."""
    return now.astimezone(_EARLIEST).date()


def _row(root: Path, problem: Problem) -> Mapping[str, Any]:
    return {
        "file": _name_file(root, problem),
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
        "code": problem.code,
        "message": problem.message,
    }


def _name_file(root: Path, problem: Problem) -> str:
    """Return a path that can be opened from the working directory (D-134)."""
    # Included files and configurations may be outside the root.
    path = os.path.normpath(terminal.display_path(root) / problem.path)
    return Path(path).as_posix()


def _write_text(problems: Sequence[CheckedFile]) -> Iterator[terminal.Line]:
    """Yield a line for each problem, and the number of them."""
    for root, problem in problems:
        is_warning = problem.code in WARNINGS
        yield (
            Span(
                f"{_name_file(root, problem)}:{problem.line}:{problem.column}:",
                "strong",
            ),
            " ",
            Span(problem.code, "warning" if is_warning else "failure"),
            f" {problem.message}",
        )
    if not problems:
        yield (Span("All checks passed", "success"),)
        return
    is_failure = not WARNINGS.issuperset(problem.code for _, problem in problems)
    noun = "problem" if is_failure else "warning"
    files = {root / problem.path for root, problem in problems}
    yield (
        f"Found {terminal.count_noun(len(problems), noun)} "
        f"in {terminal.count_noun(len(files), 'file')}"
    )


def _write_github(problems: Sequence[CheckedFile]) -> Iterator[str]:
    """Yield workflow commands: GitHub annotates the changed lines with them."""
    for root, problem in problems:
        places = {
            "file": _name_file(root, problem),
            "line": problem.line,
            "col": problem.column,
            "title": problem.code,
        }
        named = ",".join(
            f"{name}={_escape(str(value), _OF_PROPERTIES)}"
            for name, value in places.items()
        )
        level = "warning" if problem.code in WARNINGS else "error"
        yield f"::{level} {named}::{_escape(problem.message, _OF_DATA)}"


_OF_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_OF_PROPERTIES: Final = {**_OF_DATA, ":": "%3A", ",": "%2C"}


def _escape(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
