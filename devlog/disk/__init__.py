"""The only code that opens the site's files: what comes in is checked, what goes out is whole."""
