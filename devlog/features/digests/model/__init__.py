"""The activity that a digest reports."""
