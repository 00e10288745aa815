"""Extended autolinks of GitHub Flavored Markdown: addresses without any marks.

`https://…`, `www.…`, `mailto:…`, `xmpp:…` and mail addresses. A rule scans only the
characters of its match, so the time is linear in the length of any text.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_SCHEMES: Final = ("https", "http", "mailto", "xmpp")
_BEFORE: Final = frozenset(" \t\r\n*_~(")
"""Characters allowed before such an address."""
_END: Final = re.compile(r"[ \t\r\n\0\x0b\x0c<]|\Z")
_TRAILING: Final = frozenset("?!.,:*_~'\"[]")
"""Characters that end a sentence rather than an address."""
_MAX_UNDERSCORED: Final = 10
"""Dots in a host name up to which its last two labels must have no underscore."""

_LOCAL: Final = re.compile(r"[A-Za-z0-9.+_-]++@")
_LOCAL_CHARACTERS: Final = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-_"
)
_DOMAIN: Final = re.compile(r"(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*+")
_XMPP_DOMAIN: Final = re.compile(r"(?:[A-Za-z0-9_@-]|\.(?=[A-Za-z0-9]))*+")
"""The domain of an XMPP address, which a resource may follow."""


def use_autolinks(markdown: MarkdownIt) -> None:
    """Add the rules to a grammar."""
    markdown.inline.add_terminator_char("w")
    markdown.inline.ruler.push("autolink_www", _link_www)
    markdown.inline.ruler.push("autolink_scheme", _link_scheme)
    markdown.inline.ruler.push("autolink_mail", _link_mail)


def _link_www(state: StateInline, silent: bool) -> bool:
    pos = state.pos
    # None in silent mode: only rendered text has links of this kind.
    if silent or state.linkLevel or not state.src.startswith("www.", pos):
        return False
    before = state.pending[-1:] or state.src[max(pos - 1, 0) : pos]
    if before and before not in _BEFORE:
        return False
    end = _find_end(state, pos + len("www."), needs_dot=True)
    return end is not None and _push(state, 0, end, "http://")


def _link_scheme(state: StateInline, silent: bool) -> bool:
    if silent or state.linkLevel or state.src[state.pos] != ":":
        return False
    pending = state.pending
    scheme = next((name for name in _SCHEMES if pending.endswith(name)), None)
    if scheme is None or not _may_begin(state, len(scheme)):
        return False
    after = state.pos + 1
    if scheme in ("mailto", "xmpp"):
        end = _find_mail_end(state, after, scheme)
    elif state.src.startswith("//", after):
        end = _find_end(state, after + 2, needs_dot=False)
    else:
        return False
    return end is not None and _push(state, len(scheme), end)


def _link_mail(state: StateInline, silent: bool) -> bool:
    if silent or state.linkLevel or state.src[state.pos] != "@":
        return False
    pending = state.pending
    begin = len(pending)
    while begin and pending[begin - 1] in _LOCAL_CHARACTERS:
        begin -= 1
    behind = len(pending) - begin
    if not behind or not _may_begin(state, behind):
        return False
    domain = _match(_DOMAIN, state, state.pos + 1)
    if "." not in domain or not domain[-1].isalnum():
        return False
    end = state.pos + 1 + len(domain)
    if state.src.startswith("@", end, state.posMax):
        return False
    return _push(state, behind, end, "mailto:")


def _may_begin(state: StateInline, behind: int) -> bool:
    """Whether an address may begin `behind` characters before the position."""
    begin = state.pos - behind
    return begin <= 0 or state.src[begin - 1] in _BEFORE


def _push(state: StateInline, behind: int, end: int, prefix: str = "") -> bool:
    """Push a link from `behind` characters before the position to `end`."""
    shown = state.src[state.pos - behind : end]
    href = state.md.normalizeLink(prefix + shown)
    if not state.md.validateLink(href):
        return False
    if behind:
        state.pending = state.pending[:-behind]
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": href}
    content = state.push("text", "", 0)
    content.content = state.md.normalizeLinkText(shown)
    closing = state.push("link_close", "a", -1)
    for token in (opening, closing):
        token.markup, token.info = "autolink", "auto"
    state.pos = end
    return True


def _find_end(state: StateInline, host: int, *, needs_dot: bool) -> int | None:
    """Return the end of a web address, given the index of its host."""
    src = state.src
    after = _find_host_end(state, host, needs_dot=needs_dot)
    if after is None:
        return None
    match = _END.search(src, after, state.posMax)
    assert match is not None
    end = match.start()
    surplus = src.count(")", host, end) - src.count("(", host, end)
    while end > state.pos:
        last = src[end - 1]
        if last == ";":
            end = _cut_entity(src, state.pos, end)
        elif last in _TRAILING or (last == ")" and surplus > 0):
            surplus -= last == ")"
            end -= 1
        else:
            break
    return end


def _cut_entity(src: str, begin: int, end: int) -> int:
    """Return the end of an address without a trailing entity or semicolon."""
    at = end - 2
    while at > begin and src[at].isalpha():
        at -= 1
    return at if at < end - 2 and src[at] == "&" else end - 1


def _find_host_end(state: StateInline, at: int, *, needs_dot: bool) -> int | None:
    """Return the end of a host name; None if it is invalid."""
    begin, dots, last, former = at, 0, 0, 0
    while at < state.posMax:
        character = state.src[at]
        if character == "_":
            last += 1
        elif character == ".":
            former, last = last, 0
            dots += 1
        elif character == "<" or not _is_host(character):
            break
        at += 1
    is_whole = at == state.posMax
    has_underscore = (former or last) and not (is_whole and dots > _MAX_UNDERSCORED)
    is_host = at > begin and not has_underscore and (dots or not needs_dot)
    return at if is_host else None


@lru_cache(maxsize=1_024)
def _is_host(character: str) -> bool:
    """Whether a character is allowed in a host name: no blank, no punctuation."""
    if character == "-":
        return True
    return not (character.isspace() or unicodedata.category(character)[0] == "P")


def _find_mail_end(state: StateInline, at: int, scheme: str) -> int | None:
    """Return the end of a mail or XMPP address; None if there is none."""
    local = _LOCAL.match(state.src, at, state.posMax)
    if local is None:
        return None
    begin = local.end()
    domain = _match(_DOMAIN if scheme == "mailto" else _XMPP_DOMAIN, state, begin)
    end = begin + len(domain)
    dots = domain.count(".")
    if scheme == "mailto":
        if state.src.startswith("@", end, state.posMax):
            return None
    elif state.src.startswith("/", end, state.posMax):
        resource = _match(_XMPP_DOMAIN, state, end + 1)
        dots += resource.count(".")
        end += 1 + len(resource)
    last = state.src[end - 1]
    return end if dots and last.isascii() and last.isalpha() else None


def _match(pattern: re.Pattern[str], state: StateInline, at: int) -> str:
    """Return the match of a pattern at an index; empty if there is none."""
    match = pattern.match(state.src, at, state.posMax)
    return match[0] if match else ""
