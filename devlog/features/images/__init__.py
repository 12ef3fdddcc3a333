"""Images of posts in other sizes and formats."""
