"""Texts that the website cannot render as intended: `asdlc-kb check`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.files import save_over
from support.knowledge import article_text

from asdlc_kb.markup.highlight import MAX_CHARACTERS as MAX_CODE_CHARACTERS
from asdlc_kb.markup.html_renderer import MAX_CHARACTERS

Invoke = Callable[..., Result]
ENDLESS = '"' + "\\" * 40
TOO_MUCH = "[" * 500_000


@pytest.fixture
def content(folder: Path) -> Path:
    """Return a folder for articles."""
    return folder / "content"


def report(invoke: Invoke, root: Path, **bodies: str) -> list[str]:
    """Return the report on articles with these bodies."""
    for name, body in bodies.items():
        save_over(
            root / f"concepts/{name}.md", article_text(f"concepts/{name}", body=body)
        )
    result = invoke("check", "--select", "KB05")
    *lines, _ = result.stdout.splitlines()
    assert result.exit_code == int(bool(lines))
    return lines


def test_texts_that_are_shown_as_they_are_meant_are_not_reported(
    invoke: Invoke, content: Path
) -> None:
    """Any length within the limits, with code of any language."""
    long = "Some *words* and a [link](/y).\n\n" * 2_000
    code = "```cddl\na = 1\n```\n\n```python\nx\n```\n"
    assert report(invoke, content, long=long, code=code) == []


def test_a_text_that_is_too_long_is_reported(invoke: Invoke, content: Path) -> None:
    """With its size and the limit."""
    (line,) = report(invoke, content, a="x" * MAX_CHARACTERS + "yz")
    assert "a.md:9:1: KB050 the website shows only the beginning of 524,29" in line
    assert "at most 524,288" in line


def test_a_text_that_takes_too_long_is_reported(invoke: Invoke, content: Path) -> None:
    """It is found by rendering it, as the server would."""
    (line,) = report(invoke, content, a=TOO_MUCH)
    assert "a.md:9:1: KB050 rendering takes too long" in line


def test_code_that_takes_too_long_is_reported_where_it_stands(
    invoke: Invoke, content: Path
) -> None:
    """Not the code next to it, which has a grammar known to be fast."""
    body = f"One.\n\n```python\nx\n```\n\n```cddl\n{ENDLESS}\n```\n"
    (line,) = report(invoke, content, a=body)
    assert "a.md:15:1: KB051 highlighting takes too long" in line


def test_code_that_is_too_long_is_reported_where_it_stands(
    invoke: Invoke, content: Path
) -> None:
    """With its size and the limit."""
    code = "x\n" * (MAX_CODE_CHARACTERS // 2 + 1)
    (line,) = report(invoke, content, a=f"One.\n\n```python\n{code}```\n")
    assert "a.md:11:1: KB051 20,002 characters of code" in line


def test_pages_of_documentation_are_checked_too(invoke: Invoke, folder: Path) -> None:
    """From the line on which their body begins."""
    save_over(folder / "docs/a.md", f"---\ntitle: A\n---\n\n```cddl\n{ENDLESS}\n```\n")
    result = invoke("check", "--select", "KB05", "--docs", "docs")
    assert "a.md:5:1: KB051" in result.stdout


def test_code_of_a_translated_page_is_reported_where_it_is_written(
    invoke: Invoke, folder: Path
) -> None:
    """Not on the line of the text for agents, and with the file that has it."""
    save_over(
        folder / "mkdocs.yml",
        "site_name: X\nmarkdown_extensions:\n- pymdownx.snippets: {base_path: [.]}\n",
    )
    code = f"```cddl\n{ENDLESS}\n```\n"
    save_over(folder / "docs/a.md", f'!!! note "A"\n\n    One.\n\n{code}')
    for name in ("b", "c"):
        page = folder / f"docs/{name}.md"
        save_over(page, '!!! note "A"\n\n    One.\n\n--8<-- "parts/p.md"\n')
    save_over(folder / "parts/p.md", f"Two.\n\n{code}")
    result = invoke("check", "--select", "KB05", "--docs", "docs")
    *lines, _ = result.stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        *("docs/a.md:5:1:", "parts/p.md:3:1:"),
    ]
