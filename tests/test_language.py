"""The words of names and docstrings are those of the field."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "asdlc_kb"
PARTS = sorted(
    path
    for parent in (PACKAGE, ROOT / "tests")
    for path in parent.iterdir()
    if path.suffix == ".py" or any(path.rglob("*.py"))
)
NAMES = [path.relative_to(ROOT).as_posix() for path in PARTS]
DECISIONS = frozenset(
    re.findall(
        r"^\*\*(D-\d{3})\. ",
        (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)

ODD = re.compile(
    r"\b(?:who|whom|whoever|whose|nobody|somebody|anybody|everybody|tells?|told|telling"
    r"|anew|unasked|beside|seeds?)\b",
    re.IGNORECASE,
)
"""Words that software has no use for; the specifications and libraries that this
package builds on have fewer than one in 1,000."""

METAPHORS = re.compile(
    r"(?:^|_)(?:anew|nobody|somebody|outbox|shelf|shelves|office|stranger"
    r"|strangers|newcomer|newcomers|most|longest|largest|deepest)(?:_|$)",
    re.IGNORECASE,
)
"""Words that name nothing of the field; limits are `max_…`."""

MISNOMERS = re.compile(
    r"(?:^|_)(?:anew|unasked|beside|tells?|telling|nobody|somebody|anybody|everybody"
    r"|whom|whoever|office|outbox|shelf|shelves|strangers?|newcomers?|herald|voice"
    r"|company)(?:_|$)",
    re.IGNORECASE,
)
"""Those of variables, parameters and attributes, of which some are a `longest` one."""

UNPUBLISHED = re.compile(
    r"(?:design\b[^:]{0,40}|the design|ours|our own rule|seeds? \d[^:]*|hostile input"
    r"|file (?:faults|changes)|faults|threat|issue text|the decision table|invariant"
    r"|goal|mail|secrets|bounds|reliability|scenarios?(?=:)|connect rules|formats \w+"
    r"|finding \d+|asset \w+|version skew|row \d+)[^:]{0,20}: "
    r"|.*\((?:hostile|file faults|file changes|design|issue|seeds?|threat|formats)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Citations of documents that are not in the repository."""

MAX_PER_1000 = 1.0
MAX_FEW_WORDS = 400
"""Words of docstrings below which a package may have one odd word."""


def read_modules(part: Path) -> Iterator[ast.Module]:
    """Yield the modules of a package, or the module."""
    for file in part.rglob("*.py") if part.is_dir() else (part,):
        yield ast.parse(file.read_text(encoding="utf-8"))


def read_docstrings(module: ast.Module) -> Iterator[str]:
    """Yield every docstring, those of constants and fields included."""
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(text := node.value.value, str):
                yield text


def read_names(module: ast.Module) -> Iterator[str]:
    """Yield the names of classes, functions and constants."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name)
    for statement in module.body:
        if isinstance(statement, ast.AnnAssign):
            if isinstance(statement.target, ast.Name):
                yield statement.target.id


def read_variables(module: ast.Module) -> Iterator[str]:
    """Yield the names of parameters, and those of what is assigned."""
    for node in ast.walk(module):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def read_reports(module: ast.Module) -> Iterator[str]:
    """Yield the strings of log calls and of `raise` statements."""
    for node in ast.walk(module):
        is_log = isinstance(node, ast.Call) and re.match(
            r"(\w+\.)*_?logger\.\w+$", ast.unparse(node.func), re.IGNORECASE
        )
        if is_log or isinstance(node, ast.Raise):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
def test_docstrings_have_the_words_of_the_field(part: Path) -> None:
    """At most one odd word in 1,000."""
    texts = [text for module in read_modules(part) for text in read_docstrings(module)]
    words = sum(len(text.split()) for text in texts)
    odd = [found for text in texts for found in ODD.findall(text)]
    allowed = 1 if words < MAX_FEW_WORDS else words * MAX_PER_1000 / 1000
    assert len(odd) <= allowed, odd


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
def test_docstrings_cite_what_a_reader_can_open(part: Path) -> None:
    """A decision that exists, or a public specification."""
    texts = [text for module in read_modules(part) for text in read_docstrings(module)]
    assert [text for text in texts if UNPUBLISHED.match(text)] == []
    cited = {number for text in texts for number in re.findall(r"\bD-\d{3}\b", text)}
    assert cited - DECISIONS == set()


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
def test_names_have_the_words_of_the_field(part: Path) -> None:
    """No class, function or constant is a metaphor; limits are called `MAX_…`."""
    names = {name for module in read_modules(part) for name in read_names(module)}
    if part.parent != PACKAGE:
        names = {name for name in names if not name.startswith("test_")}
    assert not {name for name in names if METAPHORS.search(name)}


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
def test_variables_have_the_words_of_the_field(part: Path) -> None:
    """Parameters, attributes and plain assignments."""
    names = {name for module in read_modules(part) for name in read_variables(module)}
    assert not {name for name in names if MISNOMERS.search(name)}


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
def test_errors_and_log_lines_have_the_words_of_the_field(part: Path) -> None:
    """What users read is as plain as the docstrings; only "whose" is said of things."""
    texts = [text for module in read_modules(part) for text in read_reports(module)]
    odd = {word.lower() for text in texts for word in ODD.findall(text)}
    assert odd <= {"whose"}
