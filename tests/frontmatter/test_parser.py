"""Frontmatter: values as they were written, and refusals with their position."""

import pytest
from support.frontmatter import plain

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import MAX_DEPTH, Mapping, Scalar, Sequence
from asdlc_kb.frontmatter.parser import MAX_FRONTMATTER_BYTES, Parts, parse, split


def refusal(frontmatter: str) -> FrontmatterError:
    """Return the error of refused frontmatter."""
    with pytest.raises(FrontmatterError) as caught:
        parse(frontmatter)
    return caught.value


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("---\ntitle: x\n---\nbody\n", Parts("title: x\n", "body\n")),
        ("---  \na: b\n---\t\nbody", Parts("a: b\n", "body")),
        ("---\n---\n", Parts("", "")),
        ("---\na: b\n---", Parts("a: b\n", "")),
        ("---\na: |\n  ---\n---\nbody", Parts("a: |\n  ---\n", "body")),
        ("---\na: b\n---\nx\n---\ny", Parts("a: b\n", "x\n---\ny")),
        ("---\na: b\n----\n---\nbody", Parts("a: b\n----\n", "body")),
        ("", Parts(None, "")),
        ("body only", Parts(None, "body only")),
        ("\n---\na: b\n---\n", Parts(None, "\n---\na: b\n---\n")),
        (" ---\na: b\n---\n", Parts(None, " ---\na: b\n---\n")),
        ("---", Parts(None, "---")),
        ("----\na: b\n---\n", Parts(None, "----\na: b\n---\n")),
    ],
)
def test_a_document_is_cut_at_its_fences(text: str, parts: Parts) -> None:
    """Fences are lines of three dashes, the first at the very start."""
    assert split(text) == parts


@pytest.mark.parametrize("text", ["---\na: b\n", "---\n", "---\nbody ---\n--- x\n"])
def test_a_fence_that_does_not_close_is_refused(text: str) -> None:
    """An opened but unclosed block is an error at line 1, not a body."""
    with pytest.raises(FrontmatterError) as caught:
        split(text)
    assert (caught.value.line, caught.value.column) == (1, 1)
    assert "add a line '---'" in caught.value.message


def test_complete_frontmatter_is_read_as_written() -> None:
    """D-100: the format's own example, dates and comments included."""
    text = (
        'title: "Article Title"\n'
        'description: "Short description (max 200 chars)"\n'
        'tags: ["tag1", "tag2", "tag3"]\n'
        "lastUpdated: 2025-01-15\n"
        'status: "Live"  # Draft | Proposed | Live | Deprecated | Experimental\n'
        'maturity: "Standard"  # Optional\n'
        'supersededBy: ["new-article-id"]  # Optional\n'
        'relatedIds: ["related-id-1", "related-id-2"]  # Optional\n'
    )
    assert plain(parse(text)) == {
        "title": "Article Title",
        "description": "Short description (max 200 chars)",
        "tags": ["tag1", "tag2", "tag3"],
        "lastUpdated": "2025-01-15",
        "status": "Live",
        "maturity": "Standard",
        "supersededBy": ["new-article-id"],
        "relatedIds": ["related-id-1", "related-id-2"],
    }


@pytest.mark.parametrize(
    "written",
    "1.10 007 0x10 1e3 1_000 yes No on TRUE 2025-01-15 12:30:45 .inf .nan 3.14".split(),
)
def test_yaml_guesses_nothing(written: str) -> None:
    """Numbers, dates and booleans stay the text that the author wrote."""
    assert parse(f"a: {written}").items["a"] == Scalar(written, False, 2, 4)


@pytest.mark.parametrize("written", ["", "~", "null", "Null", "NULL"])
def test_nulls_are_told_from_text(written: str) -> None:
    """An unquoted null is absence; the same word in quotes is text."""
    bare = parse(f"a: {written}\n").items["a"]
    quoted = parse(f'a: "{written}"\n').items["a"]
    assert isinstance(bare, Scalar) and bare.is_null
    assert isinstance(quoted, Scalar) and not quoted.is_null


def test_every_value_knows_its_place_in_the_file() -> None:
    """Lines and columns count from 1, and the fence is line 1."""
    parsed = parse("a: x\nlist:\n  - one\n  - {k: v}\n")
    assert parsed == Mapping(
        {
            "a": Scalar("x", False, 2, 4),
            "list": Sequence(
                (
                    Scalar("one", False, 4, 5),
                    Mapping({"k": Scalar("v", False, 5, 9)}, 5, 5),
                ),
                4,
                3,
            ),
        },
        2,
        1,
    )


def test_a_value_that_is_not_there_has_the_place_of_its_key() -> None:
    """An empty field is reported on its own line, not on the next one."""
    assert parse("a: x\nb:\n\nc: y\n").items["b"] == Scalar("", True, 3, 1)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "   "])
def test_empty_frontmatter_is_an_empty_mapping(text: str) -> None:
    """Nothing written is no field, and no error."""
    assert parse(text) == Mapping({}, 2, 1)


