"""Rewrites a report of `devlog check`, whose paths are relative to the site, for GitHub: relative to the repository.

Used by action.yml: ``python relocate.py ROOT < REPORT > REPORT``, for SARIF and for annotations.
"""

from __future__ import annotations

import json
import posixpath
import re
import sys
from typing import Any
from urllib.parse import quote


def relocate(report: str, root: str) -> str:
    """A report with the paths of its files below another folder.

    Args:
        report: SARIF, or annotations of a workflow, one on each line.
        root: the site's folder, relative to the repository's.
    """
    folder = posixpath.normpath(root)
    if folder == "." or not report:
        return report
    if report.startswith("{"):
        document = json.loads(report, object_hook=lambda found: _in_sarif(found, quote(folder)))
        return json.dumps(document, indent=1) + "\n"
    prefix = folder.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return re.sub(r"^(::[a-z]+ file=)", lambda found: f"{found[1]}{prefix}/", report, flags=re.MULTILINE)


def _in_sarif(found: dict[str, Any], folder: str) -> dict[str, Any]:
    place = found.get("artifactLocation", {})
    return found | {"artifactLocation": place | {"uri": f"{folder}/{place['uri']}"}} if "uri" in place else found


if __name__ == "__main__":
    text = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(relocate(text, sys.argv[1]).encode())
