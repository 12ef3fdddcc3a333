"""Plans the files of a brand, and what pages know of it."""
