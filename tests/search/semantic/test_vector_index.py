"""Vectors follow the index: computed once, stored, purged, made again if damaged."""

import logging
from pathlib import Path

import pytest
from support.embedding import TopicModel, open_with_model
from support.texts import Texts, document, section

from asdlc_kb.search.index.directory import VECTORS
from asdlc_kb.search.semantic import vector_index
from asdlc_kb.search.semantic.vector_file import make_identity, read_vectors
from asdlc_kb.search.values import SearchDocument

CATS = document("cats.md", "Pets", "A feline.", section("Young", "The kitten.", 9))
CARS = document("cars.md", "Cars", "An engine with a piston.")
BREAD = document("bread.md", "Food", "Use the oven.")


def embed(
    folder: Path | None, *documents: SearchDocument, model: TopicModel | None = None
) -> list[str]:
    """Index documents, embed them, close the index; return what was embedded."""
    fulltext, used = open_with_model(folder, model)
    fulltext.sync(Texts(*documents))
    fulltext.purge()
    fulltext.embed()
    fulltext.close()
    return used.embedded


def stored(folder: Path) -> set[bytes]:
    """Return the digests of the pages in the file."""
    return set(read_vectors(folder, make_identity(TopicModel().identity)))


def test_each_section_is_embedded_with_its_title_and_heading() -> None:
    """The lead of a page with its description."""
    described = document("x.md", "Title", "Lead.", description="About it.")
    assert embed(None, CATS, described) == [
        "Pets\nA feline.",
        "Pets\nYoung\nThe kitten.",
        "Title\nAbout it.\nLead.",
    ]


def test_what_is_stored_is_not_embedded_again(tmp_path: Path) -> None:
    """After a restart only new and changed pages are, whatever their name."""
    folder = tmp_path / "index"
    assert len(embed(folder, CATS, CARS)) == 3
    assert embed(folder, CATS, CARS) == []
    changed = document("cars.md", "Cars", "A motor.")
    assert embed(folder, CATS, changed) == ["Cars\nA motor."]
    assert stored(folder) == {CATS.digest, changed.digest}


def test_vectors_of_removed_pages_leave_the_file(tmp_path: Path) -> None:
    """As soon as the index has followed, before anything else is embedded."""
    folder = tmp_path / "index"
    embed(folder, CATS, CARS)
    fulltext, _ = open_with_model(folder)
    assert fulltext.semantic is not None
    fulltext.sync(Texts(CARS, BREAD))
    fulltext.embed(lambda: True)
    assert stored(folder) == {CARS.digest}
    fulltext.close()


@pytest.mark.parametrize("damage", ["flipped", "cut", "foreign", "gone"])
def test_damaged_vectors_are_made_again(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """With a warning; then they are intact."""
    folder = tmp_path / "index"
    embed(folder, CATS, CARS)
    path = folder / VECTORS
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        texts = {
            "flipped": data[:-1] + bytes([data[-1] ^ 1]),
            "cut": data[:-1],
            "foreign": b"something else",
        }
        path.write_bytes(texts[damage])
    assert len(embed(folder, CATS, CARS)) == 3
    assert stored(folder) == {CATS.digest, CARS.digest}
    warned = "embedding all sections" in [one.message for one in caplog.records]
    assert warned == (damage != "gone")


def test_another_model_embeds_all_again(tmp_path: Path) -> None:
    """Its vectors replace those in the file."""
    folder = tmp_path / "index"
    embed(folder, CATS)
    assert len(embed(folder, CATS, model=TopicModel("topics 2"))) == 2
    assert stored(folder) == set()


def test_a_cancelled_update_continues_where_it_was() -> None:
    """Until it is complete, meaning does not count."""
    fulltext, model = open_with_model()
    assert fulltext.semantic is not None
    fulltext.sync(Texts(CATS, CARS, BREAD))
    fulltext.embed(lambda: len(model.embedded) >= 2)
    assert (len(fulltext.semantic), fulltext.generation) == (0, 1)
    fulltext.embed()
    assert (len(fulltext.semantic), len(model.embedded)) == (4, 4)
    assert fulltext.generation == 2


def test_without_a_change_nothing_is_published() -> None:
    """Results that were kept stay valid."""
    fulltext, model = open_with_model()
    fulltext.sync(Texts(CATS))
    fulltext.embed()
    before = fulltext.generation
    fulltext.embed()
    assert (fulltext.generation, len(model.embedded)) == (before, 2)


def test_pages_in_other_languages_have_no_vectors() -> None:
    """The model knows English."""
    french = document("fr.md", "Chats", "Le kitten.", language="fr")
    british = document("gb.md", "Cats", "The kitten.", language="en-GB")
    assert embed(None, french, british) == ["Cats\nThe kitten."]


def test_the_number_of_sections_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages beyond it are found by their words; they are not tried again."""
    monkeypatch.setattr(vector_index, "MAX_SECTIONS", 2)
    fulltext, model = open_with_model()
    fulltext.sync(Texts(CARS, CATS, BREAD))
    fulltext.embed()
    assert model.embedded == ["Cars\nAn engine with a piston.", "Food\nUse the oven."]
    fulltext.embed()
    assert len(model.embedded) == 2


def test_progress_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """To the caller after each part, and in the log now and then and at the end."""
    caplog.set_level(logging.INFO, "asdlc_kb.search.semantic")
    monkeypatch.setattr(vector_index, "_PAGES_AT_ONCE", 2)
    monkeypatch.setattr(vector_index, "_REPORT_SECONDS", -1.0)
    calls: list[tuple[int, int]] = []
    fulltext, _ = open_with_model(progress=lambda *numbers: calls.append(numbers))
    fulltext.sync(Texts(CATS, CARS, BREAD))
    fulltext.embed()
    assert calls == [(2, 3), (3, 3)]
    messages = [record.message for record in caplog.records[1:]]
    assert messages == ["embedding sections"] * 2 + ["sections embedded"]
    assert caplog.records[-1].__dict__["sections"] == 4


def test_a_folder_that_cannot_be_written_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The vectors are then in memory only."""
    folder = tmp_path / "index"
    fulltext, _ = open_with_model(folder)
    fulltext.sync(Texts(CATS))
    (folder / VECTORS).mkdir()
    fulltext.embed()
    assert fulltext.semantic is not None
    assert len(fulltext.semantic) == 2
    assert "vectors kept in memory only" in [one.message for one in caplog.records]
    fulltext.close()


def test_a_rebuilt_index_keeps_its_vectors(tmp_path: Path) -> None:
    """The file goes with the old index, and is written again without the model."""
    folder = tmp_path / "index"
    fulltext, model = open_with_model(folder)
    fulltext.sync(Texts(CATS, CARS))
    fulltext.embed()
    fulltext.is_damaged = True
    fulltext.sync(Texts(CATS, CARS))
    assert not (folder / VECTORS).exists()
    fulltext.embed()
    assert stored(folder) == {CATS.digest, CARS.digest}
    assert len(model.embedded) == 3
    fulltext.close()


def test_a_second_process_has_vectors_in_memory(tmp_path: Path) -> None:
    """As it has its index: the file belongs to the first one."""
    folder = tmp_path / "index"
    embed(folder, CATS)
    first, _ = open_with_model(folder)
    first.sync(Texts(CATS))
    second, model = open_with_model(folder)
    second.sync(Texts(CATS, CARS))
    second.embed()
    assert second.semantic is not None
    assert len(second.semantic) == len(model.embedded) == 3
    assert stored(folder) == {CATS.digest}
    first.close()
    second.close()
