"""What writers and maintainers begin with: posts, topics, authors, whole sites."""
