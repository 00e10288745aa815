"""The content security policy: injected scripts do not run."""

from collections.abc import Callable

import pytest
from e2e.reader import Reader
from playwright.sync_api import Page, Route, expect

Read = Callable[..., Reader]

STAIN = "() => window.stained ?? null"

INJECTED = {
    "inline script": "<script>window.stained = 1</script>",
    "handler": '<input autofocus onfocus="window.stained = 1">',
    "script of others": '<script src="https://example.com/x.js"></script>',
    "data script": '<script src="data:text/javascript,window.stained=1"></script>',
    "inline style": "<style>main { display: none }</style>",
    "style in place": '<script id="x"></script><p style="position:fixed">over</p>',
    "picture of others": '<img src="https://example.com/x.png" alt="x">',
    "frame": '<iframe src="https://example.com/"></iframe>',
    "plug-in": '<object data="https://example.com/x"></object>',
    "base": '<base href="https://example.com/">',
}


def read_stain(page: Page) -> object:
    """Return what a foreign script has written to the window."""
    page.wait_for_load_state("networkidle")
    return page.evaluate(STAIN)


def test_hostile_markdown_does_nothing(reader: Reader) -> None:
    """Raw HTML in an article leaves its text and no more, wherever it is shown."""
    for path in ("/concepts/hostile", "/", "/tags/", "/map", "/search?q=stained"):
        page = reader.open(path)
        assert read_stain(page) is None
        assert (
            page.locator("main :is(iframe, style, [onerror], [onfocus])").count() == 0
        )
    page = reader.open("/concepts/hostile")
    expect(page.locator(".body")).to_contain_text("Text that is still there.")
    for link in page.locator(".body a").all():
        assert not (link.get_attribute("href") or "").startswith(("javascript", "data"))


def test_hostile_words_do_nothing_in_the_palette(reader: Reader) -> None:
    """Titles and snippets are text there, too."""
    page = reader.open()
    page.keyboard.press("/")
    page.keyboard.insert_text("stained")
    expect(page.get_by_role("option").first).to_contain_text("<script>window.stained")
    assert read_stain(page) is None


@pytest.mark.parametrize("kind", INJECTED)
def test_what_is_injected_is_refused(reader: Reader, kind: str) -> None:
    """If the sanitizer had a hole, the policy would still hold."""

    def inject(route: Route) -> None:
        answer = route.fetch()
        text = answer.text().replace("</h1>", f"</h1>{INJECTED[kind]}", 1)
        route.fulfill(response=answer, body=text)

    reader.context.route("**/concepts/sampler", inject)
    page = reader.open("/concepts/sampler")
    assert read_stain(page) is None
    assert page.locator("main").is_visible()
    assert not any(text.startswith("off the origin") for text in reader.complaints)
    reader.excuse("Content Security Policy")
    reader.complaints.clear()


def test_a_script_would_run_without_the_policy(reader: Reader) -> None:
    """Proof that the test above can fail: without the header the script runs."""

    def inject(route: Route) -> None:
        answer = route.fetch()
        headers = dict(answer.headers)
        del headers["content-security-policy"]
        text = answer.text().replace("</h1>", f"</h1>{INJECTED['inline script']}", 1)
        route.fulfill(status=200, headers=headers, body=text)

    reader.context.route("**/concepts/sampler", inject)
    assert read_stain(reader.open("/concepts/sampler")) == 1
