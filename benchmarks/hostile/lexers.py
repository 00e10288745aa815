"""Pygments lexers that are cheap for any text, and the lexers that each calls."""

import inspect
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, Final

from pygments.lexer import (
    DelegatingLexer,
    ExtendedRegexLexer,
    Lexer,
    LexerMeta,
    RegexLexer,
)
from pygments.lexers import find_lexer_class, get_all_lexers

from benchmarks.hostile.attempts import Result, Subject, Trial
from benchmarks.hostile.inputs import OPENINGS, UNITS, combine, derive

SIZE: Final = 1_024
"""Characters of a text that a lexer is tried with.

Almost every lexer has something quadratic, which so small a text bounds; what is cubic
or exponential is far over the bound of time at this size.
"""
MAX_SECONDS: Final = 0.05
"""CPU seconds that a lexer of the table takes at most for any text of that size."""
MAX_DERIVED: Final = 300
"""Texts made of the patterns of one lexer; what is beyond them is not tried."""

_BASES: Final = (Lexer, RegexLexer, ExtendedRegexLexer, DelegatingLexer)
_BY_NAME: Final = frozenset(
    {"get_lexer_by_name", "guess_lexer", "guess_lexer_for_filename", "find_lexer_class"}
)
"""Functions that lead to any lexer."""


def find_classes() -> dict[str, type[Lexer]]:
    """Return every lexer of Pygments by the name of its class."""
    names = (name for name, *_ in get_all_lexers(plugins=False))
    classes = (find_lexer_class(name) for name in names)
    return {
        c.__name__: c for c in sorted(filter(None, classes), key=lambda c: c.__name__)
    }


def list_subjects(classes: Iterable[type[Lexer]]) -> Iterator[Subject]:
    """Yield the trials of each lexer."""
    for lexer_class in classes:
        lexer = lexer_class(stripnl=False)
        trials = [Trial(hostile) for hostile in combine(OPENINGS, UNITS)]
        trials += list(dict.fromkeys(_derive(lexer)))[:MAX_DERIVED]
        name, read = lexer_class.__name__, _Run(lexer)
        yield Subject(name, trials, read, (SIZE,), MAX_SECONDS, max_findings=1)


def select(results: Iterable[Result], classes: dict[str, type[Lexer]]) -> list[str]:
    """Return the lexers without findings that call only such lexers."""
    cheap = {result.subject.name for result in results if not result.findings}
    called = {name: find_called(classes[name]) for name in cheap}
    while True:
        refused = {name for name in cheap if not called[name] <= cheap}
        if not refused:
            return sorted(cheap)
        cheap -= refused


class _Run:
    """Reads a text with a lexer, from one of its states."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer

    def __call__(self, state: str, text: str) -> None:
        """Read all of a text."""
        if state and isinstance(self._lexer, RegexLexer):
            stack = ("root", state)
            for _ in self._lexer.get_tokens_unprocessed(text, stack):
                pass
        else:
            for _ in self._lexer.get_tokens(text):
                pass


def _derive(lexer: Lexer) -> Iterator[Trial]:
    """Yield the repeats that the patterns of a lexer are prone to, in their states."""
    has_stack = "stack" in inspect.signature(lexer.get_tokens_unprocessed).parameters
    states: dict[str, list[Any]] = getattr(lexer, "_tokens", {})
    for state, rules in sorted(states.items()):
        for match, _, _ in rules:
            pattern = match.__self__
            for hostile in derive(pattern.pattern, pattern.flags):
                yield Trial(hostile, state if has_stack and state != "root" else "")


def find_called(lexer_class: type[Lexer]) -> set[str]:
    """Return the names of the lexers that one may call; `*` stands for any."""
    lexer = lexer_class(stripnl=False)
    found: set[str] = set()
    seen: set[int] = set()
    values: list[Any] = list(vars(lexer).values())
    for base in lexer_class.__mro__:
        if base not in (*_BASES, object):
            values += [v for k, v in vars(base).items() if k != "analyse_text"]
    while values:
        value = values.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Lexer | LexerMeta):
            found.add(getattr(value, "__name__", type(value).__name__))
        elif isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            values += value
        elif isinstance(value, staticmethod | classmethod):
            values.append(value.__func__)
        elif isinstance(value, FunctionType):
            names = set(_list_names(value.__code__))
            found |= {"*"} if names & _BY_NAME else set()
            values += [cell.cell_contents for cell in value.__closure__ or ()]
            values += [value.__globals__[n] for n in names if n in value.__globals__]
    return found - {base.__name__ for base in (*lexer_class.__mro__, *_BASES)}


def _list_names(code: CodeType) -> Iterator[str]:
    """Yield the global names and attributes that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_names(constant)
