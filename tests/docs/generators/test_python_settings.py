"""Literals of a Python module."""

import pytest

from asdlc_kb.docs.generators.javascript import COMPUTED
from asdlc_kb.docs.generators.python_settings import read_settings


def test_literals_are_read() -> None:
    """Of all branches; what is computed is unknown, and nothing is run."""
    found = read_settings(
        """
a: str = "x"
b = c = [1, ("y", None), {"k": 2, 3: 4}]
d = b + ["z"]
e = open("f").read()
if a:
    d += ["w"]
try:
    d.append("v")
except ValueError:
    d.extend(e)
e += ["u"]
def f():
    a = "no"
"""
    )
    assert found["a"] == "x"
    assert found["b"] == found["c"] == [1, ["y", None], {"k": 2}]
    assert found["d"] == COMPUTED
    assert found["e"] == COMPUTED
    added = read_settings("a = []\nif a:\n  a.append('b')\na += ['c']\na.sort()")
    assert added["a"] == ["b", "c"]


@pytest.mark.parametrize("text", ["a = = 1", "(" * 1_000, "a = 1\0"])
def test_another_language_is_refused(text: str) -> None:
    """Also one that is nested too deep."""
    with pytest.raises(ValueError, match=r"."):
        read_settings(text)
