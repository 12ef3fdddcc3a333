"""Making the index beside a build."""
