"""The only code that opens the site's files. It checks everything that it reads, and writes complete files only."""
