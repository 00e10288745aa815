"""Arithmetic in Markdown, recomputed: calculations, shares and the totals of tables.

Found are a calculation with its result (`46/91 = 0.51`, `12 tasks x 3 runs = 36 runs`,
`1 - 0.8^3 ≈ 49 %`), a share in parentheses (`46 of 91 (51 %)`), a calculation in
parentheses (`49 % (1 - 0.8^3)`), and a table's row that begins with Total or Sum.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final

_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_UNIT: Final = r"(?:[ ]?%|[kKMB]\b|[ ]?(?!x\b|of\b)[A-Za-z][A-Za-z-]*){0,2}"
_TERM: Final = rf"\(*[$€£]?(?:{_NUMBER}){_UNIT}(?:\s*\))*"
_SIGN: Final = r"(?:\s*[+*/^]\s*|\s+-\s+|\s+x\s+|\s+of\s+)"
_RESULT: Final = rf"[$€£]?(?P<result>{_NUMBER})(?P<scale>[kMB]\b|[ ]?%)?"
_CALCULATION: Final = re.compile(
    rf"(?<![\w.,/^*+-])(?P<left>{_TERM}(?:{_SIGN}{_TERM})+)"
    rf"\s*(?P<relation>=|≈)\s*(?:about )?{_RESULT}"
)
_SHARE: Final = re.compile(
    rf"(?<![\w.,/-])(?P<left>{_NUMBER}(?: of (?:the |all )?|\s?/\s?){_NUMBER})"
    rf"(?:[ ][A-Za-z-]+){{0,2}}\s*\((?P<relation>about |≈\s?)?(?P<result>{_NUMBER})"
    r"(?P<scale>\s?%)\)"
)
_REASON: Final = re.compile(
    rf"(?P<relation>about )?(?<![\w.,/-])(?P<result>{_NUMBER})(?P<scale>\s?%)?"
    rf"(?:[ ][A-Za-z-]+){{0,2}} \((?P<left>{_TERM}(?:{_SIGN}{_TERM})+)\)"
)
_TOKEN: Final = re.compile(
    rf"(?P<number>{_NUMBER})(?P<scale>[kMB]\b|[ ]?%)?|(?P<sign>[-+*/^()]|\bx\b|\bof\b)"
)
_SCALES: Final = {"k": 10**3, "M": 10**6, "B": 10**9}
_PLAIN: Final = str.maketrans(
    {
        **{"\u00d7": "*", "·": "*", "÷": "/", "\u2212": "-"},
        **{power: f"^{number}" for number, power in enumerate("²³⁴⁵⁶⁷⁸⁹", 2)},
        **{"`": "", "\u00a0": " "},
    }
)
_TOTALS: Final = ("total", "sum")
_OPERATORS: Final[
    dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]]
] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def check_figures(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yield each calculation, share and total of a text, and whether it is right."""
    text = markdown.translate(_PLAIN).replace("**", "").replace("per cent", "%")
    for pattern in (_CALCULATION, _SHARE, _REASON):
        for found in pattern.finditer(text):
            yield " ".join(found[0].split()), _is_right(found)
    yield from _check_totals(text)


def _is_right(found: re.Match[str]) -> bool:
    """Whether the result is that of the left side, rounded to the digits shown."""
    value = _calculate(found["left"])
    number, scale = found["result"], (found["scale"] or "").strip()
    if scale == "%":
        value *= 100
    shown = _read_number(number)
    _, _, decimals = number.partition(".")
    unit = Fraction(1, 10 ** len(decimals))
    if found["relation"] not in ("=", None) and not decimals:
        digits = number.replace(",", "")
        unit *= 10 ** (len(digits) - len(digits.rstrip("0")))
    factor = _SCALES.get(scale, 1)
    return abs(value - shown * factor) <= unit * factor / 2


def _calculate(text: str) -> Fraction:
    """Return the value of a calculation; units are ignored, k, M and B multiply."""
    # A parenthesis around the whole calculation is closed behind the result.
    text = text.replace("(", "", max(0, text.count("(") - text.count(")")))
    parts: list[str] = []
    is_share = False
    for found in _TOKEN.finditer(text):
        if found["number"]:
            value, scale = _read_number(found["number"]), (found["scale"] or "").strip()
            is_share = scale == "%"
            value *= Fraction(1, 100) if is_share else _SCALES.get(scale, 1)
            parts.append(f"({value.numerator}/{value.denominator})")
        elif found["sign"] == "of":
            parts.append("*" if is_share else "/")
        else:
            parts.append({"^": "**", "x": "*"}.get(found["sign"], found["sign"]))
    return _evaluate(ast.parse("".join(parts), mode="eval").body)


def _evaluate(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    assert isinstance(node, ast.BinOp), ast.dump(node)
    apply = _OPERATORS[type(node.op)]
    return Fraction(apply(_evaluate(node.left), _evaluate(node.right)))


def _read_number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _check_totals(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the totals of tables: the sum of the numbers above in the same column."""
    rows: list[list[str]] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            rows = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].lower() in _TOTALS:
            for at, total in enumerate(cells[1:], 1):
                column = [row[at] for row in rows if at < len(row)]
                numbers = [found for cell in column if (found := _find_number(cell))]
                if numbers and (found := _find_number(total)):
                    expected = sum(map(_read_number, numbers))
                    yield f"{cells[0]} {total}", _read_number(found) == expected
        else:
            rows.append(cells)


def _find_number(cell: str) -> str | None:
    """Return the number of a cell that is a number, perhaps with a unit."""
    found = re.fullmatch(rf"[$€£]?({_NUMBER})[ ]?[A-Za-z%]*", cell)
    return found[1] if found else None
