"""Where a build spends its time: seconds by stage of a whole process, then the functions that a profiler counts.

Both builds work in one process (``--jobs 1``). The first is an ordinary one; under the profiler, everything that calls
much looks slower than it is, so that only the shares of its functions are worth comparing.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from devlog import build as pipeline

from .work import Site, site

STAGES = ("read", "compare", "parse", "assemble", "render", "write")


def stages(devlog: Site) -> str:
    """Build, and say how long each stage took."""
    run = devlog.build("--jobs", "1")
    report = json.loads(run.output)
    lines = [f"{name:10} {seconds:8.3f} s" for name, seconds in report["seconds"].items()]
    counts = ", ".join(f"{report[name]:,} {name}" for name in ("parsed", "rendered", "written"))
    return "\n".join([*lines, f"{'process':10} {run.seconds:8.3f} s, {run.megabytes:.0f} MB: {counts}"])


def profile(devlog: Site, stage: str) -> cProfile.Profile:
    """Build in this process, under the profiler during one stage, or during all if it is none's name."""
    profiler = cProfile.Profile()

    class Clock(pipeline._Clock):  # what alone knows where a stage begins and ends
        @contextmanager
        def __call__(self, name: str) -> Iterator[None]:
            with super().__call__(name):
                if stage in (name, "whole"):
                    profiler.enable()
                yield
                profiler.disable()

    original, pipeline._Clock = pipeline._Clock, Clock  # type: ignore[misc]
    try:
        pipeline.build(pipeline.Options(root=devlog.folder, now=datetime.now(UTC), jobs=1))
    finally:
        profiler.disable()
        pipeline._Clock = original  # type: ignore[misc]
    return profiler


def main() -> None:
    """Read the arguments, build twice, print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.profile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--posts", type=int, default=300, help="how many; 300 unless told")
    parser.add_argument("--stage", choices=(*STAGES, "whole"), default="whole", help="what to profile")
    parser.add_argument("--warm", action="store_true", help="build again with nothing changed")
    parser.add_argument("--sort", choices=("tottime", "cumulative"), default="tottime", help="order of the functions")
    parser.add_argument("--top", type=int, default=40, help="how many functions; 40 unless told")
    arguments = parser.parse_args()
    devlog = site(arguments.posts, "profile")
    if arguments.warm:
        devlog.build("--jobs", "1")
    print(stages(devlog), end="\n\n")
    if not arguments.warm:
        devlog.cold()
    pstats.Stats(profile(devlog, arguments.stage)).sort_stats(arguments.sort).print_stats(arguments.top)


if __name__ == "__main__":
    main()
