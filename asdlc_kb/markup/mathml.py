"""The presentation elements of MathML that a text may have, and their attributes.

Values are bounded, so that a formula cannot be drawn outside its place.
"""

import re
from typing import Final

TAGS: Final = frozenset(
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom "
    "mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext "
    "mtr munder munderover".split()
)
"""MathML Core's, and `menclose`."""

_ANY: Final = frozenset({"displaystyle", "mathcolor", "mathvariant", "scriptlevel"})
_MORE: Final = {
    "math": {"display"},
    "menclose": {"notation"},
    "mfrac": {"linethickness"},
    "mo": {
        *("fence", "form", "largeop", "lspace", "maxsize", "minsize", "movablelimits"),
        *("rspace", "separator", "stretchy", "symmetric"),
    },
    "mover": {"accent"},
    "mpadded": {"depth", "height", "width"},
    "mspace": {"depth", "height", "width"},
    "mtd": {"columnspan", "rowspan"},
    "munder": {"accentunder"},
    "munderover": {"accent", "accentunder"},
}
ATTRIBUTES: Final = {tag: {*_ANY, *_MORE.get(tag, ())} for tag in TAGS}
"""By element."""

_VALUE: Final = re.compile(
    r"[a-z]{1,30}(?: [a-z]{1,30}){0,4}|#[0-9A-Fa-f]{3,8}"
    r"|[+-]?\d{0,2}(?:\.\d{1,9})?(?:em|ex|px|%)?"
)


def is_value(value: str) -> bool:
    """Whether an attribute may have a value: words, a colour or a short length."""
    return _VALUE.fullmatch(value) is not None