def test_block_and_flow_lists_are_the_same() -> None:
    """Both notations of tags that real content has give one value."""
    flow, block = parse("tags: [a, b c]\n"), parse("tags:\n  - a\n  - b c\n")
    assert plain(flow) == plain(block) == {"tags": ["a", "b c"]}


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("a: &x 1\n", (2, 4), "an anchor or alias"),
        ("a: 1\nb: *a\n", (3, 4), "an anchor or alias"),
        ("&top\na: 1\n", (2, 1), "an anchor or alias"),
        ("b:\n  <<: {c: 1}\n", (3, 3), "a merge key"),
        ("a: !!str 1\n", (2, 4), "a tag"),
        ("a: !!python/object/apply:os.system [id]\n", (2, 4), "a tag"),
        ("a: ! 1\n", (2, 4), "a tag"),
        ("a: 1\nb: 2\na: 3\n", (4, 1), "the same key twice"),
        ("a: {b: 1, b: 2}\n", (2, 11), "the same key twice"),
        ('a: 1\n"a": 2\n', (3, 1), "the same key twice"),
        ("a: 1\n--- \nb: 2\n", (3, 1), "a second YAML document"),
        ("a: 1\n...\n{b: 2}\n", (4, 1), "a second YAML document"),
        ("%YAML 1.1\n--- \na: 1\n", (2, 1), "a YAML directive"),
        ("%TAG ! tag:x,2000:\n--- \na: 1\n", (2, 1), "a YAML directive"),
        ("? [a]\n: b\n", (2, 3), "a key that is not a word"),
        ("{a: 1}: b\n", (2, 1), "a key that is not a word"),
        ('a: "\\ud800"\n', (2, 4), "an unpaired surrogate"),
    ],
)
def test_what_is_more_than_plain_data_is_refused_with_its_place(
    text: str, place: tuple[int, int], reason: str
) -> None:
    """D-073: anchors, merges, tags, duplicates and directives are refused."""
    error = refusal(text)
    assert (error.line, error.column) == place
    assert error.message.startswith(f"frontmatter has {reason}: ")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [b\n", (2, 4)),
        ("a: @b\n", (2, 4)),
        ("a:\n\tb: c\n", (3, 1)),
        ("title: Foo: bar\n", (2, 11)),
        ('a: "open\n', (2, 4)),
        ("a: b\n c: d\n", (3, 3)),
        (">-\n \n  -&\n- x\n", (4, 3)),
    ],
)
def test_broken_yaml_is_refused_with_place_and_advice(
    text: str, place: tuple[int, int]
) -> None:
    """A typing slip: the error has line, column and advice."""
    error = refusal(text)
    assert (error.line, error.column) == place
    assert ": " in error.message
    assert not error.message.startswith("None")


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "[a, b]\n"])
def test_frontmatter_that_is_no_mapping_is_refused(text: str) -> None:
    """Frontmatter is 'key: value' lines."""
    assert "'key: value'" in refusal(text).message


@pytest.mark.parametrize(
    "text", ["a: \x01\n", "a: \0", "a: \x9b31m", 'a: "\\U99999999"', "a: \ufffe"]
)
def test_characters_that_yaml_forbids_are_refused(text: str) -> None:
    """Control characters and impossible escapes are errors of the file, not ours."""
    assert refusal(text).message == (
        "frontmatter is not YAML: a character in it is not allowed"
    )


def test_a_tag_handle_is_not_repeated_in_the_message() -> None:
    """D-081: a problem does not quote the file's own text."""
    message = refusal("title: !secret!word x\n").message
    assert "tag" in message
    assert "secret" not in message


def test_the_size_limit_counts_bytes() -> None:
    """D-061: 16 KiB of UTF-8 is the limit."""
    padding = "#" + "é" * ((MAX_FRONTMATTER_BYTES - 2) // 2)
    assert MAX_FRONTMATTER_BYTES == 16 * 1024
    fits = f"{padding}\n"
    assert len(fits.encode()) == MAX_FRONTMATTER_BYTES
    assert parse(fits) == Mapping({}, 2, 1)
    error = refusal(f"{padding}x\n")
    assert error.message == (
        "frontmatter is larger than 16,384 bytes: move text to the body"
    )
    assert (error.line, error.column) == (1, 1)


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ("{a: ", "}")])
def test_eight_levels_are_allowed_and_nine_are_not(opened: str, closed: str) -> None:
    """D-061: depth is at most 8, the top mapping included."""
    assert MAX_DEPTH == 8
    below = MAX_DEPTH - 1
    parse(f"a: {opened * below}x{closed * below}")
    error = refusal(f"a: {opened * (below + 1)}x{closed * (below + 1)}")
    assert error.message == "frontmatter has more than 8 levels: make it flatter"


def test_siblings_do_not_add_up_to_depth() -> None:
    """Depth is of one branch: a hundred flat lists are as deep as one."""
    text = "".join(f"k{n}: [[[a]], {{b: c}}]\n" for n in range(100))
    assert len(parse(text).items) == 100
