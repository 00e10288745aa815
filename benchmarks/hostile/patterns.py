"""Every regular expression of the package, with the repeats that it is prone to."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from asdlc_kb.markup.dialects.mkdocs import MKDOCS
from asdlc_kb.search.synonyms import QueryVariant
from benchmarks.hostile.attempts import Subject, Trial
from benchmarks.hostile.inputs import OPENINGS, UNITS, combine, derive

SIZES: Final = (1_024, 4_096, 16_384, 65_536, 262_144, 2_097_152)
"""Characters of a text; no larger file is read."""

_FUNCTIONS: Final = frozenset(
    {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "finditer"}
    | {"findall"}
)
"""Functions of `re` whose first argument is a pattern."""


_METHODS: Final = _FUNCTIONS - {"compile"}


SAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "connect/toml_edit.py": {"path": r"a\s*\.\s*b"},
    "docs/generators/path_expressions.py": {"kept": "a/.*", "suffix": "a", "text": "a"},
    "docs/generators/recognized_editions.py": {"folder": "1.0"},
    "docs/generators/stated_patterns.py": {
        **{"globs": [r"[^/]*\.md"], "taken": ["a/.*"], "text": "*"},
        **{"published": ["a/(?!(?:b/.*)$)(?:.*|[^/]*c)"], "flags": re.NOFLAG},
    },
    "docs/pages/path_globs.py": {"text": "*", "negated": "^a-b"},
    "docs/written_positions.py": {"plain": "a/b.md", "anchor": "a-b", "part": "b.md"},
    "files/writer.py": {"path": Path("a.md")},
    "frontmatter/parser.py": {"fence": "---"},
    "markup/dialects/abbreviations.py": {"names": ["HTML", "CSS"]},
    "markup/dialects/dialect.py": {"rules": MKDOCS.blocks, "self": MKDOCS},
    "markup/dialects/docsify.py": {"name": "fragment"},
    "markup/dialects/gitbook_html.py": {"name": "src"},
    "markup/dialects/includes.py": {"name": "part"},
    "markup/heading_scanner.py": {
        **{"blanks": "{0,3}", "count": 3, "indent": 2, "mark": "`"}
    },
    "project/glob_patterns.py": {"segment": "[!a-b]*?c"},
    "project/placeholders.py": {
        "forms": (r"\$(?P<rest>[1-9]\d?)(?!\w|[.,]\d)", r"\$(?P<name>a|b)(?![\w\[])")
    },
    "search/query/exact_identifiers.py": {"pattern": r"(?i)(?<!\w)(?:a_b|b\.a)(?!\w)"},
    "search/query/snippet.py": {
        "alternatives": ("ab(?<![^\\W_]ab)", "b(?<![^\\W_]b)"),
        "characters": "ab",
    },
    "search/synonyms.py": {
        **{"begin": r"(?<![^\W_])", "end": r"s?(?![^\W_])"},
        "self": QueryVariant("ab c", True, True),
    },
    "site/build.py": {"name": "a", "kinds": (".new", ".old")},
    "unicode/invisible.py": {
        "items": ("AD", "E0001"),
        "kinds": ("(?<=a)(?<!b.)",),
        "planes": True,
    },
}
"""Values of the local names from which functions make patterns, by module."""

MAX_SIZES: Final[Mapping[str, int]] = {
    "cli/": 65_536,
    "connect/": 65_536,
    "frontmatter/": 16_384,
    "ops/": 65_536,
    "search/query/operators.py": 2_000,
    "settings.py": 65_536,
    "web/": 16_384,
}
"""Characters of the longest text that is given to the patterns of a module or package.

Files and options of the user, frontmatter, queries and headers.
"""


class Found(NamedTuple):
    """A regular expression of the source."""

    place: str
    """The module's path and the line."""
    pattern: re.Pattern[str]
    functions: frozenset[str]
    """The functions by which it is applied."""


def list_subjects(package: Path) -> Iterator[Subject]:
    """Yield the trials of every regular expression below a folder."""
    for path in sorted(package.rglob("*.py")):
        for found in find_patterns(path, package):
            flags = found.pattern.flags
            hostile = [*derive(found.pattern.pattern, flags), *combine(OPENINGS, UNITS)]
            trials = [
                Trial(each, function)
                for each in dict.fromkeys(hostile)
                for function in sorted(found.functions)
            ]
            sizes = _find_sizes(path.relative_to(package).as_posix())
            yield Subject(found.place, trials, _Apply(found.pattern), sizes)


def _find_sizes(module: str) -> Sequence[int]:
    """Return the sizes to try the patterns of a module with."""
    bounds = (
        max_size for begin, max_size in MAX_SIZES.items() if module.startswith(begin)
    )
    max_size = min(bounds, default=SIZES[-1])
    return (*(size for size in SIZES if size < max_size), max_size)


def find_patterns(path: Path, package: Path) -> Iterator[Found]:
    """Yield the regular expressions of a module, those that functions make included.

    Raises NameError for one made of a local name without a sample.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if _is_call(node)]
    if not calls:
        return
    parts = path.relative_to(package.parent).with_suffix("").parts
    samples = SAMPLES.get(path.relative_to(package).as_posix(), {})
    scope = {**vars(import_module(".".join(parts))), **samples}
    for call in calls:
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        function = call.func.attr
        flags = [k.value for k in call.keywords if k.arg == "flags"]
        flags += call.args[1:2] if function == "compile" else []
        location = f"{path.relative_to(package.parent).as_posix()}:{call.lineno}"
        try:
            text = _evaluate(call.args[0], scope)
            bits = _evaluate(flags[0], scope) if flags else 0
        except NameError as error:
            raise NameError(f"{location}: {error}: add a sample of it") from None
        uses = _find_uses(tree, call) if function == "compile" else {function}
        if isinstance(text, bytes):
            text, bits = text.decode("latin-1"), bits | re.ASCII
        yield Found(location, re.compile(text, bits), frozenset(uses))


def _is_call(node: ast.AST) -> bool:
    """Whether something is a call of one of the functions of `re`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _FUNCTIONS
    )


def _evaluate(node: ast.expr, scope: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), scope)


def _find_uses(tree: ast.Module, call: ast.AST) -> set[str]:
    """Return the methods that a module calls of the name given to a pattern.

    If it has no name, or is passed on by it: those called of any variable.
    """
    names = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is call
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    called = [
        (node.value.id if isinstance(node.value, ast.Name) else "", node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _METHODS
    ]
    by_name = {method for name, method in called if name in names}
    variables = {method for name, method in called if name == name.lower() != "re"}
    return by_name or variables - {"split"} or {"search"}


class _Apply:
    """Applies a regular expression to a text."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self._functions: dict[str, Callable[[str], object]] = {
            "match": pattern.match,
            "fullmatch": pattern.fullmatch,
            "search": pattern.search,
            "split": pattern.split,
        }

    def __call__(self, function: str, text: str) -> None:
        """Apply it as its module does; `sub` and the like find every match."""
        if apply := self._functions.get(function):
            apply(text)
        else:
            for _ in self._pattern.finditer(text):
                pass
