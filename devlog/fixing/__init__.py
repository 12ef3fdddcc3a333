"""`devlog check --fix`: mending what has one right answer."""
