"""The index that readers search: made by Pagefind of what the build knows, and not of what it wrote."""
