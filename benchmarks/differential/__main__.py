"""`python -m benchmarks.differential [--requests N] [--seed S]`: two ways, one answer.

Sends generated requests to a server with its fast path and to one without, and compares
all bytes of the answers but dates, request ids and session ids. It ends with exit code
1 if there is a difference, and prints the smallest case that it found for each.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.differential.cases import Case, make_case, make_cases
from benchmarks.differential.comparison import Difference, compare
from benchmarks.recordings.content import write_content
from benchmarks.recordings.product import Product

SLOW: Final = ("--no-fast-path",)
"""Options of the second server."""

_SOURCES: Final = ("../content", "--docs", "../handbook", "--project", "../project")
_UNLIMITED: Final = ("--rate-limit", "off", "--page-rate-limit", "off")
_ADDRESS: Final = ("--base-url", "http://localhost")
"""Stands on pages, where the servers have different ports."""
_WARM: Final = "/-/search.json?q=xylophone"


def main(arguments: Sequence[str]) -> int:
    """Compare, and print each difference."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.differential", description=__doc__
    )
    parser.add_argument("--requests", type=int, default=2_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--case", type=int, metavar="N", help="only this case")
    parser.add_argument("--tokens", action="store_true", help="require tokens")
    options = parser.parse_args(arguments)
    cases: Iterator[Case] = make_cases(options.seed, options.requests)
    if options.case is not None:
        cases = iter([make_case(options.seed, options.case)])
    differences = run(cases, has_tokens=options.tokens)
    for difference in differences:
        print(f"{difference}\n")
    print(f"{len(differences)} differences")
    return 1 if differences else 0


def run(cases: Iterator[Case], *, has_tokens: bool = False) -> list[Difference]:
    """Return the differences between a server with its fast path and one without."""
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        product = Product(Path(folder).resolve(), sys.executable)
        write_content(product.root)
        token, options = _make_token(product) if has_tokens else (b"", ())
        options = (*_SOURCES, *_ADDRESS, *_UNLIMITED, *options)
        # The search that shows an open index requires a token, too.
        warm = "" if has_tokens else _WARM
        with (
            product.serving(*options, warm=warm) as one,
            product.serving(*options, *SLOW, warm=warm) as other,
        ):
            ports = (one.port, other.port)
            return asyncio.run(compare(ports, cases, token))


def _make_token(product: Product) -> tuple[bytes, Sequence[str]]:
    """Return a token, and the options of a server that requires it."""
    made = product.run(["token", "compared"])
    file = product.root / "tokens"
    file.write_text(made.stdout, encoding="utf-8")
    file.chmod(0o600)
    token = re.findall(r"[\w-]{20,}", made.stderr)[-1]
    return token.encode(), ("--auth-tokens-file", str(file))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
