"""The generated articles of the benchmarks."""

import hashlib
from pathlib import Path

from support.canary import Scanner
from support.processes import run_cli

from asdlc_kb.search.keyword_index import KeywordIndex
from asdlc_kb.search.slot_sets import list_slots
from benchmarks import corpus
from benchmarks.requests import MIX, Wire, hot, write_file
from benchmarks.searches import find

COUNT = 120


def _digest(root: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.md")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()


def test_the_same_articles_are_made_everywhere(tmp_path: Path) -> None:
    """Figures of two machines are of the same work: no clock, no random order."""
    corpus.write(COUNT, tmp_path / "one")
    corpus.write(COUNT, tmp_path / "other")
    assert _digest(tmp_path / "one") == _digest(tmp_path / "other")
    assert _digest(tmp_path / "one") == (
        "849db83d4734e1b5935367b5b5eefc0211eb084100545331a1ee698c78fa3ab3"
    ), "other articles are made: raise corpus.EDITION, and then change this"


def test_a_corpus_has_nothing_wrong_with_it(tmp_path: Path, scanner: Scanner) -> None:
    """`asdlc-kb check` finds no problem, and every article is visible."""
    corpus.write(COUNT, tmp_path)
    done = run_cli("check", tmp_path, scanner=scanner)
    assert (done.code, done.err) == (0, "")
    listed = run_cli("list", tmp_path, "--json", "--limit", "1000", scanner=scanner)
    assert listed.out.count('"slug"') == COUNT


def test_an_article_is_about_five_kibibytes_with_seven_keys() -> None:
    """The sizes in the report are of such articles."""
    for sample in corpus.samples(COUNT):
        text = sample.text
        assert 4_800 < len(text.encode()) < 6_000
        assert text.split("---\n")[1].count("\n") == 7
        assert len(sample.description) <= 200


def test_a_prepared_corpus_is_kept(tmp_path: Path) -> None:
    """The second run uses the first one's folder, and nothing unfinished is left."""
    folder = corpus.prepare(3, tmp_path)
    (folder / "mark").touch()
    assert corpus.prepare(3, tmp_path) == folder
    assert (folder / "mark").exists()
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_no_search_is_made_twice() -> None:
    """A new query was never sent before, in whatever case."""
    queries = corpus.queries(COUNT, 500)
    assert len({query.lower() for query in queries}) == 500
    assert queries == corpus.queries(COUNT, 500)


def test_the_naive_loop_is_the_search_of_the_product() -> None:
    """The baseline of new searches finds the same, in the same order."""
    made = list(corpus.samples(COUNT))
    rows = [
        (s.title.lower(), tuple(t.lower() for t in s.tags), s.description.lower())
        for s in made
    ]
    index = KeywordIndex(dict(enumerate(made)))
    for query in corpus.queries(COUNT, 200):
        ranked = [slot for tier in index.rank(query) for slot in list_slots(tier)]
        assert find(rows, query) == ranked


def test_the_mix_has_its_shares() -> None:
    """Of ten requests seven get, two search and one lists."""
    mixed = [ask.tool for ask in hot(COUNT)["mix"]]
    assert {tool: mixed.count(tool) for tool in set(mixed)} == {
        tool: share * 100 for tool, share in MIX.items()
    }


def test_each_prepared_request_stands_after_its_length(tmp_path: Path) -> None:
    """In the format of the load generator's script."""
    calls = hot(COUNT)["mix"]
    rest = write_file(calls, Wire.STATELESS, tmp_path).read_bytes()
    for number, ask in enumerate(calls, 1):
        length, _, rest = rest.partition(b"\n")
        request, rest = rest[: int(length)], rest[int(length) :]
        assert request == ask.request(number, Wire.STATELESS)
    assert not rest
