"""Settings of a Python module, read as data; nothing of it is run."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from asdlc_kb.docs.generators.javascript import COMPUTED, Data


def read_settings(text: str) -> Mapping[str, Data]:
    """Return the literals that a module assigns to names, lists with what is added.

    A value that is computed is `COMPUTED`. Raises ValueError for what is no Python.
    """
    try:
        module = ast.parse(text)
        found: dict[str, Data] = {}
        for name, value, is_added in _list_changes(module):
            data = _evaluate(value, found)
            before = found.get(name)
            if is_added and isinstance(data, list):
                found[name] = [*before, *data] if isinstance(before, list) else COMPUTED
            else:
                found[name] = COMPUTED if is_added else data
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(str(error)) from error
    return found


def _list_changes(module: ast.Module) -> Iterator[tuple[str, ast.expr, bool]]:
    """Yield the names with what is assigned or added to them, also conditionally."""
    for node in _walk(module.body):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, value, False
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value, False
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield name, value, True
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr=method),
                    args=[argument],
                )
            ):
                is_one = method in ("append", "insert")
                value = ast.List([argument], ast.Load()) if is_one else argument
                yield name, value, True


def _walk(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements in order, without those in functions and classes."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for name in ("body", "orelse", "finalbody"):
                yield from _walk(getattr(node, name, ()))
            for handler in getattr(node, "handlers", ()):
                yield from _walk(handler.body)


def _evaluate(node: ast.expr, known: Mapping[str, Data]) -> Data:
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_evaluate(item, known) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {
                key.value: _evaluate(value, known)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            }
        case ast.Name(id=name):
            return known.get(name, COMPUTED)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _evaluate(left, known), _evaluate(right, known)
            if isinstance(first, list) and isinstance(second, list):
                return [*first, *second]
            return COMPUTED
        case _:
            return COMPUTED
