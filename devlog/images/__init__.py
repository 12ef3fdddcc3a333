"""Pictures in other sizes and formats, made by Pillow where that is installed."""
