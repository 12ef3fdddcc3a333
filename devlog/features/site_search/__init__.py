"""The search of the published site, with Pagefind."""
