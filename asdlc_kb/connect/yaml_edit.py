"""YAML editor that adds or removes one entry and preserves every other byte.

Lines are inserted and cut at the offsets of the parser. An edit is valid if the new
text has the former values with the change, and nothing else. Comments outside the entry
stay. A mapping in braces that is not empty is left for the user to edit.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from asdlc_kb.connect.config_snippet import render_yaml
from asdlc_kb.exceptions import ConfigNotEditable, FrontmatterError
from asdlc_kb.frontmatter.yaml_document import read_yaml_document
from asdlc_kb.frontmatter.yaml_positions import YamlNode, YamlPair, locate_pairs

MAX_BYTES: Final = 1024 * 1024
"""Maximum size of a file, in bytes."""

_MARK: Final = "\ufeff"
_UNIT: Final = 2
"""Blanks of a level, unless the text has others."""


def parse(text: str) -> dict[str, Any]:
    """Return the values of a text, all of them strings; an empty text has none.

    Raises ConfigNotEditable if it is broken or too large.
    """
    _, bare = _split_mark(text)
    _locate(bare)
    return _read(bare)


def put_entry(
    text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]
) -> str:
    """Return the text with an entry below a path of keys.

    It follows the other entries; one with that name is replaced, with the comments in
    it. Raises ConfigNotEditable if the layout of the text does not allow the edit.
    """
    wanted = parse(text)
    container = wanted
    for key in keys:
        inner = container.setdefault(key, {})
        container[key] = container = {} if inner == "" else inner
        if not isinstance(container, dict):
            raise ConfigNotEditable(f"`{key}` in it is not a mapping", "fix it")
    container[name] = read_yaml_document(render_yaml(entry)) if entry else {}
    mark, bare = _split_mark(text)
    return mark + _verify(_put(bare, keys, name, entry), wanted)


def drop_entry(text: str, keys: Sequence[str], name: str) -> str:
    """Return the text without an entry and the comments in it.

    Enclosing mappings stay. Raises ConfigNotEditable as `put_entry` does.
    """
    wanted = parse(text)
    container: Any = wanted
    for key in keys:
        container = container.get(key) if isinstance(container, dict) else None
    if not isinstance(container, dict) or name not in container:
        return text
    del container[name]
    mark, bare = _split_mark(text)
    return mark + _verify(_drop(bare, keys, name), wanted)


def _put(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    here, unit = _locate(text), _UNIT
    if here is None:
        return _append(text, _nest((*keys, name), entry))
    column = 0
    for index, key in enumerate(keys):
        pair = _find(here, key)
        if pair is None:
            rest = _nest((*keys[index:], name), entry)
            return _insert(text, here, column, rest)
        if pair.value.kind == "null" or _is_empty(pair.value):
            below = _nest((*keys[index + 1 :], name), entry)
            return _fill(text, pair, column + unit, below)
        here = _enter(pair)
        unit = here.pairs[0].column - column
        column = here.pairs[0].column
    pair = _find(here, name)
    if pair is None:
        return _insert(text, here, column, {name: entry})
    begin, end = _span(text, pair)
    lines = _render({name: entry}, column, _newline(text))
    return text[:begin] + lines + text[end:]


def _drop(text: str, keys: Sequence[str], name: str) -> str:
    here = _locate(text)
    assert here is not None, "it has the entry"
    outer: YamlPair | None = None
    for key in keys:
        outer = _find(here, key)
        assert outer is not None, "it has the entry"
        here = _enter(outer)
    pair = _find(here, name)
    if pair is None:
        _leave_to_user()
    begin, end = _span(text, pair)
    if len(here.pairs) > 1 or outer is None:
        return text[:begin] + text[end:]
    # Without a value it would be null, which not every program reads as empty.
    colon = text.index(":", outer.key_end) + 1
    return f"{text[:colon]} {{}}{text[colon:begin]}{text[end:]}"


def _locate(text: str) -> YamlNode | None:
    """Return the mapping of a text; None if there is only white space and comments."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ConfigNotEditable(
            f"it is larger than {MAX_BYTES:,} bytes", "make it smaller"
        )
    try:
        root = locate_pairs(text)
    except FrontmatterError as error:
        raise _refuse(error) from None
    if root is None or root.kind == "null":
        return None
    if root.kind == "other":
        raise ConfigNotEditable("it contains no mapping", "fix it or move it away")
    if root.kind == "flow":
        _leave_to_user()
    return root


