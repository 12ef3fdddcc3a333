"""Takes from a font what formulas need."""
