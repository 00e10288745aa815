"""HTML of Markdown, made once for each version of a text."""

from asdlc_kb.site.rendering import Rendering, list_headings


class Follower:
    """Counts how often a link is followed: a rendering that is made, not remembered."""

    def __init__(self, there: str) -> None:
        self.there = there
        self.count = 0

    def __call__(self, href: str) -> str:
        """Lead elsewhere."""
        self.count += 1
        return self.there


def test_a_text_is_rendered_once() -> None:
    """As long as its links lead to the same."""
    rendering, follow = Rendering(), Follower("/x")
    first = rendering.render("a", "[x](y)", follow)
    assert rendering.render("a", "[x](y)", follow) is first
    assert follow.count == 1
    other = rendering.render("b", "[x](y)", Follower("/z"))
    assert 'href="/z"' in other.text
    assert 'href="/x"' in rendering.render("a", "[x](y)", follow).text
    rendering.render("a", "[x](y) more", follow)
    assert follow.count == 2


def test_memory_is_bounded() -> None:
    """What was not asked for longest is forgotten; what does not fit is not kept."""
    rendering, follow = Rendering(most=1_000), Follower("/x")

    def render(text: str) -> None:
        rendering.render("", text, follow)

    render("[1](a)")
    for number in range(100):
        render(f"[1](a) {number}")
        render("[1](a)")
        assert rendering.size <= 1_000
    assert follow.count == 101
    render("[0](a)" + "x" * 2_000)
    assert rendering.size <= 1_000


def test_headings_are_those_that_can_be_led_to() -> None:
    """Of the second and third level."""
    text = "# A\n\n## B\n\n### C\n\n#### D\n\n## kb E\n\n## !\n"
    html = Rendering().render("", text, Follower("/x"))
    assert [heading.anchor for heading in list_headings(html)] == ["b", "c", "kb-e"]
