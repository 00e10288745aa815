"""Markdown as plain text."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cpu_time import bounded_cpu_time

from asdlc_kb.markup.plain_text import CODE, to_plain_text


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("# A *heading* with `code` #", "A heading with code"),
        ("Under\nlined\n===\n\nmore", "Under lined\nmore"),
        ("soft\nwrapped\n\nanother", "soft wrapped\nanother"),
        ("[text](https://a.b/c_(d) 'title')", "text"),
        ("[`code`](a.md), [b][c], [d][]", "code, b, d"),
        ("[![alt](i.png)](a.md)", "alt"),
        ("[c]: https://a.b", ""),
        ("array[0] and [optional]", "array[0] and [optional]"),
        ("<https://a.b/c> and https://a.b", "https://a.b/c> and https://a.b"),
        ("a note[^1]", "a note"),
        (
            "**strong** and __strong__, *em* _em_ ~~gone~~",
            "strong and strong, em em gone",
        ),
        ("snake_case_name, 2*3*4, *.md and `__init__`", None),
        ("a \\*star\\* and \\`tick", "a *star* and `tick"),
        ("&lt;b&gt; &amp; `&amp;`", "<b> & &amp;"),
        ("<Tabs values={[{a: 1}]}>in</Tabs> <br/> a < b > c", "in a < b > c"),
        ("a <!-- hidden --> b", "a b"),
        ("<!-- hidden\n\nstill --> seen", "seen"),
        ("<style>\np {}\n</style>\nseen", "seen"),
        ("`<!--` and `-->`", "<!-- and -->"),
        ("- one\n  goes on\n- [x] two\n1. three", "one goes on\ntwo\nthree"),
        ("> [!NOTE]\n> quoted\n> more", "quoted more"),
        ("A tip.\n{: .note .info}\n\n{: #top }\nMore {: no}", "A tip.\nMore {: no}"),
        (":::tip[Title]\ninside\n:::", "[Title] inside"),
        ("| a | b |\n|---|:-:|\n| `c` | d |", "a, b\nc, d"),
        ("one\n\n***\n\ntwo", "one\ntwo"),
        ("```py\nx = [1](2)\n  # no *heading*\n```\nafter", None),
        ("~~~\n```\n~~~", CODE + "```"),
        (
            "words\n\n    indented *code*\n\nwords",
            f"words\n{CODE}indented *code*\nwords",
        ),
        ("import X from 'y'\n\nwords", "words"),
        ('{{< ref "a.md" >}} and {{ .Title }}', "and {{ .Title }}"),
        ("{% include a.html %}\n\nwords", "words"),
        ("{%- if x < 2 -%}\nwords{% else %}\n{% endif %}", "words"),
        ('{% include a.html\n  b="c `d`" %}\nwords', "words"),
        ("v{{ site.version }} of {{ 'a' | upcase }}it", "v of it"),
        ("[it]({% link _docs/a.md %}) [so]({{ site.url }}/b)", "it so"),
        ("`{% if x %}` and `{{ y }}`", "{% if x %} and {{ y }}"),
        ("```liquid\n{{ y }}\n```", f"{CODE}{{{{ y }}}}"),
        ("{% raw %}\n{{ a }}\n\n- {% b %}\n{% endraw %}{{ site }}", "{{ a }}\n{% b %}"),
        ("${{ env.A }}, {%} {{}}", "${{ env.A }}, {%} {{}}"),
        ("a\0b\1c", "abc"),
        ("", ""),
    ],
)
def test_marks_go_and_words_stay(markdown: str, words: str | None) -> None:
    """For common Markdown, and for MDX."""
    if words is None:
        words = {
            "s": "snake_case_name, 2*3*4, *.md and __init__",
            "`": f"{CODE}x = [1](2)\n{CODE}  # no *heading*\nafter",
        }[markdown[0]]
    assert to_plain_text(markdown) == words


HOSTILE = (
    *("[", "](", "[a](", "![a](", "[a][", "<a ", '<a "', "<a {", "<!--", "x <!-- -->"),
    *("`", "`` `", "`a", "\\`", "\\", "**a", "_a ", "*_", "a*", "|", "> ", "- ", "1. "),
    *(
        "{{<",
        "&",
        ":",
        "import ",
        "[a]: ",
        "<script ",
        "[^",
        "{%",
        "{{",
        "{{a",
        "{%a",
        "<a '\"<a {",
        "# a\n",
    ),
)


@pytest.mark.parametrize("part", HOSTILE)
def test_repetition_costs_no_more_than_its_length(part: str) -> None:
    """D-139: a hundred thousand characters of repeated marks come back."""
    with bounded_cpu_time():
        to_plain_text(part * (100_000 // len(part)))


@given(
    st.text(
        alphabet=st.sampled_from("ab \n`*_[](){}<>!#-|\\&;:/\"'=~1.\0\1é"), max_size=300
    )
)
@example("`a\n\n`")
@example("[`a`](`b`)")
@example("<a `b`>")
def test_reading_never_fails_and_leaves_no_trace_of_its_own(text: str) -> None:
    """Any text at all; placeholders of code are replaced or removed."""
    assert not re.search("[\0\1]", to_plain_text(text))


@given(st.lists(st.text(alphabet="abcdé", min_size=1), min_size=1))
def test_plain_words_stay_as_they_are(words: list[str]) -> None:
    """Nothing is lost without markup."""
    assert to_plain_text(" ".join(words)) == " ".join(words)


def test_what_stood_behind_a_mark_is_no_message_behind_a_letter() -> None:
    """A selector belongs to its mark, and is removed with it."""
    assert to_plain_text("a*\ufe0f b*\ufe0e c") == "a b c"
    assert to_plain_text("#\ufe0f x") == "#\ufe0f x"
