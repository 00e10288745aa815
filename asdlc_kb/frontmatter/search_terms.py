"""Search terms: further names of a file that its frontmatter states as `aliases`.

Generators also use `aliases` for former addresses, which are not search terms.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

MAX_TERMS: Final = 20
"""Terms of a file that are searched."""

MAX_TERM_CHARS: Final = 100
"""Characters of a term; a longer one is not searched."""

_ADDRESS: Final = r"(?:[a-z]+:/|\.{0,2})/.*|\S*/|\S+\.(?:html?|mdx?)"


def is_address(text: str) -> bool:
    """Whether a text is an address rather than a name.

    `CI/CD` and `client/server` are names; `old/my-page` is an address, since it has a
    hyphen, too.
    """
    is_slug = "/" in text and "-" in text and text == text.lower() and " " not in text
    return is_slug or re.fullmatch(_ADDRESS, text) is not None


def select_terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts that are search terms, within the limits."""
    terms = (t for t in texts if len(t) <= MAX_TERM_CHARS and not is_address(t))
    return tuple(islice(dict.fromkeys(terms), MAX_TERMS))
