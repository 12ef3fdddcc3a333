"""Social cards: the images that other sites show for links to a page."""
