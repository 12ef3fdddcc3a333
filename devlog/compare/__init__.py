"""Two outputs side by side: what a new site has lost, moved and changed of the old one."""
