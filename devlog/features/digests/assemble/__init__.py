"""Plans the pages of series of digests."""
