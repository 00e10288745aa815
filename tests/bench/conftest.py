"""The benchmarks are a package beside ours, which is installed; they are not."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
