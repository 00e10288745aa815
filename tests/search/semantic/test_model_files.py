"""The files of the installed model."""

import importlib.util
from pathlib import Path

import pytest
from support.processes import list_loaded

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.extras import install_command
from asdlc_kb.search.semantic import model_files
from asdlc_kb.search.semantic.model_files import require_model

ABSENT = "package_that_is_not_installed"


def test_the_installed_model_is_found_and_not_imported() -> None:
    """Its package would import other libraries."""
    files = require_model()
    assert files.identity.startswith("wordllama ")
    assert files.weights.stat().st_size == 16_384_096
    loaded = list_loaded(
        "import sys\n"
        "from asdlc_kb.search.semantic.model_files import require_model\n"
        "require_model()\n"
        "print(*sys.modules)\n"
    )
    assert "asdlc_kb.search.semantic.model_files" in loaded
    assert "wordllama" not in loaded


@pytest.mark.parametrize(
    ("name", "value", "missing"),
    [
        ("MODEL", ABSENT, ABSENT),
        ("_LIBRARIES", (ABSENT,), ABSENT),
        ("_WEIGHTS", Path("weights/none"), "weights/none"),
    ],
)
def test_a_missing_part_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object, missing: str
) -> None:
    """A library, the model, or one of its files."""
    assert importlib.util.find_spec(ABSENT) is None
    monkeypatch.setattr(model_files, name, value)
    with pytest.raises(OperationalError) as caught:
        require_model()
    assert caught.value.advice == install_command("semantic")
    assert missing in caught.value.reason
