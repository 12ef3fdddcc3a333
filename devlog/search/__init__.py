"""Searching the texts of a site as they are now, in a terminal and for programs: an index beside it, kept up to date.

`devlog.search.lookup.Lookup` is all that others need::

    with closing(Lookup(root, now)) as lookup:
        lookup.refresh()                               # a look at the files; reads those that have changed
        lookup.search("buffer pool", topic="storage")  # tuple[Hit, ...], the best first
        lookup.search(author="adaquill")               # without words: the newest first
        lookup.entries(topic="storage", limit=5)       # tuple[Entry, ...]: texts, the newest first
        lookup.entry("/storage/buffer-pool/")          # Entry | None, by URL, permalink, or path of the file
        lookup.sections(entry)                         # tuple[Section, ...], with their lines
        lookup.topics()                                # tuple[Entry, ...]: the pages of topics

Values are in `devlog.search.values`. An `Entry` names its file relative to the site (``source``), and nothing that is
not a text of the site is ever named; whoever wants the text itself reads that file through `devlog.disk.read`. Nothing
raises but for a fault of devlog: an index that is damaged is made anew, one that cannot be written is kept in memory.
"""
