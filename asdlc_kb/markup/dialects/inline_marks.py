"""Marks inside a paragraph: marked, inserted, sub- and superscript text, and keys.

The website has a tag for each, agents get the words. The words inside are Markdown.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Final

from asdlc_kb.markup.dialects.dialect import InlineRule, write_tag
from asdlc_kb.markup.dialects.source import Output

_KEY: Final = r"""(?:[\w-]++|"[^"+\n]{1,40}+"|'[^'+\n]{1,40}+')"""
_KEY_NAMES: Final[Mapping[str, str]] = dict(
    pair.split("=", 1)
    for pair in (
        "arrow-up=Up arrow-down=Down arrow-left=Left arrow-right=Right "
        "backslash=\\ backspace=Backspace backtick=` bar=| "
        "brace-left={ brace-right=} bracket-left=[ bracket-right=] "
        "caps-lock=CapsLock cmd=Cmd comma=, command=Cmd control=Ctrl ctrl=Ctrl "
        "del=Del delete=Del dot=. period=. dollar=$ equal== escape=Esc esc=Esc "
        "exclam=! grave=` hash=# hyphen=- minus=- insert=Ins ins=Ins num-lock=NumLock "
        "option=Option page-down=PageDown page-up=PageUp pg-dn=PageDown pg-up=PageUp "
        "plus=+ pipe=| question=? return=Return semicolon=; slash=/ spc=Space "
        "tilde=~ underscore=_ win=Win windows=Win asterisk=* ampersand=& at=@ "
        "colon=: quote=' single-quote=' double-quote=\" percent=% "
        "paren-left=( paren-right=) less=< greater=>"
    ).split(" ")
)
"""Names of keys that are not simply capitalized."""

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|~$])")


def _write_keys(match: re.Match[str], output: Output) -> str:
    keys = [_name_key(key) for key in re.findall(_KEY, match[1])]
    if output is Output.HTML:
        shown = (escape(key) for key in keys)
        return "+".join(f"<kbd>{_escape_marks(key)}</kbd>" for key in shown)
    return "+".join(_escape_marks(key) for key in keys)


def _name_key(key: str) -> str:
    if key[0] in "\"'":
        return key[1:-1]
    name = key.lower()
    return _KEY_NAMES.get(name) or name.replace("-", " ").title()


def _escape_marks(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


MARKED: Final = InlineRule(
    re.compile(r"(?<![=\w])==(?![\s=])((?:[^=]|=(?!=))++)(?<!\s)==(?!=)"),
    write_tag("mark"),
    sign="==",
)
"""`==x==`."""

INSERTED: Final = InlineRule(
    re.compile(r"\^\^(?![\s^])((?:[^^]|\^(?!\^))++)(?<!\s)\^\^"),
    write_tag("ins"),
    sign="^^",
)
"""`^^x^^`."""

SUPERSCRIPT: Final = InlineRule(
    re.compile(r"(?<![\^\[])\^(?=[\w(+*-])([^\s^\[\]]{1,200}+)\^(?!\^)"),
    write_tag("sup", "^"),
    sign="^",
)
"""`x^2^`."""

SUBSCRIPT: Final = InlineRule(
    re.compile(r"(?<!~)~(?=[\w(+-])([^\s~]{1,200}+)~(?!~)"),
    write_tag("sub"),
    sign="~",
)
"""`H~2~O`."""

KEYS: Final = InlineRule(
    re.compile(rf"(?<![\w+])\+\+({_KEY}(?:\+{_KEY})*+)\+\+(?![\w+])"),
    _write_keys,
    sign="++",
)
"""`++ctrl+alt+del++`."""

INLINE_MARKS: Final = (MARKED, INSERTED, SUPERSCRIPT, SUBSCRIPT, KEYS)
"""All of them; inserted text before superscripts."""
