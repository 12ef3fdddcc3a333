"""What workers elsewhere would cost and gain: bytes that go to them and come back, and seconds of work on each side.

Everything runs in one process: what a build would send is packed and unpacked as it would be on its way, and the time
of each side is counted apart, as time of the processor, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

import argparse
import gc
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from devlog.build import Options, build

from .work import site

counted: Counter[str] = Counter()


class Weigher(Executor):
    """Does work here, and weighs what would be sent for it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do work now."""
        stage = "parse" if "parse" in repr(args[:1]) else "render"
        sent = pickle.dumps((fn, args, kwargs))
        begin = time.process_time()
        function, positional, named = pickle.loads(sent)
        received = pickle.dumps(function(*positional, **named))
        counted["seconds there"] += time.process_time() - begin  # type: ignore[assignment]
        counted[f"{stage} sent"] += len(sent)
        counted[f"{stage} received"] += len(received)
        future: Future[Any] = Future()
        future.set_result(pickle.loads(received))
        return future


def main() -> None:
    """Read the arguments, build once, print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.transfer",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--posts", type=int, default=1000, help="how many; 1000 unless told")
    arguments = parser.parse_args()
    devlog = site(arguments.posts, "transfer")
    devlog.cold()
    place = ModuleType("devlog_weigher")  # where `--executor` finds it; this module may be `__main__`
    place.Weigher = Weigher  # type: ignore[attr-defined]
    sys.modules[place.__name__] = place
    gc.disable()  # as the command does
    begin = time.process_time()
    report = build(Options(root=devlog.folder, now=datetime.now(UTC), executor="devlog_weigher:Weigher"))
    whole = time.process_time() - begin
    if report.failed:
        raise SystemExit(report.diagnostics[0].message)
    for stage in ("parse", "render"):
        sent, received = (counted[f"{stage} {way}"] / report.posts / 1000 for way in ("sent", "received"))
        print(f"{stage:8} {sent:6.1f} kB sent, {received:6.1f} kB received for each post")
    there = float(counted["seconds there"])
    print(f"workers  {1000 * there / report.posts:6.2f} ms for each post")
    print(f"here     {1000 * (whole - there) / report.posts:6.2f} ms for each post, packing included")


if __name__ == "__main__":
    main()
