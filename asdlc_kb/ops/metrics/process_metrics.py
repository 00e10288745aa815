"""Resource usage of the process, as far as the system provides it."""

import os
import resource
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.definitions import MetricFamily

_SELF: Final = Path("/proc/self")

_START_FIELD: Final = 19
"""The index of the start time in /proc/self/stat, after the process's name."""


def measure_process() -> Mapping[MetricFamily, float]:
    """Return memory, descriptors and times; without /proc a part of them."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    max_fds, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    measured: dict[MetricFamily, float] = {
        definitions.CPU: usage.ru_utime + usage.ru_stime,
        definitions.MAX_FDS: float("inf") if max_fds < 0 else max_fds,
    }
    with suppress(OSError):
        measured[definitions.DESCRIPTORS] = len(os.listdir(_SELF / "fd"))
    with suppress(OSError):
        pages = int((_SELF / "statm").read_text(encoding="ascii").split()[1])
        measured[definitions.MEMORY] = pages * os.sysconf("SC_PAGE_SIZE")
        measured[definitions.START] = _find_start()
    return measured


def _find_start() -> float:
    """Return the start time of the process, in seconds since 1970."""
    stat = (_SELF / "stat").read_bytes()
    ticks = int(stat.rpartition(b")")[2].split()[_START_FIELD])
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - age
