"""A font for formulas, for readers who have none."""
