"""Includes of MDX: imports of partials and of code as text, where they are used.

A path is yielded without escapes, also one with an alias, as `@site/…` or `~/…`.
"""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.dialects.component_elements import (
    Pair,
    find_tags,
    mask_blocks,
    pair_tags,
)
from asdlc_kb.markup.dialects.component_tags import Tag, unescape
from asdlc_kb.markup.dialects.includes import Include

_IMPORT: Final = re.compile(
    r"(?m)^import\s+(?:(\w+)|\{\s*(?:Content\s+as\s+)?(\w+)[^{}\n]*\})\s+from\s+"
    r"['\"]([^'\"\n]{1,1000})['\"]"
)
_PARTIAL: Final = re.compile(r"(?i)\.(?:mdx?|markdown)\Z")
_RAW: Final = re.compile(r"\A!!raw-loader!(?P<loaded>.+)\Z|\A(?P<asked>.+)\?raw\Z")
_INCLUDED: Final = re.compile(
    r"(?i)\.(?:mdx?|markdown)['\"]|\?raw['\"]|['\"]!!raw-loader!"
)
"""A part of each import of a partial or of code."""
_USED: Final = re.compile(r"\s*+\{\s*+(\w+)\s*+\}\s*+\Z")


def find_mdx_includes(text: str) -> Iterator[Include]:
    """Yield the imported files where their names are used."""
    partials, codes = _read_imports(text)
    if not (partials or codes or "<Snippet" in text):
        return
    masked = mask_blocks(text, "<")
    end = 0
    for pair in pair_tags(find_tags(text, masked)):
        if pair.tag.start < end or pair.is_unclosed:
            continue
        include = _read_use(text, pair, partials, codes)
        if include is not None:
            yield include
            end = pair.end


def _read_imports(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the paths of partials and of code by the names they are imported as."""
    partials: dict[str, str] = {}
    codes: dict[str, str] = {}
    if "import" not in text or not _INCLUDED.search(text):
        return partials, codes
    for found in _IMPORT.finditer(mask_blocks(text)):
        name = found[1] or found[2]
        path = unescape(text[found.start(3) : found.end(3)])
        if raw := _RAW.match(path):
            codes[name] = raw["loaded"] or raw["asked"]
        elif _PARTIAL.search(path):
            partials[name] = path
    return partials, codes


def _read_use(
    text: str, pair: Pair, partials: dict[str, str], codes: dict[str, str]
) -> Include | None:
    tag = pair.tag
    if path := partials.get(tag.name):
        return Include(tag.start, pair.end, path, has_own_links=True)
    if tag.name == "Snippet" and (file := tag.get("file")):
        return Include(tag.start, pair.end, f"/snippets/{file}")
    if tag.name not in ("Code", "CodeBlock"):
        return None
    used = tag.attributes.get("code", "")
    if pair.closing is not None:
        used = text[tag.end : pair.closing.start]
    name = _USED.match(used)
    path = codes.get(name[1]) if name else None
    info = _write_info(tag, path or "")
    return Include(tag.start, pair.end, path, language=info) if path else None


def _write_info(tag: Tag, path: str) -> str:
    """Return the info string of included code."""
    suffix = path.rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
    language = tag.get("lang", "language") or suffix
    info = re.sub(r"[^\w+#.-]", "", language.removeprefix("language-"))
    if title := " ".join(tag.get("title").replace('"', "'").replace("`", "'").split()):
        info += f' title="{title}"'
    return info
