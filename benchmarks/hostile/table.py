"""The module of the package that lists the lexers which are cheap for any text."""

from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Final

import pygments

from benchmarks.hostile.lexers import MAX_SECONDS, SIZE

PATH: Final = Path("asdlc_kb") / "markup" / "lexers.py"
"""Path of the module in the repository."""

_MODULE: Final = '''"""The lexers that may run in the server's process.

Measured with Pygments {version}. Each lexer was tried with repeats of many kinds, those
included that its own regular expressions invite, and took at most {bound:.0f} ms of CPU
for a text of the size below; so did every lexer that it calls. Beyond that size most
are quadratic somewhere, and one that is not listed may be exponential: a match holds
the interpreter, so such code is read in a process that can be killed, or not at all.

Made by `python -m benchmarks.hostile lexers --write`, again for another Pygments.
"""

from typing import Final

MAX_LINEAR_CHARACTERS: Final = {size:_}
"""Characters of a text up to which a lexer of the table was measured."""

LINEAR_LEXERS: Final = frozenset(
    (
{names}
    ).split()
)
"""Names of the classes."""
'''


def write(names: Iterable[str], root: Path) -> None:
    """Write the module of these lexers."""
    lines = (f'        "{line} "' for line in wrap(" ".join(sorted(names)), 76))
    major, minor = pygments.__version__.split(".")[:2]
    module = _MODULE.format(
        version=f"{major}.{minor}",
        bound=MAX_SECONDS * 1_000,
        size=SIZE,
        names="\n".join(lines),
    )
    (root / PATH).write_text(module, encoding="utf-8")
