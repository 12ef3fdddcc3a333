"""Values about the status of posts: as front matter gives them, and as the whole site determines them."""
