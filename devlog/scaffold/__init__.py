"""Creates new posts, topics, authors and sites, copies of templates, and translation catalogs; shell completion."""
