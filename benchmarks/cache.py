"""Location of corpora and npm packages that are cached between runs."""

import os
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
CACHE: Final = Path(os.environ.get("BENCH_CACHE", ROOT / ".tox" / ".bench")).resolve()
