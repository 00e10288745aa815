"""Resources of the process."""

import os
import time
from pathlib import Path

import pytest

from asdlc_kb.ops.metrics import definitions, process_metrics
from asdlc_kb.ops.metrics.process_metrics import measure_process


def test_it_is_measured() -> None:
    """Memory and descriptors follow the process's use."""
    before = measure_process()
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(50)]
    block = bytearray(os.urandom(1)) * (64 * 1024 * 1024)
    after = measure_process()
    for descriptor in held:
        os.close(descriptor)
    more = {family: after[family] - before[family] for family in after}
    assert more[definitions.DESCRIPTORS] >= 40
    assert more[definitions.MEMORY] > len(block) // 2
    assert more[definitions.CPU] >= 0
    assert more[definitions.MAX_FDS] == 0
    assert 0 < after[definitions.START] < time.time()
    assert abs(more[definitions.START]) < 5


def test_a_system_without_proc_tells_less(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Unknown values are left out, and nothing fails."""
    monkeypatch.setattr(process_metrics, "_SELF", tmp_path / "none")
    assert set(measure_process()) == {definitions.CPU, definitions.MAX_FDS}
