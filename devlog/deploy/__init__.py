"""Publishes the output of the last successful build into the configured output folder (``devlog deploy``)."""
