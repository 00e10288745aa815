"""The files of the embedding model, which an installed package contains.

The extra `semantic` installs it. Nothing of the package is imported or executed, and
nothing is ever downloaded.
"""

from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from asdlc_kb.extras import missing_extra

MODEL: Final = "wordllama"
"""The package with the model, and the name of its distribution."""

_WEIGHTS: Final = Path("weights/l2_supercat_256.safetensors")
_TOKENIZER: Final = Path("tokenizers/l2_supercat_tokenizer_config.json")
_LIBRARIES: Final = ("numpy", "tokenizers")

_FEATURE: Final = "semantic search"
EXTRA: Final = "semantic"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model."""

    identity: str
    """The package and its version: vectors of different models differ."""
    weights: Path
    tokenizer: Path


def require_model() -> ModelFiles:
    """Return the files of the installed model.

    Raises OperationalError if the extra is not installed, or is incomplete.
    """
    spec = find_spec(MODEL)
    folders = spec.submodule_search_locations if spec is not None else None
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if not folders or missing:
        absent = [*missing, *([] if folders else [MODEL])]
        raise missing_extra(_FEATURE, EXTRA, ", ".join(absent))
    folder = Path(folders[0])
    files = folder / _WEIGHTS, folder / _TOKENIZER
    for path in files:
        if not path.is_file():
            raise missing_extra(_FEATURE, EXTRA, str(path))
    return ModelFiles(f"{MODEL} {metadata.version(MODEL)}", *files)
