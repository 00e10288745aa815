"""A folder of hostile articles: each is refused alone, the others are served."""

import os
import threading
import time
from pathlib import Path

import pytest
from support.canary import CANARY
from support.files import save_in_place
from support.knowledge import VISIBLE_COUNT, KnowledgeBase, article_text
from support.library import answer, faults, fetch, loaded, rescan

from asdlc_kb.articles.library import ArticleLibrary

ID = "concepts/x"


def bomb(levels: int) -> str:
    """Return aliases of aliases: nine to the power of `levels` items."""
    lines = ["a0: &a0 lol"]
    for level in range(1, levels):
        items = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"a{level}: &a{level} [{items}]")
    return "\n".join(lines)


def merges(levels: int) -> str:
    """Return merge keys of merge keys, each level twice the one before."""
    return "m0: &m0 {k: v}\n" + "\n".join(
        f"m{level}: &m{level}\n  <<: [*m{level - 1}, *m{level - 1}]"
        for level in range(1, levels)
    )


def text(**fields: object) -> bytes:
    """Return a Live article with these fields."""
    return article_text(ID, **fields).encode()


def behind(line: str) -> bytes:
    """Return a Live article with a further line of frontmatter."""
    return text(status=f"Live\n{line}")


PLAIN = text(title="Plain")

REFUSED = {
    "billion-laughs": behind(bomb(9)),
    "merge-keys": behind(merges(12)),
    "nested-lists": behind("a: " + "[" * 5000),
    "nested-mappings": behind("a: " + "{a: " * 3000),
    "nested-blocks": behind("- " * 5000),
    "duplicate-keys": behind("title: again"),
    "python-tag": behind("a: !!python/object/apply:os.system [id]"),
    "own-tag": behind(f"a: !{CANARY}!x y"),
    "binary-tag": behind("a: !!binary aGk="),
    "two-documents": behind("--- {status: Live}"),
    "document-end": behind("...\n{a: b}"),
    "directive": PLAIN.replace(b"---\n", b"---\n%YAML 1.1\n--- # x\n", 1),
    "tag-directive": PLAIN.replace(b"---\n", b"---\n%TAG ! tag:x,2000:\n--- # x\n", 1),
    "large-frontmatter": behind("a: " + "x" * 17 * 1024),
    "no-closing-fence": PLAIN.replace(b"\n---\n\n", b"\n\n"),
    "impossible-escape": behind('a: "\\UFFFFFFFF"'),
    "half-a-character": text(title='"\\ud800"'),
    "huge-number": text(lastUpdated="9" * 5000),
    "lone-cr": PLAIN.replace(b"\n", b"\r"),
    "nul": PLAIN + b"\0",
    "utf-16": PLAIN.decode().encode("utf-16"),
    "utf-16-le": PLAIN.decode().encode("utf-16-le"),
    "utf-32": PLAIN.decode().encode("utf-32"),
    "latin-1": text(title="caf\u00e9").decode().encode("latin-1"),
    "overlong": PLAIN + b"\xc0\xaf",
    "surrogates": PLAIN + b"\xed\xa0\x80",
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
    "too-large": PLAIN + b"x" * 2 * 1024 * 1024,
    "empty": b"",
    "only-fences": b"---\n---\n",
}
"""Files that are not served, each with its own problem."""

SERVED = {
    "byte-order-mark": (b"\xef\xbb\xbf" + PLAIN, "Plain"),
    "crlf": (PLAIN.replace(b"\n", b"\r\n"), "Plain"),
    "many-keys": (behind("\n".join(f"k{n}: v" for n in range(1500))), "X"),
    "wide-list": (text(tags=f"[{'a, ' * 3000}b]"), "X"),
    "deep-markdown": (text(body="> " * 5000 + "[" * 5000), "X"),
    "html": (text(title="<script>alert(1)</script>"), "<script>alert(1)</script>"),
    "ansi": (text(title='"\x1b[31mred\x1b[0m"'), "[31mred[0m"),
    "largest": (PLAIN.ljust(2 * 1024 * 1024, b"x"), "Plain"),
}
"""Files that look odd and are valid."""


def make_unreadable(folder: Path) -> None:
    """Put other kinds of files among the articles."""
    outside = save_in_place(folder.parents[1] / "outside" / "s.md", PLAIN)
    os.mkfifo(folder / "fifo.md")
    (folder / "folder.md").mkdir()
    for name, target in (
        ("link-outside", str(outside)),
        ("link-dangling", "nowhere.md"),
        ("link-loop", "link-loop.md"),
        ("link-zero", "/dev/zero"),
        ("link-folder", ".."),
    ):
        (folder / f"{name}.md").symlink_to(target)
    with open(folder / "sparse.md", "wb") as file:
        file.write(PLAIN)
        file.truncate(20 * 1024**3)
    for raw in (b"new\nline.md", b"esc\x1b[31m.md", b"%41.md", b"\xff\xfe.md"):
        save_in_place(Path(os.fsdecode(os.fsencode(folder) + b"/" + raw)), PLAIN)
    save_in_place(folder / ("y" * 252 + ".md"), PLAIN)


NO_ARTICLES = [
    *("fifo", "folder", "link-outside", "link-dangling", "link-loop", "link-zero"),
    *("link-folder", "sparse", "new\\nline", "esc\\x1b[31m", "%41", "\\udcff\\udcfe"),
    "y" * 252,
]


