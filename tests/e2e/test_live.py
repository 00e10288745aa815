"""Writing: saved changes appear in the open page, with any problems."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.content import LONG
from e2e.reader import Reader, reading
from playwright.sync_api import Browser, expect
from support.canary import CANARY, Scanner
from support.files import save_over
from support.knowledge import KnowledgeBase
from support.processes import serve_process

DRAFT = "Not ready yet, but readable."


@pytest.fixture
def content(tmp_path: Path) -> KnowledgeBase:
    """A knowledge base with a long article and a draft."""
    content = KnowledgeBase(tmp_path / "content")
    write(content, "The first version.")
    content.write("concepts/sketch", title="Sketch", status="Draft", body=DRAFT)
    return content


def write(content: KnowledgeBase, beginning: str) -> Path:
    """Save the long article."""
    body = f"{beginning}\n\n{LONG}"
    return content.write("concepts/long", title="Long", tags="[Looks]", body=body)


@pytest.fixture(params=[()])
def writer(
    request: pytest.FixtureRequest,
    browser: Browser,
    content: KnowledgeBase,
    tmp_path: Path,
) -> Iterator[Reader]:
    """A reader of a server in development; parameters are further options."""
    # Drafts are shown on this machine, so output is not scanned for hidden text.
    unseen = Scanner()
    options = ("--dev", "--cache-dir", str(tmp_path / "cache"), *request.param)
    with serve_process(content.root, *options, scanner=unseen) as served:
        site = f"http://127.0.0.1:{served.port}"
        with reading(browser, site, unseen) as reader:
            yield reader


def test_a_saved_article_is_shown_where_it_is_read(
    writer: Reader, content: KnowledgeBase
) -> None:
    """The text changes, and the scroll position is kept."""
    page = writer.open("/concepts/long")
    expect(page.locator(".body").first).to_contain_text("The first version.")
    page.emulate_media(reduced_motion="reduce")
    page.locator("#part-6").evaluate("(heading) => heading.scrollIntoView()")
    expect(page.locator(".toc [aria-current]")).to_have_text("Part 6")
    before = page.evaluate("() => scrollY")
    assert before > 0
    write(content, "The other version.")
    expect(page.locator(".body").first).to_contain_text("The other version.")
    assert page.evaluate("() => scrollY") == before
    expect(page.locator(".toc [aria-current]")).to_have_text("Part 6")
    page.locator("#part-2").evaluate("(heading) => heading.scrollIntoView()")
    expect(page.locator(".toc [aria-current]")).to_have_text("Part 2")


def test_opened_parts_stay_open(writer: Reader, content: KnowledgeBase) -> None:
    """Tabs and other details, when the text around them changes."""
    tabs = "".join(
        f"<details{state}><summary>{name}</summary><p>Text {name}</p></details>"
        for name, state in (("One", " open"), ("Two", ""))
    )
    parts = f'<div class="tabs">{tabs}</div>\n\n<details><summary>More</summary>'
    write(content, f"Before.\n\n{parts}All.</details>")
    page = writer.open("/concepts/long")
    page.locator(".body").get_by_text("Two", exact=True).click()
    page.locator(".body").get_by_text("More", exact=True).click()
    write(content, f"Afterwards.\n\n{parts}All of it.</details>")
    expect(page.locator(".body").first).to_contain_text("Afterwards.")
    expect(page.get_by_text("All of it.")).to_be_visible()
    expect(page.get_by_text("Text Two")).to_be_visible()
    expect(page.get_by_text("Text One")).to_be_hidden()


def test_a_broken_file_is_told_of_over_the_last_good_version(
    writer: Reader, content: KnowledgeBase
) -> None:
    """With its file and line; once repaired or closed, the message goes."""
    page = writer.open("/concepts/long")
    problems = page.locator("#KB-problems")
    path = content.root / "concepts" / "long.md"
    good = path.read_text(encoding="utf-8")
    save_over(path, good.replace("tags: [Looks]", "tags: [Looks"))
    expect(problems).to_contain_text("concepts/long.md:")
    expect(page.locator(".body").first).to_contain_text("The first version.")
    save_over(path, good)
    expect(problems.filter(has_text="concepts/long.md:")).to_have_count(0)
    save_over(path, good.replace("tags: [Looks]", "tags: [Looks"))
    expect(problems).to_contain_text("concepts/long.md:")
    problems.get_by_role("button", name="Close").click()
    expect(problems).to_have_count(0)


def test_drafts_stay_hidden_in_development(writer: Reader) -> None:
    """Unless they are requested."""
    page = writer.open("/")
    expect(page.locator("main")).to_contain_text("Long")
    shown = page.locator("main").inner_html()
    assert "Sketch" not in shown
    assert CANARY not in shown
    assert writer.context.request.get(f"{writer.site}/concepts/sketch").status == 404


@pytest.mark.parametrize("writer", [("--drafts",)], indirect=True)
def test_drafts_are_shown_and_marked_if_asked(writer: Reader) -> None:
    """They cannot be mistaken for finished articles."""
    page = writer.open("/concepts/sketch")
    expect(page.locator("main")).to_contain_text(DRAFT)
    expect(page.locator("main .meta").first).to_contain_text("Draft")


def test_the_page_of_problems_names_each(writer: Reader) -> None:
    """File, line, code and message."""
    page = writer.open("/problems")
    row = page.locator("tr", has_text="KB013")
    expect(row).to_contain_text("drfat.md:")
    expect(row).to_contain_text("unknown status")
