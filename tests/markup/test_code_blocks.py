"""Fenced code with a header, highlighted lines and line numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.code_blocks import write_code
from asdlc_kb.markup.code_info import MAX_RANGES, CodeInfo, read_info
from asdlc_kb.markup.highlight import MAX_CHARACTERS, highlight
from asdlc_kb.markup.html_renderer import render


def test_a_header_has_title_and_language() -> None:
    """The language by its full name; plain text without a title has no header."""
    shown = render('```py title="a<b.py"\nx\n```\n').text
    assert shown.startswith(
        '<figure class="code-block"><figcaption><span class="code-title">a&lt;b.py'
        '</span><span class="code-language">Python</span></figcaption>'
        '<pre class="code" tabindex="0"><code>'
    )
    for language in ("", "text", "plain"):
        assert render(f"```{language}\nx\n```\n").text.startswith("<pre")
    assert '"code-language">nonsense<' in render("```nonsense\nx\n```\n").text


@pytest.mark.parametrize(
    ("language", "caption"),
    [("mermaid", "Mermaid diagram"), ("d2", "D2 diagram"), ("plantuml", "PlantUML")],
)
def test_the_source_of_a_diagram_has_a_caption(language: str, caption: str) -> None:
    """It is not drawn."""
    shown = render(f"```{language}\na -> b\n```\n").text
    assert f'<span class="code-language">{caption}' in shown
    assert "a -&gt; b" in shown


def test_lines_are_highlighted_and_numbered() -> None:
    """Each in an element of its own, with tokens over several lines; code is kept."""
    shown = render('```py {2} linenums="7"\nx = """a\nb"""\n\n```\n').text
    lines = shown.split('<span class="line')[1:]
    assert [line.partition(">")[0] for line in lines] == [
        *('" data-line="7"', ' highlighted" data-line="8"', '" data-line="9"')
    ]
    for line in lines:
        assert line.count("<span") + 1 == line.count("</span>")
    assert "data-line" not in render("```py {1}\nx\n```\n").text
    assert 'class="line' not in render("```py\nx\n```\n").text


def test_signs_of_a_difference_are_left_as_they_are() -> None:
    """The language `diff` highlights them."""
    shown = render("```diff\n- a\n+ b\n```\n").text
    assert '<span class="gd">- a</span>' in shown
    assert '<span class="gi">+ b</span>' in shown


def test_lines_and_ranges_are_bounded() -> None:
    """Long code has none, as it is not highlighted."""
    ranges = read_info("py {" + ",".join("1" * 200) + "}").highlighted
    assert len(ranges) == MAX_RANGES
    code = "\n" * (MAX_CHARACTERS + 1)
    shown = write_code(code, read_info("py {1-9999999} linenums=1"), highlight)
    assert 'class="line' not in shown


@given(st.text(alphabet="ab\n<&\"'#\u2028\x0c", max_size=60), st.booleans())
def test_the_code_is_complete(code: str, is_numbered: bool) -> None:
    """Without tags it is the code, whatever separates its lines."""
    info = CodeInfo("", "", (range(1, 3),), 1 if is_numbered else None)
    shown = write_code(code, info, lambda text, _: text.replace("<", "&lt;"))
    body = shown.partition("<code>")[2].partition("</code>")[0]
    text = body.replace("</span>", "")
    for start in ('<span class="line highlighted"', '<span class="line"'):
        parts = text.split(start)
        text = parts[0] + "".join(part.partition(">")[2] for part in parts[1:])
    assert text.replace("&lt;", "<").rstrip("\n") == code.rstrip("\n")