def test_a_folder_of_hostile_files_serves_the_good_ones(
    knowledge: KnowledgeBase,
) -> None:
    """D-051: ready after 5 s of work; good articles are complete, bad ones reported."""
    good = {f"good-{number}" for number in range(10)}
    for slug in good:
        knowledge.write(f"patterns/{slug}", title=slug)
    folder = knowledge.root / "zoo"
    for name, data in REFUSED.items():
        save_in_place(folder / f"{name}.md", data)
    for name, (data, _) in SERVED.items():
        save_in_place(folder / f"{name}.md", data)
    make_unreadable(folder)
    save_in_place(folder / "-x.md", PLAIN)
    (knowledge.root / "looping").symlink_to("looping")
    started = time.thread_time()
    library = loaded(knowledge)
    assert time.thread_time() - started < 5
    catalog = library.catalog
    served = {article.slug for article in catalog.articles}
    assert len(good & served) == 10
    assert served == good | SERVED.keys() | {"-x", "links-to-hidden"}
    assert len(served) == len(good) + len(SERVED) + 1 + VISIBLE_COUNT
    for name, (_, title) in SERVED.items():
        assert answer(catalog, name) == title
    for name in (*REFUSED, *NO_ARTICLES):
        assert faults(catalog, f"zoo/{name}.md"), name
    for problem in catalog.snapshot.all_problems():
        assert str(problem).isprintable()
        assert CANARY not in problem.message
    generation = catalog.generation
    assert rescan(library).generation == generation


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_a_hostile_file_is_refused_alone_and_soon(
    knowledge: KnowledgeBase, data: bytes
) -> None:
    """D-051: not served, at bounded cost, and served again after the next good save."""
    path = knowledge.save(knowledge.root / f"{ID}.md", data)
    started = time.thread_time()
    library = loaded(knowledge)
    assert time.thread_time() - started < 3
    result = answer(library.catalog, "x")
    assert result in ("Article 'x' not found", "Failed to parse article metadata")
    assert answer(library.catalog, "links-to-hidden") == "Links to hidden"
    knowledge.save(path, PLAIN)
    assert answer(rescan(library), "x") == "Plain"


def test_linked_folders_show_what_is_inside_and_never_what_is_not(
    knowledge: KnowledgeBase,
) -> None:
    """Inside: a category like any other. Outside: refused and reported."""
    outside = knowledge.root.parent / "content-private"
    save_in_place(outside / "secret.md", article_text("secret"))
    knowledge.write("concepts/x", title="Inside")
    (knowledge.root / "mirror").symlink_to("concepts")
    (knowledge.root / "private").symlink_to(outside)
    library = loaded(knowledge)
    catalog = library.catalog
    assert answer(catalog, "mirror/x") == answer(catalog, "concepts/x") == "Inside"
    assert "private" not in catalog.categories
    assert faults(catalog, "private") == ["KB001"]
    for name in ("secret", "private/secret"):
        assert answer(fetch(library, name), name) == f"Article '{name}' not found"


def test_a_link_inside_the_root_is_an_article(knowledge: KnowledgeBase) -> None:
    """A ConfigMap's 'x.md -> ..data/x.md' works, and follows its swap."""
    for version, title in (("..v1", "One"), ("..v2", "Two")):
        path = knowledge.root / "concepts" / version / "x.md"
        save_in_place(path, article_text(ID, title=title))
    data = knowledge.root / "concepts" / "..data"
    data.symlink_to("..v1")
    (knowledge.root / f"{ID}.md").symlink_to("..data/x.md")
    library = loaded(knowledge)
    assert answer(library.catalog, "x") == "One"
    following = knowledge.root / "concepts" / "..next"
    following.symlink_to("..v2")
    following.rename(data)
    assert answer(fetch(library, "x"), "x") == "Two"


def test_a_link_that_flips_to_a_secret_never_shows_it(knowledge: KnowledgeBase) -> None:
    """D-070: scans and reads race with the swap and get the inside file or nothing."""
    outside = knowledge.root.parent / "secret.md"
    save_in_place(outside, article_text("secret", title="Secret"))
    inside = knowledge.write("concepts/target", title="Inside")
    link, spare = knowledge.root / f"{ID}.md", knowledge.root.parent / "spare"
    link.symlink_to(inside)
    library = loaded(knowledge)
    stopped = threading.Event()

    def flip() -> None:
        while not stopped.is_set():
            for target in (outside, inside):
                spare.symlink_to(target)
                spare.rename(link)

    flipper = threading.Thread(target=flip)
    flipper.start()
    results = set()
    try:
        for _ in range(1500):
            results.add(answer(fetch(library, "x"), "x"))
            results.add(answer(rescan(library), "x"))
    finally:
        stopped.set()
        flipper.join()
    assert results == {"Inside"}


def test_without_a_root_a_library_is_empty_and_asks_nothing(tmp_path: Path) -> None:
    """D-130: a missing named folder: start, and serve when it appears."""
    library = ArticleLibrary(tmp_path / "none")
    assert library.load().articles == ()
    assert answer(fetch(library, "x"), "x") == "Article 'x' not found"
    assert not library.catalog.snapshot.was_seen
