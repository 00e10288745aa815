"""The recorder of answers: its comparison, and what it leaves out."""

from pathlib import Path

import pytest

from benchmarks.recordings import calls
from benchmarks.recordings.comparison import MAX_LINE, MAX_LINES, compare_answers
from benchmarks.recordings.content import MTIME, write_content
from benchmarks.recordings.normalisation import Normaliser


def test_equal_recordings_have_no_differences() -> None:
    """The order of keys does not count."""
    assert compare_answers({"a": "x", "b": "y"}, {"b": "y", "a": "x"}) == []


def test_a_changed_a_lost_and_a_new_answer_are_each_reported() -> None:
    """`compare` names every key that differs."""
    old = {"same": "x", "changed": "200 OK\nA: 1\n\nbody", "lost": "x"}
    new = {"same": "x", "changed": "200 OK\nA: 2\n\nbody", "new": "x"}
    report = compare_answers(old, new)
    assert "*** changed" in report
    assert "-A: 1" in report
    assert "+A: 2" in report
    assert "--- lost: only in the old recording" in report
    assert "+++ new: only in the new recording" in report
    assert not [line for line in report if "same" in line]


def test_a_difference_in_one_long_line_is_shown_short() -> None:
    """Answers are one line of JSON; its diff must be read."""
    old = "[" + ",".join(f'{{"n":{number}}}' for number in range(500)) + "]"
    report = compare_answers({"key": old}, {"key": old.replace("250", "999")})
    assert '-"n":250}' in "\n".join(report).replace(",", "")
    assert len(report) <= MAX_LINES + 2
    assert max(len(line) for line in report) <= MAX_LINE


def test_a_whole_other_text_is_cut() -> None:
    """A diff is short, however much changed."""
    old, new = ("\n".join(f"{word} {n}" for n in range(99)) for word in ("a", "b"))
    report = compare_answers({"key": old}, {"key": new})
    assert report[-1].endswith("more lines")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("/tmp/answers-x1/content/a.md", "<root>/content/a.md"),
        ("http://127.0.0.1:40123/mcp", "http://127.0.0.1:<port>/mcp"),
        ("data: /mcp?session_id=aB-_9.x~", "data: /mcp?session_id=<session>"),
        ('{"time": "2026-01-02T03:04:05.678+00:00"}', '{"time": "<time>"}'),
        ('{"ms":4.65,"status":200}', '{"ms":<number>,"status":200}'),
        ('"request_id":"86a68dc100000001"', '"request_id":"<request>"'),
        ('<input type="checkbox" disabled="">', '<input disabled="" type="checkbox">'),
        ('&lt;input b="" a=""&gt;', '&lt;input a="" b=""&gt;'),
        ('"t":"2026-11-23T01:02:03.456Z"', '"t":"<time>"'),
        ('"calls";r=0;t=87', '"calls";r=0;t=<seconds>'),
        ("updated 2025-02-03, port 8420", "updated 2025-02-03, port 8420"),
    ],
)
def test_what_differs_between_runs_is_replaced_and_nothing_else(
    text: str, normal: str
) -> None:
    """Two runs of one code give one recording."""
    normaliser = Normaliser({"/tmp/answers-x1": "<root>"}).with_port(40123)
    assert normaliser.normalise(text) == normal


def test_an_etag_is_kept_where_the_body_is_the_same_in_each_run() -> None:
    """A validator is an answer unless its body has a port or a folder."""
    normaliser = Normaliser({"/tmp/x": "<root>"})
    headers = [("Etag", '"1"'), ("Date", "now"), ("X-Request-Id", "2")]
    kept = normaliser.normalise_headers(headers, "body", "body")
    assert kept == ["Date: <date>", 'Etag: "1"', "X-Request-Id: <request>"]
    replaced = normaliser.normalise_headers(headers, "/tmp/x", "<root>")
    assert "Etag: <by body>" in replaced


def test_the_content_is_the_same_each_time(tmp_path: Path) -> None:
    """Answers can be compared only over equal content."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_content(tmp_path / name)
    trees = [
        {
            path.relative_to(root): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file()
        }
        for root in (tmp_path / "a", tmp_path / "b")
    ]
    assert trees[0].keys() == trees[1].keys()
    assert (tmp_path / "a/content/concepts/alpha.md").stat().st_mtime == MTIME
    assert trees[0] == trees[1]


def test_no_two_calls_have_one_key() -> None:
    """A key that is used twice would hide an answer."""
    keys = [calls.name_call(*call) for call in calls.list_calls()]
    assert len(set(keys)) == len(keys)
