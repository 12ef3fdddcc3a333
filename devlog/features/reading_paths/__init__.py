"""Reading paths: pages that list posts in an order, with a reason for each."""
