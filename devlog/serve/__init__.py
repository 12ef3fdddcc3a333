"""The preview server with live reload (``devlog serve``)."""
