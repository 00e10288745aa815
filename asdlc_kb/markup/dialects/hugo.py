"""The dialect of Hugo: shortcodes, and goldmark's extensions.

Shortcodes of Hugo itself and of common themes are written as what they mean, by the
tables below. An unknown one with a body is replaced by its text; one without a body is
left out, but inside a sentence `[shortcode name]` stands for it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from asdlc_kb.markup.code_info import CodeInfo
from asdlc_kb.markup.dialects.attribute_lists import ATTRIBUTE_LISTS
from asdlc_kb.markup.dialects.constructs import WriteElement, write_inside
from asdlc_kb.markup.dialects.definition_lists import DEFINITION_LIST, name_terms
from asdlc_kb.markup.dialects.dialect import BlockRule, Dialect, InlineRule, Written
from asdlc_kb.markup.dialects.elements import (
    Element,
    find_elements,
    read_arguments,
)
from asdlc_kb.markup.dialects.emoji import EMOJI
from asdlc_kb.markup.dialects.hugo_shortcodes import (
    ARGUMENTS,
    BLOCKS,
    DROPPED,
    INLINES,
    TAG,
    read_layout,
    show_button,
    write_code_picture,
    write_code_toggle,
)
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.quoted_callouts import QUOTED_CALLOUT
from asdlc_kb.markup.dialects.shortcodes import (
    drop_definitions,
    is_true,
    show_name,
    write_figure,
    write_inline_formula,
    write_link_card,
    write_word,
)
from asdlc_kb.markup.dialects.source import Output, Source

_CLOSING: Final = re.compile(r"\{\{[<%]\s*+/\s*+([\w./-]++)")
_ESCAPED: Final = re.compile(
    r"\{\{([<%])/\*((?:(?!\*/|\{\{[<%]).)*+)\*/([>%])\}\}", re.DOTALL
)


def _read_element(first: re.Match[str], source: Source) -> Written | None:
    element = source.element
    if element is None:
        return None
    write = BLOCKS.get(element.name)
    inline = INLINES.get(element.name)
    if element.body is None and inline is not None and write is not write_figure:
        lines = [inline(element.arguments)]
    elif write is not None and (element.body is not None or _is_complete(write)):
        lines = write(element, source)
    else:
        lines = write_inside(element, source)
    return Written(lines, element.end)


def _is_complete(write: WriteElement) -> bool:
    """Whether an element has a meaning without a body."""
    return write in (
        *(write_figure, write_word, write_link_card),
        *(write_code_toggle, write_code_picture),
    )


def _replace_tag(tag: re.Match[str], output: Output) -> str:
    name = tag["name"].lower()
    if tag["end"]:
        return ""
    if write := INLINES.get(name):
        return write(read_arguments(tag["arguments"]))
    is_known = name in BLOCKS and BLOCKS[name] is not write_word
    if name in DROPPED or is_known or not _is_in_sentence(tag):
        return ""
    return show_name(name)


def _is_in_sentence(tag: re.Match[str]) -> bool:
    """Whether the sentence around a tag would lose a part."""
    before = tag.string[max(0, tag.start() - 3) : tag.start()]
    after = tag.string[tag.end() : tag.end() + 500]
    closing = _CLOSING.search(after)
    if closing is not None and closing[1] == tag["name"]:
        return False
    if not before.strip():
        return after[:1] == " " and after[1:].islower()
    return before.rstrip()[-1:] not in ".!?:"


def _replace_pair(pair: re.Match[str], output: Output) -> str:
    name, body = pair["name"].lower(), pair["body"].strip()
    arguments = read_arguments(pair["arguments"])
    if name == "button":
        return show_button(arguments, body)
    if name in ("katex", "math"):
        return write_inline_formula(body, output)
    mark = "``" if "`" in body else "`"
    return f"{mark}{body}{mark}"


def _unlink(link: re.Match[str], output: Output) -> str:
    return link[1]


_PAIR: Final = re.compile(
    r"\{\{[<%]\s*+(?P<name>button|highlight|hl|katex|math|code)\b"
    rf"(?P<arguments>(?!/?[>%]\}}\}}){ARGUMENTS}|)[>%]\}}\}}"
    r"(?P<body>(?:(?!\{\{[<%]|\n\n).){1,1000}+)\{\{[<%]\s*+/\s*+(?P=name)\s*+[>%]\}\}",
    re.DOTALL,
)
_GLOSSARY: Final = re.compile(r"(?<!!)\[([^\[\]\n]{1,200}+)\]\(g\)")
"""A link to a glossary, which a render hook of the site resolves."""
_UNRESOLVED: Final = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,200}+)\]\(\s*+<?+\{\{[<%]\s*+"
    rf"(?!relref\b|ref\b|/\*){ARGUMENTS}/?+[>%]\}}\}}[^()\s]{{0,200}}+\)"
)
"""A link with an address that only the generator knows."""

_DEFINITION: Final = re.compile(
    r"(?m)^[ ]{0,6}+\[([^\[\]\n]{1,200}+)\]:[ ]*+<?\[shortcode [\w./-]++\]>?[ ]*+\n?"
)


def _find_elements(lines: Sequence[str]) -> Mapping[int, Element]:
    return find_elements(lines, TAG)


def _rewrite_code(info: CodeInfo, lines: list[str], output: Output) -> list[str]:
    read_layout(info)
    return lines


def _finish(text: str, output: Output) -> str:
    """Show escaped shortcodes, which are mostly in code, as a reader writes them.

    On the website the terms of definition lists have ids.
    """
    text = _ESCAPED.sub(r"{{\1\2\3}}", drop_definitions(text, _DEFINITION))
    return name_terms(text) if output is Output.HTML else text


def _find_includes(text: str) -> Iterator[Include]:
    for tag in _INCLUDE.finditer(text):
        arguments = read_arguments(tag["arguments"])
        path = arguments.get("file", "path", "src", position=0)
        if not path:
            continue
        name = tag["name"].lower()
        if name == "glossary-term":
            path = f"/quick-reference/glossary/{path.lower().replace(' ', '-')}"
        language = None
        if name.startswith("include-") or is_true(arguments.get("code")):
            language = arguments.get("lang", "language", position=1)
        elif "." not in path.rpartition("/")[2]:
            path += ".md"
        yield Include(tag.start(), tag.end(), path, language=language)


_INCLUDE: Final = re.compile(
    r"\{\{[<%]-?+\s*+(?P<name>include|readfile|include-code|include-file|glossary-term)"
    rf"(?=[\s\"`])(?P<arguments>{ARGUMENTS})/?+[>%]\}}\}}"
)

HUGO: Final = Dialect(
    "hugo",
    (
        BlockRule(re.compile(r"\{\{[<%](?!/\*)"), _read_element),
        QUOTED_CALLOUT,
        DEFINITION_LIST,
    ),
    (
        InlineRule(_GLOSSARY, _unlink, in_addresses=True, sign="](g)"),
        InlineRule(_UNRESOLVED, _unlink, in_addresses=True, sign="{{"),
        InlineRule(_PAIR, _replace_pair, in_addresses=True),
        InlineRule(TAG, _replace_tag, in_addresses=True),
        *ATTRIBUTE_LISTS,
        EMOJI,
    ),
    has_formulas=True,
    rewrite_code=_rewrite_code,
    finish=_finish,
    find_includes=_find_includes,
    find_elements=_find_elements,
)
