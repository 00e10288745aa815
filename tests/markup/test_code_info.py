"""Info strings of fenced code in the forms of several generators."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.code_info import (
    MAX_FIRST_NUMBER,
    MAX_INFO_CHARS,
    CodeInfo,
    read_info,
)


@pytest.mark.parametrize(
    ("info", "written"),
    [
        ("py", "py"),
        ("", ""),
        ("c++", "c++"),
        ('py title="app.py" linenums="1"', 'py title="app.py" linenums="1"'),
        ('{ .py .annotate hl_lines="2 4-5" }', "py {2,4-5}"),
        ("js {1,3-4} showLineNumbers", 'js {1,3-4} linenums="1"'),
        ("ts{2}:line-numbers=7", 'ts {2} linenums="7"'),
        ("js title='a \"b\".js'", "js title=\"a 'b'.js\""),
        ('title="a.py"', 'title="a.py"'),
        ("mermaid", "mermaid"),
        ("console?lang=en", "console"),
    ],
)
def test_an_info_string_has_one_form(info: str, written: str) -> None:
    """Language, title, highlighted lines, and the number of the first line."""
    assert read_info(info).write(has_layout=True) == written


def test_of_a_long_info_string_only_the_language_is_read() -> None:
    """The patterns are not run over it."""
    code = read_info("py " + "title=" * MAX_INFO_CHARS)
    assert code.write(has_layout=True) == "py"


@pytest.mark.parametrize(
    ("info", "read"),
    [
        ("", CodeInfo("")),
        ("py", CodeInfo("py")),
        ("rust,ignore", CodeInfo("rust")),
        ('py title="a b.py"', CodeInfo("py", "a b.py")),
        ("py title='x'", CodeInfo("py", "x")),
        ("py title=x", CodeInfo("py", "x")),
        ("js [vite.config.js]", CodeInfo("js", "vite.config.js")),
        ("js src/vite.config.js", CodeInfo("js", "src/vite.config.js")),
        ('js x.js title="y"', CodeInfo("js", "y")),
        ("js no file.js", CodeInfo("js")),
        ("js{1,3-4}", CodeInfo("js", "", (range(1, 2), range(3, 5)))),
        ("js {1, 3 - 4}", CodeInfo("js", "", (range(1, 2), range(3, 5)))),
        ('py hl_lines="1 3-4"', CodeInfo("py", "", (range(1, 2), range(3, 5)))),
        ("py hl_lines={2}", CodeInfo("py", "", (range(2, 3),))),
        ('py linenums="7"', CodeInfo("py", first_number=7)),
        ('py linenums="x"', CodeInfo("py", first_number=1)),
        ('py linenums="99999999"', CodeInfo("py", first_number=1)),
        ('py linenums="9999999"', CodeInfo("py", first_number=MAX_FIRST_NUMBER)),
        ("py showLineNumbers", CodeInfo("py", first_number=1)),
        ("py showLineNumbers=false", CodeInfo("py")),
        ('py title="', CodeInfo("py")),
        ("py {a} [] = x=", CodeInfo("py")),
        (
            "go {filename=main.go hl_lines=[1]}",
            CodeInfo("go", "main.go", (range(1, 2),)),
        ),
        ("{ .sh .no-copy #example }", CodeInfo("sh")),
        ("{r}", CodeInfo("r")),
        ("{1}", CodeInfo("", "", (range(1, 2),))),
        ('title="a.py"', CodeInfo("", "a.py")),
        ("[.env]", CodeInfo("", ".env")),
        ("ts {1} {5}", CodeInfo("ts", "", (range(1, 2), range(5, 6)))),
        ("ts ins={1} title={x}", CodeInfo("ts")),
        (
            "js /[A-Z_]+ name='x'/ \"[a] b\" '[b]' {2}",
            CodeInfo("js", "", (range(2, 3),)),
        ),
        ("ts /[a", CodeInfo("ts")),
        ("vue:line-numbers=2 {1}", CodeInfo("vue", "", (range(1, 2),), 2)),
        ("js lineNumbers", CodeInfo("js", first_number=1)),
    ],
)
def test_an_info_string_has_parts_in_any_order(info: str, read: CodeInfo) -> None:
    """As MkDocs, Docusaurus, Starlight and VitePress write them."""
    assert replace(read_info(info), raw="") == read


@given(st.text(alphabet="pyx.{}[]=\"'-, 13title", max_size=80))
def test_any_info_string_is_read(info: str) -> None:
    """Never more than it says."""
    assert read_info(info).title in info
