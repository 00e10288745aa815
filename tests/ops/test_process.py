"""What the process takes of the machine."""

import os
import time

from asdlc_kb.ops import families, process
from asdlc_kb.ops.process import measure


def test_it_is_measured() -> None:
    """Memory and descriptors move with what the process holds."""
    before = measure()
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(50)]
    block = bytearray(os.urandom(1)) * (64 * 1024 * 1024)
    after = measure()
    for descriptor in held:
        os.close(descriptor)
    more = {family: after[family] - before[family] for family in after}
    assert more[families.DESCRIPTORS] >= 40
    assert more[families.MEMORY] > len(block) // 2
    assert more[families.CPU] >= 0
    assert more[families.MOST_DESCRIPTORS] == 0
    assert 0 < after[families.START] < time.time()
    assert abs(more[families.START]) < 5


def test_a_system_without_proc_tells_less(monkeypatch, tmp_path) -> None:
    """What cannot be known is left out, and nothing fails."""
    monkeypatch.setattr(process, "_SELF", tmp_path / "none")
    assert set(measure()) == {families.CPU, families.MOST_DESCRIPTORS}
