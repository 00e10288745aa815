"""`python -m benchmarks.code_size [DIR]`: lines of code of each package and in total.

A line of code is neither blank nor a comment nor part of a docstring.
"""

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path
from typing import Final

from benchmarks.cache import ROOT

_NO_CODE: Final = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_size")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "asdlc_kb")
    folder: Path = parser.parse_args().folder
    sizes: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        package = path.relative_to(folder).parts[0]
        sizes[package] += count_code_lines(path.read_text(encoding="utf-8"))
    for package, size in [*sizes.most_common(), ("total", sizes.total())]:
        print(f"{size:8,}  {package}")
    return 0


def count_code_lines(text: str) -> int:
    """Return the lines of a module that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _find_docstring_lines(ast.parse(text)))


def _find_docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of docstrings, those of constants and fields included."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


if __name__ == "__main__":
    sys.exit(main())
