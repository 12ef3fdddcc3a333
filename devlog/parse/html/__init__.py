"""Raw HTML in posts: how it is read, and what is looked up in it."""
