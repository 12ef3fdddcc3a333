"""How far a post can be relied on: superseded, reviewed, drafted by whom."""
