"""The words of names and docstrings are those of the field."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
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

LOG_CALL = re.compile(r"(\w+\.)*_?logger\.\w+$", re.IGNORECASE)

MAX_PER_1000 = 1.0
MAX_FEW_WORDS = 400
"""Words of docstrings below which a package may have one odd word."""


@dataclass(frozen=True)
class Texts:
    """The texts of a package, or of a module outside of packages."""

    part: Path
    docstrings: list[str] = field(default_factory=list)
    """Those of constants and fields included."""
    names: set[str] = field(default_factory=set)
    """Those of classes, functions and annotated constants."""
    variables: set[str] = field(default_factory=set)
    """Those of parameters, and of what is assigned."""
    reports: list[str] = field(default_factory=list)
    """The strings of log calls and of `raise` statements."""


def read_node(node: ast.AST, texts: Texts) -> None:
    """Add those of one node."""
    match node:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            texts.docstrings.append(text)
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            texts.names.add(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name))
        case ast.arg():
            texts.variables.add(node.arg)
        case ast.Name(ctx=ast.Store()):
            texts.variables.add(node.id)
        case ast.Attribute(ctx=ast.Store()):
            texts.variables.add(node.attr)
        case ast.Raise():
            texts.reports.extend(read_strings(node))
        case ast.Call() if LOG_CALL.match(ast.unparse(node.func)):
            texts.reports.extend(read_strings(node))


def read_strings(node: ast.AST) -> Iterator[str]:
    """Yield the strings in a node."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


# Tests of one part follow each other, so each part is parsed once.
@pytest.fixture(scope="module", params=PARTS, ids=NAMES)
def texts(request: pytest.FixtureRequest) -> Texts:
    """The texts of each package, or module, in turn."""
    part: Path = request.param
    texts = Texts(part)
    for file in part.rglob("*.py") if part.is_dir() else (part,):
        module = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(module):
            read_node(node, texts)
        for statement in module.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)):
                    texts.names.add(name)
    return texts


def test_docstrings_have_the_words_of_the_field(texts: Texts) -> None:
    """At most one odd word in 1,000."""
    words = sum(len(text.split()) for text in texts.docstrings)
    odd = [found for text in texts.docstrings for found in ODD.findall(text)]
    allowed = 1 if words < MAX_FEW_WORDS else words * MAX_PER_1000 / 1000
    assert len(odd) <= allowed, odd


def test_docstrings_cite_what_a_reader_can_open(texts: Texts) -> None:
    """A decision that exists, or a public specification."""
    assert [text for text in texts.docstrings if UNPUBLISHED.match(text)] == []
    cited = re.findall(r"\bD-\d{3}\b", "\n".join(texts.docstrings))
    assert set(cited) - DECISIONS == set()


def test_names_have_the_words_of_the_field(texts: Texts) -> None:
    """No class, function or constant is a metaphor; limits are called `MAX_…`."""
    names = texts.names
    if texts.part.parent != PACKAGE:
        names = {name for name in names if not name.startswith("test_")}
    assert not {name for name in names if METAPHORS.search(name)}


def test_variables_have_the_words_of_the_field(texts: Texts) -> None:
    """Parameters, attributes and plain assignments."""
    assert not {name for name in texts.variables if MISNOMERS.search(name)}


def test_errors_and_log_lines_have_the_words_of_the_field(texts: Texts) -> None:
    """What users read is as plain as the docstrings; only "whose" is said of things."""
    odd = {word.lower() for text in texts.reports for word in ODD.findall(text)}
    assert odd <= {"whose"}
