"""Having diagrams drawn, and making what comes of that harmless."""
