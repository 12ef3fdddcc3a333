"""Words of texts that somebody might have written."""

from __future__ import annotations

WORDS = (
    "the a of to in and that it is for on with as by from at this which when where page row column buffer write read "
    "log index tree node leaf split merge lock latch wait queue batch vector plan cost estimate join hash sort scan "
    "filter predicate key value range cursor snapshot version commit abort replay checkpoint segment block cache miss "
    "hit latency throughput memory allocation thread worker task scheduler request response client server socket "
    "frame packet retry timeout error bound invariant proof test fuzz bench profile trace sample histogram median tail "
    "we measured found changed removed kept wrote moved replaced simple slow fast large small new old first last next "
    "before after because although therefore however still only never always often rarely already again together"
).split()
