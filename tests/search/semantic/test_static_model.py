"""The model that the extra installs, and malformed files."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.extras import install_command
from asdlc_kb.search.semantic.model_files import ModelFiles, require_model
from asdlc_kb.search.semantic.static_model import MAX_TEXT_CHARS, StaticModel


@pytest.fixture(scope="module")
def model() -> StaticModel:
    """The installed model."""
    return StaticModel(require_model())


def test_texts_with_one_meaning_are_similar(model: StaticModel) -> None:
    """More than those on another subject, without a word in common."""
    question = model.embed("How do I make my car go faster?")
    near = model.embed_section("Engines", "Tuning a motor for more speed.")
    far = model.embed_section("Baking", "Bread rises slowly in a warm oven.")
    assert float(question @ near) > 2 * abs(float(question @ far))


@pytest.mark.parametrize("text", ["a cat", "🦊 混合", "x" * 10_000, "\0\ud800"[:1]])
def test_a_vector_has_length_one(model: StaticModel, text: str) -> None:
    """Whatever the text."""
    vector = model.embed(text)
    assert vector.shape == (model.dimensions,) == (256,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_text_without_tokens_has_no_direction(model: StaticModel) -> None:
    """So it is similar to nothing."""
    assert not model.embed("").any()
    assert not model.embed_section("", "").any()


def test_a_vector_is_of_the_beginning_of_a_long_text(model: StaticModel) -> None:
    """To bound the time."""
    text = "cat " * MAX_TEXT_CHARS
    assert (model.embed(text) == model.embed(text[:MAX_TEXT_CHARS])).all()


def test_a_name_counts_beside_a_long_text(model: StaticModel) -> None:
    """In the mean of all tokens it would be lost."""
    text = "Put the file into the folder and start the program again. " * 30
    named = model.embed_section("Kittens", text)
    cat = model.embed("kittens")
    in_mean = model.embed(f"Kittens\n{text}")
    assert float(named @ cat) > float(in_mean @ cat) + 0.1


def write_weights(path: Path, header: object, data: bytes = b"") -> Path:
    """Write a file in the format of the weights."""
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


MALFORMED = {
    "no header": b"\1",
    "a huge header": b"\xff" * 8,
    "no JSON": b"\4" + bytes(7) + b"{{{{",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_weights_are_reported(tmp_path: Path, data: bytes) -> None:
    """With what to do."""
    path = tmp_path / "weights"
    path.write_bytes(data)
    with pytest.raises(OperationalError, match="cannot read the embedding") as caught:
        StaticModel(replace(require_model(), weights=path))
    command = install_command("semantic", is_repair=True)
    assert caught.value.advice == f"reinstall it with {command}"


@pytest.mark.parametrize(
    "matrix",
    [
        {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        {"dtype": "F16", "shape": [4], "data_offsets": [0, 8]},
        {"dtype": "F16", "shape": [9, 9], "data_offsets": [0, 162]},
    ],
)
def test_weights_of_another_form_are_reported(
    tmp_path: Path, matrix: dict[str, object]
) -> None:
    """Another type, another shape, too few bytes."""
    path = write_weights(tmp_path / "weights", {"m": matrix}, bytes(16))
    with pytest.raises(OperationalError):
        StaticModel(replace(require_model(), weights=path))


def test_tokens_without_a_vector_are_left_out(tmp_path: Path) -> None:
    """Where the files of a model do not fit each other."""
    folder = tmp_path / "weights"
    folder.mkdir()
    files = require_model()
    weights = write_weights(
        folder / "small",
        {"m": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]}},
        np.ones(4, np.float16).tobytes(),
    )
    tokenizer = Path(shutil.copy(files.tokenizer, tmp_path))
    small = StaticModel(ModelFiles("small", weights, tokenizer))
    assert not small.embed("a cat").any()
