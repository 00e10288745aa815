"""Every regular expression of the package, with the repeats that it invites."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.hostile.attempts import Subject, Trial
from benchmarks.hostile.inputs import OPENINGS, UNITS, combine, derive

SIZES: Final = (1_024, 4_096, 16_384, 65_536)
"""Characters of a text."""

_FUNCTIONS: Final = frozenset(
    {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "finditer"}
    | {"findall"}
)
"""Functions of `re` whose first argument is a pattern."""


SAMPLES: Final[Mapping[str, Any]] = {
    "begins": ("ab(?<![^\\W_]ab)", "b(?<![^\\W_]b)"),
    "blanks": "{0,3}",
    "characters": "ab",
    "count": 3,
    "indent": 2,
    "mark": "`",
    "segment": "[!a-b]*?c",
    "path": r"a\s*\.\s*b",
}
"""Values of the local names from which functions make patterns."""


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
            yield Subject(found.place, trials, _Apply(found.pattern), SIZES)


def find_patterns(path: Path, package: Path) -> Iterator[Found]:
    """Yield the regular expressions of a module, those that functions make included.

    Raises NameError for one made of a local name without a sample.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if _is_call(node)]
    if not calls:
        return
    parts = path.relative_to(package.parent).with_suffix("").parts
    scope = {**SAMPLES, **vars(import_module(".".join(parts)))}
    for call in calls:
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        function = call.func.attr
        flags = [k.value for k in call.keywords if k.arg == "flags"]
        flags += call.args[1:2] if function == "compile" else []
        place = f"{path.relative_to(package.parent).as_posix()}:{call.lineno}"
        try:
            text = _evaluate(call.args[0], scope)
            bits = _evaluate(flags[0], scope) if flags else 0
        except NameError as error:
            raise NameError(f"{place}: {error}: add a sample of it") from None
        uses = _find_uses(tree, call) if function == "compile" else {function}
        if isinstance(text, str):
            yield Found(place, re.compile(text, bits), frozenset(uses))


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
    """Return the methods that a module calls of the name given to a pattern."""
    names = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is call
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        and node.attr in _FUNCTIONS
    } or {"search"}


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
