"""Charts: fences of comma-separated values, or of Vega-Lite, become SVG with a table of the data."""
