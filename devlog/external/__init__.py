"""Asking the web whether links to other sites still work: politely, and nothing but public addresses."""
