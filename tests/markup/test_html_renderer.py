"""A Markdown text as safe HTML."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.markup.anchors import RESERVED
from asdlc_kb.markup.html_renderer import (
    MAX_CHARACTERS,
    MAX_CHEAP_CHARACTERS,
    CodeBlock,
    render,
    render_cheap,
    render_plain,
)
from asdlc_kb.markup.outline import read_outline

HARMLESS = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em "
    "figcaption figure h1 h2 h3 h4 h5 h6 hr i input ins kbd li mark ol p pre q s samp "
    "section small span strong sub summary sup table tbody td tfoot th thead time tr u "
    "ul var".split()
)
FORMULAS = frozenset(
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom "
    "mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext "
    "mtr munder munderover".split()
)
FORMULA_ATTRIBUTES = frozenset(
    "accent accentunder class columnspan depth dir display displaystyle fence form "
    "height id lang largeop linethickness lspace mathcolor mathvariant maxsize minsize "
    "movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric "
    "title width".split()
)
ATTRIBUTES = frozenset(
    "aria-label aria-labelledby checked class colspan data-line datetime dir disabled "
    "href id lang name open rowspan scope start tabindex title type".split()
)
ADDRESSES = ("http:", "https:", "mailto:", "kb:")


class _Inspector(HTMLParser):
    """Asserts that a piece of HTML is passive."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in HARMLESS | FORMULAS
        for name, value in attrs:
            assert name in (FORMULA_ATTRIBUTES if tag in FORMULAS else ATTRIBUTES)
            if name == "name":
                assert tag == "details"
                assert (value or "").startswith(("group-", "tabs-"))
            if name == "data-line":
                assert (value or "").isdigit()
            assert value is not None or name == "open"
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.hrefs.append(value or "")
            if tag == "input":
                assert name in ("type", "checked", "disabled", "aria-label")
                assert name != "type" or value == "checkbox"

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def inspect(html: str) -> _Inspector:
    """Return the content of a piece of HTML; fail if any of it could do harm."""
    inspector = _Inspector()
    inspector.feed(html)
    inspector.close()
    for href in inspector.hrefs:
        scheme, colon, _ = href.partition(":")
        if colon and scheme.replace("+", "").replace("-", "").isalnum():
            assert href.lower().startswith(ADDRESSES)
    assert not any(id.startswith(RESERVED) for id in inspector.ids)
    return inspector


HOSTILE = (
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=1 "
    "onerror=alert(1)>'>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)>",
    "<embed src=data:text/html;base64,PHNjcmlwdD4=>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='vbscript:msgbox(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](data:text/html,a)",
    "[x](file:///etc/passwd)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](https://evil.example/a.png 'a\" onerror=\"alert(1)')",
    '![x"><script>alert(1)</script>](a.png)',
    "<style>body{display:none}</style>",
    "<div style='position:fixed;inset:0'>x</div>",
    "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<base href=//evil.example>",
    "<form action=//evil.example><input name=q><button>ok</button></form>",
    "<input type=text name=password autofocus onfocus=alert(1)>",
    "<textarea></textarea><select><option>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<p id=KB-search>x</p>",
    "<a id=KB-x name=KB-y>x</a>",
    "<details ontoggle=alert(1) open>x</details>",
    "<video src=x onerror=alert(1)><audio src=x><source src=x>",
    "<picture><source srcset=//evil.example/x></picture>",
    "<!-- <script>alert(1)</script> -->",
    "<!--><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?>",
    "<!DOCTYPE html><html><body onload=alert(1)>",
    "</article></main></body><script>alert(1)</script>",
    "```html onload=alert(1)\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    '# x" onclick="alert(1)',
    "# <script>alert(1)</script>",
    "# <a href='javascript:alert(1)'>x</a>",
    "| <script> | b |\n|:--|--:|\n| <img src=x onerror=alert(1)> | c |",
    "[^<script>]: x\n\n[^<script>]",
    "<x-y onclick=alert(1)>x</x-y>",
    "\x00<script>alert(1)</script>",
    "<scr\x00ipt>alert(1)</scr\x00ipt>",
    "<a href='//evil.example' target=_blank ping=//evil.example>x</a>",
    "> [!NOTE]<script>alert(1)</script>\n> x",
    "> [!NOTE]- <script>alert(1)</script> <details ontoggle=alert(1)>\n> x",
    "$\\text{<script>alert(1)</script>}$",
    "$$\\text{<img src=x onerror=alert(1)>}$$",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\color{red;background:url(//evil.example)}{x}$",
    "```math\n\\text{</math><script>alert(1)</script>}\n```",
    "<math href=javascript:alert(1)><mi xlink:href=javascript:alert(1)>x</mi></math>",
    "<math><annotation-xml encoding=text/html><script>alert(1)</script>"
    "</annotation-xml></math>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction>",
    "<math><mtext><img src=x onerror=alert(1)></mtext><mglyph src=//evil.example>",
    "<math><mi style='position:fixed'>x</mi><mspace width=9999em voffset=-90em></math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    '```py title="<script>alert(1)</script>" {1}\n<script>\n```',
    "```<script> [<script>alert(1)</script>]\n<script>alert(1)</script>\n```",
    "<span data-line='1;alert(1)' class='line evil'>x</span>",
    "<details name=KB-x open>x</details><a name=tabs-1>x</a><input name=tabs-1>",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_can_do_nothing(text: str) -> None:
    """D-091: for any input, the output is passive."""
    for spelling in (text, f"Before.\n\n{text}\n\nAfter.", f"- {text}", f"> {text}"):
        inspect(render(spelling).text)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from([*HOSTILE, "\n\n", "# a", "`", "*", "<", ">", "|"])))
def test_hostile_texts_do_not_help_each_other(texts: list[str]) -> None:
    """Texts that are harmless alone are harmless together."""
    inspect(render("".join(texts)).text)


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=300))
def test_any_text_is_shown(text: str) -> None:
    """Rendering never fails."""
    inspect(render(text).text)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.text("ab #*`_[]()<>{}\n-=.", max_size=20), max_size=20))
