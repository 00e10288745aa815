"""Static embeddings: the vector of a text is the mean of those of its tokens.

Unlike a transformer, such a model needs no matrix products: a text of 200 words takes
about 0.2 ms. The weights are mapped from their file, so that processes share them.
"""

import json
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.extras import install_command
from asdlc_kb.search.semantic.model_files import EXTRA, ModelFiles
from asdlc_kb.search.semantic.section_vectors import Vector

MAX_TEXT_CHARS: Final = 4_000
"""Characters of a text that are read: a long section has one vector, too."""

_NAME_WEIGHT: Final = np.float32(0.5)
_LENGTH_BYTES: Final = 8
_MAX_HEADER_BYTES: Final = 1 << 20


class StaticModel:
    """Embeds texts by a table of token vectors."""

    def __init__(self, files: ModelFiles) -> None:
        """Open a model; raise OperationalError if its files are malformed."""
        try:
            self._weights = _map_weights(files.weights)
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        # The tokenizer raises plain exceptions.
        except Exception as error:
            raise OperationalError(
                f"cannot read the embedding model in {files.weights.parent.parent}",
                f"reinstall it with {install_command(EXTRA, is_repair=True)}",
            ) from error
        self.identity = files.identity
        self.dimensions = int(self._weights.shape[1])

    def embed(self, text: str) -> Vector:
        """Return the vector of a text, of length 1; of length 0 without any token."""
        encoded = self._tokenizer.encode(
            text[:MAX_TEXT_CHARS], add_special_tokens=False
        )
        tokens = np.asarray(encoded.ids, dtype=np.intp)
        tokens = tokens[tokens < len(self._weights)]
        total = self._weights[tokens].sum(axis=0, dtype=np.float32)
        return normalize_vector(total)

    def embed_section(self, name: str, text: str) -> Vector:
        """Return the vector of a text with a name, which counts half as much.

        In one mean, few words of a name would be lost among those of a long text.
        """
        return normalize_vector(self.embed(text) + _NAME_WEIGHT * self.embed(name))


def normalize_vector(vector: Vector) -> Vector:
    """Return a vector scaled to length 1; zeros stay."""
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def _map_weights(path: Path) -> npt.NDArray[np.float16]:
    """Map the only matrix of a file in the format `safetensors`.

    That is the length of a header in 8 bytes, a header in JSON, and the data.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if length > _MAX_HEADER_BYTES:
            raise ValueError("the header is too long")
        header = json.loads(file.read(length))
    ((_, matrix),) = ((k, v) for k, v in header.items() if k != "__metadata__")
    if matrix["dtype"] != "F16" or len(matrix["shape"]) != 2:
        raise ValueError("the weights have another type")
    offset = _LENGTH_BYTES + length + int(matrix["data_offsets"][0])
    shape = tuple(map(int, matrix["shape"]))
    return np.memmap(path, np.float16, "r", offset, shape)
