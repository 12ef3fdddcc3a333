"""Values about source references in posts, and about the state of cited source in a repository checkout."""
