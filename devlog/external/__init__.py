"""Checks whether links to other sites still work: politely, and with requests to public IP addresses only."""
