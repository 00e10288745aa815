"""Our command line with a sampling profiler.

`python sampled.py FILE serve …`, as `asdlc-kb serve`. SIGUSR1 begins to count, SIGUSR2
writes the number of samples by module to FILE as JSON. Samples are taken as often as
the kernel's clock of processor time allows, usually every 4 ms. One counts for the
innermost module of ours, or of Tornado, on the stack of the main thread.
"""

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

from asdlc_kb import cli

SECONDS = 0.001
PACKAGES = ("asdlc_kb.", "tornado.")
counts: Counter[str] = Counter()


def begin(number: int, frame: FrameType | None) -> None:
    """Count from now on."""
    counts.clear()
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)


def sample(number: int, frame: FrameType | None) -> None:
    """Count the innermost module."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(PACKAGES):
            break
        frame = frame.f_back
    counts[name if frame is not None else ""] += 1


def end(number: int, frame: FrameType | None) -> None:
    """Stop, and write."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    file = Path(sys.argv[0])
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps(counts), encoding="utf-8")
    os.replace(unfinished, file)


if __name__ == "__main__":
    del sys.argv[0]
    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    signal.signal(signal.SIGPROF, sample)
    cli.main()