def _read(text: str) -> dict[str, Any]:
    try:
        values = read_yaml_document(text)
    except FrontmatterError as error:
        raise _refuse(error) from None
    # A copy in which aliases are values of their own: an edit of one leaves the others.
    copied = json.loads(json.dumps(values))
    return copied if isinstance(copied, dict) else {}


def _refuse(error: FrontmatterError) -> ConfigNotEditable:
    place = f"line {error.line}, column {error.column}"
    return ConfigNotEditable(f"{error.message} at {place}", "fix it")


def _find(here: YamlNode, key: str) -> YamlPair | None:
    """Return the pair with a key; raise ConfigNotEditable if there are two."""
    found = [pair for pair in here.pairs if pair.key == key]
    if len(found) > 1:
        raise ConfigNotEditable(f"`{key}` occurs twice", "remove one of them")
    return found[0] if found else None


def _enter(pair: YamlPair) -> YamlNode:
    """Return the mapping in block style that is the value of a pair."""
    if pair.value.kind != "block":
        _leave_to_user()
    return pair.value


def _is_empty(value: YamlNode) -> bool:
    return value.kind == "flow" and not value.pairs


def _leave_to_user() -> NoReturn:
    reason = "its layout cannot be edited safely"
    raise ConfigNotEditable(reason, "change it by hand", by_hand=True)


def _nest(keys: Sequence[str], entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry below keys."""
    for key in reversed(keys):
        entry = {key: entry}
    return entry


def _render(values: Mapping[str, Any], column: int, newline: str) -> str:
    """Return the lines of a mapping whose keys are in a column."""
    lines = render_yaml(values).splitlines()
    return "".join(f"{' ' * column}{line}{newline}" for line in lines)


def _append(text: str, values: Mapping[str, Any]) -> str:
    """Add a mapping to a text that has only white space and comments."""
    newline = _newline(text)
    gap = "" if not text or text.endswith("\n") else newline
    return text + gap + _render(values, 0, newline)


def _insert(text: str, here: YamlNode, column: int, values: Mapping[str, Any]) -> str:
    """Add pairs to a mapping, after its last one and the comments below it."""
    newline, place = _newline(text), _end_of_lines(text, here.end, column)
    gap = "" if text[:place].endswith("\n") else newline
    return text[:place] + gap + _render(values, column, newline) + text[place:]


def _fill(text: str, pair: YamlPair, column: int, values: Mapping[str, Any]) -> str:
    """Give a pair without a value a mapping, below the line with its key."""
    newline = _newline(text)
    colon = text.index(":", pair.key_end) + 1
    if _is_empty(pair.value):
        text = text[:colon] + text[pair.value.end :]
    elif text[pair.value.begin : pair.value.end].strip():
        # A null that is written out: `null`, `~`.
        text = text[:colon] + text[pair.value.end :]
    place = _end_of_line(text, colon)
    gap = "" if text[:place].endswith("\n") else newline
    return text[:place] + gap + _render(values, column, newline) + text[place:]


def _span(text: str, pair: YamlPair) -> tuple[int, int]:
    """Return the lines of a pair, with the comments that are indented in it."""
    begin = text.rfind("\n", 0, pair.begin) + 1
    if text[begin : pair.begin].strip():
        _leave_to_user()
    end = pair.key_end if pair.value.kind == "null" else pair.value.end
    return begin, _end_of_lines(text, max(end, pair.key_end), pair.column + 1)


def _end_of_lines(text: str, end: int, column: int) -> int:
    """Return the end of a line, and of the comments below it from a column on."""
    # The end of a block scalar is that of its last line already.
    place = end if text[:end].endswith("\n") else _end_of_line(text, end)
    after = place
    while after < len(text):
        line_end = _end_of_line(text, after)
        line = text[after:line_end]
        if comment := re.match(r"( *)#", line):
            if len(comment[1]) < column:
                break
            place = line_end
        elif line.strip():
            break
        after = line_end
    return place


def _end_of_line(text: str, index: int) -> int:
    """Return the offset after the line break behind an offset."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _split_mark(text: str) -> tuple[str, str]:
    """Return the byte order mark of a text, if any, and the rest."""
    bare = text.removeprefix(_MARK)
    return text[: len(text) - len(bare)], bare


def _verify(text: str, wanted: Mapping[str, Any]) -> str:
    """Return the text if it has the values, or raise ConfigNotEditable."""
    try:
        values = parse(text)
    except ConfigNotEditable:
        values = {}
    if values != wanted:
        _leave_to_user()
    return text
