"""What posts say of the project's own source: pull requests, commits, files, symbols."""
