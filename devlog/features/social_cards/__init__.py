"""Images that stand for pages elsewhere, where a link to one is shown."""
