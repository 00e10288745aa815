"""Mermaid diagrams as SVG."""

import re
from xml.etree.ElementTree import fromstring

import pytest

from asdlc_kb.markup.diagrams import (
    MAX_CHARACTERS,
    THEMES,
    draw,
    find_sources,
    measure,
    name_diagram,
)
from asdlc_kb.markup.fences import SOURCE
from asdlc_kb.markup.html_renderer import render, render_cheap
from asdlc_kb.markup.render_process import RenderProcess

FLOW = "graph TD\n  a[One] -->|edge| b[Two]\n"
KINDS = {
    "flow": (FLOW, ("One", "Two", "edge")),
    "titled": (f"---\ntitle: Top\n---\n{FLOW}", ("Top", "One")),
    "themed": (f"%%{{init: {{'theme': 'forest'}}}}%%\n{FLOW}", ("One",)),
    "sequence": ("sequenceDiagram\n  A->>B: hello\n  B-->>A: bye\n", ("hello", "bye")),
    "class": ("classDiagram\n  Animal <|-- Dog : is\n", ("Animal", "Dog", "is")),
    "state": ("stateDiagram-v2\n  [*] --> Idle\n  Idle --> Run : go\n", ("Idle", "go")),
    "er": ("erDiagram\n  A ||--o{ B : has\n", ("A", "B", "has")),
    "pie": ('pie title P\n  "x" : 1\n  "y" : 2\n', ("P", "x", "y")),
    "mindmap": ("mindmap\n  root((Mid))\n    One\n", ("Mid", "One")),
    "gantt": (
        "gantt\n  dateFormat YYYY-MM-DD\n  section S\n  T :a, 2024-01-01, 3d\n",
        ("S", "T"),
    ),
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("source", "words"), KINDS.values(), ids=KINDS)
def test_a_diagram_is_drawn(source: str, words: tuple[str, ...], theme: str) -> None:
    """As well-formed SVG with its words and a size, the same each time."""
    svg = draw(source, theme)
    assert svg is not None
    assert svg == draw(source, theme)
    shown = "".join("".join(fromstring(svg).itertext()).split())
    assert all(word in shown for word in words)
    size = measure(source)
    assert size is not None
    assert min(size) > 10
    assert f" {size.width} {size.height}" in svg or "." in svg


def test_themes_have_their_own_colours() -> None:
    """A theme that the source states is kept in both."""
    assert draw(FLOW, "light") != draw(FLOW, "dark")
    themed = KINDS["themed"][0]
    assert "#cde498" in (draw(themed, "dark") or "")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "nonsense",
        "graph TD\n  a[",
        "graph TD\n" + "%% x\n" * MAX_CHARACTERS,
        "graph TD\n" + "".join(f" subgraph s{n}\n" for n in range(2_000)),
        "graph TD\n" + "".join(f" n{n}-->m{n % 7}\n" for n in range(1_000)),
    ],
)
def test_what_cannot_be_drawn_has_no_size(source: str) -> None:
    """Errors, and what exceeds a limit; its source is shown."""
    assert measure(source) is None
    shown = render(f"```mermaid\n{source}\n```\n").text
    assert "data-diagram" not in shown
    assert "Mermaid diagram" in shown


@pytest.mark.parametrize(
    "source",
    [
        'graph TD\n  a["<script>alert(1)</script>"]\n',
        'graph TD\n  a["<img src=https://evil.example/x onerror=alert(1)>"]\n',
        'graph TD\n  a-->b\n  click a "javascript:alert(1)"\n',
        'graph TD\n  a-->b\n  click a href "https://evil.example/"\n',
        '%%{init: {"themeCSS": "@import url(https://evil.example/x.css);"}}%%\n' + FLOW,
        '%%{init: {"fontFamily": "x;}</style><script>alert(1)</script>"}}%%\n' + FLOW,
        "graph TD\n  a:::x\n  classDef x fill:url(https://evil.example/x)\n",
        '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\n' + FLOW,
        'graph TD\n  a@{ img: "https://evil.example/x.png", label: "x" }\n',
        "graph TD\n  a-->b\n  style a background:url(//evil.example/x)\n",
        "sequenceDiagram\n  participant A\n  link A: x @ https://evil.example/\n",
    ],
)
def test_a_picture_loads_nothing_and_has_no_scripts(source: str) -> None:
    """Whatever its source says."""
    for theme in THEMES:
        svg = (draw(source, theme) or "").lower()
        for part in ("<script", "<img", "<image", "<foreignobject", "javascript:"):
            assert part not in svg
        for part in ('href="http', "url(http", "url(//", "@import", " onerror="):
            assert part not in svg


def test_the_sources_in_a_text_are_found() -> None:
    """Those that the website shows, in lists and quotations too; no other code."""
    text = (
        f"```mermaid\n{FLOW}```\n\n- ```Mermaid title=x\n  pie\n  ```\n\n"
        f"> ~~~mermaid\n> gantt\n> ~~~\n\n```py\nmermaid\n```\n\n    ```mermaid\n\n"
        "a[^1]\n\n[^1]: b\n\n    ``` { .mermaid }\n    journey\n    ```\n"
    )
    sources = find_sources(text)
    assert sources == (FLOW, "pie\n", "gantt\n", "journey\n")
    names = re.findall('data-diagram="([^-"]+)', render(text).text)
    assert names == [name_diagram(source) for source in sources]
    assert find_sources(f"```\n{FLOW}```") == ()
    assert name_diagram(FLOW) in render(text).text


def test_the_text_has_the_place_of_a_picture_and_its_source() -> None:
    """Only a process that can be killed draws; else the source stays."""
    text = f"```mermaid\n{FLOW}```\n"
    size = measure(FLOW)
    assert size is not None
    place = f"{name_diagram(FLOW)}-{size.width}-{size.height}"
    shown = render(text).text
    assert f'<span data-diagram="{place}"></span>' in shown
    assert "a[One] --&gt;|edge| b[Two]" in shown
    assert render_cheap(text) is None
    assert "data-diagram" not in render(text, writer=SOURCE).text


def test_the_process_that_renders_texts_draws_diagrams() -> None:
    """One after the other; None for what cannot be drawn."""
    process = RenderProcess()
    drawn = process.submit(FLOW, diagram_theme="dark").result(timeout=60)
    assert drawn is not None
    assert drawn.html.text == draw(FLOW, "dark")
    assert process.submit("nonsense", diagram_theme="dark").result(timeout=60) is None
    rendered = process.submit(f"```mermaid\n{FLOW}```\n").result(timeout=60)
    assert rendered is not None
    assert "data-diagram" in rendered.html.text
