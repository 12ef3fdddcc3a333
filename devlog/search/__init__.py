"""Search of a site's current posts, for the terminal and for programs, with an index that is kept up to date.

Other packages need only `devlog.search.lookup.Lookup`::

    with closing(Lookup(root, now)) as lookup:
        lookup.refresh()                                        # updates the index; reads only changed files
        lookup.search("buffer pool", Filters(topic="storage"))  # tuple[Hit, ...], the best first
        lookup.search(filters=Filters(author="adaquill"))       # without words: the newest first
        lookup.entries(Filters(topic="storage"), limit=5)       # tuple[Entry, ...]: posts, the newest first
        lookup.entry("/storage/buffer-pool/")                   # Entry | None, by URL, permalink, or path of the file
        lookup.sections(entry)                                  # tuple[Section, ...], with their lines
        lookup.topics()                                         # tuple[Entry, ...]: the pages of topics

The values are in `devlog.search.values`. An `Entry` names its source file relative to the site (``source``), and only
sources of the site are ever named; callers that need its content read it through `devlog.disk.read`. An exception is a
bug in devlog: a damaged index is rebuilt, and one that cannot be written is kept in memory.
"""
