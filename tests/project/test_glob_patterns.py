"""Path patterns: lists of them, braces, and matches."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.project.glob_patterns import (
    MAX_ALTERNATIVES,
    MAX_CHARS,
    MAX_PATTERNS,
    Matcher,
    expand_braces,
)


def matches(pattern: str, path: str, *, bare: bool = True) -> bool:
    """Whether a path matches one pattern."""
    found = Matcher().find([pattern], path, bare_matches_anywhere=bare)
    return found == pattern


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        ("a", ["a"]),
        ("a{b,c}d", ["abd", "acd"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("a{b,c{d,e}}f", ["abf", "acdf", "acef"]),
        ("a{,b}", ["a", "ab"]),
        ("{a, b}", ["a", "b"]),
        ("{a}", ["{a}"]),
        ("{a,b", ["{a,b"]),
        ("{{a,b}", ["{a", "{b"]),
        ("{}{a,b}", ["{}a", "{}b"]),
    ],
)
def test_braces_stand_for_each_of_their_choices(
    pattern: str, alternatives: list[str]
) -> None:
    """As in shells; braces without a choice are themselves."""
    assert list(expand_braces(pattern)) == alternatives


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        *(("**/*", path) for path in ("a", "a/b", "a/b/.c")),
        *(("**", path) for path in ("a", "a/b")),
        *(("src/**/*.ts", path) for path in ("src/a.ts", "src/b/c/a.ts")),
        *(("src/**", path) for path in ("src/a", "src/a/b")),
        *(("src/", path) for path in ("src/a", "src/a/b")),
        *(("**/*.{ts,tsx}", path) for path in ("a.ts", "b/c.tsx")),
        *(("/a.md", "a.md"), ("./a.md", "a.md"), ("a//b/./c", "a/b/c")),
        *(("a?c", "abc"), ("[a-c]x", "bx"), ("[!a]x", "bx"), ("*", ".env")),
        *(("**/test/**/*.py", "test/a.py"), ("**/test/**/*.py", "x/test/y/z/a.py")),
        *((".github/**", ".github/workflows/ci.yml"), ("a*b*c", "aXbYc")),
        ("über/*.md", "über/ß.md"),
    ],
)
@pytest.mark.parametrize("bare", [True, False])
def test_a_path_matches(pattern: str, path: str, bare: bool) -> None:
    """The module's rules, for Cursor's rules and Claude's alike."""
    path_is_top = "/" not in path
    pattern_is_bare = "/" not in pattern.removesuffix("/")
    if path_is_top or not pattern_is_bare or pattern in ("**", "src/") or bare:
        assert matches(pattern, path, bare=bare)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        *(("src/**", "src"), ("src/", "src"), ("src/*", "src/a/b")),
        *(("*.ts", "a.tsx"), ("*.ts", "A.TS"), ("/a.md", "b/a.md")),
        *(("./a.md", "b/a.md"), ("src/*.ts", "lib/src/a.ts"), ("a?c", "a/c")),
        *(("a**b/c", "a/b/c"), ("[a/b]", "a"), ("", "a"), ("/", "a"), (".", "a")),
        *(("{a,b", "a"), ("!a", "a"), ("**/a", "ba"), ("a/**/b", "ab")),
    ],
)
@pytest.mark.parametrize("bare", [True, False])
def test_a_path_does_not_match(pattern: str, path: str, bare: bool) -> None:
    """Case counts, and a star ends at a slash."""
    assert not matches(pattern, path, bare=bare)


def test_a_bare_pattern_matches_at_any_depth_for_cursor_alone() -> None:
    """`*.ts` is every such file there, and those at the top for Claude."""
    for path in ("a.ts", "src/b/a.ts"):
        assert matches("*.ts", path, bare=True)
    assert matches("*.ts", "a.ts", bare=False)
    assert not matches("*.ts", "src/a.ts", bare=False)
    assert matches("src/", "lib/src/a", bare=True)
    assert not matches("src/", "lib/src/a", bare=False)


def test_the_first_pattern_that_matches_is_told() -> None:
    """The reason that an agent gets."""
    find = Matcher().find
    patterns = ["*.md", "src/**", "**/*.ts"]
    assert find(patterns, "src/a.ts", bare_matches_anywhere=True) == "src/**"
    assert find(patterns, "lib/a.js", bare_matches_anywhere=True) is None
    assert find([], "a", bare_matches_anywhere=True) is None


def test_an_exclamation_mark_takes_back() -> None:
    """Wherever it is in the list."""
    find = Matcher().find
    for patterns in (["**/*.ts", "!**/*.d.ts"], ["!**/*.d.ts", "**/*.ts"]):
        assert find(patterns, "a.ts", bare_matches_anywhere=True) == "**/*.ts"
        assert find(patterns, "a.d.ts", bare_matches_anywhere=True) is None


