"""A static site generator for developer logs."""

DISTRIBUTION = "devlog-ssg"
"""The name under which package indexes know devlog; “devlog” there is an unrelated program."""

__version__ = "0.1.0"
