"""Publishing: what the last good build left goes to where readers find it."""
