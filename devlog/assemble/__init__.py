"""Joins the parsed sources into one site and plans the files that it needs. This stage always runs in full."""
