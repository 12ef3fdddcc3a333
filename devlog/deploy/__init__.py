"""Publishes the output of the last successful build (``devlog deploy``)."""
