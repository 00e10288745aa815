"""Callouts, tabs, code, formulas and words as a reader sees and uses them."""

from collections.abc import Callable
from typing import Any

import pytest
from e2e.reader import PHONE, Reader, measure_overflow
from e2e.test_accessibility import check_accessibility
from e2e.test_contrast import style as style_of
from playwright.sync_api import Page, expect

Read = Callable[..., Reader]

PATH = "/docs/guide/constructs"


def open_constructs(reader: Reader) -> Page:
    """Return the page, once its text is rendered."""
    page = reader.open(PATH)
    expect(page.locator(".tabs")).to_be_attached()
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_all_constructs_break_no_rule(
    read: Read, axe: str, theme: str, width: int
) -> None:
    """Closed and open, in both themes, on a phone and a desk; nothing is too wide."""
    viewport = {"width": width, "height": 800}
    page = open_constructs(read(color_scheme=theme, viewport=viewport))
    check_accessibility(page, axe)
    assert measure_overflow(page) == 0
    page.get_by_text("A tip to open").click()
    page.get_by_text("uv, the package manager").click()
    check_accessibility(page, axe)
    assert measure_overflow(page) == 0


def test_the_button_hides_no_end_of_a_long_line(reader: Reader) -> None:
    """Scrolled to its end, code without a header ends before the button."""
    page = reader.open("/connect")
    code = page.locator(".code-frame pre").first
    code.evaluate(
        "(pre) => { pre.firstChild.textContent = 'word '.repeat(99) + 'end'; }"
    )
    code.evaluate("(pre) => { pre.scrollLeft = pre.scrollWidth; }")
    end = code.evaluate("""(pre) => {
        const range = document.createRange();
        range.selectNodeContents(pre);
        return range.getBoundingClientRect().right;
    }""")
    button = page.locator(".code-frame .copy").first.bounding_box()
    assert button is not None
    assert end <= button["x"]


@pytest.mark.parametrize("has_scripts", [True, False])
def test_one_tab_is_open_at_a_time(read: Read, has_scripts: bool) -> None:
    """By the mouse and by the keyboard, with and without scripts."""
    # The text is rendered once it was asked for, and fetched by a script.
    open_constructs(read())
    page = open_constructs(read(java_script_enabled=has_scripts))
    labels = page.locator(".tabs summary")
    first, second = page.get_by_text("Install with pip"), page.get_by_text("with uv")
    expect(first).to_be_visible()
    expect(second).to_be_hidden()
    labels.nth(1).click()
    expect(first).to_be_hidden()
    expect(second).to_be_visible()
    labels.nth(2).focus()
    page.keyboard.press("Enter")
    expect(second).to_be_hidden()
    expect(page.get_by_text("Clone it.")).to_be_visible()
    # A click on the open one leaves it open.
    labels.nth(2).click(force=True)
    expect(page.get_by_text("Clone it.")).to_be_visible()
    if has_scripts:
        for key in ("Enter", "Space"):
            page.keyboard.press(key)
            expect(page.locator(".tabs details").nth(2)).to_have_attribute("open", "")


def test_labels_of_tabs_are_a_row_that_scrolls(read: Read) -> None:
    """On a phone, too; the text below has the width of the page."""
    page = open_constructs(read(viewport=PHONE))
    boxes = [label.bounding_box() for label in page.locator(".tabs summary").all()]
    assert len({box["y"] for box in boxes if box}) == 1
    tabs = page.locator(".tabs")
    assert tabs.evaluate("(tabs) => tabs.scrollWidth > tabs.clientWidth")
    page.locator(".tabs summary").last.focus()
    page.wait_for_function("() => document.querySelector('.tabs').scrollLeft > 0")
    text = page.get_by_text("Install with pip").bounding_box()
    frame = tabs.bounding_box()
    assert text is not None
    assert frame is not None
    assert frame["x"] <= text["x"]
    assert text["x"] + text["width"] <= frame["x"] + frame["width"]
    # The focus may have scrolled the page, too.
    label = page.locator(".tabs summary").last.bounding_box()
    assert label is not None
    assert text["y"] > label["y"] + label["height"] - 1


