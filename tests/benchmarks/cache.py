"""Where generators, sites and images are kept from one run to the next."""

from __future__ import annotations

import os
from pathlib import Path

CACHE = Path(os.environ.get("DEVLOG_BENCHMARKS") or Path.home() / ".cache" / "devlog-benchmarks")