def test_headings_are_where_the_outline_says(lines: list[str]) -> None:
    """A link that `check` accepts works on the page."""
    text = "\n".join(lines)
    html, outline = render(text), read_outline(text)
    assert html.headings == outline.headings
    ids = inspect(html.text).ids
    assert [h.anchor for h in html.headings if h.anchor] == [
        id for id in ids if id not in outline.named
    ]


def test_classes_for_another_program_are_not_shown() -> None:
    """kramdown's, as on GitHub Pages: on a line after a paragraph, or alone."""
    shown = render("{: .note .info}\nA tip.\n\n{: #x}\n\nEnd {: y}\n{: .z }\n").text
    assert shown.replace("\n", "") == "<p>A tip.</p><p>End {: y}</p>"
    assert "{: .a}" in render("```\n{: .a}\n```\n").text


@given(st.text(max_size=40))
def test_no_heading_has_an_id_of_the_page_around(text: str) -> None:
    """Whatever its text: `KB 101` and `KB-main` keep their anchors."""
    for value in (text, f"{RESERVED}main {text}", f"KB {text}"):
        html = render(f"# {' '.join(value.split())}\n")
        for heading in html.headings:
            assert not heading.anchor.startswith(RESERVED)


@pytest.mark.parametrize(
    ("text", "anchor"), [("KB 101", "kb-101"), ("KB-main", "kb-main")]
)
def test_a_heading_that_begins_like_our_ids_has_its_anchor(
    text: str, anchor: str
) -> None:
    """Only capitals are ours."""
    assert f'<h2 id="{anchor}" ' in render(f"## {text}\n").text


def test_headings_may_be_without_links_to_themselves() -> None:
    """Elsewhere a sign after each would be all that is left of them."""
    html = render("## Part\n\n[x](#part)\n", has_anchors=False)
    assert html.text == '<h2 id="part">Part</h2>\n<p><a href="#part">x</a></p>\n'
    assert [heading.anchor for heading in html.headings] == ["part"]


def test_a_heading_leads_to_itself() -> None:
    """Its anchor is a link with an accessible name."""
    html = render("## Two words\n\n## Two words\n")
    assert (
        '<h2 id="two-words" aria-label="Two words">Two words '
        '<a class="anchor" href="#two-words" aria-labelledby="two-words">#</a></h2>'
        in html.text
    )
    assert '<h2 id="two-words-1" ' in html.text


def test_marks_of_lists_and_quotes_are_where_their_text_begins() -> None:
    """In texts with a script from right to left; other blocks need no attribute."""
    word = "مرحبا"
    shown = render(f"- {word}\n\n1. One\n\n> {word}\n\n{word}\n").text
    for begin in ('<ul dir="auto">', '<ol dir="auto">', '<blockquote dir="auto">'):
        assert begin in shown
    assert f"<p>{word}</p>" in shown
    assert "dir" not in render("- é\n\n> 漢字\n").text


def test_the_dialect_is_that_of_github() -> None:
    """Tables with aligned cells, task lists, strikethrough, bare addresses, notes."""
    shown = render(
        "| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n~~no~~ "
        "https://example.com/x note[^1]\n\n> [!WARNING]\n> Hot.\n\n[^1]: Below.\n"
    ).text
    inspect(shown)
    assert '<th class="center">a</th>' in shown
    assert '<td class="right">2</td>' in shown
    assert shown.count('<li class="task-list-item"><input') == 2
    assert shown.count('checked=""') == 1
    assert "<s>no</s>" in shown
    assert '<a href="https://example.com/x">https://example.com/x</a>' in shown
    assert '<div class="markdown-alert markdown-alert-warning">' in shown
    assert '<a href="#fn1" id="fnref1">' in shown
    assert '<li id="fn1" class="footnote-item">' in shown