def test_paper_has_the_text_of_all_tabs_and_callouts(read: Read) -> None:
    """Nothing can be opened there."""
    page = open_constructs(read())
    page.emulate_media(media="print")
    for text in ("Install with pip", "with uv", "Clone it.", "Text of the tip."):
        expect(page.get_by_text(text)).to_be_visible()


def test_paper_has_no_source_of_a_drawn_diagram(read: Read) -> None:
    """It would be a page of its own below the picture."""
    page = open_constructs(read())
    page.emulate_media(media="print")
    frame = page.locator(".diagram-frame")
    expect(frame.locator("img:visible")).to_have_count(1)
    expect(frame.locator("pre")).to_be_hidden()


def test_a_block_has_the_direction_of_its_script(read: Read) -> None:
    """On a page in another one: Hebrew begins on the right, its code is in between."""
    page = read().open("/docs/guide/deep/still")
    edges = page.locator(".body p").first.evaluate(
        """(block) => {
          const range = new Range();
          range.selectNodeContents(block);
          const code = block.querySelector("code").getBoundingClientRect();
          const text = range.getBoundingClientRect();
          const box = block.getBoundingClientRect();
          return [box.right - text.right, text.left - box.left, code.left - text.left];
        }"""
    )
    assert edges[0] < 2
    assert edges[1] > 100
    assert edges[2] > 10


def test_copied_code_has_neither_header_nor_numbers(read: Read) -> None:
    """And selected code has no numbers."""
    page = open_constructs(read(permissions=["clipboard-read", "clipboard-write"]))
    block = page.locator(".code-block").filter(has_text="src/loop.py")
    block.hover()
    block.get_by_role("button", name="Copy code").click()
    expect(block.get_by_role("button", name="Copy code")).to_have_text("Copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith("def loop(agent")
    assert copied.endswith('raise TimeoutError("not done", 42)\n')
    assert len(copied.splitlines()) == 6


def test_lines_are_numbered_and_highlighted(read: Read) -> None:
    """From the number given; a blank line keeps its height."""
    lines = open_constructs(read()).locator(".line").all()
    number = "(line) => getComputedStyle(line, '::before').content"
    assert [line.evaluate(number).split('"')[1] for line in lines] == [
        *("9", "10", "11", "12", "13", "14")
    ]
    heights = {round(line.evaluate("(l) => l.offsetHeight")) for line in lines}
    assert len(heights) == 1
    colour = "(line) => getComputedStyle(line).backgroundColor"
    marked = {line.evaluate(colour) for line in (lines[1], lines[3], lines[4])}
    assert len(marked) == 1
    assert lines[0].evaluate(colour) not in marked


def test_code_alone_in_a_tab_has_no_second_frame(read: Read) -> None:
    """It is as wide as the tabs, so that a phone shows more of it."""
    page = open_constructs(read(viewport=PHONE))
    page.locator(".tabs summary").last.click()
    code = page.locator(".tabs pre").filter(has_text="docker run kb")
    expect(code).to_be_visible()
    frame, inner = page.locator(".tabs").bounding_box(), code.bounding_box()
    assert frame is not None
    assert inner is not None
    assert frame["width"] - inner["width"] <= 4


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "has_touch": True}])
def test_the_header_of_code_names_file_and_language(
    read: Read, options: dict[str, Any]
) -> None:
    """With a button to copy, which is seen without hovering, none over another."""
    page = open_constructs(read(**options))
    for copy in page.locator(".copy:visible").all():
        expect(copy).to_have_css("opacity", "1")
    block = page.locator(".code-block").filter(has_text="src/loop.py")
    expect(block.locator("figcaption")).to_have_text("src/loop.pyPythonCopy")
    shell = page.locator(".code-block").filter(has_text="pip install asdlc-kb")
    expect(shell.locator("figcaption")).to_have_text("BashCopy")
    button = block.locator(".copy").bounding_box()
    label = block.locator(".code-language").bounding_box()
    code = block.locator("pre").bounding_box()
    assert button is not None
    assert label is not None
    assert code is not None
    assert label["x"] + label["width"] <= button["x"]
    assert button["y"] + button["height"] <= code["y"]


