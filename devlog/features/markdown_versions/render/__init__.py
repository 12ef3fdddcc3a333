"""Writing pages as Markdown, and the lists of them for programs that read as people do."""
