"""Raw HTML in posts: a tokenizer, a tree, and functions that search and rewrite it."""
