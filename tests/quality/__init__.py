"""How good the published pages are for those who read them, measured in a real browser.

Beside the tests there are three commands, run from the repository's root: ``python -m tests.quality.screenshots``,
``python -m tests.quality.readme_images`` and ``python -m tests.quality.lighthouse``.
"""

import sys
from pathlib import Path

if (_TESTS := str(Path(__file__).parents[1])) not in sys.path:  # pytest does the same for tests
    sys.path.insert(0, _TESTS)