MARKS_AS_TEXT = ' type="checkbox">'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- [x] done", '<input checked="" type="checkbox"'),
        ("a <input type=checkbox> b", '<input type="checkbox"'),
        (
            'a <input type="checkbox" id="a1" CHECKED=x disabled aria-label=y> b',
            '<input id="a1" checked="x" type="checkbox"',
        ),
    ],
)
def test_a_checkbox_has_its_attributes_in_one_order(text: str, shown: str) -> None:
    """The ETag of a page is a digest of its bytes."""
    for _ in range(20):
        assert f'{shown} disabled="" aria-label="Done">' in render(text).text


@pytest.mark.parametrize(
    "field",
    ["<input>", '<INPUT type="text" />', "<input name='checkbox' type=search>"],
)
def test_a_field_of_a_form_is_not_shown(field: str) -> None:
    """Only checkboxes are; there is nothing that a reader could fill in."""
    assert render(f"a {field} b").text == "<p>a  b</p>\n"
    assert "input" not in render(f"<p>\n{field}\n</p>").text


@pytest.mark.parametrize(
    "text",
    [
        f"a{MARKS_AS_TEXT}",
        f"`{MARKS_AS_TEXT}`",
        f'<p title="<input{MARKS_AS_TEXT.replace(chr(34), "&quot;")}">a</p>',
        f"<p title='<input{MARKS_AS_TEXT}'>a</p>",
        f"<input checked='{MARKS_AS_TEXT}'>",
    ],
)
def test_text_that_looks_like_a_checkbox_stays_text(text: str) -> None:
    """No attribute value or text can end a tag."""
    shown = render(text).text
    inspect(shown)
    assert shown.count(' disabled="" aria-label="Done">') == shown.count("<input ch")


def test_code_is_highlighted_and_can_be_scrolled_to_by_keyboard() -> None:
    """WCAG 2.1.1: a scrollable element can be focused."""
    shown = render("```python title=x\nreturn\n```\n\n    plain\n").text
    code = '<code><span class="k">return</span>\n</code>'
    assert f'<pre class="code" tabindex="0">{code}</pre>' in shown
    assert '<pre tabindex="0"><code>plain\n</code></pre>' in shown
    table = render("| a |\n|---|\n| b |\n").text
    assert table.startswith('<div class="table" tabindex="0"><table>')


def test_links_lead_where_they_should() -> None:
    """Links of Markdown and of raw HTML alike; one without a target is text."""
    followed = {"a.md": "/a", "kb://article/b": "/b", "gone.md": None}
    text = "[a](a.md) <a href='kb://article/b'>b</a> [c](gone.md) <https://x.example>"
    shown = render(text, lambda href: followed.get(href, href)).text
    assert '<a href="/a">a</a> <a href="/b">b</a> <a>c</a>' in shown
    assert '<a href="https://x.example">' in shown


def test_a_picture_is_what_it_is_called() -> None:
    """D-091: nothing is fetched, neither from other sites nor hidden files."""
    shown = render(
        "![A *map*](map.png) ![](x/y.svg) ![Z](https://x.example/z.png)"
    ).text
    assert '<span class="picture">[A map]</span>' in shown
    assert '<span class="picture">[y.svg]</span>' in shown
    external = '<a href="https://x.example/z.png"><span class="picture">Z</span></a>'
    assert external in shown


def test_a_huge_text_is_shown_as_it_is() -> None:
    """The grammar's time grows with its input; such a text is rarely read."""
    html = render("# <b>\n" * MAX_CHARACTERS)
    assert html.headings == ()
    assert html.text.startswith('<pre class="code" tabindex="0"># &lt;b&gt;\n')


def test_a_text_is_rendered_here_only_if_that_is_known_to_be_cheap() -> None:
    """D-062: not if it is long, nor with code in an unmeasured grammar."""
    short = "# A *b*\n\n```python\nx = 1\n```\n"
    assert render_cheap(short) == render(short)
    assert render_cheap("x" * MAX_CHEAP_CHARACTERS) is not None
    assert render_cheap("x" * (MAX_CHEAP_CHARACTERS + 1)) is None
    assert render_cheap("```cddl\nx\n```\n") is None
    assert render_cheap("> - ```cddl\n>   x\n>   ```\n") is None
    too_long = "x" * (MAX_CHARACTERS + 1)
    assert render_cheap(too_long) == render_plain(too_long)


def test_code_is_listed() -> None:
    """With the line, the language and the size of each fenced block."""
    html = render("a\n\n```py{1} x=2\nab\n```\n\n> ~~~\n> c\n> ~~~\n\n    no\n")
    assert html.code == (CodeBlock(3, "py", 3), CodeBlock(7, "", 2))
