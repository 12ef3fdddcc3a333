"""A static site generator for developer logs."""

DISTRIBUTION = "devlog-ssg"
"""The name of devlog on package indexes, where “devlog” is an unrelated program."""

__version__ = "0.1.0"
