"""Readers of untrusted texts: the rules of Markdown and every parser."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

from asdlc_kb.articles.links import locate
from asdlc_kb.docs.generators.javascript import read_module
from asdlc_kb.docs.links.link_paths import follow_link, path_candidates
from asdlc_kb.docs.links.link_resolution import LinkRules, resolve_link
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.navigation.sidebar import read_sidebar
from asdlc_kb.docs.navigation.topbar import read_topbar
from asdlc_kb.exceptions import ArgumentsTooLong, FrontmatterError
from asdlc_kb.frontmatter import parser, status_scan, toml_format
from asdlc_kb.frontmatter.comma_lists import split_commas
from asdlc_kb.frontmatter.json_format import begins_with_json, read_json
from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.frontmatter.yaml_fast import read_fast
from asdlc_kb.frontmatter.yaml_full import read_yaml
from asdlc_kb.markup.anchors import Anchors
from asdlc_kb.markup.code_info import read_info
from asdlc_kb.markup.diagrams import find_sources
from asdlc_kb.markup.dialects.dialect import Dialect, find_none
from asdlc_kb.markup.dialects.includes import IncludedFile, Includer
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.table import DIALECTS
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.footnotes import find_anchors
from asdlc_kb.markup.heading_scanner import scan_headings
from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.link_rewriter import rewrite_links
from asdlc_kb.markup.link_scanner import find_links
from asdlc_kb.markup.liquid import Liquid
from asdlc_kb.markup.nested_lists import read_menu
from asdlc_kb.markup.outline import read_outline
from asdlc_kb.markup.plain_text import cut_liquid, to_plain_text
from asdlc_kb.markup.sections import split_sections
from asdlc_kb.markup.split_points import find_split_points
from asdlc_kb.project.artifact_places import PLACEHOLDERS
from asdlc_kb.project.glob_patterns import Matcher, expand_braces
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.markdown_lines import (
    find_title,
    first_sentence,
    read_items,
    read_prose,
)
from asdlc_kb.project.placeholders import (
    fill_placeholders,
    find_placeholders,
    read_hint,
    read_syntax,
)
from asdlc_kb.search.analyzer import tokenize, tokenize_long
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.query.snippet import make_snippet
from asdlc_kb.unicode.invisible import strip_invisible
from benchmarks.hostile.attempts import Subject, Trial
from benchmarks.hostile.inputs import Hostile, combine

SIZES: Final = (1_024, 4_096, 16_384, 65_536, 262_144, 2_097_152)
"""Characters of a text; no larger file is read."""
RENDER_SIZES: Final = (1_024, 4_096, 16_384)
"""Characters of a text to be rendered; longer ones are rendered in a child process."""
YAML_SIZES: Final = (1_024, 4_096, 16_384)
"""Characters of frontmatter, which is refused beyond them."""
QUERY_SIZES: Final = (500, 1_000, 2_000)
"""Characters of a query, which is refused beyond them."""

OPENINGS: Final = ("", "- ", "| a |\n|---|\n| ", "[a]: b\n\n[^a]: b\n\n")
"""Prefixes: none, a list item, a table cell, definitions that references need."""
UNITS: Final = (
    "\\¦\"¦'¦`¦(¦[¦]¦{¦}¦<¦>¦$¦#¦/¦*¦_¦-¦=¦:¦|¦~¦\n¦ ¦\t¦a¦1¦.¦,¦@¦%¦&¦!¦^¦;¦+¦?¦é¦"
    '\u200b¦字¦[[¦]]¦[]¦[[]]¦![¦![[¦[^¦[a](¦[a](b¦[a](<b¦[a](b "¦[a](b)¦![a](b)¦'
    "[a][¦[a][b]¦[a]: ¦[a]: b\n¦[^a]¦[^a]: ¦[^a]: b\n¦[^a]\n\n[^a]: b\n\n¦[ ] ¦](¦"
    ")(¦``¦`a¦``a`¦```¦```\n¦~~~\n¦```a\nb\n```\n¦`a``b```c````¦*a¦*a ¦a*¦**a¦*a_¦"
    "*a**b¦a**b¦_a¦__a ¦~a¦~~a¦***a ¦<a¦<a ¦<a b¦<a b='¦</a¦<!¦<!--¦<!-- a -->¦<?¦"
    "<![CDATA[¦<a>¦<div>¦<div>\n¦<div>\n\n¦</div>¦<b>¦<pre>¦<script>¦<table>¦<p>¦"
    "<svg>¦<li>¦<b><i>¦<!-->¦-->¦<details>¦<a href='b'>¦<A>\n¦{/*¦http://¦"
    "http://a ¦http://a¦<http://a¦<http://a>¦www.¦www.a ¦www.a¦https://a.b/(¦"
    "http://a.b)¦http://a;¦http://a&b;¦mailto:a¦xmpp:a@b.c/¦a@¦a@b¦a@b.c¦a@b.c ¦@a¦"
    "a.b@c-¦_a@¦http:¦:http¦wwww¦&a¦&amp;¦&#1;¦&#x¦&¦\\&¦\\a¦\\[¦\\\n¦  \n¦a\n¦"
    "a\n\n¦# a\n¦# a\n\n¦## a #\n¦#\n¦a\n=\n¦a\n-\n¦a\n===\n\n¦#a\n¦- # a\n¦- ¦"
    "- a\n¦-\n¦1. ¦1. a\n¦1) ¦* - + ¦  - a\n¦- a\n\n¦- [ ] a\n¦> ¦>¦> a\n¦>\n¦"
    "> > a\n¦> - ¦> [!NOTE]\n¦>a\n\n¦    a\n¦\ta\n¦|¦|-¦a|¦|a|\n¦| a |\n|---|\n¦"
    "|---¦|\n|-\n¦\\|¦|a|\n|-|\n|a|\n¦:-:|¦{:¦{: ¦{:a}¦{:a}\n¦{%¦{% a %}¦{{¦"
    "{{ a }}¦{{page.a¦{% raw %}¦{{'¦{{'a'|¦{%-¦{{-¦${{¦{#a}¦ {#a¦{{<¦{{% a %}}¦"
    "{%raw%}¦a: ¦a: b\n¦a:\n¦a: [¦a: {¦- a: ¦{a: ¦[a, ¦? ¦!a ¦&a ¦*a ¦a: |\n¦"
    "%YAML 1\n¦---\n¦...\n¦+++\n¦a=1\n¦{\"a\":¦\"a¦'a¦''¦#a\n¦status: ¦status: a\n¦"
    "import a from 'b'\n¦export ¦import {¦<A ¦<A/>\n¦\r\n¦{a,¦{a,b}¦**/¦*a¦[a-¦?¦"
    '!(a|¦$1¦$ARGUMENTS¦${1:-¦<a> ¦a. ¦"a" ¦-a ¦a OR ¦a:b ¦(a ¦NOT ¦+a ¦a*¦aA¦'
    "a-b¦a_b¦a'b¦Aa. "
).split("¦")
"""Repeated units: marks of every rule, opened, closed, nested and adjacent."""

DIALECT_UNITS: Final = (
    '!!! note\n¦!!! note\n    ¦??? note "a"\n\n    b\n\n¦=== "a"\n    b\n¦'
    '=== "a"\n¦/// note | a\n¦///\n¦:::note\n¦:::note[a]\n¦::: a\n¦:::\n¦::::¦'
    "::a[b]{c}\n¦:a[b]¦<Tabs>\n¦<Tabs><TabItem label='a'>\n¦<A b={¦<A b={c} ¦"
    "<A b=\"¦<A b='c' />\n¦<A>¦</A>¦</A>\n¦<A>\n\n¦<A>\n\n</A>\n¦{a}¦{a¦{'a'}¦"
    '{`a`}¦{/*¦{/* a */}\n¦{{< a >}}¦{{< a >}}\n¦{{< a¦{{% a "¦{{< /a >}}\n¦'
    "{{</* a */>}}¦{% a %}\n¦{% a¦{% enda %}\n¦{% include a.md %}¦"
    '{{#include a.md}}¦{{#include a¦{{#a¦--8<-- "a"\n¦--8<--\n¦;--8<--¦[[a]]¦'
    "[[a|b]]¦![[a]]¦[[a#b¦==a== ¦==a¦^^a^^ ¦^a^ ¦~a~ ¦++a++ ¦++a+b¦{++a++}¦{--a¦"
    "{~~a~>b~~}¦{>>a<<}¦{==¦$a$ ¦$$a$$\n¦$$\na\n$$\n\n¦\\(a\\)¦\\[a¦"
    "\\[\na\n\\]\n\n¦:a:¦:smile: ¦:material-a: ¦*[a]: b\n¦*[a]: b\n\na ¦"
    "a\n:   b\n\n¦a\n: b\n¦:   a\n¦{ #a .b }¦## a { #b }\n¦{: .a }\n¦{:a: .b }\n¦"
    "{.a¦[](){#a}¦[a][b.c]¦[a](b){ .c }¦<div markdown>\n¦"
    '<div markdown="1">\n\n¦</div>\n\n¦<dl><dt>¦```mermaid\na\n```\n¦'
    '```a {1} title="¦```a [b] {1-3}\n¦(1)¦{ .annotate }\n¦1.  a\n¦'
    "> [!NOTE]- a\n> ¦%%a%%¦%% a\n¦^[a]¦<!-- a -->\n¦<!-- tabs:start -->\n¦"
    "#### **a**\n¦?> a\n¦!> a\n¦[a](b ':c')¦import a from 'b'\n\n¦"
    "export const a = {\n¦@include a\n¦<<< a{1}\n¦<!--@include: a-->\n¦{* a *}\n¦"
    '{!a!}¦{% tab title="a" %}\n¦{% tabs %}\n{% tab title="a" %}\n¦'
    "{% hint %}\n¦<figure>\n¦<br>¦<summary>¦<details>\n<summary>a</summary>\n¦"
    "[^a]: b\n\n    ¦fn:a¦[^a]¦// [!code ++]\n¦`a`{b}¦`#!a b`¦\\¦[TOC]\n¦{:toc}\n"
).split("¦")
"""Marks of site generators, opened, closed, nested and adjacent."""

PAIRS: Final = (
    ("<A>\n", "</A>\n"),
    ("<A>", "</A>"),
    ("<Tabs>\n<TabItem label='a'>\n", "</TabItem>\n</Tabs>\n"),
    ("<details>\n<summary>a</summary>\n", "</details>\n"),
    ("<Steps>\n<Step title='a'>\n", "</Step>\n</Steps>\n"),
    ("<div markdown>\n\n", "</div>\n\n"),
    ("<div>\n\n", "</div>\n\n"),
    (":::note\n", ":::\n"),
    ("/// note\n", "///\n"),
    ("{{< details >}}\n", "{{< /details >}}\n"),
    ("{{% tabs %}}\n{{% tab %}}\n", "{{% /tab %}}\n{{% /tabs %}}\n"),
    ("{% hint %}\n", "{% endhint %}\n"),
    ("{% tabs %}\n{% tab title='a' %}\n", "{% endtab %}\n{% endtabs %}\n"),
    ("{{", "}}"),
    ("{", "}"),
    ("[[", "]]"),
    ("> ", "\n"),
    ("(", ")"),
)
"""Opening and closing marks, each of them repeated."""

Reader = Callable[[str], object]


def list_subjects() -> Iterator[Subject]:
    """Yield every reader with the texts to try it with."""
    trials = [Trial(hostile) for hostile in combine(OPENINGS[:1], UNITS)]
    behind = [Trial(hostile) for hostile in combine(OPENINGS, UNITS)]
    yield Subject("markup.html.render", behind, _without_part(render), RENDER_SIZES)
    for name, reader in READERS.items():
        yield Subject(name, trials, _without_part(reader), SIZES)
    marks = [*combine(OPENINGS[:1], [*DIALECT_UNITS, *UNITS]), *map(_nest, PAIRS)]
    for name, reader in DIALECT_READERS.items():
        yield Subject(name, list(map(Trial, marks)), _without_part(reader), SIZES)
    for name, reader in HEADS.items():
        fenced = [
            Trial(hostile) for hostile in _close(trials, FENCES.get(name, ("", "")))
        ]
        yield Subject(name, fenced, _without_part(reader), YAML_SIZES)
    for name, reader in QUERIES.items():
        yield Subject(name, trials, _without_part(reader), QUERY_SIZES)


def _nest(pair: tuple[str, str]) -> Hostile:
    return Hostile("", pair[0], "", pair[1])


def _close(trials: list[Trial], around: tuple[str, str]) -> Iterator[Hostile]:
    for hostile, _ in trials:
        yield Hostile(around[0] + hostile.opening, hostile.unit, around[1])


def _without_part(reader: Reader) -> Callable[[str, str], object]:
    def read(_: str, text: str) -> None:
        try:
            reader(text)
        except FrontmatterError:
            # Hostile frontmatter must be refused.
            return

    return read


def _add_anchors(text: str) -> None:
    anchors = Anchors()
    for line in text.split("\n"):
        anchors.add(line)


def _snip(text: str) -> tuple[str, ...]:
    return make_snippet(text, {"a": 1.0, "b": 2.0, "page": 1.0}, 300)


def _fill(text: str, tool: Platform) -> None:
    syntax = read_syntax(PLACEHOLDERS[tool], "issue branch", text)
    find_placeholders(text, syntax)
    with suppress(ArgumentsTooLong):
        fill_placeholders(text, "a b c", syntax)


def _match(text: str) -> None:
    matcher = Matcher()
    matcher.find(split_commas(text), text[:1_000], bare_matches_anywhere=True)
    matcher.find_as_gitignore(split_commas(text), text[:1_000])


READERS: Final[Mapping[str, Reader]] = {
    "markup.outline.read_outline": read_outline,
    "markup.sections.split": split_sections,
    "markup.split_points.find_borders": find_split_points.__wrapped__,
    "markup.nested_lists.read_menu": read_menu.__wrapped__,
    "markup.plain_text.plain": to_plain_text,
    "markup.plain_text.cut_liquid": cut_liquid,
    "markup.heading_scanner.scan": scan_headings,
    "markup.liquid.cut_html": lambda text: Liquid().cut_html(text),
    "markup.link_scanner.find_links": lambda text: list(find_links(text)),
    "markup.link_rewriter.rewrite_links": lambda text: rewrite_links(
        text, lambda _: None
    ),
    "markup.anchors.Anchors": _add_anchors,
    "frontmatter.parser.split": parser.split,
    "frontmatter.parser.split, TOML": partial(parser.split, fence=parser.TOML_FENCE),
    "frontmatter.json_format.begins_with_json": begins_with_json,
    "frontmatter.json_format.read_json": read_json,
    "frontmatter.status_scan.read_statuses": lambda text: status_scan.scan_statuses(
        text
    ),
    "unicode.invisible.strip_invisible": strip_invisible,
    "docs.navigation.sidebar.read_sidebar": lambda text: read_sidebar(
        text, lambda *_: None
    ),
    "docs.navigation.topbar.read_topbar": lambda text: read_topbar(
        text, lambda *_: None
    ),
    "docs.links.link_paths.follow_link": lambda text: follow_link(text, "a/b.md"),
    "docs.links.link_resolution.resolve_link": lambda text: resolve_link(
        text, "a/b.md", PathLookup(("a/b.md", "c.md")), LinkRules()
    ),
    "docs.links.link_paths.spell_out": lambda text: list(path_candidates(text)),
    "articles.links.locate": lambda text: locate("a/b", text),
    "frontmatter.lenient.read_header": read_lenient,
    "project.markdown_lines.read_prose": lambda text: list(read_prose(text)),
    "project.markdown_lines.find_title": find_title,
    "project.markdown_lines.summarise": first_sentence,
    "project.markdown_lines.read_items": lambda text: list(
        read_items(text.split("\n"))
    ),
    "project.placeholders, Claude Code": partial(_fill, tool="claude"),
    "project.placeholders, Copilot": partial(_fill, tool="copilot"),
    "project.placeholders.read_hint": read_hint,
    "frontmatter.comma_lists.split_commas": split_commas,
    "project.glob_patterns.expand_braces": expand_braces,
    "search.query.snippet.make_snippet": _snip,
    "search.analyzer.cut": tokenize,
    "search.analyzer.cut_long": tokenize_long,
}
"""Readers of whole texts."""


class _NoFiles:
    """Reads every include as the same text."""

    def read(self, written: str, source: str) -> IncludedFile:
        """Return the text."""
        return IncludedFile("b.txt", "a\n")


def _expand(dialect: Dialect, text: str) -> None:
    Includer(dialect.find_includes, _NoFiles()).expand(text, "a.md")


DIALECT_READERS: Final[Mapping[str, Reader]] = {
    **{
        f"markup.dialects.{name}, {output.name}": partial(
            translate, dialect=dialect, output=output
        )
        for name, dialect in DIALECTS.items()
        for output in Output
        if not dialect.is_plain
    },
    **{
        f"markup.dialects.includes, {name}": partial(_expand, dialect)
        for name, dialect in DIALECTS.items()
        if dialect.find_includes is not find_none
    },
    "markup.diagrams.find_sources": find_sources.__wrapped__,
    "markup.footnotes.find_anchors": find_anchors,
    "markup.code_info.read_info": read_info,
    "docs.generators.javascript.read_module": read_module,
}
"""Readers of the marks of site generators."""

HEADS: Final[Mapping[str, Reader]] = {
    "frontmatter.yaml_fast.read_plain": read_fast,
    "frontmatter.yaml_full.read_yaml": read_yaml,
    "frontmatter.toml_format.parse_toml": toml_format.parse_toml,
}
"""Readers of frontmatter."""
FENCES: Final[Mapping[str, tuple[str, str]]] = {}

QUERIES: Final[Mapping[str, Reader]] = {"search.operators.parse": parse_query}
"""Readers of queries."""