@pytest.mark.parametrize(
    ("pattern", "is_match"),
    [
        *(
            ("*.ts", True),
            ("*.TS", True),
            ("*", True),
            ("a.ts", True),
            ("/a.ts", False),
        ),
        *(("deep", True), ("DEEP/", True), ("deep/*", False), ("deep/**", True)),
        *(("src", True), ("src/", True), ("src/*", True), ("/src/**", True)),
        *(("./src/**", False), ("src//deep", False), ("../**", False), ("#src", False)),
        *(("a.ts/", False), ("**/deep/*.ts", True), ("*/a.ts", False), ("lib", False)),
        *(("*/*/a.ts", True), ("src/deep/a.ts/**", True), ("{src,lib}/**", True)),
        *(("src/deep/[!a].ts", True), ("src/deep/[^b].ts", False), ("!src", False)),
        *((r"\[id\]", False), ("/**", False), ("", False), ("/", False)),
    ],
)
def test_a_gitignore_is_read_as_claude_code_reads_it(
    pattern: str, is_match: bool
) -> None:
    """D-276: measured with the program (`tests/clients/node/test_instructions.py`)."""
    found = Matcher().find_as_gitignore([pattern], "src/deep/a.ts")
    assert found == (pattern if is_match else None)


def test_a_folder_of_a_gitignore_cannot_be_taken_back() -> None:
    """Otherwise the last pattern that matches decides."""
    find = Matcher().find_as_gitignore
    path = "src/deep/a.ts"
    assert find(["src/**", "!src/deep/**"], path) == "src/**"
    assert find(["src/*", "!src/deep"], path) is None
    assert find(["*.ts", "!deep"], path) == "*.ts"
    assert find(["src/**/*.ts", "!a.ts"], path) is None
    assert find(["!a.ts", "src/**/*.ts"], path) == "src/**/*.ts"
    assert find(["*.ts", "!a.ts", "a.*"], path) == "a.*"
    assert find([r"pages/\[id\]/*"], "pages/[id]/x.vue") is not None
    assert find(["pages/[id]/*"], "pages/[id]/x.vue") is None
    assert find(["pages/[id]/*"], "pages/d/x.vue") is not None


def test_a_gitignore_has_limits() -> None:
    """D-026: the number of patterns, and steps."""
    many = ["x"] * MAX_PATTERNS
    assert not Matcher().find_as_gitignore([*many, "a"], "a")
    matcher = Matcher(max_steps=10_000)
    slow = ["**/*/" * 90 + "{a,b}" * 8]
    assert not matcher.find_as_gitignore(slow, "/".join("a" * 1_000))
    assert matcher.is_exhausted
    assert not matcher.find_as_gitignore(["a"], "a")


def test_what_is_beyond_the_limits_matches_nothing() -> None:
    """D-026: length, alternatives, patterns of one rule."""
    assert matches("a" * MAX_CHARS, "a" * MAX_CHARS)
    assert not matches("a" * (MAX_CHARS + 1), "a" * (MAX_CHARS + 1))
    assert len(expand_braces("{a,b}" * 8)) == MAX_ALTERNATIVES
    assert expand_braces("{a,b}" * 9) == ()
    many = ["x"] * MAX_PATTERNS
    assert not Matcher().find([*many, "a"], "a", bare_matches_anywhere=True)


def test_a_question_ends_after_so_many_steps() -> None:
    """D-026: patterns made to be slow cost a bounded number of steps."""
    matcher = Matcher(max_steps=10_000)
    slow = "**/*/" * 90 + "{a,b}" * 8
    path = "/".join("a" * 1_000)
    was_exhausted = matcher.is_exhausted
    assert not matcher.matches(slow, path, bare_matches_anywhere=True)
    assert not was_exhausted
    assert matcher.is_exhausted
    assert not matcher.matches("a", "a", bare_matches_anywhere=True)


segments = st.text(st.sampled_from("ab*?."), min_size=1, max_size=5)
names = st.text(st.sampled_from("ab."), min_size=1, max_size=5)


@given(segments.filter(lambda s: s not in ("**", ".")), names)
def test_one_name_matches_as_in_a_shell(pattern: str, name: str) -> None:
    """A star, a question mark, and nothing else in between."""
    wanted = fnmatch.fnmatchcase(name, pattern)
    assert matches(pattern, name, bare=False) is wanted


def restated(wanted: list[str], path: list[str]) -> bool:
    """Match names one by one, the slow way."""
    if not wanted:
        return not path
    if wanted[0] == "**":
        least = 1 if len(wanted) == 1 else 0
        rest = wanted[1:]
        return any(restated(rest, path[n:]) for n in range(least, len(path) + 1))
    return bool(path) and (
        fnmatch.fnmatchcase(path[0], wanted[0]) and restated(wanted[1:], path[1:])
    )


@given(
    st.lists(st.sampled_from(["**", "a", "b*", "*"]), min_size=2, max_size=5),
    st.lists(st.sampled_from(["a", "b", "bc"]), min_size=1, max_size=5),
)
def test_folders_match_as_the_plain_rule_says(
    wanted: list[str], path: list[str]
) -> None:
    """`**` is any number of folders, and at least one name at the end."""
    expected = restated(wanted, path)
    assert matches("/".join(wanted), "/".join(path)) is expected


@given(st.text(st.sampled_from("{}[](),'\"ab "), max_size=60))
def test_any_text_is_expanded(text: str) -> None:
    """Within the limit."""
    assert len(expand_braces(text)) <= MAX_ALTERNATIVES