@pytest.mark.parametrize("colours", ["none", "active"])
def test_each_kind_of_callout_has_an_icon_of_its_own(read: Read, colours: str) -> None:
    """Drawn by the style sheet in the colour of its kind, and by forced colours."""
    page = open_constructs(read(forced_colors=colours))
    icon = """(title) => {
      const style = getComputedStyle(title, '::before');
      return [style.maskImage, style.maskPosition, style.backgroundColor];
    }"""
    titles = page.locator(".markdown-alert-title").all()
    icons = [title.evaluate(icon) for title in titles]
    (address,) = {image for image, *_ in icons}
    sent = page.request.get(address.split('"')[1])
    assert sent.headers["content-type"] == "image/svg+xml"
    assert len({position for _, position, _ in icons}) == len(titles) == 5
    paints = {colour for *_, colour in icons}
    assert len(paints) == (5 if colours == "none" else 1)
    for title in titles:
        ground = style_of(title.locator(".."), "backgroundColor")
        assert ground not in paints


def test_cards_are_side_by_side_where_there_is_space(read: Read) -> None:
    """And one below the other on a phone."""
    for options, count in (({}, 1), ({"viewport": PHONE}, 2)):
        page = open_constructs(read(**options))
        cards = page.locator(".card-grid > ul > li").all()
        boxes = [card.bounding_box() for card in cards]
        assert len(boxes) == 2
        assert len({box["y"] for box in boxes if box}) == count


def test_numbers_of_nested_lists_differ(read: Read) -> None:
    """By level."""
    page = open_constructs(read())
    style = "(list) => getComputedStyle(list).listStyleType"
    lists = page.locator("ol:has(ol ol), ol:has(ol) ol").all()
    assert [found.evaluate(style) for found in lists] == [
        *("decimal", "lower-alpha", "lower-roman")
    ]


def test_formulas_are_drawn(read: Read) -> None:
    """As MathML, which the browser lays out; prices stay text."""
    page = open_constructs(read())
    assert page.locator("math").count() == 4
    height = "(part) => part.getBoundingClientRect().height"
    inline = page.locator("p math").first.evaluate(height)
    assert page.locator(".formula math").first.evaluate(height) > 1.5 * inline
    expect(page.get_by_text("cost $5 or $10.")).to_be_visible()


def test_a_box_of_a_loose_task_is_in_line_with_its_text(read: Read) -> None:
    """As in a list without blank lines."""
    item = open_constructs(read()).locator(".task-list-item").first
    box = item.locator("input").bounding_box()
    text = item.locator("p").bounding_box()
    assert box is not None
    assert text is not None
    assert text["y"] <= box["y"] + box["height"] / 2 <= text["y"] + text["height"]


def test_a_heading_has_the_address_that_it_states(read: Read) -> None:
    """Without showing it."""
    page = open_constructs(read())
    expect(page.locator("h1")).to_have_attribute("id", "constructs")
    assert "{" not in page.locator("h1").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_diagram_is_a_picture_in_the_colours_of_the_theme(
    read: Read, theme: str
) -> None:
    """The one of the other theme is not loaded; a reader's choice changes it."""
    page = open_constructs(read(color_scheme=theme))
    other = "dark" if theme == "light" else "light"
    frame = page.locator(".diagram-frame")
    frame.scroll_into_view_if_needed()
    picture = frame.locator(f".only-{theme} img")
    expect(picture).to_be_visible()
    expect(frame.locator(f".only-{other} img")).to_be_hidden()
    drawn = "(picture) => picture.complete && picture.naturalWidth > 0"
    page.wait_for_function(drawn, arg=picture.element_handle())
    page.locator("#KB-theme").click()
    expect(frame.locator(f".only-{other} img")).to_be_visible()
    expect(picture).to_be_hidden()


def test_a_diagram_at_its_own_address_can_do_nothing(read: Read) -> None:
    """Its policy allows its style sheet only; its source can be opened below it."""
    page = open_constructs(read())
    frame = page.locator(".diagram-frame")
    address = frame.locator(".only-light img").get_attribute("src")
    sent = page.request.get(f"{page.url.partition('/docs/')[0]}{address}")
    assert sent.headers["content-type"] == "image/svg+xml"
    assert sent.headers["content-security-policy"] == (
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )
    assert "immutable" in sent.headers["cache-control"]
    frame.get_by_text("Source of the diagram").click()
    expect(frame.get_by_text("graph TD")).to_be_visible()
