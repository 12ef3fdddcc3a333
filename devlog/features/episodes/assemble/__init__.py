"""What episodes and shows are made of in the site: files, pages, feeds."""
