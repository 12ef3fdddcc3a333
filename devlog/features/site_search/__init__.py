"""The search of the published site, by Pagefind."""
