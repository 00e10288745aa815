"""The benchmarks are a package of the repository, which is not installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
