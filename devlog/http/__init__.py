"""Requests to other hosts: which URLs may be requested, connections to public IP addresses, and what comes back."""
